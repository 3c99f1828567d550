"""What a redactor finds inside texts that are encoded, and what recorders of traffic say of such a text beside it."""

from __future__ import annotations

from stepfork.redact.encoded import LIMIT, Opened, find_encoded, inflated, may_be_encoded
from stepfork.redact.marker import MARKER
from stepfork.redact.told_codings import coding_told
from stepfork.rewrite.json_text import is_json_text
from stepfork.rewrite.place import Edit, Rewriter, apply_edits
from stepfork.rewrite.text import find_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from stepfork.redact.finding import Paths
    from stepfork.rewrite.place import Place

    Path = tuple[str | int, ...]
    Reader = Callable[[], Rewriter]
    Key = tuple[Path, Path]

_TOO_DEEP = "is encoded more often than is looked into"
_DEEPEST = 3
"""Encodings inside encodings are opened this often."""
_LITTLE = 40
_CHUNK = "1f8b08"
_FOR_BYTES = ("base64", "base64_string", "b64", "b64_json", "raw_gzip")
"""How the names of members end whose text stands for bytes of whatever kind."""


class Inside:
    """What one redactor has opened. `unread` are the places of what could not be read, each with the reason."""

    __slots__ = ("_binary", "_chunks", "_codings", "_depth", "_room", "unread")

    def __init__(self) -> None:
        self.unread: dict[tuple[str, str], None] = {}
        self._codings: dict[Key, str] = {}
        self._binary: set[Key] = set()
        self._chunks: dict[Key, list[str]] = {}
        self._room = LIMIT
        self._depth = 0

    def note(self, path: Path, value: dict[str, Any] | list[Any], place: Place) -> None:
        """Remember of a container of the document at `place` how its bodies are coded, and that it is one in pieces."""
        here = (place.part, place.path + path)
        if isinstance(value, dict):
            coding = coding_told(value)
            if coding:
                self._codings[here] = coding
            if "base64" in (value.get("encoding"), value.get("type")) or value.get("isBase64Encoded") is True:
                self._binary.update(
                    (place.part, (*here[1], key)) for key, item in value.items() if isinstance(item, str)
                )
        elif len(value) > 1 and _begins_chunks(value[0]) and all(isinstance(item, str) for item in value):
            self._chunks[here] = value

    def is_binary(self, place: Place) -> None:
        """Remember that the text at a place stands for bytes of whatever kind."""
        self._binary.add((place.part, place.path))

    def edits(self, text: str, place: Place, reader: Reader, paths: Paths) -> list[Edit]:
        """The edits of a text that are edits of what is encoded in it. `reader` gives who reads that, `paths` writes
        places."""
        chunks = self._chunks.get((place.part, place.path[:-1])) if self._chunks else None
        if chunks is not None:
            return self._in_chunks(text, chunks, place, reader, paths)
        made: list[Edit] = []
        if not may_be_encoded(text):
            return made
        for start, end, opened in find_encoded(text, self._room, self._coding_at(place), self._stands_for_bytes(place)):
            new = self._rewritten(opened, place, reader, paths)
            if new is not None:
                made.append(Edit(start, end, new))
        return made

    def _rewritten(self, opened: Opened, place: Place, reader: Reader, paths: Paths) -> str | None:
        """What stands instead of an encoded text; None where it stays. What is not packed again, as it was not read
        whole or holds little but the secret, goes."""
        self._room -= len(opened.text)
        if opened.complaint or self._depth >= _DEEPEST:
            self.unread.setdefault((paths.path(place), opened.complaint or _TOO_DEEP))
        if self._depth >= _DEEPEST:
            return None
        self._depth += 1
        edits = find_edits(opened.text, place, reader())
        self._depth -= 1
        if not edits:
            return None
        inner = apply_edits(opened.text, edits)
        return MARKER if opened.complaint or _is_little(opened, inner) else opened.pack(inner)

    def _in_chunks(self, text: str, chunks: list[str], place: Place, reader: Reader, paths: Paths) -> list[Edit]:
        """A body in pieces is packed again as one, which stands in the place of the first."""
        if place.path[-1] != 0:
            return [Edit(0, len(text), "")] if text and not chunks else []
        for _, _, opened in find_encoded("".join(chunks), self._room):
            new = self._rewritten(opened, place, reader, paths)
            if new is not None:
                self._chunks[place.part, place.path[:-1]] = []
                return [Edit(0, len(text), new)]
        return []

    def _coding_at(self, place: Place) -> str:
        """The coding that the headers nearest to a place tell."""
        if self._codings:
            for length in range(len(place.path), -1, -1):
                coding = self._codings.get((place.part, place.path[:length]))
                if coding is not None:
                    return coding
        return ""

    def _stands_for_bytes(self, place: Place) -> bool:
        if (place.part, place.path) in self._binary:
            return True
        name = place.path[-1] if place.path else ""
        return isinstance(name, str) and name.lower().endswith(_FOR_BYTES)


def rewrite_compressed(data: bytes, place: Place, rewriter: Rewriter) -> bytes | None:
    """Compressed bytes with the text in them rewritten; None where they stay."""
    inside = inflated(data, LIMIT)
    if inside is None or inside[0] is data:
        return None
    made, pack, complaint = inside
    text = made.decode("utf-8", "surrogateescape")
    edits = find_edits(text, place, rewriter)
    if not edits:
        return None
    return MARKER.encode() if complaint else pack(apply_edits(text, edits).encode("utf-8", "surrogateescape"))


def _is_little(opened: Opened, inner: str) -> bool:
    """Whether little but the marker is left of a text in one line: then the marker is better seen than packed."""
    if opened.is_compressed or "\n" in inner or is_json_text(inner):
        return False
    return len(inner.replace(MARKER, "")) < _LITTLE


def _begins_chunks(item: Any) -> bool:
    return isinstance(item, str) and item[:6].lower() == _CHUNK

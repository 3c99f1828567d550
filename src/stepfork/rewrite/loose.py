"""Strings that may be pieces of one text although no provider says so: those at one place of successive documents.

A gateway's own dialect, a field that a provider added last week, lines of a log: what stands at the same place of one
document after another is read as one text too. Where several texts come interleaved, members such as ``index``,
``type`` and ``id`` tell them apart, so each grouping that these allow is tried. Standard library only.
"""

from __future__ import annotations

from stepfork.rewrite.joined import Joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Protocol

    from stepfork.rewrite.place import Edit, Place, Rewriter

    Path = tuple[str | int, ...]

    class Piece(Protocol):
        """A string of a document; `decoded` is what it says."""

        decoded: str

        @property
        def place(self) -> Place:
            """Where it stands."""


_CONSTANT = frozenset(
    (
        *("id", "object", "model", "type", "role", "name", "status", "event", "created_at", "signature", "provider"),
        *("finish_reason", "native_finish_reason", "stop_reason", "system_fingerprint", "service_tier", "obfuscation"),
        *("item_id", "response_id", "call_id", "tool_call_id"),
    )
)
"""Members of providers' events that are no piece of a text: a word of the protocol, or an id."""
_KINDS = frozenset(("type", "kind", "role", "channel", "event"))


class Loose:
    """The strings of documents that come one after another, by what they may be pieces of."""

    def __init__(self) -> None:
        self._groups: dict[Any, list[Any]] = {}
        self._document: Any = None
        self._marks: dict[Path, tuple[list[Any], list[Any]]] = {}

    @staticmethod
    def wants(path: Path) -> bool:
        """Whether a string at `path` of a document may be a piece of anything."""
        return not path or path[-1] not in _CONSTANT

    def add(self, piece: Piece, path: Path, document: Any, event: str = "") -> None:
        """A string at `path` of `document`, which came as an event of that name."""
        if not piece.decoded:
            return
        if document is not self._document:
            self._document, self._marks = document, {}
        above = path[:-1]
        if above not in self._marks:
            self._marks[above] = marks_of(document, above)
        names = tuple(step for step in path if isinstance(step, str))
        marks, ids = self._marks[above]
        for key in {(names,), (path, event, *marks), (path, event, *marks, *ids)}:
            self._groups.setdefault(key, []).append(piece)

    def texts(self) -> Iterator[list[Any]]:
        """Each list of pieces once that may spell a text: more than one, and not the same again and again."""
        seen: set[tuple[int, ...]] = set()
        for pieces in self._groups.values():
            key = tuple(map(id, pieces))
            if len(pieces) > 1 and key not in seen and any(piece.decoded != pieces[0].decoded for piece in pieces):
                seen.add(key)
                yield pieces


def marks_of(document: Any, path: Path) -> tuple[list[Any], list[Any]]:
    """What the objects on the way to a path say of themselves: which of several texts a string there belongs to, by
    number or kind; and by id."""
    marks: list[Any] = []
    ids: list[Any] = []
    nodes = [document]
    for step in path:
        nodes.append(nodes[-1][step])
    for node in nodes:
        for name, item in node.items() if isinstance(node, dict) else ():
            if isinstance(item, str | int):
                lower = name.lower()
                if lower.endswith("index") or lower in _KINDS:
                    marks.append(item)
                elif lower.endswith("id"):
                    ids.append(item)
    return marks, ids


def across_edits(pieces: Sequence[Piece], rewriter: Rewriter) -> Iterator[tuple[Any, Sequence[Edit]]]:
    """Each piece of a text that the rewriter changes only when it reads them as one, with the edits."""
    edits = rewriter.across([piece.decoded for piece in pieces], lambda number: pieces[number].place)
    return ((piece, found) for piece, found in zip(pieces, edits, strict=False) if found)


def joined_streams(streams: Sequence[Sequence[Piece]], rewriter: Rewriter) -> Iterator[tuple[Any, list[Edit]]]:
    """As `across_edits` for texts that are spelled in pieces themselves and may go on in one another, as the blocks of
    one answer do."""
    whole = [Joined([piece.decoded for piece in pieces]) for pieces in streams]
    place_of: Callable[[int], Place] = lambda number: streams[number][0].place  # noqa: E731
    edits = rewriter.across([joined.text for joined in whole], place_of)
    for pieces, joined, found in zip(streams, whole, edits, strict=False):
        for edit in found:
            for number, share in joined.shares(edit):
                yield pieces[number], [share]

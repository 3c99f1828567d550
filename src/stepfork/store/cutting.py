"""Which strings of a run's documents are stored as objects of their own.

Media (1,024 or more base64 characters in a row, wherever they stand) always are: the data is named by its content, so
an answer's image and the request that sends it back share one file. Another string of more than 1,024 bytes of UTF-8 is
when it stands two or more times in the documents given.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.store.markers import is_like, join_marker, object_marker, pack

LARGE = 1024
"""Bytes of UTF-8 that a string must pass, and base64 characters that make media."""

_MEDIA = re.compile(r"[A-Za-z0-9+/_-]{1024,}={0,2}")


class Cutter:
    """Packs the documents of one kind (exchanges, prompts, the trace); what it cuts out goes into `objects`.

    Equal documents count once, so that a repeated call does not make its own strings repeat. `point` may give a marker
    for any text or container, which then goes before all cutting.
    """

    def __init__(
        self, documents: Iterable[Any], objects: dict[str, bytes], point: Callable[[Any], Any] | None = None
    ) -> None:
        self._objects = objects
        self._point = point
        self._plain = [(document, dumps(document)) for document in documents]
        distinct = {data: document for document, data in self._plain}
        self._found = {data: list(_notable(document)) for data, document in distinct.items()}
        counts = Counter(item for found in self._found.values() for item in found if isinstance(item, str))
        self._chosen = {text for text, count in counts.items() if count > 1 or _MEDIA.search(text)}

    def packed(self) -> list[str]:
        """Stores each document, and returns the names of the objects in the order given. Raises CanonicalError."""
        names = []
        for document, plain in self._plain:
            touched = any(isinstance(item, dict) or item in self._chosen for item in self._found[plain])
            packed = dumps(pack(document, self._cut)) if touched or self._point else plain
            names.append(self._store(packed))
        return names

    def _store(self, data: bytes) -> str:
        name = name_of(data)
        self._objects[name] = data
        return name

    def _cut(self, node: Any) -> Any:
        pointed = self._point(node) if self._point else None
        if pointed is not None:
            return pointed
        return self._cut_text(node) if isinstance(node, str) and node in self._chosen else node

    def _cut_text(self, text: str) -> Any:
        pieces: list[Any] = []
        end = 0
        for media in _MEDIA.finditer(text):
            if media.start() > end:
                pieces.append(text[end : media.start()])
            pieces.append(self._object(media[0]))
            end = media.end()
        if not pieces:
            return self._object(text)
        if end < len(text):
            pieces.append(text[end:])
        return join_marker(pieces) if len(pieces) > 1 else pieces[0]

    def _object(self, text: str) -> dict[str, Any]:
        return object_marker(self._store(dumps(text)))


def _notable(document: Any) -> Iterator[Any]:
    """The large strings of a document, and each dict that could be taken for a marker."""
    stack = [document]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            if (
                len(node) > LARGE
                or (len(node) * 4 > LARGE and len(node.encode("utf-8", "surrogatepass")) > LARGE)
                or (len(node) == LARGE and _MEDIA.fullmatch(node))
            ):
                yield node
        elif isinstance(node, dict):
            if is_like(node):
                yield node
            stack.extend(node.values())
        elif isinstance(node, list | tuple):
            stack.extend(node)

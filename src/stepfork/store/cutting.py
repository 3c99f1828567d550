"""Which strings of a run's documents are stored as objects of their own.

Media (1,024 or more base64 characters in a row, wherever they stand) always are: the data is named by its content, so
an answer's image and the request that sends it back share one file. Another string of more than 1,024 bytes of UTF-8 is
when it stands two or more times in the documents given.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.store.encoded import ASIDE, Objects
from stepfork.store.markers import is_like, join_marker, object_marker, pack

LARGE = 1024
"""Bytes of UTF-8 that a string must pass, and base64 characters that make media."""

_MEDIA = re.compile(r"[A-Za-z0-9+/_-]{1024,}={0,2}")


class _Notable(NamedTuple):
    """What stands for the large strings of a document, and whether a dict in it could be taken for a marker."""

    texts: list[str | bytes]
    has_likes: bool


Make = Callable[[], Any]
"""Gives a document, an equal one each time."""


class Cutter:
    """Packs the documents of one kind (exchanges, prompts, the trace); what it cuts out goes into `objects`.

    Equal documents count once, so that a repeated call does not make its own strings repeat. `point` may give a marker
    for any text or container, which then goes before all cutting. Of a large document nothing is kept between the two
    looks at it, nor of its large strings but a digest.
    """

    def __init__(self, documents: Iterable[Make], objects: Objects, point: Callable[[Any], Any] | None = None) -> None:
        self._objects = objects
        self._point = point
        self._found: dict[bytes | str, _Notable] = {}
        self._media: dict[str | bytes, bool] = {}
        self._documents = [self._look(make) for make in documents]
        counts = Counter(text for found in self._found.values() for text in found.texts)
        self._chosen = {text for text, count in counts.items() if count > 1 or self._media[text]}

    def packed(self) -> list[str]:
        """Stores each document, and returns the names of the objects in the order given. Raises CanonicalError."""
        return [self._packed(make, plain, key) for make, plain, key in self._documents]

    def _look(self, make: Make) -> tuple[Make, bytes | None, bytes | str]:
        """How the document is made, its plain bytes where they are few, and what stands for equal documents."""
        document = make()
        plain = dumps(document)
        is_large = len(plain) >= ASIDE
        key = name_of(plain) if is_large else plain
        if key not in self._found:
            self._found[key] = self._notable(document)
        return (make, None, key) if is_large else ((lambda: document), plain, key)

    def _notable(self, document: Any) -> _Notable:
        texts: list[str | bytes] = []
        has_likes = False
        for item in _notable(document):
            if isinstance(item, str):
                word = _word_for(item)
                texts.append(word)
                if word not in self._media:
                    self._media[word] = _MEDIA.search(item) is not None
            else:
                has_likes = True
        return _Notable(texts, has_likes)

    def _packed(self, make: Make, plain: bytes | None, key: bytes | str) -> str:
        found = self._found[key]
        if self._point or found.has_likes or any(text in self._chosen for text in found.texts):
            plain = dumps(pack(make(), self._cut))
        return self._store(dumps(make()) if plain is None else plain)

    def _store(self, data: bytes) -> str:
        name = name_of(data)
        self._objects.put(name, data)
        return name

    def _cut(self, node: Any) -> Any:
        pointed = self._point(node) if self._point else None
        if pointed is not None:
            return pointed
        return self._cut_text(node) if isinstance(node, str) and _word_for(node) in self._chosen else node

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


def _word_for(text: str) -> str | bytes:
    """What stands for a text while documents are compared: itself, where it is not large."""
    if len(text) < ASIDE:
        return text
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).digest()


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

"""The three markers of a stored document, and the rule that keeps a user's own look-alikes apart.

    {"$stepfork:object": ID}                 the string that object ID holds
    {"$stepfork:join": [TEXT | object...]}   the pieces joined: text around media
    {"$stepfork:value": [I, SIDE, ...]}      a value of exchange I: only in a trace

A single-member object whose key is one or more ``$`` and then ``stepfork:`` is written with one more ``$``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from stepfork.canonical.names import is_name
from stepfork.errors import DamagedError

OBJECT = "$stepfork:object"
JOIN = "$stepfork:join"
VALUE = "$stepfork:value"

MAX_JOINED = 1 << 29
"""Characters that all joins of one fixture may make together: a small file must not fill the memory."""

_LIKE = re.compile(r"\$+stepfork:")
Cut = Callable[[Any], Any]


def pack(value: Any, cut: Cut) -> Any:
    """A copy of `value` with the user's look-alikes escaped and whatever `cut` replaces replaced.

    `cut` is asked about each text, list and dict, from the outside in, and returns it, or the marker that takes its
    place.
    """
    made = cut(value)
    if made is not value:
        return made
    if isinstance(value, dict):
        packed = {key: pack(item, cut) for key, item in value.items()}
        return {"$" + key: item for key, item in packed.items()} if is_like(packed) else packed
    if isinstance(value, list | tuple):
        return [pack(item, cut) for item in value]
    return value


def is_like(value: dict[str, Any]) -> bool:
    """Whether a dict could be taken for a marker, so that `pack` would escape it."""
    return len(value) == 1 and _LIKE.match(next(iter(value))) is not None


def object_marker(name: str) -> dict[str, Any]:
    """Stands for the string that the object of that name holds."""
    return {OBJECT: name}


def join_marker(pieces: list[Any]) -> dict[str, Any]:
    """Stands for the joined pieces, each a string or an `object_marker`."""
    return {JOIN: pieces}


def value_marker(path: tuple[str | int | None, ...]) -> dict[str, Any]:
    """Stands for a value of an exchange: ``(index, "request" | "response", step...)``."""
    return {VALUE: list(path)}


class Unpacker:
    """Undoes `pack` for the documents of one fixture.

    `text` gives the string that an object holds; `value` gives what a `value_marker` stands for, and is None where
    such a marker has no place. Raises DamagedError for a marker that is malformed, unknown or out of place.
    """

    def __init__(self, text: Callable[[str], str], value: Callable[[list[Any]], Any] | None = None) -> None:
        self._text = text
        self._value = value
        self._joined = 0

    def unpack(self, value: Any) -> Any:
        """The value that was packed."""
        if isinstance(value, dict):
            if len(value) == 1:
                key, item = next(iter(value.items()))
                if _LIKE.match(key):
                    return self._marker(item, key) if key[1] != "$" else {key[1:]: self.unpack(item)}
            return {key: self.unpack(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.unpack(item) for item in value]
        return value

    def _marker(self, item: Any, key: str) -> Any:
        if key == OBJECT and is_name(item):
            return self._text(item)
        if key == JOIN and isinstance(item, list):
            return self._join(item)
        if key == VALUE and isinstance(item, list) and self._value is not None:
            return self._value(item)
        raise DamagedError("a marker is malformed, unknown or out of place")

    def _join(self, pieces: list[Any]) -> str:
        texts = [self._piece(piece) for piece in pieces]
        self._joined += sum(map(len, texts))
        if self._joined > MAX_JOINED:
            raise DamagedError("joined texts are larger than a fixture may be")
        return "".join(texts)

    def _piece(self, piece: Any) -> str:
        if isinstance(piece, str):
            return piece
        if isinstance(piece, dict) and piece.keys() == {OBJECT} and is_name(piece[OBJECT]):
            return self._text(piece[OBJECT])
        raise DamagedError("a joined text has a piece of another kind")

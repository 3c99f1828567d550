"""What one call of a run repeats of an earlier one: a model is told its whole conversation each time.

A list of objects is written as ``the first N of call K, then these``, so that a journal grows with what a run says and
not with its square. K is the earlier call whose list, at the same place, begins with the longest beginning of this one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from stepfork.errors import DamagedError
from stepfork.trace.body import JsonValue

Path = tuple[str | int, ...]
Kept = tuple[tuple[Path, int, int], ...]
"""Where a list stands, in which earlier call's list there its beginning is, and how many items that is."""

_DEEPEST = 6
_LEAST = 200
"""Bytes that a beginning has, for a word on it to be shorter."""
_PLAIN_NAME = re.compile(r"[A-Za-z_$][A-Za-z_]{0,23}")
"""Names that a path may have: it is written as it is."""


class Cut(NamedTuple):
    """A value without what is repeated, and what to remember of it once it is written."""

    value: JsonValue
    kept: Kept = ()
    beginnings: tuple[tuple[bytes, int, Path], ...] = ()


class Repeats:
    """The beginnings of lists that were written. `cut`, write, `note`."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[int, int]] = {}

    def cut(self, kind: str, value: JsonValue) -> Cut:
        """`value` without the beginnings that are known of values of that kind. It is not changed itself."""
        kept: list[tuple[Path, int, int]] = []
        beginnings: list[tuple[bytes, int, Path]] = []
        for path, items in [*_lists(value, ())]:
            digest = blake2b(repr((kind, path)).encode(), digest_size=16)
            size, longest = 0, None
            for count, item in enumerate(items, start=1):
                data = msgspec.json.encode(item)
                digest.update(data + b"\n")
                size += len(data)
                name = digest.digest()
                beginnings.append((name, count, path))
                known = self._known.get(name)
                if known is not None and size >= _LEAST:
                    longest = known
            if longest is not None:
                kept.append((path, *longest))
                value = _without(value, path, longest[1])
        return Cut(value, tuple(kept), tuple(beginnings))

    def note(self, cut: Cut, written: JsonValue, number: int) -> None:
        """The value that was cut is written, as call `number`, and reads as `written`."""
        lists = {path for path in {path for _, _, path in cut.beginnings} if isinstance(_at(written, path), list)}
        for name, count, path in cut.beginnings:
            if path in lists:
                self._known.setdefault(name, (number, count))


def names_in(cut: Cut) -> Iterator[str]:
    """The names on the ways to what is repeated."""
    return (step for path, _, _ in cut.kept for step in path if isinstance(step, str))


def put_together(value: JsonValue, kept: Kept, earlier: dict[int, JsonValue]) -> JsonValue:
    """The value that was cut; `earlier` are those of the calls before it, whole. Raises DamagedError."""
    for path, number, count in kept:
        known = _at(earlier.get(number), path)
        if not isinstance(known, list) or not 0 < count <= len(known):
            raise DamagedError("it continues what no earlier call holds")
        value = _with(value, path, known[:count])
    return value


def _lists(value: Any, path: Path) -> Iterator[tuple[Path, list[Any]]]:
    if len(path) > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, dict | list) and isinstance(key, str) and _PLAIN_NAME.fullmatch(key):
                yield from _lists(inner, (*path, key))
    elif isinstance(value, list) and value:
        if all(isinstance(item, dict) for item in value):
            yield path, value
        elif len(value) == 1:
            yield from _lists(value[0], (*path, 0))


def _at(value: Any, path: Path) -> Any:
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def _without(value: Any, path: Path, count: int) -> Any:
    if not path:
        return value[count:]
    step: Any = path[0]
    made: Any = dict(value) if isinstance(value, dict) else list(value)
    made[step] = _without(value[step], path[1:], count)
    return made


def _with(value: Any, path: Path, items: list[Any]) -> Any:
    """A copy of `value` with `items` before those of the list at `path`."""
    if not path:
        if not isinstance(value, list):
            raise DamagedError("it continues a list and is none")
        return [*items, *value]
    step: Any = path[0]
    fits = step in value if isinstance(value, dict) else isinstance(value, list) and step in range(len(value))
    if not fits:
        raise DamagedError("it continues a list that is not there")
    made: Any = dict(value) if isinstance(value, dict) else list(value)
    made[step] = _with(value[step], path[1:], items)
    return made

"""Inputs with their placeholders covered, so that one call of a large group is found without comparing them all."""

from __future__ import annotations

from typing import Any

from stepfork.canonical.encode import plain_dumps
from stepfork.trace.body import JsonValue

Paths = tuple[tuple[str | int, ...], ...]
"""The places whose texts hold placeholders."""

_COVER = "\x00"


def templated(value: JsonValue) -> Paths | None:
    """The places of a recorded value whose texts hold placeholders; None where a member's name does."""
    found: list[tuple[str | int, ...]] = []
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while waiting:
        path, one = waiting.pop()
        if isinstance(one, str):
            if "{{" in one:
                found.append(path)
        elif isinstance(one, dict):
            if any("{{" in name for name in one):
                return None
            waiting += [((*path, name), item) for name, item in one.items()]
        elif isinstance(one, list):
            waiting += [((*path, index), item) for index, item in enumerate(one)]
    return tuple(sorted(found, key=repr))


def masked(kind: str, name: str, value: JsonValue, paths: Paths) -> bytes | None:
    """A call in canonical JSON, its texts at `paths` covered; None where it has none there, or no such form."""
    for path in paths:
        value = _covered(value, path)
        if value is None:
            return None
    return plain_dumps([kind, name, value])


def _covered(value: Any, path: tuple[str | int, ...]) -> Any:
    if not path:
        return _COVER if isinstance(value, str) else None
    step, *rest = path
    if isinstance(value, dict) if isinstance(step, str) else isinstance(value, list) and step < len(value):
        if isinstance(value, dict) and step not in value:
            return None
        below = _covered(value[step], tuple(rest))
        if below is None:
            return None
        made = value.copy()
        made[step] = below
        return made
    return None

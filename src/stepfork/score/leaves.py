"""The leaves of an expected value, what the recorded run has at each, and small changes of them.

A leaf is a scalar, or a container that is empty.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from stepfork.contracts.expectation import MISSING, equal
from stepfork.trace.body import JsonValue

Path = tuple[str | int, ...]


class Leaf(NamedTuple):
    """A leaf: the way to it, what is expected there, and what the run has there (MISSING where it has no place)."""

    path: Path
    expected: JsonValue
    recorded: Any

    @property
    def reproduces_run(self) -> bool:
        """Whether the run has the expected value in this place."""
        return self.recorded is not MISSING and equal(self.expected, self.recorded)


class _Step(NamedTuple):
    above: _Step | None
    step: str | int

    def path(self) -> Path:
        steps: list[str | int] = []
        at: _Step | None = self
        while at is not None:
            steps.append(at.step)
            at = at.above
        return tuple(reversed(steps))


def leaves(expected: JsonValue, recorded: Any = MISSING) -> Iterator[Leaf]:
    """The leaves of `expected` in its order. Takes time in proportion to it."""
    waiting: list[tuple[_Step | None, JsonValue, Any]] = [(None, expected, recorded)]
    while waiting:
        place, value, found = waiting.pop()
        members = _members(value)
        if not members:
            yield Leaf(place.path() if place else (), value, found)
        waiting += [(_Step(place, step), member, _at(found, step)) for step, member in reversed(members)]


def perturbed(value: JsonValue) -> list[JsonValue]:
    """Other values for a leaf: one near it, and null. Each differs from it."""
    match value:
        case None:
            return ["null"]
        case bool():
            return [not value, None]
        case int():
            return [value - 1 if value == 2**64 - 1 else value + 1, None]
        case float():
            return [_moved(value), None]
        case str():
            return [f"{value}~", None]
        case dict():
            return [{"~": None}, None]
    return [[None], None]


def _moved(value: float) -> float:
    """One more; where a float of that size has no such neighbour, the nearest towards zero."""
    return value + 1.0 if value + 1.0 != value else math.nextafter(value, 0.0)


def _members(value: JsonValue) -> list[tuple[str | int, JsonValue]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list | tuple) else []


def _at(value: Any, step: str | int) -> Any:
    """The member or item of a recorded value, MISSING where it has none of that kind."""
    if isinstance(step, str):
        return value.get(step, MISSING) if isinstance(value, dict) else MISSING
    return value[step] if isinstance(value, list | tuple) and step < len(value) else MISSING

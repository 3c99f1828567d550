"""An expected value against the one that a run came to: equal in canonical JSON, or where they differ.

``true`` is not ``1``, ``1`` is not ``1.0``, ``0.0`` is not ``-0.0``; a member that is missing is not ``null``; a list
is compared position by position, and by its length. Numbers that JSON cannot carry equal nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from stepfork.canonical.places import dotted
from stepfork.contracts.shown import shown_pair


class _Missing:
    """What a place has that is not there."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()
"""Stands for a member that one side has not."""


class Difference(NamedTuple):
    """A place (names of members and indices, from the outside) and what either side has there. A list of another
    length is a difference of the lists; the items that both have are compared apart."""

    path: tuple[str | int, ...]
    expected: Any
    actual: Any


class _Place(NamedTuple):
    """The way to a place, from its end: shared by all places below it."""

    above: _Place | None
    step: str | int

    def path(self) -> tuple[str | int, ...]:
        steps = [self.step]
        above = self.above
        while above is not None:
            steps.append(above.step)
            above = above.above
        return tuple(reversed(steps))


def differences(expected: Any, actual: Any) -> Iterator[Difference]:
    """Where two JSON values differ, in the order of the expected one, members that only the actual one has last.

    A tuple counts as a list. Takes time in proportion to the values, whatever their depth.
    """
    waiting: list[tuple[_Place | None, Any, Any]] = [(None, expected, actual)]
    while waiting:
        place, old, new = waiting.pop()
        if isinstance(old, dict) and isinstance(new, dict):
            names = [*old, *(name for name in new if name not in old)]
            waiting += [
                (_Place(place, name), old.get(name, MISSING), new.get(name, MISSING)) for name in reversed(names)
            ]
        elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
            if len(old) != len(new):
                yield Difference(_path(place), old, new)
            shared = min(len(old), len(new))
            waiting += [(_Place(place, at), old[at], new[at]) for at in range(shared - 1, -1, -1)]
        elif not _same(old, new):
            yield Difference(_path(place), old, new)


def equal(expected: Any, actual: Any) -> bool:
    """Whether two JSON values are the same in canonical form."""
    return next(differences(expected, actual), None) is None


def mismatch(difference: Difference) -> str:
    """A difference in words: ``behavior mismatch at 'selected_flight': expected "B", got "A"``. One line, with whatever
    does not print spelled out; of long values what differs."""
    expected, actual = shown_pair(
        *(None if side is MISSING else (side,) for side in (difference.expected, difference.actual))
    )
    return f"behavior mismatch at '{dotted(difference.path)}': expected {expected}, got {actual}"


def _path(place: _Place | None) -> tuple[str | int, ...]:
    return () if place is None else place.path()


def _same(old: Any, new: Any) -> bool:
    if type(old) is not type(new) or old != new:
        return False
    return not isinstance(old, float) or math.copysign(1.0, old) == math.copysign(1.0, new)

"""A recorded input against one of this run: equal in canonical JSON once placeholders stand for values, or the first
place where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from stepfork.normalize.numbering import ValueNumbers
from stepfork.normalize.placeholders import parse
from stepfork.replay.frozen_texts import TextMatcher, by_rules
from stepfork.replay.identities import Pair
from stepfork.trace.body import JsonValue
from stepfork.trace.wrapped import TAG

Path = tuple[str | int, ...]


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()
"""What stands for a member or an item that one side has not."""


class Unlike(NamedTuple):
    """The first place where two values differ, and what either side has there: ABSENT where it has nothing."""

    path: Path
    recorded: Any
    live: Any


class Alike(NamedTuple):
    """What placeholders stand for where two values are the same but for them, each with its place."""

    pairs: tuple[tuple[Path, Pair], ...] = ()


class Sides(NamedTuple):
    """The two sides of a comparison. `normalized` makes the live value as normalisation by the rules of now sees it,
    with `values` for the numbers; it is asked for only where the values differ as they are."""

    recorded: JsonValue
    live: JsonValue
    normalized: Callable[[], JsonValue]
    values: ValueNumbers


def compare(sides: Sides, texts: TextMatcher) -> Alike | Unlike:
    """How the two sides differ. Members in the order of the recorded value, those that only the live one has last."""
    pairs: list[tuple[Path, Pair]] = []
    unlike = _Comparison(sides, texts, pairs).differ(sides.recorded, sides.live, ())
    return Alike(tuple(pairs)) if unlike is None else unlike


class _Comparison:
    def __init__(self, sides: Sides, texts: TextMatcher, pairs: list[tuple[Path, Pair]]) -> None:
        self._sides = sides
        self._texts = texts
        self._pairs = pairs
        self._normalized: Any = None
        self._is_normalized = False

    def differ(self, recorded: Any, live: Any, path: Path) -> Unlike | None:
        if isinstance(recorded, dict) and isinstance(live, dict):
            return self._objects(recorded, live, path)
        if isinstance(recorded, list) and isinstance(live, list):
            found = (
                self.differ(old, new, (*path, at)) for at, (old, new) in enumerate(zip(recorded, live, strict=False))
            )
            first = next((unlike for unlike in found if unlike is not None), None)
            return first or _lengths(recorded, live, path)
        if isinstance(recorded, str):
            pairs = self._text(recorded, live, path)
            if pairs is None:
                return Unlike(path, recorded, live)
            self._pairs += [(path, pair) for pair in pairs]
            return None
        return None if same(recorded, live) or self._is_volatile(recorded, live, path) else Unlike(path, recorded, live)

    def _text(self, recorded: str, live: Any, path: Path) -> list[Pair] | None:
        typed = parse(recorded) if "{{" in recorded else ((recorded,) if recorded else ())
        if live == (typed[0] if len(typed) == 1 else "" if not typed else None):
            return []
        if isinstance(live, int) and not isinstance(live, bool) and len(typed) == 1 and not isinstance(typed[0], str):
            normal = self._normal(path)
            return by_rules(typed, parse(normal), self._sides.values) if isinstance(normal, str) else None
        if not isinstance(live, str):
            return None
        normal = self._normal(path)
        found = by_rules(typed, parse(normal), self._sides.values) if isinstance(normal, str) else None
        return self._texts.match(typed, live) if found is None else found

    def _is_volatile(self, recorded: Any, live: Any, path: Path) -> bool:
        """Whether a rule takes a live number out, as it did the recorded one: a time, or how long something took."""
        if type(recorded) is not type(live) or not isinstance(live, int | float) or isinstance(live, bool):
            return False
        normal = self._normal(path)
        return type(normal) is type(live) and not same(normal, live) and recorded >= 0

    def _normal(self, path: Path) -> Any:
        """What normalisation makes of the live value at a place; None where the way there has other names then."""
        if not self._is_normalized:
            self._normalized, self._is_normalized = self._sides.normalized(), True
        value = self._normalized
        for step in path:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def _objects(self, recorded: dict[str, Any], live: dict[str, Any], path: Path) -> Unlike | None:
        if recorded.get(TAG) == live.get(TAG) == "opaque":  # what one says of itself is no part of what was asked
            return self.differ(recorded.get("type"), live.get("type"), (*path, "type"))
        left = {name: value for name, value in live.items() if name not in recorded}
        for name, old in recorded.items():
            at = (*path, name)
            unlike = self.differ(old, live[name], at) if name in live else self._renamed(name, old, left, path)
            if unlike is not None:
                return unlike
        return next((Unlike((*path, name), ABSENT, value) for name, value in left.items()), None)

    def _renamed(self, name: str, old: Any, left: dict[str, Any], path: Path) -> Unlike | None:
        """A member whose name holds placeholders: the first live one that it can be."""
        if "{{" in name:
            for other in list(left):
                kept = len(self._pairs)
                pairs = self._texts.match(parse(name), other)
                if pairs is not None:
                    self._pairs += [((*path, other), pair) for pair in pairs]
                    if self.differ(old, left[other], (*path, other)) is None:
                        del left[other]
                        return None
                    del self._pairs[kept:]
        return Unlike((*path, name), old, ABSENT)


def same(one: Any, other: Any) -> bool:
    """Whether two values that hold no others are the same in canonical JSON: ``true`` is not ``1``, nor ``1.0``, and
    ``0.0`` is not ``-0.0``."""
    if type(one) is not type(other):
        return False
    return repr(one) == repr(other) if isinstance(one, float) else bool(one == other)


def kinds_in(value: Any) -> Iterator[str]:
    """The kinds of the placeholders that stand in a value's texts and names."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str) and "{{" in one:
            yield from (piece.kind for piece in parse(one) if not isinstance(piece, str))


def _lengths(recorded: list[Any], live: list[Any], path: Path) -> Unlike | None:
    at = min(len(recorded), len(live))
    if len(recorded) == len(live):
        return None
    return Unlike((*path, at), *((side[at] if at < len(side) else ABSENT) for side in (recorded, live)))

"""Numbers of placeholders: by value over a whole run, by position inside one part."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Protocol

from stepfork.normalize.personal import is_own
from stepfork.normalize.placeholders import is_layout, read
from stepfork.normalize.rules import END_LAST, START_FIRST
from stepfork.normalize.times import exact_moment
from stepfork.redact.phone_forms import same_phone

Path = tuple[str | int, ...]
Slot = tuple[Path, int]
"""A time's field, and which of its text's times it is."""


class ValueNumbers:
    """Numbers each kind's values by first appearance, from 1. One for a run, or one for a request.

    `spelled`: an id that is a number in JSON becomes a placeholder all the same, since its number is looked at again.
    """

    def __init__(self, *, spelled: bool = False) -> None:
        self.spelled = spelled
        self._numbers: dict[tuple[str, str], int] = {}
        self._values: dict[str, list[str]] = {}
        self._layouts: dict[tuple[str, int], str] = {}

    def number(self, kind: str, value: str) -> int:
        """The number of `value` among the values of `kind`."""
        known = self._numbers.get((kind, value))
        if known is None:
            values = self._values.setdefault(kind, [])
            known = self._same_phone(value) if kind == "phone" else 0
            if not known:
                values.append(value)
                known = len(values)
            self._numbers[kind, value] = known
        return known

    def _same_phone(self, value: str) -> int:
        """The number of the telephone that `value` is as well, 0 where it is a new one: with or without its country's
        code, but never of two countries."""
        alike: dict[int, bool] = {}
        for (kind, other), number in self._numbers.items():
            if kind == "phone":
                alike[number] = alike.get(number, True) and same_phone(value, other)
        return next((number for number, same in alike.items() if same), 0)

    def shape(self, kind: str, number: int, layout: str) -> str | None:
        """The shape of a placeholder of personal data: None where it stands in the layout that the value has first."""
        if not is_layout(layout):
            return None
        is_first = is_own(layout) and self._layouts.setdefault((kind, number), layout) == layout
        return None if is_first else layout

    def layout(self, kind: str, value: str) -> str | None:
        """The layout that a value has first, None where it has none yet."""
        return self._layouts.get((kind, self._numbers.get((kind, value), 0)))

    def value(self, kind: str, number: int) -> str | None:
        """The value that has `number` among those of `kind`."""
        values = self._values.get(kind, ())
        return values[number - 1] if 0 < number <= len(values) else None

    def __contains__(self, named: tuple[str, str]) -> bool:
        return named in self._numbers or (named[0] == "phone" and self._same_phone(named[1]) > 0)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Each kind and value that has a number, in order of first appearance."""
        return iter(self._numbers)


class Times(Protocol):
    """Numbers of times; see TimeNumbers."""

    def number(self, path: Path, occurrence: int, text: str) -> int:
        """The number of the time `text` that stands at `path`, the `occurrence`-th of its text."""

    def settle(self) -> bool:
        """Whether the part must be walked again, since numbers changed."""


class TimeNumbers:
    """Numbers the times of one part by their position, never by what they say.

    Positions are known only when the whole part was seen: the first walk numbers as it comes, and `settle` says whether
    it must be walked again. In an event stream one field has one number, whichever event it stands in.
    """

    def __init__(self) -> None:
        self._numbers: dict[Slot, int] = {}

    def number(self, path: Path, occurrence: int, text: str) -> int:  # noqa: ARG002
        """The number of the time `text` that stands at `path`, the `occurrence`-th of its text."""
        return self._numbers.setdefault((field_of(path), occurrence), len(self._numbers) + 1)

    def settle(self) -> bool:
        """Number all times seen by position. Whether that changed any number."""
        ordered = sorted(self._numbers, key=_position)
        if ordered == list(self._numbers):
            return False
        self._numbers = {slot: index for index, slot in enumerate(ordered, 1)}
        return True


class EqualTimes(TimeNumbers):
    """As `TimeNumbers`, where a time that stood at an earlier place too has the number of that place: what a program
    got twice, it may compare. Only times with parts of a second are: any others are equal by chance, and given back
    equal as they are."""

    def __init__(self) -> None:
        super().__init__()
        self._moments: dict[Slot, Hashable] = {}
        self._shared: dict[Slot, int] = {}

    def number(self, path: Path, occurrence: int, text: str) -> int:
        """The number of the time `text` that stands at `path`, the `occurrence`-th of its text."""
        slot = field_of(path), occurrence
        own = super().number(path, occurrence, text)
        before = read(text)  # of a trace that was normalised before
        self._moments.setdefault(slot, exact_moment(text) if before is None else before.number)
        return self._shared.get(slot, own)

    def settle(self) -> bool:
        """Number all times seen by position, equal ones by their first. Whether that changed any number."""
        changed = super().settle()
        first: dict[Hashable, int] = {}
        shared: dict[Slot, int] = {}
        for slot, number in self._numbers.items():
            moment = self._moments.get(slot)
            if moment is not None and first.setdefault(moment, number) != number:
                shared[slot] = first[moment]
        self._shared = shared
        return changed or bool(shared)


def field_of(path: Path) -> Path:
    """The path without the number of its event or document: ``("body", "events", 7, "created")``."""
    return (*path[:2], *path[3:]) if path[:2] in (("body", "events"), ("body", "documents")) else path


def _position(slot: Slot) -> tuple[tuple[tuple[int, str, int], ...], int]:
    path, occurrence = slot
    return tuple(_ranks(path)), occurrence


def _ranks(path: Iterable[str | int]) -> Iterable[tuple[int, str, int]]:
    """Items in order; of an object's members start-like ones first, end-like ones last, the others by name."""
    for step in path:
        if isinstance(step, int):
            yield 1, "", step
        else:
            yield (0 if step in START_FIRST else 2 if step in END_LAST else 1), step, 0


class TimesByValue:
    """Numbers times by what they say: for comparisons, which must know it again."""

    def __init__(self, values: ValueNumbers) -> None:
        self._values = values

    def number(self, path: Path, occurrence: int, text: str) -> int:  # noqa: ARG002
        """The number of `text`, wherever it stands."""
        return self._values.number("timestamp", text)

    def settle(self) -> bool:
        """Never: no number depends on a position."""
        return False

"""The order of recorded calls: frames of units, one after another; the calls of a unit in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stepfork.replay.frozen_calls import RecordedCall


class Frame:
    """What one body did: a list of units, each of one call, or of a group of calls that ran at once."""

    def __init__(self, calls: Sequence[RecordedCall]) -> None:
        self.calls = tuple(calls)
        self._units = _units(calls)
        self._at = 0

    def expected(self) -> tuple[RecordedCall, ...]:
        """The calls that may come next, in recorded order; none after the last."""
        return tuple(self._units[self._at]) if self._at < len(self._units) else ()

    def take(self, call: RecordedCall) -> None:
        """One of `expected` has come."""
        unit = self._units[self._at]
        unit.remove(call)
        if not unit:
            self._at += 1

    def left(self) -> Iterator[RecordedCall]:
        """The calls that have not come, in recorded order."""
        for unit in self._units[self._at :]:
            yield from unit


def frames_of(calls: Sequence[RecordedCall]) -> dict[int | None, Frame]:
    """The frame of the whole run (None) and that of each call in whose body others were made."""
    inside: dict[int | None, list[RecordedCall]] = {None: []}
    for call in calls:
        inside.setdefault(call.parent, []).append(call)
    return {parent: Frame(members) for parent, members in inside.items()}


def _units(calls: Sequence[RecordedCall]) -> list[list[RecordedCall]]:
    """A group stands where its first call does."""
    units: list[list[RecordedCall]] = []
    groups: dict[int, list[RecordedCall]] = {}
    for call in calls:
        if call.group is not None and call.group in groups:
            groups[call.group].append(call)
            continue
        units.append([call])
        if call.group is not None:
            groups[call.group] = units[-1]
    return units

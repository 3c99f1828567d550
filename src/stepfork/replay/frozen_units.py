"""The order of recorded calls: frames of units, one after another; the calls of a unit in any order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from stepfork.replay.frozen_calls import RecordedCall
from stepfork.replay.frozen_masks import Paths, masked, templated
from stepfork.trace.body import JsonValue

InputOf = Callable[[RecordedCall], JsonValue]
"""The input of a recorded call, without what is secret by now."""


class _Unit:
    """Calls that may come in any order: one, or a group."""

    def __init__(self, call: RecordedCall) -> None:
        self.calls = {call.number: call}
        self._masks: dict[Paths, dict[bytes, dict[int, None]]] | None = None

    def alike(self, kind: str, name: str, live: JsonValue, input_of: InputOf) -> Iterator[RecordedCall]:
        """The calls that a live one may be, whatever stands at their placeholders; those without any first. However
        many calls there are, these are found at once."""
        if len(self.calls) == 1:
            yield from (one for one in self.calls.values() if (one.type, one.name) == (kind, name))
            return
        if self._masks is None:
            self._masks = {}
            for call in self.calls.values():
                self._file(call, input_of(call), self._masks)
        for paths in sorted(self._masks, key=len):
            key = masked(kind, name, live, paths)
            found = None if key is None else self._masks[paths].get(key)
            for number in list(found or ()):
                if number in self.calls:
                    yield self.calls[number]
                elif found is not None:
                    del found[number]

    @staticmethod
    def _file(call: RecordedCall, given: JsonValue, masks: dict[Paths, dict[bytes, dict[int, None]]]) -> None:
        paths = templated(given)
        key = None if paths is None else masked(call.type, call.name, given, paths)
        if paths is not None and key is not None:
            masks.setdefault(paths, {}).setdefault(key, {})[call.number] = None


class Frame:
    """What one body did: a list of units, each of one call, or of a group of calls that ran at once."""

    def __init__(self, calls: Sequence[RecordedCall], input_of: InputOf) -> None:
        self.size = len(calls)
        self._input_of = input_of
        self._units = _units(calls)
        self._at = 0

    def expected(self) -> Collection[RecordedCall]:
        """The calls that may come next, in recorded order; none after the last."""
        return self._units[self._at].calls.values() if self._at < len(self._units) else ()

    def alike(self, kind: str, name: str, live: JsonValue) -> Iterator[RecordedCall]:
        """Those of `expected` that a live call may be, whatever stands at their placeholders."""
        if self._at < len(self._units):
            yield from self._units[self._at].alike(kind, name, live, self._input_of)

    def take(self, call: RecordedCall) -> None:
        """One of `expected` has come."""
        unit = self._units[self._at]
        del unit.calls[call.number]
        if not unit.calls:
            self._at += 1

    def left(self) -> Iterator[RecordedCall]:
        """The calls that have not come, in recorded order."""
        for unit in self._units[self._at :]:
            yield from unit.calls.values()


def frames_of(calls: Sequence[RecordedCall], input_of: InputOf) -> dict[int | None, Frame]:
    """The frame of the whole run (None) and that of each call in whose body others were made."""
    inside: dict[int | None, list[RecordedCall]] = {None: []}
    for call in calls:
        inside.setdefault(call.parent, []).append(call)
    return {parent: Frame(members, input_of) for parent, members in inside.items()}


def _units(calls: Sequence[RecordedCall]) -> list[_Unit]:
    """A group stands where its first call does."""
    units: list[_Unit] = []
    groups: dict[int, _Unit] = {}
    for call in calls:
        if call.group is not None and call.group in groups:
            groups[call.group].calls[call.number] = call
            continue
        units.append(_Unit(call))
        if call.group is not None:
            groups[call.group] = units[-1]
    return units

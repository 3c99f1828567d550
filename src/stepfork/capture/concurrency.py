"""The order of instrumented calls and which of them may run at once: from their structure, never from clocks.

Calls of one body form a *frame*. In a frame, the calls that the body itself makes stand in order, each where it begins:
what is done in between is not done on this line. A line of control (a task, a thread) that was forked from it lasts
from its fork until it was waited for; where that is not known, or one that it forked itself was not waited for, it may
go on as long as anything. Where such spans overlap, or a call begins in one, the calls form a *group*: its lines stand
in order of what they say, the calls of a line in order. Lines that fork others are frames of their own kind.

All of these are events of one line, and each line counts its own in order: whose counts are compared says nothing of
what another line did meanwhile. Only of processes nobody says when they were waited for; they last to their last call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from stepfork.capture.calls import digest
from stepfork.trace.call import PROCESSES, Call

Content = Callable[[Call], tuple[bytes, ...]]
"""What a call says, apart from what is below it: alike for the same call of two equal runs, whatever their timing."""

_OPEN = 1 << 62
"""The end of what was not waited for."""


class Arranged(msgspec.Struct, frozen=True):
    """``order`` are the calls' numbers, each behind its parent and before that one's next sibling. ``parents`` are
    numbers of calls that are there; ``groups`` are numbered from 1 in stored order."""

    order: tuple[int, ...]
    parents: dict[int, int]
    groups: dict[int, int]


@dataclass(eq=False)
class _Line:
    """A line of control in a frame: calls of its own, and lines that were forked from it by their numbers."""

    fork: int = 0
    start: int = 0
    joined: int = 0
    last: int = 0
    end: int = 0
    own: list[Call] = field(default_factory=list)
    lines: dict[int, _Line] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)


def arrange_calls(calls: Sequence[Call], content: Content) -> Arranged:
    """The calls of a run in stored order. Linear but for sorting; never raises for what was recorded."""
    return _Arranger(calls, content).arranged()


class _Arranger:
    def __init__(self, calls: Sequence[Call], content: Content) -> None:
        self.calls = {call.number: call for call in sorted(calls, key=lambda call: call.number)}
        self.parents: dict[int, int] = {}
        self.frames: dict[int | None, list[Call]] = {None: []}
        for number, call in self.calls.items():
            parent = call.parent if call.parent in self.calls and call.parent < number else None
            if parent is not None:
                self.parents[number] = parent
            self.frames.setdefault(parent, []).append(call)
        self.ends = {number: _OPEN if call.ended is None else call.ended for number, call in self.calls.items()}
        for number in reversed(self.calls):
            if number in self.parents:
                above = self.parents[number]
                self.ends[above] = max(self.ends[above], self.ends[number])
        self.ordered: dict[int | None, list[Call]] = {}
        self.together: dict[int, object] = {}
        self.content = content
        self.said: dict[int, tuple[bytes, ...]] = {}

    def arranged(self) -> Arranged:
        inner = sorted((parent for parent in self.frames if parent is not None), reverse=True)
        for parent in (*inner, None):
            self.ordered[parent] = self._frame(self.frames[parent])
        order: list[int] = []
        waiting = [call.number for call in reversed(self.ordered[None])]
        while waiting:
            number = waiting.pop()
            order.append(number)
            waiting.extend(call.number for call in reversed(self.ordered.get(number, ())))
        numbers: dict[int, int] = {}
        groups = {
            number: numbers.setdefault(id(self.together[number]), len(numbers) + 1)
            for number in order
            if number in self.together
        }
        return Arranged(tuple(order), self.parents, groups)

    def _frame(self, calls: list[Call]) -> list[Call]:
        root = _Line()
        made = [root]
        for call in calls:
            line = root
            for at, (number, count) in enumerate(call.forks):
                below = line.lines.get(number)
                if below is None:
                    joined = call.joined[at] if at < len(call.joined) else 0
                    below = line.lines[number] = _Line(number, count, joined)
                    made.append(below)
                line = below
                line.last = max(line.last, self.ends[call.number])
            line.own.append(call)
        for line in reversed(made):
            self._arrange(line)
        return root.calls

    def _arrange(self, line: _Line) -> None:
        if line.fork & PROCESSES:
            line.end = line.last
        else:
            line.end = max(line.joined or _OPEN, *(one.end for one in line.lines.values()), 0)
        for own, forked in _components(line):
            lines = [*([own] if own else []), *(one.calls for one in forked)]
            if len(lines) > 1:
                mark = object()
                forks = [*([0] if own else []), *(one.fork for one in forked)]
                rows = sorted(
                    zip(lines, forks, strict=True), key=lambda row: ([self._says(call) for call in row[0]], row[1])
                )
                lines = [calls for calls, _ in rows]
                self.together.update((call.number, mark) for calls in lines for call in calls)
            for calls in lines:
                line.calls.extend(calls)

    def _says(self, call: Call) -> tuple[bytes, ...]:
        """The content of a call and of all below it."""
        waiting = [call]
        while waiting:
            one = waiting[-1]
            below = self.ordered.get(one.number, ())
            unsaid = [inner for inner in below if inner.number not in self.said]
            if unsaid:
                waiting.extend(unsaid)
                continue
            waiting.pop()
            if one.number not in self.said:
                inner = digest([self.said[each.number] for each in below]) if below else b""
                self.said[one.number] = (*self.content(one), inner)
        return self.said[call.number]


def _components(line: _Line) -> Iterator[tuple[list[Call], list[_Line]]]:
    """What of a line overlaps, in order: calls of its own, and lines forked from it."""
    spans: list[tuple[int, int, Call | _Line]] = [(call.begun, call.begun, call) for call in line.own]
    spans += [(one.start, one.end, one) for one in line.lines.values()]
    spans.sort(key=lambda span: (span[0], isinstance(span[2], _Line), getattr(span[2], "number", 0)))
    own: list[Call] = []
    forked: list[_Line] = []
    end = 0
    for start, until, one in spans:
        if (own or forked) and start >= end:
            yield own, forked
            own, forked = [], []
            end = 0
        end = max(end, until)
        if isinstance(one, Call):
            own.append(one)
        else:
            forked.append(one)
    if own or forked:
        yield own, forked

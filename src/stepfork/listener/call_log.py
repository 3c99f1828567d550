"""The instrumented calls of one run: events of its processes in, decisions out. No sockets, no clock.

Events are counted here, in order of arrival, whichever process and thread they come from: a program waits for the word
on each, so what one of its lines of control did before another was started has the smaller counts.
"""

from __future__ import annotations

from itertools import count
from threading import RLock
from typing import NamedTuple, Protocol

import msgspec

from stepfork.listener.call_messages import Begun, Declared, Ended, Joined, Message, MessageError, Noted, Over, Refused
from stepfork.trace.call import PROCESSES, Asked, Call, Fork, Outcome, with_joins

FIRST_OF_PROGRAMS = 1 << 32
"""Programs number their lines of control from somewhere above this; a recording, and the listener those that it tells
apart itself, below."""


class Answer(NamedTuple):
    """What is given back in place of a body, and the calls that were recorded inside it, in order: they are noted as if
    they had been made, since the run had them."""

    outcome: Outcome
    inside: tuple[Inner, ...] = ()


class Inner(NamedTuple):
    """A call inside a body that does not run, and those inside its own."""

    asked: Asked
    answer: Answer


class Answers(Protocol):
    """What decides on calls that are replayed."""

    def decide(self, asked: Asked) -> Answer | Refused | None:
        """What to give back in place of the body, why there is nothing, or None: the body runs."""

    def declare(self, name: str) -> None:
        """A process of the run has a tool of that name, and it is instrumented."""


class CallLog:
    """What was told of calls, and, with `answers`, what was decided. Thread-safe."""

    def __init__(self, answers: Answers | None = None) -> None:
        self._answers = answers
        self._calls: dict[int, Call] = {}
        # A finalizer may make a call while another one of its thread is being noted: what is counted is taken at once.
        self._numbers = count()
        self._events = count(1)
        self._count = 0
        self._lines = PROCESSES
        self._waited_for: dict[int, int] = {}
        """The lines on which calls were made, and the counts at which they had been waited for; 0: they were not."""
        self._places: set[tuple[int | None, tuple[Fork, ...]]] = set()
        self._lock = RLock()

    @property
    def answers(self) -> bool:
        """Whether calls are answered from a recording."""
        return self._answers is not None

    @property
    def count(self) -> int:
        """The number of events so far."""
        return self._count

    def hear(self, message: Message, at_ns: int) -> Noted:
        """Take in an event that arrived at `at_ns`. Raises MessageError for one that cannot be."""
        with self._lock:
            match message:
                case Joined():
                    return self._joined(message)
                case Begun():
                    return self._begun(message, at_ns)
                case Ended():
                    return self._ended(message, at_ns)
                case Over():
                    return self._over(message)
                case Declared():
                    return self._declared(message)

    def calls(self) -> tuple[Call, ...]:
        """The calls so far, in order of their beginning."""
        with self._lock:
            return tuple(with_joins(self._calls[number], self._waited_for) for number in sorted(self._calls))

    def call(self, number: int) -> Call:
        """One call, as far as it has come, but for what was waited for. Raises KeyError."""
        return self._calls[number]

    def waited_for(self, line: int) -> int:
        """The count at which a line of control had been waited for; 0 where it was not, or no call was made on it."""
        return self._waited_for.get(line, 0)

    def _joined(self, message: Joined) -> Noted:
        """The first process that stands at a place is there; another one that nobody knows more of is a line of control
        of its own from now on."""
        self._check_place(message.parent, message.forks)
        forks, place = message.forks, (message.parent, message.forks)
        if place in self._places:
            self._lines += 1
            forks = (*forks, (self._lines, self._count))
        self._places.add(place)
        return Noted(self._count, forks=forks)

    def _over(self, message: Over) -> Noted:
        if not 0 <= message.line < 2**63:
            raise MessageError("there is no such line of control")
        if self._waited_for.get(message.line) == 0:
            self._count = self._waited_for[message.line] = next(self._events)
        return Noted(self._count)

    def _begun(self, message: Begun, at_ns: int) -> Noted:
        self._check_place(message.parent, message.forks)
        answer = None if self._answers is None else self._answers.decide(message.asked)
        if isinstance(answer, Refused):  # nothing that is of the run was done
            return Noted(self._count, refused=answer)
        call = self._begin(message.asked, at_ns, message.parent, message.forks)
        if answer is None:
            return Noted(self._count, number=call.number)
        self._answer(call, answer, at_ns)
        return Noted(self._count, number=call.number, answer=answer.outcome)

    def _begin(self, asked: Asked, at_ns: int, parent: int | None, forks: tuple[Fork, ...] = ()) -> Call:
        self._count = begun = next(self._events)
        call = Call(next(self._numbers), asked, begun, at_ns, parent, forks)
        self._calls[call.number] = call
        for line, _ in forks:
            self._waited_for.setdefault(line, 0)
        return call

    def _answer(self, call: Call, answer: Answer, at_ns: int) -> None:
        for inner in answer.inside:
            self._answer(self._begin(inner.asked, at_ns, call.number), inner.answer, at_ns)
        self._end(call, answer.outcome, at_ns)

    def _declared(self, message: Declared) -> Noted:
        if self._answers is not None:
            self._answers.declare(message.name)
        return Noted(self._count)

    def _ended(self, message: Ended, at_ns: int) -> Noted:
        call = self._calls.get(message.number)
        if call is None:
            raise MessageError("it ends a call that has not begun")
        if call.ended is not None:
            raise MessageError("it ends a call that has ended")
        self._end(call, message.outcome, at_ns)
        return Noted(self._count)

    def _end(self, call: Call, outcome: Outcome, at_ns: int) -> None:
        self._count = ended = next(self._events)
        self._calls[call.number] = msgspec.structs.replace(
            call, ended=ended, ended_ns=max(at_ns, call.started_ns), outcome=outcome
        )

    def _check_place(self, parent: int | None, forks: tuple[Fork, ...]) -> None:
        if parent is not None and parent not in self._calls:
            raise MessageError("it is made in the body of a call that has not begun")
        if not all(0 <= line < 2**63 and 0 <= count <= self._count for line, count in forks):
            raise MessageError("it is on a line of control that has not begun")

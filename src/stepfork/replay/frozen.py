"""Answers instrumented calls from a recording, in the process of the program that makes them.

Calls come in the recorded order with the recorded inputs; the calls of a group, which ran at once, in any order. The
body of a call that is answered does not run, so that the calls which were recorded inside it are not made. After the
first call that is not as recorded, no other is answered: whoever catches the error gets no further, and the replay
fails all the same.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from threading import RLock

import msgspec

from stepfork.instrument.elsewhere import tell_refusal, told_refusals
from stepfork.instrument.session import Opened
from stepfork.replay import frozen_faults as faults
from stepfork.replay.frozen_calls import RecordedCall
from stepfork.replay.frozen_faults import Fault
from stepfork.replay.frozen_matching import Live, Matching
from stepfork.replay.frozen_units import Frame, frames_of
from stepfork.replay.frozen_values import Alike, Unlike
from stepfork.replay.permitted import Permitted
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Asked, Outcome
from stepfork.trace.step import StepType

PATIENCE = 100
"""Calls that are refused after a divergence before the program is stopped: one that repeats a call for as long as that
fails would never end."""


class ReplayStoppedError(BaseException):
    """Ends a program that goes on calling after its replay has failed. No `Exception`: it repeats its call after
    those."""


class Made(msgspec.Struct):
    """A call that was answered, or that ran: ``arguments`` as the program gave them. ``failed`` is None where it was
    still running at the end."""

    name: str
    type: StepType
    arguments: JsonValue
    recorded: RecordedCall
    ran: bool
    failed: bool | None = None


class FrozenReplay:
    """A session that answers from `calls`. `live` are the names of those that run; `refusals` is a file that other
    processes write into what they were refused. `permitted` are the tools that the answer of a model call may ask
    for."""

    closed_to_strangers = True

    def __init__(
        self,
        calls: Sequence[RecordedCall],
        matching: Matching,
        *,
        live: Collection[str] = (),
        refusals: Path | None = None,
        permitted: Permitted | None = None,
    ) -> None:
        self._permitted = permitted
        self._calls = tuple(calls)
        self._matching = matching
        self._live = frozenset(live)
        self._refusals = refusals
        self._frames = frames_of(self._calls, self._recorded)
        self._inputs: dict[int, JsonValue] = {}
        self._lock = RLock()
        self._process = os.getpid()
        self._events = 0
        self._refused = 0
        self._ended = False
        self.made: list[Made] = []
        self.faults: list[Fault] = []

    def count(self) -> int:
        """The number of events so far."""
        return self._events

    def joined(self, line: int) -> None:
        """What was waited for is of no matter here: what may come at once was recorded."""

    def begin(self, asked: Asked, *, parent: int | None, forks: tuple[tuple[int, int], ...]) -> Opened:  # noqa: ARG002
        """The answer to a call; what is raised instead is a ReplayError."""
        if os.getpid() != self._process:
            raise self.refused("an instrumented call was made in a process that the replay did not start in").error()
        with self._lock:
            self._events += 1
            self._check_open(asked)
            frame, inside = self._frame(parent)
            call, alike = self._match(asked, frame, inside)
            self._check_answer(call, asked)
            frame.take(call)
            self._matching.settle(alike)
            made = Made(asked.name, asked.type, asked.arguments, call, asked.name in self._live)
            self.made.append(made)
            if made.ran:
                return _Opened(len(self.made) - 1, None, made)
            made.failed = call.error is not None
            return _Opened(len(self.made) - 1, self._matching.answer(call), made)

    def refused(self, what: str) -> Fault:
        """A call was refused before it came here: it fails the replay, in whichever process it was made."""
        fault = Fault("closed", what)
        if os.getpid() != self._process:
            tell_refusal(what, self._refusals)
        elif fault not in self.faults:
            self.faults.append(fault)
        return fault

    def end(self) -> None:
        """The program has ended: no call is answered from here on."""
        with self._lock:
            self._ended = True
            for told in () if self._refusals is None else told_refusals(self._refusals):
                self.refused(told)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was refused and nothing is left over."""
        with self._lock:
            return not self.faults and not any(self.left())

    def left(self) -> Iterator[RecordedCall]:
        """The recorded calls that were not made, in recorded order; of one that was not made, or was answered, not
        what was recorded inside it."""
        frames = [None, *(made.recorded.number for made in self.made if made.ran)]
        found = [call for parent in frames if parent in self._frames for call in self._frames[parent].left()]
        yield from sorted(found, key=lambda call: call.number)

    def _check_open(self, asked: Asked) -> None:
        if self._ended:
            raise self.refused("an instrumented call was made after its replay had ended").error()
        if self.faults:
            self._refused += 1
            if self._refused > PATIENCE:
                raise ReplayStoppedError("the program goes on calling after its replay has failed")
            at = f" at call {self.faults[0].call}" if self.faults[0].call else ""
            raise Fault("closed", f"{asked.name} is not answered: the replay diverged{at}").error()

    def _check_answer(self, call: RecordedCall, asked: Asked) -> None:
        is_given = call.type == "llm_call" and asked.name not in self._live and call.result is not msgspec.UNSET
        if self._permitted is None or not is_given:
            return
        refused = self._permitted.refusal_of(call.result, 0)
        if refused is not None:
            raise self._diverged(faults.unpermitted(len(self.made) + 1, asked.name, refused.says))

    def _frame(self, parent: int | None) -> tuple[Frame, str]:
        """The frame of a call, and the name of the call that it is inside of."""
        if parent is None:
            return self._frames[None], ""
        around = self.made[parent].recorded
        return self._frames.get(around.number) or Frame((), self._recorded), around.name

    def _match(self, asked: Asked, frame: Frame, inside: str) -> tuple[RecordedCall, Alike]:
        """The recorded call that a live one is, and what placeholders stand for then."""
        expected, number, total = frame.expected(), len(self.made) + 1, len(self._calls)
        live = self._matching.reading(asked.arguments)
        given = (asked.name, live.value)
        if not expected:
            raise self._diverged(faults.exhausted(number, frame.size if inside else total, given, inside))
        best = self._best(frame.alike(asked.type, asked.name, live.value), live)
        if best is not None:
            return best
        named = [call for call in expected if (call.name, call.type) == (asked.name, asked.type)]
        if not named:
            raise self._diverged(faults.other_name(number, total, given, tuple(expected)))
        best = self._best(named, live)  # what a rule takes out of both sides
        if best is not None:
            return best
        unlike = self._matching.compare(self._recorded(named[0]), live)
        assert isinstance(unlike, Unlike)
        raise self._diverged(faults.other_input(number, total, asked.name, unlike))

    def _best(self, calls: Iterable[RecordedCall], live: Live) -> tuple[RecordedCall, Alike] | None:
        """The call that a live one is: of several, the first for which least has to be settled."""
        best: tuple[int, RecordedCall, Alike] | None = None
        for call in calls:
            found = self._matching.compare(self._recorded(call), live)
            if isinstance(found, Unlike):
                continue
            fresh = self._matching.bindings.fresh(pair for _, pair in found.pairs)
            if not fresh:
                return call, found
            if best is None or fresh < best[0]:
                best = (fresh, call, found)
        return None if best is None else (best[1], best[2])

    def _recorded(self, call: RecordedCall) -> JsonValue:
        """A recorded input, without what is secret by now."""
        if call.number not in self._inputs:
            self._inputs[call.number] = self._matching.redacted(call.arguments)
        return self._inputs[call.number]

    def _diverged(self, fault: Fault) -> Exception:
        self.faults.append(fault)
        return fault.error()


class _Opened:
    """A call that has begun."""

    def __init__(self, number: int, answer: Outcome | None, made: Made) -> None:
        self.number = number
        self.answer = answer
        self._made = made

    def end(self, outcome: Outcome) -> None:
        """The body has ended."""
        self._made.failed = outcome.error is not None

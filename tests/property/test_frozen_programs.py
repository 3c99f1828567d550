"""A recorded program replays against its own recording however its concurrent lines interleave, and no single change of
what it does in order goes unseen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepfork.capture.assemble import assemble
from stepfork.errors import ReplayError
from stepfork.instrument.recorder import Recorder
from stepfork.instrument.session import Session
from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_parts
from stepfork.normalize.request_key import RunKeys
from stepfork.redact.secrets import Secrets
from stepfork.replay.frozen import FrozenReplay
from stepfork.replay.frozen_calls import recorded_calls
from stepfork.replay.frozen_matching import Matching
from stepfork.trace.call import Asked, Fork, Outcome
from stepfork.trace.fixture import Run, Source

CONTEXT = Context(0, 0)
SECRETS = Secrets({})
NAMES = ("look", "book", "pay")
VALUES: tuple[Any, ...] = (0, 1, True, 1.0, None, "", "1", "{{id_1}}", [1, [2]], {"$py": "tuple", "value": [1]})


@dataclass(frozen=True)
class Made:
    """A call, and what its body does."""

    name: str
    value: Any
    inside: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Parallel:
    """Lines of control that are started at once and joined."""

    lines: tuple[tuple[Any, ...], ...]


Program = tuple[Any, ...]
leaf = st.builds(Made, st.sampled_from(NAMES), st.sampled_from(VALUES))


def items(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    frames = st.lists(inner, max_size=3).map(tuple)
    calls = st.builds(Made, st.sampled_from(NAMES), st.sampled_from(VALUES), frames)
    return calls | st.builds(Parallel, st.lists(frames, min_size=1, max_size=3).map(tuple))


programs = st.lists(st.recursive(leaf, items, max_leaves=8), min_size=1, max_size=5).map(tuple)
interleavings = st.randoms(use_true_random=False)


@dataclass
class Running:
    """A run of a program under a session; `random` says who goes next, and the lines it started are numbered."""

    session: Session
    random: Random
    started: int = 0
    answers: list[Any] = field(default_factory=list)

    def whole(self, program: Program) -> None:
        for _ in self.line(program, None, ()):
            pass

    def line(self, program: Program, parent: int | None, forks: tuple[Fork, ...]) -> Iterator[None]:
        """One line of control, step by step."""
        for item in program:
            yield
            if isinstance(item, Parallel):
                yield from self._together(item, parent, forks)
            else:
                yield from self._call(item, parent, forks)

    def _call(self, made: Made, parent: int | None, forks: tuple[Fork, ...]) -> Iterator[None]:
        with suppress(ReplayError):  # a program that hides whatever goes wrong
            asked = Asked("tool_call", made.name, {"value": made.value})
            opened = self.session.begin(asked, parent=parent, forks=forks)
            if opened.answer is not None:
                self.answers.append((made.name, opened.answer.result))
                return
            yield from self.line(made.inside, opened.number, ())
            yield
            opened.end(Outcome([made.name, made.value]))

    def _together(self, item: Parallel, parent: int | None, forks: tuple[Fork, ...]) -> Iterator[None]:
        lines, numbers = [], []
        for program in item.lines:
            self.started += 1
            numbers.append(self.started)
            lines.append(self.line(program, parent, (*forks, (self.started, self.session.count()))))
        while lines:
            one = self.random.choice(lines)
            try:
                next(one)
                yield
            except StopIteration:
                lines.remove(one)
        for number in numbers:
            self.session.joined(number)


def recorded(program: Program, random: Random) -> Run:
    recorder = Recorder()
    Running(recorder, random).whole(program)
    made = assemble((), (), recorder.calls(), key=RunKeys([], CONTEXT))
    return normalize_parts(Source("in_process", False), list(made.exchanges), made.trace, CONTEXT)


def replayed(run: Run, program: Program, random: Random) -> tuple[FrozenReplay, list[Any]]:
    session = FrozenReplay(recorded_calls(run), Matching("demo", CONTEXT, SECRETS))
    ran = Running(session, random)
    ran.whole(program)
    session.end()
    return session, ran.answers


def calls_of(program: Program) -> int:
    """How many calls the outermost frame makes."""
    return sum(1 if isinstance(item, Made) else sum(map(calls_of, item.lines)) for item in program)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs, interleavings, interleavings)
def test_a_program_replays_however_its_lines_interleave(program: Program, then: Random, now: Random) -> None:
    run = recorded(program, then)
    session, answers = replayed(run, program, now)
    assert session.faults == []
    assert session.is_whole
    assert len(answers) == calls_of(program)
    for name, result in answers:
        assert result[0] == name, "the answer is that of another call"


def changes(program: Program, at: int) -> Iterator[Program]:
    """The program with one change of the call that it makes in order at `at`."""
    item = program[at]
    before, after = program[:at], program[at + 1 :]
    other = next(name for name in NAMES if name != item.name)
    yield (*before, replace(item, name=other), *after)
    others = [value for value in VALUES if repr(value) != repr(item.value)]
    yield (*before, replace(item, value=others[at % len(others)]), *after)
    yield (*before, *after)
    yield (*before, item, item, *after)
    following = after[:1]
    if following and isinstance(following[0], Made) and key(following[0]) != key(item):
        yield (*before, following[0], item, *after[1:])


def key(made: Made) -> str:
    return repr((made.name, made.value))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs, interleavings, interleavings, st.integers(0, 10))
def test_a_change_of_what_is_done_in_order_is_seen(program: Program, then: Random, now: Random, at: int) -> None:
    in_order = [index for index, item in enumerate(program) if isinstance(item, Made)]
    if not in_order:
        return
    run = recorded(program, then)
    for changed in changes(program, in_order[at % len(in_order)]):
        session, _ = replayed(run, changed, now)
        assert not session.is_whole, changed


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs, interleavings, interleavings)
def test_a_call_too_many_or_too_few_is_seen_anywhere(program: Program, then: Random, now: Random) -> None:
    run = recorded(program, then)
    for extra in ((*program, Made("look", 0)), (Parallel((program, (Made("erase", 0),))),)):
        assert not replayed(run, extra, now)[0].is_whole
    if calls_of(program) > calls_of(program[1:]):
        assert not replayed(run, program[1:], now)[0].is_whole

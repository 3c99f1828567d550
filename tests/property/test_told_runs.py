"""Instrumented calls: the order, the groups and the bytes of a trace do not depend on timing."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.capture.assemble import assemble
from stepfork.store.trace_form import trace_document
from stepfork.trace.body import JsonBody
from stepfork.trace.call import Call
from stepfork.trace.exchange import Exchange
from stepfork.trace.step import Step
from tests.property.told_runs import Body, Made, Scheduler, program


def key(exchange: Exchange) -> bytes:
    body = exchange.request.body
    return json.dumps(body.value, sort_keys=True).encode() if isinstance(body, JsonBody) else b""


def document(calls: list[Call]) -> Any:
    return trace_document(assemble((), (), calls, key=key).trace)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9))
def test_the_same_program_makes_the_same_trace_however_its_lines_take_turns(made: int, one: int, other: int) -> None:
    body = program(random.Random(made))
    first, second = (document(Scheduler(random.Random(seed), seed).run(body)) for seed in (one, other))
    assert first == second


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_every_call_is_a_step_behind_its_parent_and_lines_run_at_once(made: int, seed: int) -> None:
    body = program(random.Random(made))
    steps = assemble((), (), Scheduler(random.Random(seed)).run(body), key=key).trace.steps
    assert [(step.name, step.arguments, step.result, step.group is None) for step in _frame(steps, None)] == [
        *_expected(body, steps)
    ]
    for index, step in enumerate(steps):
        if step.parent is not None:
            above = steps[step.parent]
            assert step.parent < index
            assert above.start < step.start < step.end < above.end


def _frame(steps: tuple[Step, ...], parent: int | None) -> list[Step]:
    return [step for step in steps if step.parent == parent]


def _expected(body: Body, steps: tuple[Step, ...]) -> Any:
    """The calls of a frame: what runs at once in the order in which the trace has it, which another test is about."""
    frame = iter(_frame(steps, None))
    for step in body:
        if isinstance(step, Made):
            next(frame)
            yield step.name, step.arguments, step.result, True
            continue
        flat = [call for line in step for call in line]
        told = [next(frame) for _ in flat]
        assert Counter((one.name, str(one.arguments), one.result) for one in told) == Counter(
            (one.name, str(one.arguments), one.result) for one in flat
        )
        assert len({one.group for one in told}) == 1
        yield from ((one.name, one.arguments, one.result, False) for one in told)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 60), st.randoms(use_true_random=False))
def test_a_recording_that_was_cut_anywhere_is_a_trace(made: int, cut: int, chance: random.Random) -> None:
    """A killed program leaves calls without an end, a journal without its last lines."""
    calls = Scheduler(chance).run(program(random.Random(made)))
    cut_calls = [_cut(call, cut) for call in calls if call.begun <= cut]
    trace = assemble((), (), cut_calls, key=key).trace
    assert len(trace.steps) == len(cut_calls)
    unfinished = [step for step in trace.steps if step.error is not None]
    assert len(unfinished) == sum(call.outcome is None for call in cut_calls)
    assert all(step.error is not None and step.error.type == "unfinished" for step in unfinished)


def _cut(call: Call, cut: int) -> Call:
    if call.ended is not None and call.ended <= cut:
        return call
    return Call(call.number, call.asked, call.begun, call.started_ns, call.parent, call.forks)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-3, 12), st.integers(-3, 30), st.integers(-3, 30), st.integers(0, 4)), max_size=12)
)
def test_no_structure_is_refused(rows: list[tuple[int, int, int, int]]) -> None:
    """Journals come from disk: parents that are not there, ends before beginnings, forks from nowhere."""
    calls = []
    for number, (parent, begun, ended, fork) in enumerate(rows):
        asked = Scheduler(random.Random(number)).run([Made("tool", {"n": fork})])[0].asked
        forks = ((fork, begun),) if fork else ()
        calls.append(Call(number, asked, begun, 0, parent if parent >= 0 else None, forks, ended))
    assert len(assemble((), (), calls, key=key).trace.steps) == len(rows)

"""Instrumented runs compared: what timing did is no change, and what was edited in one call is one change there."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.capture.assemble import assemble
from stepfork.diff.fixture_diff import diff_fixtures
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Fixture, Run, Source
from tests.property.told_runs import Body, Made, Scheduler, program

SEEDS = st.integers(0, 10**9)
FRESH = "fresh"
"""A value that no made-up program has."""


def key(exchange: Exchange) -> bytes:
    return repr(exchange.request.body).encode()


def recorded(body: Body, seed: int) -> Fixture:
    trace = assemble((), (), Scheduler(random.Random(seed), seed).run(body), key=key).trace
    return Fixture("run", Run(Source("in_process", True), trace))


def calls(body: Body) -> Iterator[tuple[list[Any], int]]:
    """Every call of a program, as the list that holds it and its place there."""
    for place, step in enumerate(body):
        if isinstance(step, Made):
            yield body, place
            yield from calls(step.body)
        else:
            for line in step:
                yield from calls(line)  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(SEEDS, SEEDS, SEEDS)
def test_a_run_does_not_differ_from_its_recording_under_other_timing(made: int, one: int, other: int) -> None:
    body = program(random.Random(made))
    diff = diff_fixtures(recorded(body, one), recorded(body, other))
    assert (diff.change, diff.changes, diff.notes) == ("unchanged", (), ())


@settings(max_examples=200, deadline=None)
@given(SEEDS, SEEDS, SEEDS, st.randoms(use_true_random=False), st.sampled_from(["arguments", "result"]))
def test_an_edited_value_of_one_call_is_one_change_at_its_place(
    made: int, one: int, other: int, chance: random.Random, part: str
) -> None:
    body = program(random.Random(made))
    edited = copy.deepcopy(body)
    held, place = chance.choice(list(calls(edited)))
    setattr(held[place], part, {"n": FRESH} if part == "arguments" else FRESH)
    old, new = recorded(body, one), recorded(edited, other)
    [at] = [at for at, step in enumerate(new.run.trace.steps) if FRESH in repr((step.arguments, step.result))]
    [change] = diff_fixtures(old, new).changes
    [field] = change.fields
    assert (change.change, field.path) == ("changed", f"/steps/{at}/{part}{'/n' if part == 'arguments' else ''}")
    assert field.new == FRESH


@settings(max_examples=200, deadline=None)
@given(SEEDS, SEEDS, SEEDS, st.randoms(use_true_random=False))
def test_an_inserted_call_is_one_addition_and_a_deleted_one_one_removal(
    made: int, one: int, other: int, chance: random.Random
) -> None:
    body = program(random.Random(made))
    longer = copy.deepcopy(body)
    held, place = chance.choice(list(calls(longer)))
    held.insert(place, Made("audit", {"n": FRESH}, 1))
    without, having = recorded(body, one), recorded(longer, other)
    [change] = diff_fixtures(without, having).changes
    assert (change.change, change.rule, change.subject[:15]) == ("added", "call-added", "tool_call audit")
    [change] = diff_fixtures(having, without).changes
    assert (change.change, change.rule, change.subject[:15]) == ("removed", "tool-call-dropped", "tool_call audit")

"""What each contract makes of a trace, of what is absent from it most of all: ``docs/reference/contracts.md``."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stepfork.contracts.evaluate import evaluate
from stepfork.contracts.spec import (
    Contract,
    CostUnder,
    OutputSchema,
    ToolCalledBefore,
    ToolCardinality,
    Trajectory,
    TrajectoryMode,
)
from stepfork.trace.step import Step, Trace
from tests.unit.contracts.sample_traces import Called, tool, trace_of

NOTHING = Trace("spans", ())
ASKED_IN_VAIN = [
    Trace("spans", (Step("llm_call", "chat", 0, 0, finish_reasons=(reason,)),))
    for reason in ("tool_calls", "tool_use", "tool-calls", "tool_call", "TOOL_CALLS", "function_call")
]
ANSWERED = Trace("spans", (Step("llm_call", "chat", 0, 0, finish_reasons=("stop",)),))


def told(contract: Contract, trace: Trace) -> tuple[bool, str]:
    result = evaluate(contract, trace)
    return result.status == "pass", result.explanation


def calls(*names: str) -> Trace:
    return trace_of(*[(name, {}) for name in names])


@pytest.mark.parametrize(
    ("mode", "listed", "called", "passes"),
    [
        ("superset", "ab", "bca", True),
        ("superset", "ab", "aa", False),
        ("superset", "aab", "ab", True),
        ("subset", "abc", "ba", True),
        ("subset", "ab", "abc", False),
        ("subset", "", "a", False),
        ("exact", "aba", "aba", True),
        ("exact", "ab", "aba", False),
        ("exact", "ab", "ba", False),
        ("exact", "", "", True),
        ("unordered", "aab", "aba", True),
        ("unordered", "ab", "aba", False),
        ("unordered", "aab", "ab", False),
        ("superset", "a", "", False),
        ("subset", "a", "", True),
    ],
)
def test_trajectories(mode: TrajectoryMode, listed: str, called: str, passes: bool) -> None:
    assert told(Trajectory(tuple(listed), mode), calls(*called))[0] is passes


def test_a_trajectory_says_what_is_missing_and_what_is_too_much() -> None:
    assert told(Trajectory(("a", "b")), calls("a", "c")) == (False, "trajectory (superset) lacks [b]; called [a c]")
    assert told(Trajectory(("a",), "subset"), calls("a", "c")) == (False, "trajectory (subset) has [c] beside")
    assert told(Trajectory(("a",), "exact"), calls("c")) == (False, "trajectory (exact) differs: called [c]")
    assert not told(Trajectory(()), calls("a"))[0]


@pytest.mark.parametrize(
    "trace", [NOTHING, *ASKED_IN_VAIN], ids=lambda trace: str([step.finish_reasons for step in trace.steps])
)
@pytest.mark.parametrize(
    "contract",
    [
        Trajectory((), "subset"),
        Trajectory((), "exact"),
        Trajectory((), "unordered"),
        Trajectory(("a",)),
        ToolCalledBefore("a", "b"),
        ToolCardinality("a", "id", 0),
        ToolCardinality("a", "id", 1),
        OutputSchema({}),
        CostUnder(1),
    ],
)
def test_nothing_holds_of_a_trace_in_which_nothing_was_watched(contract: Contract, trace: Trace) -> None:
    assert not told(contract, trace)[0]


def test_a_model_that_answered_without_tools_shows_that_there_were_none() -> None:
    assert told(ToolCardinality("a", "id", 1), ANSWERED) == (True, "a was not called (max 1 for each id)")
    assert told(Trajectory((), "exact"), ANSWERED)[0]
    assert not told(Trajectory(("a",)), ANSWERED)[0]


@pytest.mark.parametrize(
    ("called", "passes", "explanation"),
    [
        ("ab", True, "a (step 1) precedes b (step 3)"),
        ("aba", True, "a (step 1) precedes b (step 3)"),
        ("ba", False, "a (step 3) does not precede b (step 1)"),
        ("a", False, "b was never called"),
        ("c", False, "a and b were never called"),
    ],
)
def test_order_is_that_of_first_calls(called: str, passes: bool, explanation: str) -> None:
    assert told(ToolCalledBefore("a", "b"), calls(*called)) == (passes, explanation)


def test_nothing_precedes_itself() -> None:
    assert not told(ToolCalledBefore("a", "a"), calls("a", "a"))[0]


@pytest.mark.parametrize(
    ("called", "per", "at_most", "passes", "explanation"),
    [
        ([1, 2, 1], "id", 2, True, "t within max 2 for each of 2 id value(s)"),
        ([1, 2, 1], "id", 1, False, "t called 2× for id=1 (max 1)"),
        ([1, "1", 1.0, True], "id", 1, True, "t within max 1 for each of 4 id value(s)"),
        (["1", "1"], "id", 1, False, 't called 2× for id="1" (max 1)'),
        (["a", "b"] * 2, "id", 1, False, "t called 2× for id=a, 2× for id=b (max 1)"),
        ([*"abcde"] * 2, "id", 1, False, "t called 2× for id=a, 2× for id=b, 2× for id=c and 2 more (max 1)"),
        ([{"b": 1, "a": 2}, {"a": 2, "b": 1}], "id", 1, False, 't called 2× for id={"a": 2, "b": 1} (max 1)'),
        (["x"], "id", 0, False, "t called 1× for id=x (max 0)"),
        ([""] * 2, "id", 1, False, 't called 2× for id="" (max 1)'),
        ([{"k": [5]}] * 2, "/id/k/0", 1, False, "t called 2× for /id/k/0=5 (max 1)"),
        ([{"k": [5]}], "/id/k/1", 1, False, "t called without /id/k/1 (step 1), which cannot be counted"),
        (["a\nb" + "c" * 90] * 2, "id", 1, False, f"t called 2× for id=a b{'c' * 56}… (max 1)"),
    ],
)
def test_cardinality(called: list[Any], per: str, at_most: int, passes: bool, explanation: str) -> None:
    trace = trace_of(*[("t", {"id": value}) for value in called], ("other", {"id": 1}), ("other", {"id": 1}))
    assert told(ToolCardinality("t", per, at_most), trace) == (passes, explanation)


@pytest.mark.parametrize("arguments", [{}, {"ID": 1}, [1], "text", None, msgspec.UNSET])
def test_a_call_that_cannot_be_counted_never_passes(arguments: Any) -> None:
    trace = trace_of(("t", {"id": 1}), ("t", arguments))
    assert told(ToolCardinality("t", "id", 5), trace) == (
        False,
        "t called without id (step 3), which cannot be counted",
    )


def test_an_argument_that_is_called_like_a_pointer_is_that_argument() -> None:
    called: list[Called] = [("t", {"/a": 1, "a": 2}), ("t", {"/a": 3, "a": 2})]
    assert told(ToolCardinality("t", "/a", 1), trace_of(*called))[0]
    assert told(ToolCardinality("t", "/~1a", 1), trace_of(*called))[0]
    assert not told(ToolCardinality("t", "a", 1), trace_of(*called))[0]


@pytest.mark.parametrize(
    ("cost", "usd", "passes"),
    [
        (0.15, 0.15, True),
        (0.1500000001, 0.15, False),
        (0.0, 0.0, True),
        (1e-9, 0.0, False),
        (None, 10.0, False),
        (float("nan"), 10.0, False),
        (float("inf"), 10.0, False),
        (-1.0, 10.0, False),
        (1.0, float("nan"), False),
        (1, 1, True),
    ],
)
def test_cost_is_within_its_ceiling_the_bound_included(cost: float | None, usd: float, passes: bool) -> None:
    assert told(CostUnder(usd), trace_of(cost_usd=cost))[0] is passes


def test_a_cost_is_shown_as_it_is_written() -> None:
    assert told(CostUnder(0.5), trace_of(cost_usd=1.5e-07)) == (True, "cost $0.00000015 within $0.5")


def test_a_contract_without_a_name_is_called_by_what_it_says() -> None:
    assert evaluate(ToolCardinality("t", "/order/id", 1), ANSWERED).id == "cardinality-t-per-/order/id"
    assert evaluate(ToolCardinality("t", "id", 1, "mine"), ANSWERED).id == "mine"


def test_explanations_are_one_line_of_bounded_length_whatever_tools_are_called() -> None:
    trace = Trace("spans", tuple(tool(f"\x1b[2J\n{number}" + "x" * 900) for number in range(40)))
    for contract in (
        Trajectory(("\n",)),
        Trajectory((trace.steps[0].name,)),
        ToolCalledBefore("\r", trace.steps[0].name),
    ):
        _, explanation = told(contract, trace)
        assert len(explanation) <= 400
        assert explanation.isprintable()

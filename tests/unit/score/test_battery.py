"""The battery, the verdict and the pins, in the words and numbers of the reference."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stepfork.canonical.places import dotted
from stepfork.score.battery import derive_battery, pin_coverage, recorded_output, score_expectation
from tests.integration.exported import RECORDED, WANTED, recorded_trace


def verdict(expectation: Any, recorded: Any) -> str:
    return score_expectation(expectation, recorded).verdict


def test_the_booking_example() -> None:
    score = score_expectation(WANTED, RECORDED)
    assert score.summary() == "claim-pinned: rejected 7/7 mutants"
    assert [dotted(path) for path in score.pins.live] == ["selected_flight"]
    assert [dotted(path) for path in score.pins.reproduced] == ["destination", "plan"]


def test_five_hundred_differing_leaves() -> None:
    wanted = {f"leaf_{number}": "expected" for number in range(500)}
    score = score_expectation(wanted, dict.fromkeys(wanted, "recorded"))
    assert score.summary() == "claim-pinned: rejected 1001/1001 mutants"
    assert len(score.pins.live) == 500


def test_the_recorded_output_as_expectation_is_run_pinned() -> None:
    score = score_expectation(RECORDED, dict(reversed(RECORDED.items())))
    assert score.verdict == "run-pinned"
    assert score.summary().startswith("run-pinned: rejected 6/7 mutants")
    assert score.pins.live == ()


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "", "text", [], {}, [[]], {"a": {}}])
def test_any_value_is_run_pinned_by_itself_and_claim_pinned_by_another(value: Any) -> None:
    assert verdict(value, value) == "run-pinned"
    assert verdict(value, {"other": 1}) == "claim-pinned"
    assert verdict({"other": 1}, value) == "claim-pinned"


@pytest.mark.parametrize(
    ("one", "other"),
    [(True, 1), (1, 1.0), (0, False), (0.0, -0.0), ("1", 1), (None, {}), ([], {}), (None, "null"), ([1], [1, 2])],
)
def test_what_only_python_takes_for_equal_is_told_apart(one: Any, other: Any) -> None:
    for a, b in ((one, other), (other, one)):
        assert verdict(a, b) == "claim-pinned"
        assert verdict({"x": [a]}, {"x": [b]}) == "claim-pinned"


def test_a_key_that_the_claim_does_not_name_counts() -> None:
    """The test compares whole values: what names less than the run has is stricter, and rejects it."""
    score = score_expectation({"a": 1}, {"a": 1, "b": [2], "c": 3})
    assert score.verdict == "claim-pinned"
    assert score.pins.live == ()
    assert [dotted(path) for path in score.pins.unnamed] == ["b", "c"]
    assert [dotted(path) for path in score_expectation([1], [1, 2, 3]).pins.unnamed] == ["[1]", "[2]"]


def test_a_control_that_is_the_runs_own_value_is_left_out() -> None:
    assert len([*derive_battery({"n": 1}, {"n": 2})]) == 2  # the run's own, and null
    assert len([*derive_battery({"n": 1}, {"n": 3})]) == 3
    assert len([*derive_battery({"n": "a"}, {"n": None})]) == 2
    assert len([*derive_battery({"n": True}, {"n": False})]) == 2
    assert len([*derive_battery({"n": 1}, {"n": 2.0})]) == 3  # 2.0 is not 2


@pytest.mark.parametrize("value", [None, False, 0, 2**64 - 1, -(2**63), 1e300, -0.0, 0.1, "", {}, [], [None]])
def test_every_control_differs_from_the_expectation(value: Any) -> None:
    rows = [*derive_battery(value, msgspec.UNSET)]
    assert rows
    assert all(row.kind == "control" and row.rejected for row in rows)
    assert score_expectation(value, msgspec.UNSET).rejected == len(rows)


def test_without_a_recorded_output_there_is_no_verdict() -> None:
    for trace in (recorded_trace(raised=True), recorded_trace(msgspec.UNSET)):
        assert recorded_output(trace) is msgspec.UNSET
        score = score_expectation(WANTED, recorded_output(trace))
        assert (score.verdict, score.mutants, score.rejected) == ("undetermined", 6, 6)
        assert "cannot separate" in score.summary()
    assert recorded_output(recorded_trace(None)) is None


def test_an_expectation_of_another_recording_is_noticed() -> None:
    assert score_expectation({"x": 1}, {"y": 1}).foreign
    assert score_expectation("text", {"y": 1}).foreign
    assert not score_expectation(WANTED, RECORDED).foreign
    assert not score_expectation("text", "other").foreign


@pytest.mark.parametrize(
    ("expected", "recorded", "said"),
    [
        ("ord-77", "{{id_1}}", "undetermined"),
        ("order ord-77 is paid", "order {{id_1}} is paid", "undetermined"),
        ("order ord-77 is open", "order {{id_1}} is paid", "claim-pinned"),
        ("{{id_2}}", "{{id_1}}", "undetermined"),
        ("{{id_1}}", "{{id_1}}", "run-pinned"),
        ("{{id_1}}", "plain", "undetermined"),
        ("key [redacted]", "key abc", "undetermined"),
        ("key abc", "key [redacted]", "undetermined"),
        (1690000000, "{{timestamp_1}}", "undetermined"),
        (True, "{{id_1}}", "claim-pinned"),
        ("", "{{id_1}}", "claim-pinned"),
        ({"a": "ord-77", "b": 2}, {"a": "{{id_1}}", "b": 1}, "claim-pinned"),
        ({"a": "ord-77", "b": 1}, {"a": "{{id_1}}", "b": 1}, "undetermined"),
    ],
)
def test_what_a_placeholder_may_have_been_holds_nothing_apart(expected: Any, recorded: Any, said: str) -> None:
    score = score_expectation(expected, recorded)
    assert score.verdict == said
    if said == "undetermined":
        assert "placeholders" in score.summary()
        assert score.rejected == score.mutants
        assert len(score.pins.hidden) == 1
    assert len(score.pins.live) == 0 or said == "claim-pinned"


def test_pins_name_every_leaf_once() -> None:
    expected = {"a": [1, {"b": None}], "c": {}, "d": "x"}
    pins = pin_coverage(expected, {"a": [1, {"b": 0}], "c": {}, "d": ["x"]})
    assert [dotted(path) for path in pins.live] == ["a[1].b", "d"]
    assert [dotted(path) for path in pins.reproduced] == ["a[0]", "c"]

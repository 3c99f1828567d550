"""Which calls a run is to make: every member accepts what it says, rejects the rest, and is refused where it is odd."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from stepfork.contracts.trajectory_expectation import failures, read_trajectory
from stepfork.errors import UsageError

REFERENCE = {
    "called": ["search_flights"],
    "not_called": ["charge_card"],
    "counts": {"search_flights": 1},
    "arguments": [{"name": "search_flights", "value": {"city": "Paris"}, "occurrence": 1}],
    "order": [["search_flights", "book_flight"]],
    "sequence": ["search_flights", "book_flight"],
    "strict_sequence": True,
    "max_steps": 4,
}


class Made(NamedTuple):
    name: str
    type: str = "tool_call"
    arguments: Any = None


def made(*names: str) -> list[Made]:
    """Calls of tools by name; ``*`` is a model call."""
    return [Made("model", "llm_call") if name == "*" else Made(name, "tool_call", {}) for name in names]


def fails(expectation: Any, calls: list[Made]) -> list[str]:
    return [line.removeprefix("trajectory mismatch at ") for line in failures(read_trajectory(expectation), calls)]


def test_the_shape_of_the_reference_is_kept_by_the_run_that_it_describes() -> None:
    calls = [Made("search_flights", arguments={"city": "Paris"}), Made("m", "llm_call"), Made("book_flight")]
    assert fails(REFERENCE, calls) == []


def test_each_member_says_what_is_not_kept() -> None:
    calls = [*made("book_flight"), Made("search_flights", arguments={"city": "Rome"}), *made("charge_card", "*", "*")]
    assert fails(REFERENCE, calls) == [
        "'not_called': \"charge_card\" was called once",
        '\'arguments\': call 1 of "search_flights": at \'city\': expected "Paris", got "Rome"',
        '\'order\': "book_flight" was called before "search_flights"',
        '\'sequence\': expected "search_flights" as call 1, got "book_flight"',
        "'max_steps': expected at most 4 calls, got 5",
    ]


@pytest.mark.parametrize(
    ("expectation", "kept", "broken"),
    [
        ({"called": ["a"]}, ["b", "a"], ["b", "*"]),
        ({"not_called": ["a"]}, ["b"], ["a"]),
        ({"counts": {"a": 2}}, ["a", "b", "a"], ["a"]),
        ({"counts": {"a": 0}}, ["b"], ["a"]),
        ({"order": [["a", "b", "c"]]}, ["a", "b", "a", "c"], ["b", "a", "c"]),
        ({"order": [["a", "b"]]}, ["a", "b"], ["a"]),
        ({"sequence": ["a", "b"]}, ["a", "*", "b"], ["a", "b", "b"]),
        ({"sequence": ["a", "b"]}, ["a", "b"], ["a"]),
        ({"sequence": []}, ["*"], ["a"]),
        ({"sequence": ["a", "b"], "strict_sequence": False}, ["x", "a", "x", "b"], ["b", "a"]),
        ({"sequence": ["a", "a"], "strict_sequence": False}, ["a", "x", "a"], ["a", "x"]),
        ({"max_steps": 2}, ["a", "*"], ["a", "*", "*"]),
        ({"max_steps": 0}, [], ["*"]),
    ],
)
def test_a_member_accepts_and_rejects(expectation: Any, kept: list[str], broken: list[str]) -> None:
    assert fails(expectation, made(*kept)) == []
    assert len(fails(expectation, made(*broken))) == 1


def test_arguments_without_an_occurrence_match_any_call_and_with_one_that_call() -> None:
    calls = [Made("a", arguments={"n": 1}), Made("a", arguments={"n": 2}), Made("b", arguments={"n": 3})]
    assert fails({"arguments": [{"name": "a", "value": {"n": 2}}]}, calls) == []
    assert fails({"arguments": [{"name": "a", "value": {"n": 2}, "occurrence": 2}]}, calls) == []
    assert fails({"arguments": [{"name": "a", "value": {"n": 2}, "occurrence": 1}]}, calls) == [
        "'arguments': call 1 of \"a\": at 'n': expected 2, got 1"
    ]
    assert fails({"arguments": [{"name": "a", "value": {"n": 1}, "occurrence": 3}]}, calls) == [
        "'arguments': \"a\" has no call 3: it was called twice"
    ]
    assert fails({"arguments": [{"name": "a", "value": {"n": 3}}]}, calls) == [
        "'arguments': none of 2 calls of \"a\" has them; the first: at 'n': expected 3, got 1"
    ]
    assert fails({"arguments": [{"name": "c", "value": {}}]}, calls) == ["'arguments': \"c\" was not called"]


def test_arguments_are_compared_in_canonical_form() -> None:
    assert fails({"arguments": [{"name": "a", "value": {"n": 1}}]}, [Made("a", arguments={"n": True})]) != []
    assert fails({"arguments": [{"name": "a", "value": {"n": 1}}]}, [Made("a", arguments={"n": 1, "m": None})]) != []


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "a trajectory expectation is a JSON object"),
        ({}, "expects nothing"),
        ({"called": [], "order": []}, "expects nothing"),
        ({"sequence": [], "strict_sequence": False}, "expects nothing"),
        ({"calls": ["a"]}, '"calls" is no member'),
        ({"called": "a"}, "called is not a list of names"),
        ({"called": [1]}, "called[0] is not a name"),
        ({"called": [""]}, "called[0] is not a name"),
        ({"not_called": {}}, "not_called is not a list of names"),
        ({"counts": ["a"]}, "counts is not an object"),
        ({"counts": {"a": True}}, 'counts["a"] is not a whole number from 0'),
        ({"counts": {"a": -1}}, 'counts["a"] is not a whole number from 0'),
        ({"counts": {"a": 1.0}}, 'counts["a"] is not a whole number from 0'),
        ({"arguments": {}}, "arguments is not a list"),
        ({"arguments": [{"name": "a"}]}, "arguments[0] is not an object with name and value"),
        ({"arguments": [{"name": "a", "value": 1, "times": 1}]}, 'arguments[0] has a member "times"'),
        ({"arguments": [{"name": "a", "value": 1, "occurrence": 0}]}, "arguments[0].occurrence is not a whole number"),
        ({"arguments": [{"name": "a", "value": 1, "occurrence": True}]}, "arguments[0].occurrence is not"),
        ({"arguments": [{"name": "a", "value": 1, "occurrence": None}]}, "arguments[0].occurrence is not"),
        ({"order": ["a"]}, "order[0] is not a list of names"),
        ({"order": [["a"]]}, "order[0] is not two names or more"),
        ({"sequence": None}, "sequence is not a list of names"),
        ({"sequence": ["a"], "strict_sequence": 1}, "strict_sequence is not true or false"),
        ({"called": ["a"], "strict_sequence": True}, "strict_sequence says nothing without sequence"),
        ({"max_steps": True}, "max_steps is not a whole number from 0"),
        ({"max_steps": "4"}, "max_steps is not a whole number from 0"),
        # what no run can keep
        ({"called": ["a"], "not_called": ["a"]}, "called and not_called contradict each other"),
        ({"called": ["a"], "counts": {"a": 0}}, "called and counts contradict each other"),
        ({"counts": {"a": 1}, "not_called": ["a"]}, "counts and not_called contradict each other"),
        ({"sequence": ["a"], "called": ["b"]}, "called and sequence contradict each other"),
        ({"sequence": ["a"], "counts": {"a": 2}}, "counts and sequence contradict each other"),
        ({"sequence": ["a", "a"], "counts": {"a": 1}}, "sequence and counts contradict each other"),
        ({"order": [["a", "b"], ["b", "a"]]}, "order contradicts itself"),
        ({"order": [["a", "b", "a"]]}, "twice in one list"),
        ({"order": [["a", "b"]], "sequence": ["b", "a"]}, "order and sequence contradict each other"),
        ({"max_steps": 1, "called": ["a", "b"]}, "max_steps is 1"),
        (
            {"counts": {"a": 1}, "arguments": [{"name": "a", "value": 1, "occurrence": 2}]},
            "arguments and counts contradict each other",
        ),
        (
            {"arguments": [{"name": "a", "value": 1, "occurrence": 1}, {"name": "a", "value": True, "occurrence": 1}]},
            "arguments has two values for call 1",
        ),
    ],
)
def test_what_is_odd_or_cannot_be_kept_is_refused_by_name(document: Any, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_trajectory(document)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)

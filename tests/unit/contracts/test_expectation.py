"""Two values are the same in canonical JSON, or it is said where they are not."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.contracts.comparable import comparable
from stepfork.contracts.expectation import Difference, differences, equal, mismatch

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, -0.0, 1.0, 2.5]) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.", max_size=2), inner, max_size=3),
    max_leaves=8,
)


def told(expected: Any, actual: Any) -> list[str]:
    return [mismatch(found).removeprefix("behavior mismatch at ") for found in differences(expected, actual)]


@given(JSON, JSON)
def test_values_are_equal_exactly_where_their_canonical_bytes_are(one: Any, other: Any) -> None:
    assert equal(one, other) == (dumps(one) == dumps(other))


@given(JSON, JSON)
def test_no_line_says_the_same_of_both_sides_and_each_has_its_own_place(one: Any, other: Any) -> None:
    found = [*differences(one, other)]
    assert len({difference.path for difference in found}) == len(found)
    for difference in found:
        said = mismatch(difference).split(": expected ", 1)[1]
        expected, _, actual = said.partition(", got ")
        assert expected != actual


def test_the_message_is_the_one_of_the_reference() -> None:
    expected = {"destination": "Lisbon", "plan": "p", "selected_flight": "B"}
    found = [*differences(expected, {**expected, "selected_flight": "A"})]
    assert [mismatch(one) for one in found] == ["""behavior mismatch at 'selected_flight': expected "B", got "A\""""]


def test_c100_true_is_not_1_and_1_is_not_1_0() -> None:
    assert told({"count": 1, "ok": True}, {"count": True, "ok": 1}) == [
        "'count': expected 1, got true",
        "'ok': expected true, got 1",
    ]
    assert told([1, 0.0, 1.0], [1.0, -0.0, 1]) == [
        "'[0]': expected 1, got 1.0",
        "'[1]': expected 0.0, got -0.0",
        "'[2]': expected 1.0, got 1",
    ]


def test_missing_is_not_null() -> None:
    assert told({"a": None, "b": 1}, {"b": 1, "c": None}) == [
        "'a': expected null, got (absent)",
        "'c': expected (absent), got null",
    ]


def test_lists_are_compared_by_length_and_by_position() -> None:
    assert told({"legs": ["a", "b", "c"]}, {"legs": ["a", "x"]}) == [
        "'legs': expected a list of 3, got a list of 2",
        '\'legs[1]\': expected "b", got "x"',
    ]
    assert told([], ()) == []


def test_values_of_other_kinds_are_shown_whole_where_they_are_short() -> None:
    assert told({"a": {"b": [1, None]}}, {"a": '{"b": [1, null]}'}) == [
        '\'a\': expected {"b": [1, null]}, got "{\\"b\\": [1, null]}"'
    ]
    assert told([["x" * 300]], [{"y": "x" * 300}]) == ["'[0]': expected a list of 1, got an object of 1"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x" * 5_000 + "B", "x" * 5_000 + "A"),
        ("x" * 5_000, "x" * 5_001),
        ("B" + "x" * 5_000, "A" + "x" * 5_000),
        ("x" * 5_000 + "\u0430", "x" * 5_000 + "a"),
        ("e\u0301", "\u00e9"),
        ("a b", "a  b"),
        ("a b", "a\u00a0b"),
        ("a", "a\u200b"),
        ("a\r\n", "a\n"),
        ("", " "),
        ("x…", "x" * 300),
    ],
)
def test_two_texts_never_make_two_lines_that_look_the_same(one: str, other: str) -> None:
    (line,) = told(one, other)
    expected, _, actual = line.removeprefix("'$': expected ").partition(", got ")
    assert expected != actual
    assert expected.isprintable()
    assert actual.isprintable()
    assert len(line) < 800


def test_a_value_of_any_size_and_depth_is_compared() -> None:
    deep: Any = 1
    other: Any = 2
    for _ in range(50_000):
        deep, other = [deep], [other]
    assert len([*differences(deep, other)]) == 1
    wide = {f"k{n}": n for n in range(20_000)}
    assert len([*differences(wide, dict.fromkeys(wide, -1))]) == 20_000


def test_numbers_that_json_cannot_carry_equal_nothing_that_was_reviewed() -> None:
    @dataclasses.dataclass
    class Reading:
        value: float

    for value, text in ((math.nan, "nan"), (math.inf, "inf"), (10**30, str(10**30)), (2**64, str(2**64))):
        for wrap in (lambda one: one, lambda one: {"a": [one]}, Reading):
            assert not equal(
                comparable(wrap(text)) if wrap is not Reading else {"value": text}, comparable(wrap(value))
            )
            assert all(mismatch(found).isprintable() for found in differences(None, comparable(wrap(value))))
    assert equal({"a": 2**64 - 1, "b": [-(2**63), 1.5]}, comparable({"a": 2**64 - 1, "b": (-(2**63), 1.5)}))
    assert equal({"value": 1.5}, comparable(Reading(1.5)))


def test_a_huge_integer_is_told_without_its_digits() -> None:
    assert mismatch(Difference(("n",), 1, 10**5_000)) == (
        "behavior mismatch at 'n': expected 1, got an integer of 16,610 bits"
    )

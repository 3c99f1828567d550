"""Places are called so that people find them, and no two alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfork.canonical.places import dotted, quoted

STEPS = st.lists(
    st.integers(0, 30) | st.text(max_size=4) | st.sampled_from(["a", "b", "a.b", "[0]", "$", "0"]), max_size=4
)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ((), "$"),
        (("selected_flight",), "selected_flight"),
        (("a", "b", 0, "x.y"), 'a.b[0]["x.y"]'),
        ((0, "a"), "[0].a"),
        (("",), '[""]'),
        (("$",), '["$"]'),
        (("a-b", "0"), 'a-b["0"]'),
        (("\x1b[31m\u202e",), '["\\u001b[31m\\u202e"]'),
        (("\ud800", "\U000e0001"), '["\\ud800"]["\\udb40\\udc01"]'),
    ],
)
def test_a_place_is_dotted_and_odd_names_are_quoted(steps: tuple[str | int, ...], said: str) -> None:
    assert dotted(steps) == said


@given(STEPS, STEPS)
def test_no_two_places_are_called_alike(one: list[str | int], other: list[str | int]) -> None:
    assert (dotted(one) == dotted(other)) == (one == other)


@given(st.text(st.characters(codec=None)))
def test_a_quoted_text_is_one_line_that_prints_and_can_be_read_back(text: str) -> None:
    import json

    assert quoted(text).isprintable()
    assert json.loads(quoted(text)) == json.loads(json.dumps(text))
    assert quoted(text, ascii_only=True).isascii()

"""Tokens and cost of a side: a sum of what every answer says, or unknown."""

from __future__ import annotations

from stepfork.diff.fixture_diff import diff_fixtures
from stepfork.diff.usage import usage_difference, usage_of, usage_of_all
from stepfork.diff.values import Usage
from stepfork.providers.calls import Answer
from stepfork.trace.step import Usage as Counted
from tests.unit.diff.conversations import asks, fixture


def answer(tokens_in: int | None = None, tokens_out: int | None = None, cost: float | None = None) -> Answer:
    return Answer(usage=Counted(tokens_in, tokens_out), cost_usd=cost)


def test_what_an_answer_does_not_say_is_unknown_and_not_0() -> None:
    assert usage_of(Answer()) is None
    assert usage_of(answer()) is None
    assert usage_of(answer(0, 0, 0.0)) == Usage(0, 0, 0.0)
    assert usage_of(answer(cost=0.5)) == Usage(None, None, 0.5)


def test_a_sum_is_known_where_each_answer_says_it() -> None:
    assert usage_of_all([]) is None
    assert usage_of_all([answer(1, 2, 0.1), answer(3, 4, 0.2)]) == Usage(4, 6, 0.3)
    assert usage_of_all([answer(1, 2, 0.1), answer(3, None)]) == Usage(4, None, None)
    assert usage_of_all([answer(1, 2, 0.1), Answer()]) is None


def test_a_difference_is_known_where_both_sides_are() -> None:
    assert usage_difference(Usage(4, 6, 0.3), Usage(5, 2, 0.1)) == Usage(1, -4, -0.2)
    assert usage_difference(Usage(4, 6, 0.3), Usage(5)) == Usage(1, None, None)
    assert usage_difference(Usage(4), Usage(None, 6)) is None
    assert usage_difference(None, Usage(5)) is None


def test_each_exchange_that_differs_says_what_both_sides_used() -> None:
    diff = diff_fixtures(fixture([asks("a")]), fixture([asks("a"), asks("something else")]))
    assert [exchange.usage for exchange in diff.exchanges] == [(None, Usage(100, 10))]
    assert diff.usage == (Usage(100, 10), Usage(200, 20))

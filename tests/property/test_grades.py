"""What holds of every grade."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.diff.fixture_diff import DiffOptions, diff_fixtures
from stepfork.diff.grade_rules import RULES
from stepfork.trace.fixture import Fixture
from tests.property.test_diff_properties import fixtures, reversed_members, with_bodies
from tests.unit.diff.conversations import Call, conversation, fixture

ALL = DiffOptions(responses=True, trace=True)
calls = st.builds(
    lambda name, number, failed: (name, {"n": number}, f'{{"isError": {failed}}}'),
    st.sampled_from(["lookup", "refund", "notify"]),
    st.integers(0, 3),
    st.sampled_from(["true", "false", "false"]),
)
runs = st.lists(st.lists(calls, min_size=1, max_size=3), max_size=4)


def counted(run: list[list[Call]], *, failing: bool = False) -> Counter[str]:
    return Counter(name for turn in run for name, _, result in turn if not failing or "true" in result)


@settings(deadline=None, max_examples=30)
@given(runs, runs, st.booleans())
def test_exactly_the_calls_that_are_fewer_are_dropped_and_those_that_fail_more_often_failing(
    old: list[list[Call]], new: list[list[Call]], answers: bool
) -> None:
    diff = diff_fixtures(fixture(conversation(old)), fixture(conversation(new)), DiffOptions(responses=answers))
    told = "; ".join(change.breaks for change in diff.changes)
    fewer = counted(old) - counted(new)
    failing = counted(new, failing=True) - counted(old, failing=True)
    for name in ("lookup", "refund", "notify"):
        assert (f"tool call {name} is gone" in told or f"tool call {name} {counted(old)[name]}× →" in told) == (
            name in fewer
        )
        assert (f"tool call {name} now fails" in told) == (name in failing)
    assert (diff.grade == "breaking") == bool(fewer or failing)


@settings(deadline=None, max_examples=15)
@given(fixtures, fixtures)
def test_each_change_has_the_grade_of_its_rule_and_the_order_of_members_never_matters(
    old: Fixture, new: Fixture
) -> None:
    diff = diff_fixtures(old, new, ALL)
    for change in diff.changes:
        assert RULES[change.rule] == change.grade
        assert bool(change.breaks) == (change.grade == "breaking")
    other = diff_fixtures(with_bodies(old, reversed_members), with_bodies(new, reversed_members), ALL)
    assert Counter(change.rule for change in other.changes) == Counter(change.rule for change in diff.changes)
    assert (diff.grade is None) == (not diff.changed)

"""What Claude Code says of the machine and the day is nobody's change; every other line of its requests is."""

from __future__ import annotations

from typing import Any

import pytest

from stepfork.diff.fixture_diff import FixtureDiff, diff_fixtures
from stepfork.diff.values import Line
from stepfork.normalize.request_key import request_key
from tests.unit.diff.conversations import asks, fixture
from tests.unit.normalize.claude_code import OTHER_DAY, body, reminder, surroundings
from tests.unit.normalize.scripted import exchange

NOTE = "what Claude Code says of the machine, the day or the session differs"


def diff(old: dict[str, Any], new: dict[str, Any]) -> FixtureDiff:
    sides = [[exchange("messages", one, {}, provider="anthropic")] * 2 for one in (old, new)]
    return diff_fixtures(fixture(sides[0]), fixture(sides[1]))


def test_another_machine_day_and_session_are_a_note() -> None:
    found = diff(body(), body(**OTHER_DAY))
    assert (found.changed, found.changes, found.exchanges, found.notes) == (False, (), (), (NOTE,))
    assert diff(body(), body()).notes == ()


def test_an_edited_prompt_is_the_only_change_on_another_day() -> None:
    found = diff(body(), body(prompt="You refund twice.", **OTHER_DAY))
    assert [(change.cause, change.section, change.lines) for change in found.changes] == [
        ("authored", "system", (Line("-", "You refund once."), Line("+", "You refund twice.")))
    ]


@pytest.mark.parametrize(
    "change",
    [
        {},
        OTHER_DAY,
        {"said": "Refund it twice."},
        {"told": reminder(memory="Never say please.")},
        {"context": surroundings() + "\n\nUse metric units."},
        {"prompt": "Today's date is 2026-11-30."},
        {"result": reminder()},
    ],
)
def test_a_request_is_changed_where_its_key_is(change: dict[str, Any]) -> None:
    keys = [request_key(exchange("messages", one, {}, provider="anthropic")) for one in (body(), body(**change))]
    assert diff(body(), body(**change)).changed == (keys[0] != keys[1])


def test_the_same_lines_of_another_program_are_its_authors() -> None:
    assert diff_fixtures(fixture([asks(reminder())]), fixture([asks(reminder(day="2027-01-02"))])).changed
    one, two = ([asks("go", metadata={"user_id": user})] for user in ("shop-1", "shop-2"))
    assert diff_fixtures(fixture(one), fixture(two)).changed

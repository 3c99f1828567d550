"""All exchanges of two fixtures side by side: each told once, with what it added to its conversation."""

from __future__ import annotations

from stepfork.diff.fixture_diff import DiffOptions, diff_fixtures
from stepfork.diff.timeline import Row
from stepfork.trace.fixture import Fixture
from tests.unit.diff.conversations import TURNS, asks, chat, conversation, fixture


def timeline(old: Fixture | None, new: Fixture | None) -> tuple[Row, ...]:
    return diff_fixtures(old, new, DiffOptions(timeline=True)).timeline


def places(rows: tuple[Row, ...]) -> list[tuple[str, int | None, int | None]]:
    return [(row.kind, row.old and row.old.index, row.new and row.new.index) for row in rows]


def test_equal_fixtures_have_a_row_for_each_exchange() -> None:
    rows = timeline(fixture(conversation()), fixture(conversation()))
    assert places(rows) == [("same", at, at) for at in range(5)]
    assert not any(row.differs for row in rows)


def test_an_exchange_shows_what_it_appended_and_no_history() -> None:
    rows = timeline(fixture(conversation()), fixture(conversation()))
    assert [[pair.new.text for pair in row.units if pair.new] for row in rows[:3]] == [
        ["Please refund O-1042."],
        ["", '{"amount": 40.0, "email": "{{email_1}}"}'],
        ["", '{"ok": true}'],
    ]
    assert rows[2].new is not None
    assert (rows[2].new.base, rows[2].new.carried) == (1, 3)


def test_a_message_that_says_an_answer_again_names_the_exchange_that_was_answered() -> None:
    rows = timeline(fixture(conversation()), fixture(conversation()))
    assert [[pair.answers for pair in row.units] for row in rows[:3]] == [
        [(None, None)],
        [(0, 0), (None, None)],
        [(1, 1), (None, None)],
    ]


def test_a_message_that_the_agent_changed_is_not_called_the_answer() -> None:
    asked = [{"role": "user", "content": "Hi"}]
    run = [chat(asked, "Hello."), chat([*asked, {"role": "assistant", "content": "Hello!"}], "ok")]
    assert timeline(None, fixture(run))[1].units[0].answers == (None, None)


def test_an_inserted_call_is_one_row_and_the_others_stay_as_they_are() -> None:
    more = [TURNS[0], [("look_again", {}, "fine")], *TURNS[1:]]
    rows = timeline(fixture(conversation()), fixture(conversation(more)))
    assert places(rows)[2] == ("added", None, 2)
    assert [row.differs for row in rows if row.kind != "added"][2:] == [("history",)] * 3


def test_what_an_added_exchange_said_is_not_told_again_by_those_that_carry_it() -> None:
    more = [TURNS[0], [("look_again", {}, "fine")], *TURNS[1:]]
    rows = timeline(fixture(conversation()), fixture(conversation(more)))
    told = [pair.new.text for row in rows for pair in row.units if pair.new]
    assert told.count("fine") == 1


def test_a_row_names_the_parts_that_differ() -> None:
    turns = [TURNS[0], [("issue_refund", {"order_id": "O-1042", "amount": 45.0}, '{"ok": true}')], *TURNS[2:]]
    rows = timeline(
        fixture(conversation(temperature=0)), fixture(conversation(turns, system="Be kind.", temperature=1))
    )
    assert rows[0].differs == ("params", "system")
    assert rows[1].differs == ("params", "system", "answer")
    assert rows[2].differs == ("params", "system", "messages")
    assert rows[3].differs == ("params", "system", "history")


def test_a_fixture_of_one_side_is_all_added_or_all_removed() -> None:
    assert places(timeline(None, fixture([asks("a")]))) == [("added", None, 0)]
    assert places(timeline(fixture([asks("a")]), None)) == [("removed", 0, None)]
    assert timeline(None, fixture([asks("a")]))[0].units[0].kind == "added"


def test_a_history_that_is_cut_is_told_again_only_where_it_is_new() -> None:
    """An agent that forgets the first messages continues no exchange: all that it sends is its own."""
    said = [{"role": "user", "content": text} for text in ("one", "two", "three")]
    run = fixture([chat(said[:1], "1"), chat(said[1:], "2")])
    assert [len(row.units) for row in timeline(run, run)] == [1, 2]

from __future__ import annotations

import pytest

from stepfork.providers.sse import SseEvent, events_of, json_data, parse_events
from stepfork.trace.body import EventsBody


def only(text: str) -> SseEvent:
    [event] = parse_events(text)
    return event


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_ends_at_cr_lf_or_both(end: str) -> None:
    text = end.join(["event: delta", "data: one", "data:two", "id: 7", ": note"])
    assert parse_events(text) == [SseEvent("delta", "one\ntwo")]


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e"])
def test_no_other_character_ends_a_line(mark: str) -> None:
    assert only(f"data: a{mark}b").data == f"a{mark}b"


def test_one_space_after_the_colon_is_not_data() -> None:
    assert only("data:  two").data == " two"
    assert only("data:\ttab").data == "\ttab"


def test_data_may_be_empty_or_have_no_colon() -> None:
    assert parse_events("data") == [SseEvent(None, "")]
    assert only("data:\ndata:").data == "\n"
    assert only("event: ping").data is None


def test_comments_say_nothing() -> None:
    assert parse_events(": OPENROUTER PROCESSING") == [SseEvent(None, None)]
    assert parse_events(": a\ndata: b") == [SseEvent(None, "b")]
    assert parse_events("") == []


def test_a_byte_order_mark_and_empty_lines_in_front_are_ignored() -> None:
    assert only("\ufeffdata: a").data == "a"
    assert only("\n\r\ndata: a").data == "a"


def test_unknown_fields_are_ignored() -> None:
    assert only("retry: 5\ndatax: no\n data: no\ndata: yes").data == "yes"


def test_a_piece_with_another_kind_of_blank_line_holds_several_events() -> None:
    text = "data: a\r\n\r\nevent: b\r\ndata: c"
    assert [event.data for event in parse_events(text)] == ["a", "c"]


def test_the_events_of_a_body_are_those_of_its_pieces() -> None:
    body = EventsBody(("data: a\r\n\r\ndata: b", ": note", "data: c", ""))
    assert [event.data for event in events_of(body)] == ["a", "b", None, "c"]


@pytest.mark.parametrize("data", [None, "", "[DONE]", "{", "[" * 100_000, "9" * 5000, '{"a": 1'])
def test_data_that_is_no_json_is_none(data: str | None) -> None:
    assert json_data(SseEvent(None, data)) is None

from __future__ import annotations

from typing import Any

import pytest

from stepfork.providers.lines import clean_line
from stepfork.providers.summary import says
from stepfork.trace.body import BytesBody, TextBody
from tests.unit.providers.samples import DONE, chunk, delta, exchange, stream


def answer(content: Any = None, *calls: tuple[str, str], finish_reason: str = "stop") -> dict[str, Any]:
    made = [{"id": "c", "function": {"name": name, "arguments": arguments}} for name, arguments in calls]
    return {"choices": [{"message": {"content": content, "tool_calls": made}, "finish_reason": finish_reason}]}


CONVERSATION = [
    {"role": "system", "content": "You refund once."},
    {"role": "user", "content": "Please refund order O-1042."},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "lookup_order", "arguments": '{"order_id":"O-1042"}'}}]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"email":"{{email_1}}","amount":40.0}'},
]  # fmt: skip


def test_each_appended_message_and_the_answer_are_one_line() -> None:
    asked = {"messages": CONVERSATION}
    call = exchange("chat_completions", asked, answer(None, ("issue_refund", '{"order_id":"O-1042","amount":40.0}')))
    lines = (
        "user: Please refund order O-1042.",
        '→ lookup_order {"order_id": "O-1042"}',
        'lookup_order: {"amount": 40.0, "email": "{{email_1}}"}',
        '→ issue_refund {"amount": 40.0, "order_id": "O-1042"}',
    )
    for kept in range(4):
        assert says(call, kept) == lines[kept:]
    assert says(call, 99) == lines[-1:]


@pytest.mark.parametrize("api", ["responses", "messages"])
def test_the_other_apis_read_alike(api: str) -> None:
    asked: dict[str, Any] = (
        {"instructions": "s", "input": "hello"} if api == "responses"
        else {"system": "s", "messages": [{"role": "user", "content": "hello"}]}
    )  # fmt: skip
    given: dict[str, Any] = (
        {"status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": "hi"}]}]}
        if api == "responses" else {"content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn"}
    )  # fmt: skip
    assert says(exchange(api, asked, given), 0) == ("user: hello", "assistant: hi")


def test_a_streamed_answer_reads_like_a_whole_one() -> None:
    body = stream(chunk(delta(content="al")), chunk(delta("stop", content="l done")), DONE)
    assert says(exchange("chat_completions", {}, body), 0) == ("assistant: all done",)


@pytest.mark.parametrize(
    ("given", "status", "line"),
    [
        ({"error": {"type": "rate_limit_error", "message": "slow down"}}, 429, "error 429: rate_limit_error"),
        (TextBody("upstream\nis gone"), 502, "error 502: upstream is gone"),
        (None, 500, "error 500"),
        ({}, 200, "error: unreadable_answer"),
        (answer("half a", finish_reason="length"), 200, "assistant: half a (incomplete: length)"),
        (stream(chunk(delta(content="half"))), 200, "assistant: half (unfinished)"),
        (stream(chunk(delta(content="a")), {"error": {"type": "overloaded_error"}}), 200, "error: overloaded_error"),
        (answer(), 200, "assistant: (no text)"),
        (answer("", ("f", "")), 200, "→ f"),
        (answer("Let me.", ("f", "{}"), ("g", "not json")), 200, "assistant: Let me. → f {} → g not json"),
    ],
)
def test_how_an_answer_ended_is_said(given: Any, status: int, line: str) -> None:
    assert says(exchange("chat_completions", {}, given, status=status), 0) == (line,)


def test_an_unknown_api_is_one_line() -> None:
    assert says(exchange("other", {"messages": CONVERSATION}, {}), 0) == ("POST /v1/embeddings → 200",)
    assert says(exchange("other", BytesBody(b"\xff"), None, status=404), 3) == ("POST /v1/embeddings → 404",)


def test_a_long_line_is_cut_and_its_ending_is_not() -> None:
    (line,) = says(exchange("chat_completions", {}, answer("word " * 100, finish_reason="length")), 0)
    assert len(line) <= 120
    assert line.endswith("… (incomplete: length)")


def test_many_calls_share_a_line_and_short_ones_stay_whole() -> None:
    many = answer("x" * 300, ("f", "{}"), ("g", '{"a": "' + "y" * 300 + '"}'), ("h", "{}"))
    (line,) = says(exchange("chat_completions", {}, many), 0)
    assert len(line) <= 120
    assert "→ f {}" in line
    assert line.endswith("→ h {}")
    assert line.count("…") == 2
    (crowd,) = says(exchange("chat_completions", {}, answer(None, *[("f", "{}")] * 100)), 0)
    assert len(crowd) <= 120


def test_messages_without_text_say_what_they_hold() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 1000}}
    asked = {"messages": [{"role": "user", "content": [image, image]}, {"role": "user", "content": []}, {}]}
    given = {"content": [], "stop_reason": "end_turn"}
    assert says(exchange("messages", asked, given), 0) == (
        "user: [image]",
        "user: (no text)",
        "item: (no text)",
        "assistant: (no text)",
    )
    items = {"input": [{"type": "reasoning", "id": "r"}, {"type": "item_reference", "id": "r"}]}
    assert says(exchange("responses", items, {"output": []}), 0)[:2] == (
        "assistant: [reasoning]",
        "item: [item_reference]",
    )


def test_a_result_without_a_known_call_is_a_tools() -> None:
    asked = {"messages": [{"role": "tool", "tool_call_id": "c9", "content": "4\n2"}, {"role": "tool", "content": ""}]}
    assert says(exchange("chat_completions", asked, answer("a")), 0)[:2] == ("tool: 4 2", "tool: (no text)")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n\n\tb  c ", "a b c"),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("a\u202eb\u2028c\x85d", "a\\u202eb\\u2028c\\x85d"),
        ("a\ud800b", "a\\ud800b"),
        ("naïve 漢字 🚀", "naïve 漢字 🚀"),
        ("x" * 120, "x" * 120),
        ("x" * 121, "x" * 119 + "…"),
        ("x " * 1000, "x " * 59 + "x…"),
        ("\x1b" * 100, ("\\x1b" * 30)[:119] + "…"),
        (" " * 5000 + "late", "…"),
        ("", ""),
    ],
)
def test_a_line_is_single_bounded_and_safe(text: str, line: str) -> None:
    assert clean_line(text) == line

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from stepfork.providers.sse import SseEvent, parse_events
from stepfork.providers.streams import delta_places, is_terminal
from tests.unit.providers.samples import chunk, delta

RESPONSES = {"item_id": "i", "output_index": 1, "content_index": 2}
CALLS = {"tool_calls": [{"index": 3, "function": {"arguments": "{"}}, {"index": 1, "custom": {"input": "x"}}]}


def paths(event: Any, api: str = "") -> set[tuple[str | int, ...]]:
    return {path for _, path in delta_places(api, event)}


def at(event: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        event = event[step]
    return event


def block(**members: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": members}


@pytest.mark.parametrize(
    ("api", "event", "expected"),
    [
        ("chat_completions", chunk(delta(content="a")), {("content",)}),
        ("chat_completions", chunk(delta(refusal="a")), {("refusal",)}),
        (
            "chat_completions",
            chunk(delta(reasoning_content="a", reasoning="b")),
            {("reasoning_content",), ("reasoning",)},
        ),
        ("chat_completions", chunk(delta(audio={"id": "x", "transcript": "a"})), {("audio", "transcript")}),
        (
            "chat_completions",
            chunk(delta(function_call={"name": "f", "arguments": "a"})),
            {("function_call", "arguments")},
        ),
        (
            "chat_completions",
            chunk(delta(**CALLS)),
            {("tool_calls", 0, "function", "arguments"), ("tool_calls", 1, "custom", "input")},
        ),
        (
            "chat_completions",
            chunk(delta(content=[{"type": "text", "text": "a"}, {"thinking": [{"text": "b"}]}])),
            {("content", 0, "text"), ("content", 1, "thinking", 0, "text")},
        ),
    ],
)
def test_chat_pieces(api: str, event: Any, expected: set[tuple[str | int, ...]]) -> None:
    found = {("choices", 0, "delta", *path) for path in expected}
    assert paths(event, api) == paths(event) == paths(event, "other") == found


@pytest.mark.parametrize(
    ("event", "path"),
    [
        ({"type": "response.output_text.delta", **RESPONSES, "delta": "a"}, ("delta",)),
        ({"type": "response.function_call_arguments.delta", **RESPONSES, "delta": "a"}, ("delta",)),
        ({"type": "response.a_kind_of_tomorrow.delta", "delta": "a"}, ("delta",)),
        (block(type="text_delta", text="a"), ("delta", "text")),
        (block(type="input_json_delta", partial_json="a"), ("delta", "partial_json")),
        (block(type="thinking_delta", thinking="a"), ("delta", "thinking")),
        (block(type="citations_delta", citation={"cited_text": "a"}), ("delta", "citation", "cited_text")),
        ({"type": "completion", "completion": " a"}, ("completion",)),
        ({"candidates": [{"content": {"parts": [{"text": "a"}]}}]}, ("candidates", 0, "content", "parts", 0, "text")),
        (
            {"type": "content-delta", "delta": {"message": {"content": {"text": "a"}}}},
            ("delta", "message", "content", "text"),
        ),
        ({"message": {"role": "assistant", "content": "a"}, "done": False}, ("message", "content")),
        ({"response": "a", "done": False}, ("response",)),
        (
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": "a"}}}},
            ("contentBlockDelta", "delta", "toolUse", "input"),
        ),
        ({"token": {"id": 1, "text": "a"}, "generated_text": None}, ("token", "text")),
    ],
)
def test_pieces_of_other_apis_by_shape(event: Any, path: tuple[str | int, ...]) -> None:
    assert paths(event) == {path}


@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.output_text.done", "text": "a"},
        {"type": "response.audio.delta", "delta": {"a": "b"}},
        block(type="signature_delta", signature="a"),
        {"type": "ping"},
        {"response": "a task is done", "done": "yes"},
        {"choices": [{"index": 0, "message": {"content": "whole"}}]},
        chunk(delta(content=None, role="assistant", tool_calls=[{"id": "c", "function": {"name": "f"}}])),
        chunk(),
    ],
)
def test_what_is_whole_is_no_piece(event: Any) -> None:
    assert delta_places("", event) == []


def test_pieces_of_one_text_share_a_key_and_others_do_not() -> None:
    def key(event: Any, api: str = "") -> object:
        ((found, _),) = delta_places(api, event)
        return found

    assert key(chunk(delta(content="a"))) == key(chunk(delta(content="b")))
    assert key(chunk(delta(content="a"))) != key(chunk(delta(content="a", index=1)))
    assert key(chunk(delta(content="a"))) != key(chunk(delta(refusal="a")))
    text = {"type": "response.output_text.delta", "delta": "a", **RESPONSES}
    assert key(text) == key({**text, "delta": "b", "sequence_number": 4})
    assert key(text) != key({**text, "output_index": 2})
    assert key(text) != key({**text, "type": "response.refusal.delta"})
    first, second = ({"index": n, "function": {"arguments": "a"}} for n in (0, 1))
    assert key(chunk(delta(tool_calls=[first]))) != key(chunk(delta(tool_calls=[second])))
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}}
    assert key(start) == key(block(type="text_delta", text="b"))


@pytest.mark.parametrize("event", [None, 3, "x", [], {"choices": 1}, {"choices": [None, {"delta": []}]}, {"type": []}])
def test_odd_shapes_have_no_pieces(event: Any) -> None:
    for api in ("", "chat_completions", "responses", "messages"):
        assert delta_places(api, event) == []


@pytest.mark.parametrize(
    ("api", "text"),
    [
        ("chat_completions", "data: [DONE]"),
        ("chat_completions", 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'),
        ("chat_completions", 'data: {"error":{"message":"no"}}'),
        ("chat_completions", 'event: error\ndata: {"message":"no"}'),
        ("responses", 'data: {"type":"response.completed","response":{}}'),
        ("responses", 'data: {"type":"response.incomplete","response":{}}'),
        ("responses", 'data: {"type":"response.failed","response":{}}'),
        ("responses", 'data: {"type":"error","message":"no"}'),
        ("messages", 'event: message_stop\ndata: {"type":"message_stop"}'),
        ("messages", 'event: error\ndata: {"type":"error","error":{}}'),
        ("messages", "event: error\ndata: not json"),
    ],
)
def test_the_last_event(api: str, text: str) -> None:
    assert is_terminal(api, parse_events(text)[0])
    assert is_terminal("", parse_events(text)[0])


@pytest.mark.parametrize(
    ("api", "text"),
    [
        ("chat_completions", 'data: {"choices":[{"index":0,"delta":{"content":"[DONE]"},"finish_reason":null}]}'),
        ("chat_completions", 'data: {"choices":[]}'),
        ("chat_completions", 'data: {"choices":[{"delta":{}}],"error":null}'),
        ("chat_completions", 'data: {"type":"message_stop"}'),
        ("responses", 'data: {"type":"response.output_item.done"}'),
        ("responses", 'data: {"type":"response.in_progress","response":{"error":null}}'),
        ("responses", "data: [DONE]"),
        ("messages", 'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}'),
        ("messages", "event: ping\ndata: {}"),
        ("messages", ": keepalive"),
    ],
)
def test_other_events_are_not_the_last(api: str, text: str) -> None:
    assert not is_terminal(api, parse_events(text)[0])


def test_an_event_without_data_is_not_the_last() -> None:
    assert not is_terminal("chat_completions", SseEvent("message_stop", None))


def test_the_scan_for_secrets_can_afford_these_modules() -> None:
    program = (
        "import sys, stepfork.providers.sse, stepfork.providers.streams;"
        "print(sorted({'msgspec', 'orjson', 'aiohttp', 'blake3'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

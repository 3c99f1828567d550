from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stepfork.providers.answer import answer_of
from stepfork.providers.apis import asks_for_stream, label, request_model
from stepfork.providers.sse import events_of, json_data, parse_events
from stepfork.providers.streams import delta_places, is_terminal
from stepfork.providers.summary import says
from stepfork.trace.body import EventsBody, JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from tests.property.provider_bodies import APIS, mutated, objects, requests, values

CHUNK = {"model": "m", "usage": {"prompt_tokens": 1}, "choices": [{"index": 0, "delta": {
    "content": "a", "tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}],
    "function_call": {"name": "f", "arguments": ""}, "audio": {"transcript": "t"}},
    "finish_reason": "stop"}]}  # fmt: skip
ANSWERS: dict[str, list[Any]] = {
    "chat_completions": [CHUNK, {"choices": [{"message": CHUNK["choices"][0]["delta"]}]}],  # type: ignore[index]
    "responses": [
        {"type": "response.output_item.done", "output_index": 0, "item": {"type": "function_call", "call_id": "c"}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "a"},
        {"type": "response.completed", "response": {"status": "failed", "error": {"code": "x"}, "usage": {}, "output": [
            {"type": "message", "content": [{"type": "output_text", "text": "a"}]},
            {"type": "reasoning", "summary": [{"text": "a"}]}, {"type": "shell_call", "action": {}}]}},
    ],
    "messages": [
        {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "c", "input": {}}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"content": [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "b"}], "usage": {}},
        {"type": "error", "error": {"type": "x", "message": "y"}},
    ],
}  # fmt: skip
lines = st.sampled_from(
    ["data: [DONE]", ": note", "event: error", "data: {", "event: error\ndata: {}", "\ufeff", "data"]
)


@given(st.data(), st.sampled_from([*APIS, "other"]), st.sampled_from([200, 204, 302, 429, 500]))
def test_no_shape_of_body_is_too_odd_to_read(data: st.DataObject, api: str, status: int) -> None:
    base: list[Any] = ANSWERS.get(api, [{}])
    odd = st.sampled_from(base).flatmap(mutated) | values | objects
    pieces = data.draw(st.lists(odd.map(lambda value: f"data: {json.dumps(value)}") | lines, max_size=5))
    answered = data.draw(st.sampled_from([EventsBody(tuple(pieces)), JsonBody(data.draw(odd))]))
    asked = JsonBody(data.draw(requests(api) if api in APIS else values))
    exchange = Exchange("p", api, Request("POST", "/x", body=asked), Response(status, body=answered))
    answer = answer_of(exchange)
    assert (answer.outcome == "error") == (answer.error is not None)
    assert answer.outcome == "error" or status < 300
    assert all(len(line) <= 120 and line.isprintable() for line in says(exchange, data.draw(st.integers(-1, 4))))
    assert isinstance(request_model(exchange), str | None)
    assert len(label(exchange)) <= 120
    assert isinstance(asks_for_stream(exchange.request), bool)


@given(st.data(), st.sampled_from(["", "other", *APIS]))
def test_a_piece_of_a_stream_is_a_string_that_is_there(data: st.DataObject, api: str) -> None:
    base: list[Any] = ANSWERS[api if api in APIS else data.draw(st.sampled_from(APIS))]
    event = data.draw(st.sampled_from(base).flatmap(mutated) | values)
    found = delta_places(api, event)
    assert len({path for _, path in found}) == len(found)
    for key, path in found:
        hash(key)
        node = event
        for step in path:
            node = node[step]
        assert isinstance(node, str)
    assert isinstance(is_terminal(api, parse_events(f"data: {json.dumps(event)}")[0]), bool)


@given(st.text(), st.sampled_from(APIS))
def test_any_text_is_a_stream_of_some_events(text: str, api: str) -> None:
    for piece in (text, f"data: {text}"):
        for event in parse_events(piece):
            is_terminal(api, event)
            delta_places(api, json_data(event))
    exchange = Exchange("p", api, Request("POST", "/x"), Response(200, body=EventsBody(tuple(text.split("a")))))
    answer_of(exchange)


def _cut(text: str, at: list[int]) -> list[str]:
    marks = sorted({0, len(text), *(min(n, len(text)) for n in at)})
    return [text[a:b] for a, b in pairwise(marks)] or [""]


def _events(api: str, text: list[str], arguments: list[str]) -> list[Any]:
    if api == "chat_completions":
        heads = [{"id": "c", "name": "f"}, *({"id": None, "name": None} for _ in arguments[1:])]
        calls = [
            {"index": 0, "id": head["id"], "function": {"name": head["name"], "arguments": piece}}
            for head, piece in zip(heads, arguments, strict=True)
        ]
        deltas = [{"content": piece} for piece in text] + [{"tool_calls": [call]} for call in calls]
        return [{"choices": [{"index": 0, "delta": d, "finish_reason": None}]} for d in deltas] + [
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        ]
    if api == "responses":
        item = {"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}
        said = [{"type": "response.output_text.delta", "output_index": 0, "delta": piece} for piece in text]
        call = {"type": "response.output_item.added", "output_index": 1, "item": item}
        kind = "response.function_call_arguments.delta"
        told = [{"type": kind, "output_index": 1, "delta": piece} for piece in arguments]
        return [*said, call, *told, {"type": "response.completed", "response": {"output": []}}]
    start = {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c", "name": "f"}}
    said = [{"type": "text_delta", "text": piece} for piece in text]
    told = [{"type": "input_json_delta", "partial_json": piece} for piece in arguments]
    return [
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in said), start,
        *({"type": "content_block_delta", "index": 1, "delta": delta} for delta in told), {"type": "message_stop"},
    ]  # fmt: skip


@given(
    st.sampled_from(APIS),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    st.dictionaries(st.text("ab"), st.text("cd")),
    st.lists(st.integers(0, 40), max_size=6),
    st.sampled_from(["\n\n", "\r\n\r\n", "\r\r"]),
)
def test_a_text_cut_anywhere_is_put_together_again(
    api: str, text: str, arguments: dict[str, str], cuts: list[int], separator: str
) -> None:
    told = json.dumps(arguments, sort_keys=True)
    events = _events(api, _cut(text, cuts), _cut(told, cuts))
    body = EventsBody((*(f"data: {json.dumps(event, ensure_ascii=False)}" for event in events), ""), separator)
    answer = answer_of(Exchange("p", api, Request("POST", "/x"), Response(200, body=body)))
    assert (answer.text, answer.outcome) == (text, "ok")
    assert [(call.id, call.name, call.arguments) for call in answer.tool_calls] == [("c", "f", told)]
    joined: dict[Any, str] = {}
    for event in events_of(body):
        value = json_data(event)
        for key, path in delta_places("", value):
            node = value
            for step in path:
                node = node[step]
            joined[key] = joined.get(key, "") + node
    assert [piece for piece in joined.values() if piece] == [text, told]

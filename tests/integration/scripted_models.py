"""A model server that answers all three APIs, whole and streamed, for the vendors' clients."""

from __future__ import annotations

import json
from typing import Any

from tests.integration.wire import Asked, Line

TOOL_CALL = {
    "id": "call_AbcdefghijKlmnop01",
    "type": "function",
    "function": {"name": "lookup", "arguments": '{"n":1}'},
}
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18, "cost": 0.0125}
CHAT_ID = "chatcmpl-Abcdefghij2345678901234567890"
RESPONSE_ID = "resp_0123456789abcdef0123456789abcdef0123456789abcdef"
ITEM_ID = "msg_0123456789abcdef0123456789abcdef0123456789abcdef"
MESSAGE_ID = "msg_01Abcdefghij234567890123"


def _said(body: dict[str, Any]) -> str:
    """What is answered: JSON where a schema is asked for, else an echo."""
    if "response_format" in body or dict(body.get("text", {})).get("format"):
        return '{"city": "Lisbon"}'
    said = body.get("input") or body["messages"][-1]["content"]
    return f"You said: {said if isinstance(said, str) else json.dumps(said)}"


def chat(body: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    head = {"id": CHAT_ID, "created": 1764500000, "model": "gpt-test"}
    said = _said(body)
    message: dict[str, Any] = {"role": "assistant", "content": said}
    reason = "stop"
    if body.get("tools"):
        message, reason = {"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]}, "tool_calls"
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    whole = {**head, "object": "chat.completion", "choices": [choice], "usage": USAGE, "x_new": {"kept": True}}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": said[:5]}, {"content": said[5:]}]
    if body.get("tools"):
        begun = {**TOOL_CALL, "index": 0, "function": {"name": "lookup", "arguments": ""}}
        more = [{"index": 0, "function": {"arguments": piece}} for piece in ('{"n"', ":1}")]
        deltas = [{"role": "assistant", "tool_calls": [begun]}, *({"tool_calls": [piece]} for piece in more)]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": reason})
    chunk = {**head, "object": "chat.completion.chunk"}
    events: list[dict[str, Any]] = [{**chunk, "choices": [choice]} for choice in choices]
    if dict(body.get("stream_options") or {}).get("include_usage"):
        events.append({**chunk, "choices": [], "usage": USAGE})
    return whole, events


def responses(body: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    said = _said(body)
    part = {"type": "output_text", "text": said, "annotations": []}
    item = {"id": ITEM_ID, "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    usage = {
        "input_tokens": 5,
        "output_tokens": 3,
        "total_tokens": 8,
        "input_tokens_details": {"cached_tokens": 2},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    head: dict[str, Any] = {
        "id": RESPONSE_ID,
        "object": "response",
        "created_at": 1764500000,
        "model": "gpt-test",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
    }
    whole = {**head, "status": "completed", "output": [item], "usage": usage}
    at: dict[str, Any] = {"item_id": ITEM_ID, "output_index": 0, "content_index": 0}
    empty = {**item, "status": "in_progress", "content": []}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**head, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": empty},
        {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
        {"type": "response.output_text.delta", **at, "delta": said[:4], "logprobs": []},
        {"type": "response.output_text.delta", **at, "delta": said[4:], "logprobs": []},
        {"type": "response.output_text.done", **at, "text": said, "logprobs": []},
        {"type": "response.content_part.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return whole, [{**event, "sequence_number": number} for number, event in enumerate(events)]


def messages(body: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    said = _said(body)
    head = {"id": MESSAGE_ID, "type": "message", "role": "assistant", "model": "claude-test", "stop_sequence": None}
    usage = {"input_tokens": 9, "output_tokens": 4, "cache_read_input_tokens": 2}
    whole = {**head, "content": [{"type": "text", "text": said}], "stop_reason": "end_turn", "usage": usage}
    deltas = [{"type": "text_delta", "text": piece} for piece in (said[:6], said[6:])]
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**head, "content": [], "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return whole, events


def models(asked: Asked, line: Line) -> None:
    """A script of `wire.model_server`. Models called ``fail-STATUS`` fail so, ``cut`` streams break off, ``sick`` ones
    tell of an error."""
    body = json.loads(asked.body)
    path = asked.target.partition("?")[0]
    if str(body["model"]).startswith("fail-"):
        error = {"message": "No.", "type": "invalid_request_error", "code": "bad_thing", "param": "model"}
        whole = {"type": "error", "error": error} if path.endswith("/messages") else {"error": error}
        status = {"fail-400": "400 Bad Request", "fail-429": "429 Too Many Requests", "fail-500": "500 Oops"}
        headers = ("Content-Type: application/json", "x-request-id: req_0123456789abcdef0123456789abcdef")
        line.whole(json.dumps(whole).encode(), *headers, status=status[body["model"]])
        return
    api = chat if path.endswith("/chat/completions") else responses if path.endswith("/responses") else messages
    whole, events = api(body)
    if not body.get("stream"):
        line.whole(json.dumps(whole).encode(), "Content-Type: application/json")
        return
    named = api is not chat
    names = [f"event: {event['type']}\n" if named else "" for event in events]
    pieces = [f"{name}data: {json.dumps(event)}\n\n".encode() for name, event in zip(names, events, strict=True)]
    if body["model"] == "sick":
        told = {"type": "error", "error": {"type": "overloaded_error", "message": "Too much."}}
        line.stream(pieces[0], (b"event: error\n" if named else b"") + f"data: {json.dumps(told)}\n\n".encode())
    elif body["model"] == "cut":
        line.head("Transfer-Encoding: chunked", "Content-Type: text/event-stream")
        line.chunk(*pieces[:2])
        line.reset()
    else:
        line.stream(*pieces, *([] if named else [b"data: [DONE]\n\n"]))

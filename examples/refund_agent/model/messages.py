"""Anthropic Messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from model.script import Said, as_offered, fresh, next_turn, pieces, text_of, tokens


def answer(request: dict[str, Any]) -> dict[str, Any] | Iterator[str]:
    """The message, or its event stream."""
    return spell(request, heard(request))


def heard(request: dict[str, Any]) -> Said:
    """What the script says to a request."""
    blocks = [
        {"type": "text", "text": content} if isinstance(content, str) else block
        for content in (message["content"] for message in request["messages"])
        for block in ([content] if isinstance(content, str) else content)
    ]
    names = {block["id"]: block["name"] for block in blocks if block["type"] == "tool_use"}
    said = next_turn(
        text_of(request.get("system")),
        "\n".join(block["text"] for block in blocks if block["type"] == "text"),
        [(names.get(b["tool_use_id"], ""), text_of(b["content"])) for b in blocks if b["type"] == "tool_result"],
    )
    return as_offered(said, [tool["name"] for tool in request.get("tools") or []])


def spell(request: dict[str, Any], said: Said) -> dict[str, Any] | Iterator[str]:
    """A turn as the message, or its event stream, that answers a request."""
    content: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
    content += [
        {"type": "tool_use", "id": fresh("toolu_01", 22), "name": name, "input": arguments}
        for name, arguments in said.calls
    ]
    usage = {"input_tokens": tokens(request["messages"]), "output_tokens": tokens(content), "service_tier": "standard"}
    message = {
        "id": fresh("msg_01", 22),
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": content,
        "stop_reason": "tool_use" if said.calls else "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }
    return _stream(message) if request.get("stream") else message


def _stream(message: dict[str, Any]) -> Iterator[str]:
    def event(body: dict[str, Any]) -> str:
        return f"event: {body['type']}\ndata: {json.dumps(body, separators=(',', ':'))}\n\n"

    opened = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield event({"type": "message_start", "message": opened})
    for index, block in enumerate(message["content"]):
        empty = {**block, "text": ""} if "text" in block else {**block, "input": {}}
        yield event({"type": "content_block_start", "index": index, "content_block": empty})
        yield event({"type": "ping"})
        kind, member = ("text_delta", "text") if "text" in block else ("input_json_delta", "partial_json")
        for piece in pieces(block["text"] if "text" in block else json.dumps(block["input"])):
            yield event({"type": "content_block_delta", "index": index, "delta": {"type": kind, member: piece}})
        yield event({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield event(
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": message["usage"]["output_tokens"]}}
    )
    yield event({"type": "message_stop"})

"""OpenAI Chat Completions."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from model.script import Said, fresh, next_turn, pieces, text_of, tokens


def answer(request: dict[str, Any]) -> dict[str, Any] | Iterator[str]:
    """The completion, or its event stream."""
    messages = request["messages"]
    names = {call["id"]: call["function"]["name"] for message in messages for call in message.get("tool_calls") or []}
    said = next_turn(
        "\n".join(text_of(m["content"]) for m in messages if m["role"] in {"system", "developer"}),
        next((text_of(m["content"]) for m in messages if m["role"] == "user"), ""),
        [(names.get(m["tool_call_id"], ""), text_of(m["content"])) for m in messages if m["role"] == "tool"],
    )
    calls = [
        {
            "id": fresh("call_", 24),
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments, separators=(",", ":"))},
        }
        for name, arguments in said.calls
    ]
    spent, made = tokens(messages) + tokens(request.get("tools")), tokens(said.text or calls)
    head = {
        "id": fresh("chatcmpl-", 29),
        "created": int(time.time()),
        "model": f"{request['model']}-2025-04-14",
        "service_tier": "default",
        "system_fingerprint": fresh("fp_", 10, "0123456789abcdef"),
    }
    usage = {"prompt_tokens": spent, "completion_tokens": made, "total_tokens": spent + made}
    if request.get("stream"):
        return _stream(head, said, calls, usage)
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None, "refusal": None, "annotations": []}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls" if calls else "stop"}
    return {**head, "object": "chat.completion", "choices": [choice], "usage": usage}


def _stream(head: dict[str, Any], said: Said, calls: list[dict[str, Any]], usage: dict[str, int]) -> Iterator[str]:
    def chunk(delta: dict[str, Any] | None, finish: str | None = None, use: dict[str, int] | None = None) -> str:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
        padding = fresh("", 1 + len(json.dumps(delta)) % 9)
        body = {**head, "object": "chat.completion.chunk", "choices": choices, "usage": use, "obfuscation": padding}
        return f"data: {json.dumps(body, separators=(',', ':'))}\n\n"

    yield chunk({"role": "assistant", "content": None if calls else "", "refusal": None})
    for index, call in enumerate(calls):
        function = call["function"]
        yield chunk({"tool_calls": [{**call, "index": index, "function": {**function, "arguments": ""}}]})
        for piece in pieces(function["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    for piece in pieces(said.text) if said.text else ():
        yield chunk({"content": piece})
    yield chunk({}, "tool_calls" if calls else "stop")
    yield chunk(None, use=usage)
    yield "data: [DONE]\n\n"

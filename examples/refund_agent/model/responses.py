"""OpenAI Responses."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from model.script import fresh, next_turn, pieces, text_of, tokens

_HEX = "0123456789abcdef"


def answer(request: dict[str, Any]) -> dict[str, Any] | Iterator[str]:
    """The response, or its event stream."""
    items = request["input"]
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    names = {item["call_id"]: item["name"] for item in items if item.get("type") == "function_call"}
    told = [text_of(item["content"]) for item in items if item.get("role") in {"system", "developer"}]
    said = next_turn(
        "\n".join([request.get("instructions") or "", *told]),
        next((text_of(item["content"]) for item in items if item.get("role") == "user"), ""),
        [(names.get(i["call_id"], ""), text_of(i["output"])) for i in items if i.get("type") == "function_call_output"],
    )
    output: list[dict[str, Any]] = [
        {
            "id": fresh("fc_", 48, _HEX),
            "type": "function_call",
            "status": "completed",
            "arguments": json.dumps(arguments, separators=(",", ":")),
            "call_id": fresh("call_", 24),
            "name": name,
        }
        for name, arguments in said.calls
    ]
    if said.text:
        part = {"type": "output_text", "annotations": [], "logprobs": [], "text": said.text}
        message = {"id": fresh("msg_", 48, _HEX), "type": "message", "status": "completed", "role": "assistant"}
        output.append({**message, "content": [part]})
    spent, made = tokens(items) + tokens(request.get("tools")), tokens(output)
    response = {
        "id": fresh("resp_", 48, _HEX),
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": request.get("instructions"),
        "model": f"{request['model']}-2025-04-14",
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": request.get("tools") or [],
        "top_p": 1.0,
        "metadata": {},
        "usage": {
            "input_tokens": spent,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": made,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": spent + made,
        },
    }
    return _stream(response) if request.get("stream") else response


def _stream(response: dict[str, Any]) -> Iterator[str]:
    count = 0

    def event(kind: str, **members: Any) -> str:
        nonlocal count
        body = {"type": kind, "sequence_number": count, **members}
        count += 1
        return f"event: {kind}\ndata: {json.dumps(body, separators=(',', ':'))}\n\n"

    started = {**response, "status": "in_progress", "output": [], "usage": None}
    yield event("response.created", response=started)
    yield event("response.in_progress", response=started)
    for index, item in enumerate(response["output"]):
        where = {"output_index": index, "item_id": item["id"]}
        opened = {**item, "status": "in_progress"} | ({"arguments": ""} if "arguments" in item else {"content": []})
        yield event("response.output_item.added", output_index=index, item=opened)
        if "arguments" in item:
            for piece in pieces(item["arguments"]):
                delta = {"delta": piece, "obfuscation": fresh("", 8), **where}
                yield event("response.function_call_arguments.delta", **delta)
            yield event(
                "response.function_call_arguments.done", arguments=item["arguments"], name=item["name"], **where
            )
        else:
            part = item["content"][0]
            where = {**where, "content_index": 0}
            yield event("response.content_part.added", part={**part, "text": ""}, **where)
            for piece in pieces(part["text"]):
                delta = {"delta": piece, "logprobs": [], "obfuscation": fresh("", 8), **where}
                yield event("response.output_text.delta", **delta)
            yield event("response.output_text.done", text=part["text"], logprobs=[], **where)
            yield event("response.content_part.done", part=part, **where)
        yield event("response.output_item.done", output_index=index, item=item)
    yield event("response.completed", response=response)

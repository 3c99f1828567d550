"""Answers of the Anthropic Messages API."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from stepfork.providers.calls import Answer, Outcome, ToolCall
from stepfork.providers.cost import billed
from stepfork.providers.failures import failure_in
from stepfork.providers.shapes import dict_of, dicts_in, int_or_none, json_text, str_of, text_or_none, texts_in
from stepfork.trace.step import StepError, Usage

_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})
_PIECES = {"text": "text", "thinking": "thinking", "partial_json": "input"}


def read_messages(body: dict[str, Any]) -> Answer | None:
    """The answer in a ``message`` object; None where it is not one."""
    failed = body.get("type") == "error" or isinstance(body.get("error"), dict)
    if not failed and not isinstance(body.get("content"), list | str):
        return None
    error: StepError | None = failure_in(body, "error") if failed else None
    reason = text_or_none(body.get("stop_reason"))
    outcome: Outcome = "error" if failed else "incomplete" if reason in _CUT else "ok"
    blocks = dicts_in(body.get("content"))
    return Answer(
        text=texts_in([b for b in blocks if b.get("type") == "text"], "text") or str_of(body.get("content")),
        tool_calls=tuple(tool_call_of(block) for block in blocks if block.get("type") == "tool_use"),
        model=text_or_none(body.get("model")),
        usage=_usage(body),
        finish_reasons=(reason,) if reason else (),
        outcome=outcome,
        error=error,
        reasoning="\n\n".join(
            text for b in blocks if b.get("type") == "thinking" and (text := str_of(b.get("thinking")))
        ),
        cost_usd=billed(body),
    )


def join_messages(events: Iterable[Any]) -> tuple[dict[str, Any], bool]:
    """One ``message`` object from the decoded events of a stream, and whether ``message_stop`` or an error came."""
    body: dict[str, Any] = {"content": []}
    blocks: dict[int, _Block] = {}
    finished = False
    for event in events:
        said = dict_of(event)
        kind = said.get("type")
        index = int_or_none(said.get("index")) or 0
        if kind == "message_start":
            body |= dict_of(said.get("message"))
        elif kind == "content_block_start":
            blocks[index] = _Block(dict_of(said.get("content_block")))
        elif kind == "content_block_delta":
            blocks.setdefault(index, _Block({})).add(dict_of(said.get("delta")))
        elif kind == "message_delta":
            body |= dict_of(said.get("delta"))
            body["usage"] = dict_of(body.get("usage")) | _counted(said.get("usage"))
        elif kind == "message_stop":
            finished = True
        elif kind == "error" or (kind is None and said.get("error")):
            body |= {"type": "error", "error": dict_of(said.get("error"))}
            finished = True
    if blocks:
        body["content"] = [blocks[index].whole() for index in sorted(blocks)]
    return body, finished


def tool_call_of(block: dict[str, Any]) -> ToolCall:
    """The call of a ``tool_use`` block; its arguments are JSON text with sorted members."""
    given = block.get("input")
    arguments = given if isinstance(given, str) else json_text({} if given is None else given)
    return ToolCall(str_of(block.get("id")), str_of(block.get("name")), arguments)


class _Block:
    """One content block as its deltas come in."""

    def __init__(self, start: dict[str, Any]) -> None:
        self.start = start
        self.texts: dict[str, list[str]] = {}

    def add(self, delta: dict[str, Any]) -> None:
        for name, member in _PIECES.items():
            if isinstance(delta.get(name), str):
                self.texts.setdefault(member, []).append(delta[name])
                if "type" not in self.start:
                    self.start = {**self.start, "type": "tool_use" if member == "input" else member}

    def whole(self) -> dict[str, Any]:
        block = dict(self.start)
        for member, texts in self.texts.items():
            joined = "".join(texts)
            if member != "input":
                block[member] = str_of(block.get(member)) + joined
            elif joined:
                block[member] = _parsed(joined)
        return block


def _parsed(text: str) -> Any:
    """A stream that was cut leaves half a JSON text: that is kept as text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _counted(usage: Any) -> dict[str, Any]:
    return {name: count for name, count in dict_of(usage).items() if count is not None}


def _usage(body: dict[str, Any]) -> Usage | None:
    usage = dict_of(body.get("usage"))
    if not usage:
        return None
    return Usage(
        input_tokens=int_or_none(usage.get("input_tokens")),
        output_tokens=int_or_none(usage.get("output_tokens")),
        cached_tokens=int_or_none(usage.get("cache_read_input_tokens")),
    )

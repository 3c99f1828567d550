"""Messages of the Anthropic Messages API in the normal form."""

from __future__ import annotations

from typing import Any

from stepfork.providers.calls import ToolCall, ToolResult
from stepfork.providers.normal_calls import Members, read_result
from stepfork.providers.normal_chat import take_role
from stepfork.providers.normal_content import read_content, without_cache_control
from stepfork.providers.normal_form import NormalMessage
from stepfork.trace.body import JsonValue


def anthropic_message(message: dict[str, Any], names: dict[str, str]) -> NormalMessage:
    """One message; `names` maps the ids of earlier calls to their tools and is added to.

    A text followed by calls, and results alone, are what their fields say and have no shape.
    """
    rest = without_cache_control(message)
    role, extra = take_role(rest)
    blocks = _Blocks(names)
    text, shape = read_content(rest.pop("content", None), blocks.take)
    if shape is not None and not _is_usual(shape, text):
        extra["content"] = shape
    if rest:
        extra["rest"] = rest
    return NormalMessage(role, text, tuple(blocks.calls), tuple(blocks.results), extra)


class _Blocks:
    """Takes the calls and results out of a list of blocks."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.calls: list[ToolCall] = []
        self.results: list[ToolResult] = []

    def take(self, block: dict[str, Any]) -> JsonValue:
        kind = block.get("type")
        if kind not in ("tool_use", "tool_result"):
            return None
        members = Members(block)
        members.word("type", kind)
        if kind == "tool_use":
            call = ToolCall(members.text("id"), members.text("name"), members.object_text("input"))
            self.calls.append(call)
            if call.id:
                self.names[call.id] = call.name
            more = members.more()
        else:
            call_id = members.text("tool_use_id")
            result, more = read_result(call_id, self.names.get(call_id), members, "content")
            self.results.append(result)
        return {kind: more} if more else kind


def _is_usual(shape: JsonValue, text: str) -> bool:
    if not isinstance(shape, list) or not shape:
        return False
    if all(entry == "tool_result" for entry in shape):
        return True
    calls = shape[1:] if text and shape[0] == "text" else shape
    return bool(calls) and all(entry == "tool_use" for entry in calls)

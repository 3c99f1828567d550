"""Messages of Chat Completions in the normal form."""

from __future__ import annotations

from typing import Any

from stepfork.providers.calls import ToolCall, ToolResult
from stepfork.providers.normal_calls import Members, chat_calls
from stepfork.providers.normal_content import read_content, without_cache_control
from stepfork.providers.normal_form import NormalMessage
from stepfork.providers.shapes import text_or_none
from stepfork.trace.body import JsonValue


def chat_message(message: dict[str, Any], names: dict[str, str]) -> NormalMessage:
    """One message; `names` maps the ids of earlier calls to their tools and is added to."""
    rest = without_cache_control(message)
    role, extra = take_role(rest)
    text, shape = read_content(rest.pop("content", None))
    if shape is not None:
        extra["content"] = shape
    results: tuple[ToolResult, ...] = ()
    calls = _take_calls(rest, extra)
    if role in ("tool", "function"):
        call_id = text_or_none(rest.get("tool_call_id")) or ""
        if call_id:
            del rest["tool_call_id"]
        results, text = (ToolResult(call_id, names.get(call_id) or text_or_none(rest.get("name")), text),), ""
    if rest:
        extra["rest"] = rest
    names.update((call.id, call.name) for call in calls if call.id)
    return NormalMessage(role, text, calls, results, extra)


def take_role(rest: dict[str, Any]) -> tuple[str, dict[str, JsonValue]]:
    """Take the role out of a message, and begin what is said about it besides."""
    if "role" not in rest:
        return "", {}
    role = rest.pop("role")
    return (role, {}) if isinstance(role, str) and role else ("", {"role": role})


def _take_calls(rest: dict[str, Any], extra: dict[str, JsonValue]) -> tuple[ToolCall, ...]:
    found: tuple[ToolCall, ...] = ()
    if isinstance(rest.get("tool_calls"), list):
        found, shape = chat_calls(rest.pop("tool_calls"))
        if shape is not None:
            extra["tool_calls"] = shape
    if isinstance(rest.get("function_call"), dict):  # the older way, with a single call that has no id
        told = Members(rest.pop("function_call"))
        found = (*found, ToolCall("", told.text("name"), told.text("arguments")))
        extra["function_call"] = told.more()
    return found

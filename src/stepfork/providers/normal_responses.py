"""Input items of the Responses API in the normal form."""

from __future__ import annotations

from typing import Any

from stepfork.providers.calls import ToolCall
from stepfork.providers.normal_calls import Members, read_result
from stepfork.providers.normal_chat import take_role
from stepfork.providers.normal_content import read_content, without_cache_control
from stepfork.providers.normal_form import NormalMessage

_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})


def responses_item(item: dict[str, Any], names: dict[str, str]) -> NormalMessage:
    """One item; `names` maps the ids of earlier calls to their tools and is added to.

    The type ``message`` may be left out of a message. Items of other kinds are kept whole.
    """
    rest = without_cache_control(item)
    kind = rest.get("type", "message")
    if kind == "message" and "role" in rest:
        rest.pop("type", None)
        role, extra = take_role(rest)
        text, shape = read_content(rest.pop("content", None))
        extra |= ({} if shape is None else {"content": shape}) | ({"rest": rest} if rest else {})
        return NormalMessage(role, text, extra=extra)
    if isinstance(kind, str) and kind in _CALLS:
        members = Members(rest)
        members.word("type", "function_call")
        call = ToolCall(members.text("call_id"), members.text("name"), members.text(_CALLS[kind]))
        if call.id:
            names[call.id] = call.name
        more = members.more()
        return NormalMessage("assistant", tool_calls=(call,), extra={"call": more} if more else {})
    if isinstance(kind, str) and kind in _RESULTS:
        members = Members(rest)
        members.word("type", "function_call_output")
        call_id = members.text("call_id")
        result, more = read_result(call_id, names.get(call_id), members, "output")
        return NormalMessage("tool", tool_results=(result,), extra={"result": more} if more else {})
    return NormalMessage("assistant" if kind == "reasoning" else "", extra={"item": rest})

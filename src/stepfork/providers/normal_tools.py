"""Tools by name, in one form for all APIs."""

from __future__ import annotations

from typing import Any

from stepfork.providers.normal_content import without_cache_control
from stepfork.providers.shapes import dict_of, text_or_none
from stepfork.trace.body import JsonValue


def tools_by_name(tools: list[Any]) -> tuple[dict[str, JsonValue], list[JsonValue]]:
    """Tools by their names, and those that have no name of their own: nameless ones and repetitions, in order.

    A function's value is its description, its ``parameters`` and what else it has; any other tool is
    ``{"tool": …}``, whole, under its name, its server's label or its type.
    """
    named: dict[str, JsonValue] = {}
    others: list[JsonValue] = []
    for tool in tools:
        plain = without_cache_control(tool) if isinstance(tool, dict) else tool
        name, value = _read(plain)
        if name is None or name in named:
            others.append(plain)
        else:
            named[name] = value
    return named, others


def _read(tool: Any) -> tuple[str | None, JsonValue]:
    if not isinstance(tool, dict):
        return None, None
    function = tool.get("function")
    if tool.keys() == {"type", "function"} and tool["type"] == "function" and isinstance(function, dict):
        schema = dict(function)
    elif tool.get("type") == "function" and "function" not in tool:
        schema = {name: member for name, member in tool.items() if name != "type"}
    elif "input_schema" in tool and "parameters" not in tool:
        schema = {"parameters" if name == "input_schema" else name: member for name, member in tool.items()}
    else:
        schema = {}
    name = schema.pop("name", None)
    if isinstance(name, str) and "tool" not in schema:
        return name, schema
    names = (dict_of(function).get("name"), tool.get("name"), tool.get("server_label"), tool.get("type"))
    return next((text for text in map(text_or_none, names) if text), None), {"tool": tool}

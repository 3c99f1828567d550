"""Calls and results as requests carry them, with what a ``ToolCall`` or ``ToolResult`` does not say."""

from __future__ import annotations

from typing import Any, NamedTuple

from stepfork.providers.calls import ToolCall, ToolResult
from stepfork.providers.normal_content import read_content
from stepfork.providers.shapes import json_text, str_of
from stepfork.trace.body import JsonValue


class Members:
    """The members of an object, taken one by one; what is never taken is said at the end."""

    def __init__(self, value: dict[str, Any]) -> None:
        self._rest = dict(value)
        self._missing: list[str] = []

    def text(self, name: str) -> str:
        """Take a string; one that is absent counts as missing, one of another type stays."""
        if isinstance(self._rest.get(name), str):
            return str_of(self._rest.pop(name))
        if name not in self._rest:
            self._missing.append(name)
        return ""

    def object_text(self, name: str) -> str:
        """Take an object as JSON text; one of another type, or too deep to write, stays."""
        value = self._rest.get(name)
        text = json_text(value) if isinstance(value, dict) else ""
        if text:
            del self._rest[name]
        elif name not in self._rest:
            self._missing.append(name)
        return text

    def word(self, name: str, word: str) -> None:
        """Take a string that is `word`; absent counts as missing, anything else stays."""
        if self._rest.get(name) == word:
            del self._rest[name]
        elif name not in self._rest:
            self._missing.append(name)

    def take(self, name: str) -> JsonValue:
        """Take a member of any type; None where it is absent."""
        return self._rest.pop(name, None)

    def more(self) -> dict[str, JsonValue]:
        """What is left over, empty where the object was just what it should be."""
        return ({"rest": self._rest} if self._rest else {}) | ({"missing": self._missing} if self._missing else {})


class Calls(NamedTuple):
    """Calls of one message and, where there is more to say, one entry a listed call: None, what it holds besides, or
    ``{"raw": …}`` for what is no call."""

    calls: tuple[ToolCall, ...]
    shape: JsonValue


def chat_calls(value: list[Any]) -> Calls:
    """``tool_calls`` of a Chat Completions message, functions and custom tools."""
    calls: list[ToolCall] = []
    shape: list[JsonValue] = []
    for item in value:
        kind = "custom" if isinstance(item, dict) and item.get("type") == "custom" else "function"
        inner = item.get(kind) if isinstance(item, dict) else None
        if not isinstance(inner, dict):
            shape.append({"raw": item})
            continue
        outer, told = Members({name: member for name, member in item.items() if name != kind}), Members(inner)
        name, arguments = told.text("name"), told.text("input" if kind == "custom" else "arguments")
        calls.append(ToolCall(outer.text("id"), name, arguments))
        if kind == "function":
            outer.word("type", kind)
        more = outer.more() | ({"function": told.more()} if told.more() else {})
        shape.append(more or None)
    plain = bool(shape) and all(entry is None for entry in shape)
    return Calls(tuple(calls), None if plain else shape)


def read_result(call_id: str, name: str | None, members: Members, content: str) -> tuple[ToolResult, dict[str, Any]]:
    """The result in the member called `content`, and what the object holds besides."""
    text, shape = read_content(members.take(content))
    return ToolResult(call_id, name, text), members.more() | ({} if shape is None else {"content": shape})

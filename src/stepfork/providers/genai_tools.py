"""Arguments and results of a tool span, under the names that frameworks give them."""

from __future__ import annotations

import ast
from typing import Any

import msgspec

from stepfork.canonical.encode import survey
from stepfork.errors import CanonicalError
from stepfork.providers.genai_values import DEPTH, exact_value
from stepfork.providers.shapes import dict_of, text_or_none
from stepfork.trace.body import JsonValue
from stepfork.trace.span import Span

_ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.arguments",
    "gen_ai.tool.args",
    "tool_arguments",  # Pydantic AI, instrumentation version 2
)
_RESULTS = (
    "gen_ai.tool.call.result",
    "gen_ai.tool.result",
    "tool_response",
    "gen_ai.tool.output",
    "gen_ai.output",
)
_REPR_LIMIT = 100_000


class ToolOutput(msgspec.Struct, frozen=True):
    """A tool's result, and the id of the call that it answers where only the result says it."""

    value: JsonValue | msgspec.UnsetType = msgspec.UNSET
    call_id: str | None = None


def arguments_of(span: Span) -> JsonValue | msgspec.UnsetType:
    """The arguments of the call, UNSET where the span does not hold them."""
    value = _attribute(span, _ARGUMENTS)
    if value is not msgspec.UNSET:
        return value
    value = _event(span, "gen_ai.tool.message", ("content", "gen_ai.tool.message.content"))
    if value is not msgspec.UNSET:
        return value
    prompt = span.attributes.get("gen_ai.prompt")
    if prompt is None:
        return msgspec.UNSET
    given = _value(prompt)
    if isinstance(given, dict) and given.keys() == {"input"}:
        given = given["input"]
    return _from_repr(given) if isinstance(given, str) else given


def result_of(span: Span) -> ToolOutput:
    """What the tool gave back; empty where the span does not hold it."""
    value = _attribute(span, _RESULTS)
    if value is msgspec.UNSET:
        value = _event(span, "tool.output", ("output", "tool.output", "content"))  # Claude Code
    if value is msgspec.UNSET:
        value = _event(span, "gen_ai.choice", ("message", "gen_ai.choice.message"))  # Strands
    if value is not msgspec.UNSET:
        return ToolOutput(value)
    completion = span.attributes.get("gen_ai.completion")
    return ToolOutput() if completion is None else _message(_value(completion))


def _attribute(span: Span, names: tuple[str, ...]) -> JsonValue | msgspec.UnsetType:
    for name in names:
        if name in span.attributes:
            return _value(span.attributes[name])
    return msgspec.UNSET


def _event(span: Span, name: str, members: tuple[str, ...]) -> JsonValue | msgspec.UnsetType:
    for event in span.events:
        if event.name == name:
            for member in members:
                if member in event.attributes:
                    return _value(event.attributes[member])
    return msgspec.UNSET


def _value(held: JsonValue) -> JsonValue:
    return exact_value(held) if isinstance(held, str) else held


def _message(value: Any) -> ToolOutput:
    """LangSmith: the tool message (as it is, or in LangChain's serialised form) under ``output``."""
    if isinstance(value, dict) and value.keys() == {"output"}:
        value = value["output"]
    message = dict_of(value)
    message = dict_of(message["kwargs"]) if message.get("lc") == 1 and "kwargs" in message else message
    if "content" in message and (message.get("type") == "tool" or "tool_call_id" in message):
        return ToolOutput(_value(message["content"]), text_or_none(message.get("tool_call_id")))
    return ToolOutput(_value(value))


def _from_repr(text: str) -> JsonValue:
    """LangChain hands the tracer the arguments as Python prints them: ``{'order_id': 'O-1042'}``."""
    value = exact_value(text)
    if not isinstance(value, str) or not text.startswith("{") or len(text) > _REPR_LIMIT:
        return value
    try:
        read = ast.literal_eval(text)
        survey(read, DEPTH)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, CanonicalError):
        return text
    return _lists(read) if isinstance(read, dict) else text


def _lists(value: Any) -> JsonValue:
    if isinstance(value, dict):
        return {key: _lists(item) for key, item in value.items()}
    return [_lists(item) for item in value] if isinstance(value, list | tuple) else value

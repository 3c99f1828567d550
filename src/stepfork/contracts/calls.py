"""The tool calls of a trace, as contracts see them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from stepfork.canonical.encode import plain_dumps
from stepfork.providers.finish import asks_for_tools
from stepfork.providers.genai_values import exact_value
from stepfork.providers.lines import clean_line
from stepfork.trace.body import JsonValue
from stepfork.trace.step import Trace

Absent = msgspec.UnsetType
_SHOWN = 60


def tool_calls(trace: Trace) -> list[tuple[int, str]]:
    """Index and tool of each step that is a tool call, in the order of the trace. No other step counts as a tool."""
    return [(index, step.name) for index, step in enumerate(trace.steps) if step.type == "tool_call"]


def first_calls(trace: Trace) -> dict[str, int]:
    """The index of each tool's first call, in that order."""
    found: dict[str, int] = {}
    for index, name in tool_calls(trace):
        found.setdefault(name, index)
    return found


def shows_tools(trace: Trace) -> bool:
    """Whether a tool that has no step was not called: the trace has tool calls, or model calls that asked for none.

    In a trace without either, and in one whose models asked for tools that it does not show, nothing was watched.
    """
    models = [step for step in trace.steps if step.type == "llm_call"]
    if any(step.type == "tool_call" for step in trace.steps):
        return True
    return bool(models) and not any(asks_for_tools(step.finish_reasons) for step in models)


def argument(arguments: JsonValue | Absent, per: str) -> JsonValue | Absent:
    """The argument `per` of a call: the member of that name, else what `per` points at (RFC 6901); UNSET where there is
    none."""
    if isinstance(arguments, dict) and per in arguments:
        return arguments[per]
    if not per.startswith("/"):
        return msgspec.UNSET
    node = arguments
    for step in per[1:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and name in node:
            node = node[name]
        elif isinstance(node, list) and name.isascii() and name.isdigit() and len(name) < 10 and int(name) < len(node):
            node = node[int(name)]
        else:
            return msgspec.UNSET
    return node


def identity(value: JsonValue) -> bytes:
    """What tells values apart: their canonical JSON, so that 1, 1.0, ``"1"`` and true are four values."""
    canonical = plain_dumps(value)
    return repr(value).encode("utf-8", "backslashreplace") if canonical is None else canonical


def shown(value: JsonValue) -> str:
    """`value` on one short line; a text that would read as another value stands in quotes."""
    if isinstance(value, str) and value and exact_value(value) == value:
        return clean_line(value, _SHOWN)
    try:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    except (ValueError, TypeError, RecursionError):
        text = repr(type(value).__name__)
    return clean_line(text, _SHOWN)


def argument_names(trace: Trace, tool: str) -> Iterator[str]:
    """The arguments that every call of `tool` has, sorted; none where a call does not tell its arguments."""
    given = [step.arguments for step in trace.steps if step.type == "tool_call" and step.name == tool]
    objects = [arguments for arguments in given if isinstance(arguments, dict)]
    if objects and len(objects) == len(given):
        yield from sorted(set(objects[0]).intersection(*objects[1:]))

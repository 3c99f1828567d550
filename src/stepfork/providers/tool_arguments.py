"""Arguments of tool calls: the value one has, what tells values apart, and how often a tool was called for each."""

from __future__ import annotations

import json

import msgspec

from stepfork.canonical.encode import plain_dumps
from stepfork.providers.genai_values import exact_value
from stepfork.providers.lines import clean_line
from stepfork.trace.body import JsonValue
from stepfork.trace.step import Trace

Absent = msgspec.UnsetType
_SHOWN = 60


class Counted(msgspec.Struct, frozen=True):
    """``values`` are the argument's values with the number of calls for each, in order of first use; ``without`` are
    the indexes of the steps whose call has no such argument."""

    values: tuple[tuple[JsonValue, int], ...]
    without: tuple[int, ...]


def count_calls(trace: Trace, tool: str, per: str) -> Counted:
    """The calls of `tool`, by the value of the argument `per`."""
    found: dict[bytes, JsonValue] = {}
    counts: dict[bytes, int] = {}
    without: list[int] = []
    for index, step in enumerate(trace.steps):
        if step.type != "tool_call" or step.name != tool:
            continue
        value = argument(step.arguments, per)
        if value is msgspec.UNSET:
            without.append(index)
            continue
        name = identity(value)
        found.setdefault(name, value)
        counts[name] = counts.get(name, 0) + 1
    return Counted(tuple((value, counts[name]) for name, value in found.items()), tuple(without))


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

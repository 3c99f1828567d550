"""A miss in words: where the first difference is, and what else differs. Texts are the run's own, redacted and
templated, but not escaped: who shows them does that."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stepfork.diff.values import FieldChange, Line, MessageChange, RequestDiff, ToolChange
from stepfork.replay.report import Miss


class Part(msgspec.Struct, frozen=True):
    """A part of a request that differs: what it is called, its changed lines, and the fields that lines do not show."""

    name: str
    lines: tuple[Line, ...] = ()
    fields: tuple[FieldChange, ...] = ()


def place_of(miss: Miss, exchanges: int) -> str:
    """Which call missed: ``model call 3 of 5``, where the recording has five."""
    number = miss.call + 1
    return (
        f"model call {number} of {exchanges}" if number <= exchanges else f"model call {number} ({exchanges} recorded)"
    )


def reason_of(miss: Miss) -> str:
    """Why it missed, in a few words."""
    match miss.kind:
        case "exhausted":
            return f"recorded {miss.recorded}×, asked {miss.asked}×"
        case "roles":
            return "addresses stand in other roles than recorded"
        case "unrecorded":
            return f"nothing was recorded of {miss.label}"
        case "changed":
            parts = parts_of(miss.difference)
            return parts[0].name if parts else _COMPONENTS.get(miss.component, "the request")


_COMPONENTS = {
    "model": "model",
    "params": "parameters",
    "system": "system prompt",
    "tools": "tools",
    "messages": "messages",
    "tool_results": "tool results",
}


def parts_of(difference: RequestDiff) -> tuple[Part, ...]:
    """What differs, the first component first: model, parameters, system prompt, tools, then messages and tool results
    by their place, then the rest."""
    return tuple(_parts(difference))


def _parts(difference: RequestDiff) -> Iterator[Part]:
    if difference.model is not None:
        model = difference.model
        yield Part("model", fields=(FieldChange("", "changed", model.old, model.new),))
    if difference.params:
        yield Part("parameters", fields=difference.params)
    if difference.system:
        yield Part("system prompt", difference.system)
    for tool in difference.tools:
        yield Part(_tool(tool), fields=tool.fields)
    said = [(_at(change), _message(change, change.role)) for change in difference.messages]
    said += [
        (_at(change), _message(change, f"tool result {change.label}".rstrip())) for change in difference.tool_results
    ]
    yield from (part for _, part in sorted(said, key=lambda item: item[0]))
    if difference.other:
        yield Part("other fields", fields=difference.other)


def _tool(tool: ToolChange) -> str:
    return f"tool {tool.name}" if tool.change == "changed" else f"tool {tool.name} ({tool.change})"


def _message(change: MessageChange, what: str) -> Part:
    how = "" if change.change == "changed" else f", {change.change}"
    return Part(f"message {change.index} ({what}{how})", change.lines, change.fields)


def _at(change: MessageChange) -> int:
    old, new = change.at
    return new if new is not None else old if old is not None else change.index

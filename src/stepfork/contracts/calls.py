"""The tool calls of a trace, as contracts see them."""

from __future__ import annotations

from collections.abc import Iterator

from stepfork.providers.finish import asks_for_tools
from stepfork.trace.step import Trace


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


def argument_names(trace: Trace, tool: str) -> Iterator[str]:
    """The arguments that every call of `tool` has, sorted; none where a call does not tell its arguments."""
    given = [step.arguments for step in trace.steps if step.type == "tool_call" and step.name == tool]
    objects = [arguments for arguments in given if isinstance(arguments, dict)]
    if objects and len(objects) == len(given):
        yield from sorted(set(objects[0]).intersection(*objects[1:]))

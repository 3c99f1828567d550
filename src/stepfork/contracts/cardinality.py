"""How often a tool was called for each value of an argument."""

from __future__ import annotations

import msgspec

from stepfork.contracts.calls import argument, identity, shown, shows_tools
from stepfork.contracts.spec import ToolCardinality
from stepfork.trace.body import JsonValue
from stepfork.trace.step import Trace

_LISTED = 3


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


def judge_cardinality(contract: ToolCardinality, trace: Trace) -> tuple[bool, str]:
    """Whether it holds, and why. A tool that was not called keeps it, if the trace could show a call at all."""
    counted = count_calls(trace, contract.tool, contract.per)
    limit = f"max {contract.at_most}"
    if counted.without:
        places = _listed([f"step {index}" for index in counted.without])
        return False, f"{contract.tool} called without {contract.per} ({places}), which cannot be counted"
    if not counted.values:
        if not shows_tools(trace):
            return False, f"{contract.tool} cannot be counted: the trace shows no tool calls"
        return True, f"{contract.tool} was not called ({limit} for each {contract.per})"
    over = [(value, count) for value, count in counted.values if count > contract.at_most]
    if over:
        told = _listed([f"{count}× for {contract.per}={shown(value)}" for value, count in over])
        return False, f"{contract.tool} called {told} ({limit})"
    return True, f"{contract.tool} within {limit} for each of {len(counted.values)} {contract.per} value(s)"


def _listed(items: list[str]) -> str:
    more = len(items) - _LISTED
    return ", ".join(items[:_LISTED]) + (f" and {more} more" if more > 0 else "")

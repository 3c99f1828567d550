"""How often a tool was called for each value of an argument."""

from __future__ import annotations

from stepfork.contracts.calls import shows_tools
from stepfork.contracts.spec import ToolCardinality
from stepfork.providers.tool_arguments import count_calls, shown
from stepfork.trace.step import Trace

_LISTED = 3


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

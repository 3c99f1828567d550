"""Does a contract hold of a trace? What was not evaluated has not passed, and says so."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

import msgspec

from stepfork.contracts.calls import first_calls, shows_tools, tool_calls
from stepfork.contracts.cardinality import judge_cardinality
from stepfork.contracts.naming import default_id
from stepfork.contracts.output_schema import violations
from stepfork.contracts.spec import (
    Contract,
    ContractResult,
    CostUnder,
    OutputSchema,
    ToolCalledBefore,
    ToolCardinality,
    Trajectory,
)
from stepfork.providers.lines import clean_line
from stepfork.trace.step import Trace

EXPLAINED = 400
"""Characters of an explanation."""


def evaluate(contract: Contract, trace: Trace) -> ContractResult:
    """How `contract` comes out of `trace`. Never raises, whatever the trace and the contract hold."""
    passed, told = _judge(contract, trace)
    return ContractResult(
        id=contract.id or default_id(contract),
        status="pass" if passed else "hard_fail",
        explanation=clean_line(told, EXPLAINED),
    )


def money(usd: float) -> Decimal:
    """An amount as it is written: sums and bounds of prices are decimal, not binary, arithmetic."""
    return Decimal(repr(usd))


def _judge(contract: Contract, trace: Trace) -> tuple[bool, str]:
    match contract:
        case Trajectory():
            return _judge_trajectory(contract, trace)
        case ToolCalledBefore():
            return _judge_order(contract, trace)
        case ToolCardinality():
            return judge_cardinality(contract, trace)
        case OutputSchema(schema):
            if trace.output is msgspec.UNSET:
                return False, "the run has no output"
            found = violations(trace.output, schema)
            return (False, "; ".join(found)) if found else (True, "the output has the keys and types of the schema")
        case CostUnder(usd):
            return _judge_cost(usd, trace)


def _judge_trajectory(contract: Trajectory, trace: Trace) -> tuple[bool, str]:
    called = [name for _, name in tool_calls(trace)]
    head = f"trajectory ({contract.mode})"
    if not called and not shows_tools(trace):
        return False, f"{head} cannot be evaluated: the trace shows no tool calls"
    listed, seen = Counter(contract.tools), Counter(called)
    match contract.mode:
        case "superset":
            if not contract.tools:
                return False, f"{head} lists no tool, so there is nothing to hold"
            missing = [name for name in listed if name not in seen]
            if missing:
                return False, f"{head} lacks {_names(missing)}; called {_names(seen)}"
            return True, f"{head} matches {_names(listed)}"
        case "subset":
            extra = [name for name in seen if name not in listed]
            return not extra, f"{head} has {_names(extra)} beside" if extra else f"{head} matches {_names(seen)}"
        case "exact":
            same = called == list(contract.tools)
        case "unordered":
            same = seen == listed
    return same, f"{head} matches {_names(called)}" if same else f"{head} differs: called {_names(called)}"


def _judge_order(contract: ToolCalledBefore, trace: Trace) -> tuple[bool, str]:
    first, then = contract.first, contract.then
    calls = first_calls(trace)
    missing = [name for name in dict.fromkeys((first, then)) if name not in calls]
    if missing:
        return False, f"{' and '.join(missing)} {'was' if len(missing) == 1 else 'were'} never called"
    if calls[first] < calls[then]:
        return True, f"{first} (step {calls[first]}) precedes {then} (step {calls[then]})"
    return False, f"{first} (step {calls[first]}) does not precede {then} (step {calls[then]})"


def _judge_cost(usd: float, trace: Trace) -> tuple[bool, str]:
    cost = trace.cost_usd
    if cost is None or not math.isfinite(cost) or cost < 0:
        return False, "the run's cost is not known: neither its spans nor its answers tell it for every model call"
    if not math.isfinite(usd):
        return False, "the ceiling is no amount"
    within = money(cost) <= money(usd)
    return within, f"cost {_dollars(cost)} {'within' if within else 'exceeds'} {_dollars(usd)}"


def _dollars(usd: float) -> str:
    return f"${money(usd):f}"


def _names(tools: Iterable[str]) -> str:
    return f"[{' '.join(tools)}]"

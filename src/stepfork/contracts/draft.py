"""Contracts from one run: what it did is what the next one is held to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from stepfork.contracts.calls import argument_names, first_calls
from stepfork.contracts.evaluate import money
from stepfork.contracts.naming import named
from stepfork.contracts.output_schema import schema_of
from stepfork.contracts.spec import Contract, CostUnder, OutputSchema, ToolCalledBefore, ToolCardinality, Trajectory
from stepfork.providers.tool_arguments import count_calls
from stepfork.trace.fixture import Run
from stepfork.trace.step import Step, Trace

CEILING = money(1.5)
"""How many times what a run cost the next one may cost, the bound included."""


def draft(run: Run, *, expect_fail: bool) -> tuple[Contract, ...]:
    """The contracts of `run`, each named, in a fixed order. Without `expect_fail` all of them hold of `run` itself.

    With it each tool may be called once for each value of its id arguments, however often the run called it: what an
    incident repeated fails. A run without tool calls, structured output and cost drafts nothing.
    """
    return named(tuple(_contracts(run.trace, expect_fail=expect_fail)))


def _contracts(trace: Trace, *, expect_fail: bool) -> Iterator[Contract]:
    first_of = first_calls(trace)
    tools = list(first_of)
    if tools:
        yield Trajectory(tuple(tools), "superset")
    for first, then in pairwise(tools):
        if not _at_once(trace.steps, first_of[first], first_of[then]):
            yield ToolCalledBefore(first, then)
    for tool in tools:
        yield from _cardinalities(trace, tool, expect_fail=expect_fail)
    if isinstance(trace.output, dict | list):
        yield OutputSchema(schema_of(trace.output))
    if trace.cost_usd is not None and math.isfinite(trace.cost_usd) and 0 <= trace.cost_usd < 1e9:
        yield CostUnder(float(money(trace.cost_usd) * CEILING))


def _at_once(steps: Sequence[Step], one: int, other: int) -> bool:
    """Whether two calls, or calls around them, are known to have run at once: nothing says which came first."""
    return not _groups_around(steps, one).isdisjoint(_groups_around(steps, other))


def _groups_around(steps: Sequence[Step], index: int) -> set[int]:
    found: set[int] = set()
    seen: set[int] = set()
    at: int | None = index
    while at is not None and 0 <= at < len(steps) and at not in seen:
        seen.add(at)
        step = steps[at]
        if step.instrumented and step.group is not None:
            found.add(step.group)
        at = step.parent
    return found


def _cardinalities(trace: Trace, tool: str, *, expect_fail: bool) -> Iterator[Contract]:
    """One for each argument called ``id`` or ``…_id`` that every call of the tool has: calls without it could not be
    counted."""
    for name in argument_names(trace, tool):
        if name == "id" or name.endswith("_id"):
            most = max(count for _, count in count_calls(trace, tool, name).values)
            yield ToolCardinality(tool, name, 1 if expect_fail else most)

"""What must hold of a run, as values: what a manifest lists under ``contracts`` and what a test's chain is made of.

What each one says of a run, zero calls and absent arguments included, is in ``docs/reference/contracts.md``.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from stepfork.trace.body import JsonValue

TrajectoryMode = Literal["exact", "superset", "subset", "unordered"]
"""How the tools called compare with those listed. ``exact``: the same calls in the same order; ``unordered``: the same
calls in any order; ``superset``: each listed tool is called; ``subset``: no tool is called that is not listed."""


class Trajectory(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="trajectory"):
    """Which tools were called. ``id`` is the contract's name in a fixture, empty where a test wrote it by hand."""

    tools: tuple[str, ...]
    mode: TrajectoryMode = "superset"
    id: str = ""


class ToolCalledBefore(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="tool_called_before"
):
    """The first call of `first` stands before the first call of `then`; both must be called."""

    first: str
    then: str
    id: str = ""


class ToolCardinality(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="tool_cardinality"
):
    """`tool` is called at most `at_most` times for each value of its argument `per` (RFC 6901 pointer or a name).

    Each call must have that argument: a call that cannot be counted fails.
    """

    tool: str
    per: str
    at_most: int
    id: str = ""


class OutputSchema(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="output_matches_schema"
):
    """The run's output satisfies a JSON Schema (2020-12)."""

    schema: JsonValue
    id: str = ""


class CostUnder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="cost_under"):
    """The run cost at most `usd` US dollars, the bound included; a run whose cost is not known fails."""

    usd: float
    id: str = ""


Contract = Trajectory | ToolCalledBefore | ToolCardinality | OutputSchema | CostUnder


class ContractResult(msgspec.Struct, frozen=True):
    """How one contract came out; it is true where the contract holds. ``explanation`` is one line for people, made of
    the run's own values."""

    id: str
    status: Literal["pass", "hard_fail"]
    explanation: str

    def __bool__(self) -> bool:
        return self.status == "pass"

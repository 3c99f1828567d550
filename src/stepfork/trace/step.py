"""What an agent did, step by step, whichever framework told it."""

from __future__ import annotations

from typing import Literal

import msgspec

from stepfork.trace.body import JsonValue

StepType = Literal["llm_call", "tool_call", "agent_call", "retrieval"]
Origin = Literal["spans", "exchanges", "instrumented"]


class StepError(msgspec.Struct, frozen=True):
    """What was raised: the class name (or status), and the message."""

    type: str
    message: str = ""


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens as the provider counted them; None is unknown, never 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step. ``parent`` is an index into ``Trace.steps``; ``start`` and ``end`` are sequence numbers of the trace
    (never clocks once normalised; nanoseconds before); ``group`` numbers steps that may run at once; ``exchange`` is
    an index into the run's exchanges. Large texts are not repeated here: an ``llm_call`` has its exchange.

    ``instrumented`` steps were told by the program's own decorators, so a replay can answer them: their arguments and
    results are tagged values (``docs/reference/format.md``); ``raised`` is, tagged, the exception of one that failed.
    """

    type: StepType
    name: str
    start: int
    end: int
    call_id: str | None = None
    parent: int | None = None
    group: int | None = None
    arguments: JsonValue | msgspec.UnsetType = msgspec.UNSET
    result: JsonValue | msgspec.UnsetType = msgspec.UNSET
    error: StepError | None = None
    model: str | None = None
    usage: Usage | None = None
    finish_reasons: tuple[str, ...] = ()
    exchange: int | None = None
    instrumented: bool = False
    raised: JsonValue | msgspec.UnsetType = msgspec.UNSET


class Trace(msgspec.Struct, frozen=True, omit_defaults=True):
    """The run as a whole. A run that raised has ``status`` ``error``, ``error`` set and no output.

    ``cost_usd`` is what the run's model calls cost in US dollars, as spans or answers told it: None is unknown, never
    0, and one call of unknown cost makes the sum unknown. ``notes`` are findings of the mapping, such as a bad
    attribute, that a trace check reports.
    """

    origin: Origin
    steps: tuple[Step, ...]
    trace_version: int = 1
    agent: str | None = None
    conversation: str | None = None
    input: JsonValue | msgspec.UnsetType = msgspec.UNSET
    output: JsonValue | msgspec.UnsetType = msgspec.UNSET
    status: Literal["completed", "error"] = "completed"
    error: StepError | None = None
    cost_usd: float | None = None
    notes: tuple[str, ...] = ()

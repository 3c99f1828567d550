"""Steps in the making: a span that is a step, and what the exchanges add to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from stepfork.providers.calls import ToolCall
from stepfork.providers.genai import GenAiStep
from stepfork.providers.genai_messages import Said, said
from stepfork.trace.body import JsonValue
from stepfork.trace.span import Span
from stepfork.trace.step import StepError

Place = tuple[int, int]
"""The rank of a model answer, and the position of a call in it."""


class Asked(msgspec.Struct, frozen=True):
    """A call that a model answer asked for. ``result`` is the text that went back to the model, None if none did;
    ``followed`` says whether the conversation went on after that answer."""

    place: Place
    call: ToolCall
    result: str | None = None
    followed: bool = False


class Told(msgspec.Struct, frozen=True):
    """What instrumentation told of a call. ``place`` is its place in stored order among all instrumented calls,
    ``group`` the group in which it may run at once with others. ``arguments`` and ``result`` are tagged, and UNSET of a
    model call where its exchange says all."""

    name: str
    place: int
    group: int | None = None
    arguments: JsonValue | msgspec.UnsetType = msgspec.UNSET
    result: JsonValue | msgspec.UnsetType = msgspec.UNSET
    raised: JsonValue | msgspec.UnsetType = msgspec.UNSET
    error: StepError | None = None


SLACK = 1_000_000
"""Nanoseconds by which clocks of one machine may disagree: JavaScript starts its spans on whole milliseconds."""


@dataclass(eq=False)
class Draft:
    """A step in the making. `arrival` is the place of its span among all; `parent` the nearest ancestor that is a
    step. A model step has the place of its exchange in stored order (`call`) and its `rank` among the model answers;
    a tool step has the call that it answers (`asked`). `told` is what instrumentation says of it, None for a step that
    spans or exchanges alone tell of."""

    step: GenAiStep
    span: Span
    arrival: int
    parent: Draft | None = None
    children: list[Draft] = field(default_factory=list)
    call: int | None = None
    rank: int | None = None
    asked: Asked | None = None
    told: Told | None = None

    @cached_property
    def said(self) -> Said:
        """The messages that the span repeats."""
        return said(self.span)

    def __lt__(self, other: Draft) -> bool:
        return (self.span.start_ns, self.arrival) < (other.span.start_ns, other.arrival)

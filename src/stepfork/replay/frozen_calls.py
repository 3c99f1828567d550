"""The calls of a recorded run that instrumented code can be answered from, and the frames that they were made in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Run
from stepfork.trace.in_process import told_arguments, told_result
from stepfork.trace.step import Step, StepError, StepType


class RecordedCall(NamedTuple):
    """A call as it was recorded: placeholders stand in its values. ``number`` counts from 0 in stored order, ``parent``
    is the number of the call in whose body it was made; calls of one ``group`` ran at once."""

    number: int
    type: StepType
    name: str
    arguments: JsonValue
    result: JsonValue | msgspec.UnsetType = msgspec.UNSET
    error: StepError | None = None
    raised: JsonValue | msgspec.UnsetType = msgspec.UNSET
    parent: int | None = None
    group: int | None = None

    @property
    def can_answer(self) -> bool:
        """Whether it is known how the call ended."""
        return self.error is not None or self.result is not msgspec.UNSET


def recorded_calls(run: Run) -> tuple[RecordedCall, ...]:
    """The instrumented steps of a run; where it has none, its tool calls whose arguments and outcome are known."""
    steps = run.trace.steps
    chosen = [index for index, step in enumerate(steps) if step.instrumented]
    if not chosen:
        chosen = [index for index, step in enumerate(steps) if _is_known_tool(step)]
    numbers = {index: number for number, index in enumerate(chosen)}
    return tuple(_call(run, index, numbers) for index in chosen)


def answered_exchanges(run: Run) -> frozenset[int]:
    """The exchanges that are answers of instrumented steps: nobody asks for them over HTTP."""
    return frozenset(step.exchange for step in run.trace.steps if step.instrumented and step.exchange is not None)


def _is_known_tool(step: Step) -> bool:
    known = step.result is not msgspec.UNSET or step.error is not None
    return step.type == "tool_call" and step.arguments is not msgspec.UNSET and known


def _call(run: Run, index: int, numbers: dict[int, int]) -> RecordedCall:
    steps = run.trace.steps
    step = steps[index]
    arguments = told_arguments(step, run.exchanges)
    return RecordedCall(
        number=numbers[index],
        type=step.type,
        name=step.name,
        arguments={} if arguments is msgspec.UNSET else arguments,
        result=told_result(step, run.exchanges),
        error=step.error,
        raised=step.raised,
        parent=next((numbers[above] for above in _above(steps, step) if above in numbers), None),
        group=step.group,
    )


def _above(steps: Sequence[Step], step: Step) -> Iterator[int]:
    """The steps around one, the nearest first. Links that run in a circle end where they begin."""
    seen: set[int] = set()
    above = step.parent
    while above is not None and above not in seen:
        yield above
        seen.add(above)
        above = steps[above].parent

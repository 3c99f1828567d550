"""The steps of a run as its exchanges tell them: what the model answered, asked for, and was given back."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stepfork.capture.calls import Call
from stepfork.capture.drafts import Asked
from stepfork.capture.links import Links
from stepfork.providers.apis import request_model
from stepfork.providers.calls import bare_tool
from stepfork.providers.genai_values import exact_value
from stepfork.trace.body import JsonValue
from stepfork.trace.step import Step, StepError


def derive_steps(calls: Sequence[Call], links: Links, asked: Sequence[Asked]) -> tuple[tuple[Step, ...], list[str]]:
    """The steps of a run without spans, and notes on calls that were never answered.

    One model step for each answer: attempts that failed and were repeated are exchanges of their own and the same
    step; one that failed for good is a step with an error. Behind it a tool step for each call that it asked for, in
    one group where there are several.
    """
    steps: list[Step] = []
    notes: list[str] = []
    groups = 0
    repeated = {index for index in links.repeats if index is not None}
    by_rank: dict[int, list[Asked]] = {}
    for one in asked:
        by_rank.setdefault(one.place[0], []).append(one)
    for rank, call in enumerate(calls):
        if not call.is_model_call or rank in repeated:
            continue
        steps.append(_model_step(rank, call, len(steps)))
        together = by_rank.get(rank, [])
        groups += len(together) > 1
        for one in together:
            if one.result is None and one.followed:
                notes.append(
                    f"unpaired_call[{len(steps)}]: the model asked for {one.call.name} and was given no result"
                )
            steps.append(_tool_step(one, len(steps), groups if len(together) > 1 else None))
    return tuple(steps), notes


def failure_of(call: Call) -> StepError | None:
    """Why a model call has no answer, None where it has one."""
    return None if call.answered else call.answer.error or StepError(call.answer.outcome)


def _model_step(rank: int, call: Call, at: int) -> Step:
    answer = call.answer
    return Step(
        type="llm_call",
        name="chat",
        start=2 * at + 1,
        end=2 * at + 2,
        error=failure_of(call),
        model=answer.model or request_model(call.exchange),
        usage=answer.usage,
        finish_reasons=answer.finish_reasons,
        exchange=rank,
    )


def _tool_step(asked: Asked, at: int, group: int | None) -> Step:
    return Step(
        type="tool_call",
        name=bare_tool(asked.call.name),  # as spans name it
        start=2 * at + 1,
        end=2 * at + 2,
        call_id=asked.call.id or None,
        group=group,
        arguments=exact_value(asked.call.arguments),
        result=result_of(asked),
    )


def result_of(asked: Asked) -> JsonValue | msgspec.UnsetType:
    """What the model was given back for a call, UNSET where nothing was."""
    return msgspec.UNSET if asked.result is None else exact_value(asked.result)

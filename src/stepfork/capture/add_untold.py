"""Steps that the exchanges alone tell of, beside those of instrumented calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stepfork.capture.derive import failure_of, result_of
from stepfork.capture.drafts import Asked, Draft
from stepfork.capture.enclosing import Enclosing
from stepfork.capture.order import Ordered
from stepfork.capture.spans import Mapped
from stepfork.providers.apis import request_model
from stepfork.providers.calls import bare_tool
from stepfork.providers.genai import GenAiStep
from stepfork.providers.genai_values import exact_value
from stepfork.trace.span import Span
from stepfork.trace.step import StepType


def add_untold(mapped: Mapped, ordered: Ordered, asked: Sequence[Asked]) -> None:
    """Add a model step for each answer, and a tool step for each call that an answer asked for, which no draft tells of
    yet: as `stepfork.capture.derive` does where there are no calls."""
    shown = {draft.call for draft in mapped.drafts}
    repeated = set(ordered.links.repeats)
    enclosing = Enclosing(mapped.drafts)
    bodies = {
        rank: enclosing.around(call.start, call.end)
        for rank, call in sorted(enumerate(ordered.calls), key=lambda ranked: ranked[1].start)
    }
    for rank, call in enumerate(ordered.calls):
        if call.is_model_call and rank not in repeated and rank not in shown:
            model = call.answer.model or request_model(call.exchange)
            step = GenAiStep("llm_call", "chat", "chat", error=failure_of(call), model=model)
            _add(mapped, step, call.start, call.end, call=rank, rank=rank, parent=bodies[rank])
    paired = {draft.asked.place for draft in mapped.drafts if draft.asked is not None}
    for one in asked:
        if one.place not in paired:
            tool: StepType = "tool_call"
            step = GenAiStep(
                tool,
                "execute_tool",
                bare_tool(one.call.name),
                arguments=exact_value(one.call.arguments),
                result=result_of(one),
            )
            after = ordered.calls[one.place[0]].end
            _add(mapped, step, after, after, asked=one)


def unanswered(drafts: Sequence[Draft]) -> Iterator[str]:
    """Notes on calls that models asked for, that nobody was seen to make, and whose results the models never got."""
    for index, draft in enumerate(drafts):
        asked = draft.asked
        if draft.told is None and asked is not None and asked.result is None and asked.followed:
            yield f"unpaired_call[{index}]: the model asked for {asked.call.name} and was given no result"


def _add(
    mapped: Mapped,
    step: GenAiStep,
    start: int,
    end: int,
    *,
    call: int | None = None,
    rank: int | None = None,
    asked: Asked | None = None,
    parent: Draft | None = None,
) -> None:
    span = Span(trace_id="", span_id="", parent_id=None, name=step.name, start_ns=start, end_ns=end)
    draft = Draft(step, span, len(mapped.drafts), parent=parent, call=call, rank=rank, asked=asked)
    mapped.drafts.append(draft)
    if parent is not None:
        parent.children.append(draft)

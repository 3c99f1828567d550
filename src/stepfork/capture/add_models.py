"""Model steps for a run whose spans have none: its tools are instrumented, its model client is not."""

from __future__ import annotations

from stepfork.capture.calls import Call
from stepfork.capture.derive import failure_of
from stepfork.capture.drafts import Draft
from stepfork.capture.order import Ordered
from stepfork.capture.spans import Mapped
from stepfork.providers.apis import request_model
from stepfork.providers.genai import GenAiStep
from stepfork.trace.span import Span


def add_models(mapped: Mapped, ordered: Ordered) -> None:
    """Add a model step for each model answer to drafts that hold none, and a note that says so.

    Where only some model spans are missing nothing is made up: spans may have been lost, and the check says so.
    """
    if any(draft.step.type == "llm_call" for draft in mapped.drafts):
        return
    repeated = set(ordered.links.repeats)
    ranks = [rank for rank, call in enumerate(ordered.calls) if call.is_model_call and rank not in repeated]
    if not ranks:
        return
    parents = {draft.asked.place[0]: draft.parent for draft in mapped.drafts if draft.asked is not None}
    agents = [draft for draft in mapped.drafts if draft.step.type == "agent_call" and draft.parent is None]
    only = agents[0] if len(agents) == 1 else None
    made = [_draft(rank, ordered.calls[rank], parents.get(rank, only), len(mapped.drafts)) for rank in ranks]
    for draft in made:
        if draft.parent is not None:
            draft.parent.children.append(draft)
    mapped.drafts.extend(made)
    mapped.notes.append(
        f"models_from_exchanges: none of {len(ranks)} model calls has a span; the exchanges tell of them"
    )


def _draft(rank: int, call: Call, parent: Draft | None, arrival: int) -> Draft:
    step = GenAiStep(
        type="llm_call",
        operation="chat",
        name="chat",
        error=failure_of(call),
        model=call.answer.model or request_model(call.exchange),
    )
    span = Span(trace_id="", span_id="", parent_id=None, name="chat", start_ns=call.start, end_ns=call.end)
    return Draft(step, span, arrival + rank, parent=parent, call=rank, rank=rank)

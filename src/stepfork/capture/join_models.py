"""Which exchange each model step of the spans is, and in which order the model answered."""

from __future__ import annotations

from collections.abc import Sequence

from stepfork.capture.calls import Call
from stepfork.capture.drafts import SLACK, Draft
from stepfork.capture.order import Node, arrange, blind
from stepfork.providers.apis import request_model


def join_models(drafts: Sequence[Draft], calls: Sequence[Call]) -> None:
    """Give each model step its exchange (`calls` stand in stored order) and its rank among the model answers.

    The response id decides; else an id of a tool call that the model made up; else the exchange that was asked while
    the span lasted, the answered one where there were several attempts; where clocks do not agree, the order.
    """
    models = [draft for draft in drafts if draft.step.type == "llm_call"]
    models.sort(key=lambda draft: (draft.span.start_ns, draft.arrival))
    if not calls:
        _rank_alone(models)
        return
    taken: set[int] = set()
    owners = _owners(calls)
    for draft in models:
        _take(draft, owners.get(draft.step.response_id or ""), taken)
    for draft in models:
        if draft.call is None:
            made_up = (owners.get(call.id) for call in draft.said.calls)
            _take(draft, next((index for index in made_up if index is not None), None), taken)
    _join_by_time([draft for draft in models if draft.call is None], calls, taken)
    for draft in models:
        draft.rank = draft.call


def _owners(calls: Sequence[Call]) -> dict[str, int | None]:
    """The call that made an id up; None for an id that several responses hold."""
    owners: dict[str, int | None] = {}
    for index, call in enumerate(calls):
        for name in call.given:
            owners[name] = None if name in owners else index
    return owners


def _take(draft: Draft, index: int | None, taken: set[int]) -> None:
    if index is not None and index not in taken:
        draft.call = index
        taken.add(index)


def _join_by_time(models: Sequence[Draft], calls: Sequence[Call], taken: set[int]) -> None:
    free = sorted((i for i, call in enumerate(calls) if i not in taken), key=lambda index: calls[index].start)
    timed = any(_within(draft, calls[index]) for draft in models for index in free)
    for draft in models:
        fitting = [i for i in free if i not in taken and _fits(draft, calls[i])]
        if timed:
            fitting = [i for i in fitting if _within(draft, calls[i])]
        fitting = [i for i in fitting if calls[i].answered is (draft.step.error is None)] or fitting
        usage = draft.step.usage
        same = [i for i in fitting if usage is not None and calls[i].answer.usage == usage]
        _take(draft, next(iter(same or fitting), None), taken)


def _fits(draft: Draft, call: Call) -> bool:
    if draft.step.operation == "embeddings":
        return call.exchange.request.path.rstrip("/").endswith("/embeddings")
    models = {call.answer.model, request_model(call.exchange)} - {None}
    return call.is_model_call and (draft.step.model is None or not models or draft.step.model in models)


def _within(draft: Draft, call: Call) -> bool:
    return draft.span.start_ns - SLACK <= call.start <= draft.span.end_ns + SLACK


def _rank_alone(models: Sequence[Draft]) -> None:
    """The order of the model answers where no exchange was recorded: the spans' own messages say what follows what."""
    owners: dict[str, int] = {}
    nodes: list[Node] = []
    for index, draft in enumerate(models):
        follows = next((owners[name] for name in reversed(draft.said.answered) if name in owners), None)
        asked = "\0".join(part for call in draft.said.calls for part in (call.name, call.arguments))
        texts = (draft.step.model or "", draft.said.last_text, asked, draft.said.first_user)
        nodes.append(
            Node(
                start=min(draft.span.start_ns + SLACK, draft.span.end_ns),
                end=draft.span.end_ns,
                parent=follows,
                needs=frozenset(),
                blind=tuple(blind(text) for text in texts),
                exact=tuple(text.encode() for text in texts),
            )
        )
        owners.update((call.id, index) for call in draft.said.calls if call.id)
    for rank, index in enumerate(arrange(nodes)):
        models[index].rank = rank

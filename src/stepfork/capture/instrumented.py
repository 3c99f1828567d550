"""Instrumented calls to drafts of steps: alone, or joined with the exchanges and spans that tell of the same calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

import msgspec

from stepfork.capture.calls import digest
from stepfork.capture.concurrency import Arranged, arrange_calls
from stepfork.capture.drafts import Draft, Told
from stepfork.capture.join_told import join_told
from stepfork.capture.order import Key, Ordered, as_told, order_calls
from stepfork.capture.told_exchanges import ToldExchange, told_exchange
from stepfork.providers.calls import bare_tool
from stepfork.providers.genai import GenAiStep
from stepfork.providers.shapes import json_text
from stepfork.trace.body import JsonBody
from stepfork.trace.call import Call, Outcome
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.in_process import arguments_in, result_in
from stepfork.trace.plain_form import plain_form
from stepfork.trace.recorded import Recorded
from stepfork.trace.span import Span
from stepfork.trace.step import StepError

UNFINISHED = StepError("unfinished", "the recording ended before this call did")
"""The error of a call that never came back."""


class Instrumented(msgspec.Struct):
    """The instrumented calls of a run, arranged. ``models`` are the exchanges of its model calls by their numbers,
    ``ordered`` all exchanges of the run in stored order; ``mixed`` says that some went over HTTP."""

    calls: dict[int, Call]
    arranged: Arranged
    models: dict[int, ToldExchange]
    ordered: Ordered
    mixed: bool


def read_instrumented(calls: Sequence[Call], recorded: Sequence[Recorded], key: Key) -> Instrumented:
    """`calls` in stored order, their model calls as exchanges among those that were `recorded`."""
    by_number = {call.number: call for call in calls}
    models = {call.number: told_exchange(call) for call in calls if call.asked.type == "llm_call"}
    arranged = arrange_calls(calls, lambda call: _content(call, models, key))
    if not recorded:
        made = [models[number].exchange for number in arranged.order if number in models]
        return Instrumented(by_number, arranged, models, as_told(made), mixed=False)
    seen = order_calls(recorded, key)
    around = {number: call.parent for number, call in by_number.items()}
    joined = join_told([by_number[number] for number in arranged.order if number in models], seen, around)
    for number, at in joined.items():
        models[number] = _over_http(by_number[number], seen.calls[at].exchange, models[number])
    alone = [
        Recorded(models[number].exchange, call.started_ns, call.ended_ns or call.started_ns, 0)
        for number, call in by_number.items()
        if number in models and number not in joined
    ]
    ordered = order_calls([*recorded, *alone], key) if alone else seen
    return Instrumented(by_number, arranged, models, ordered, mixed=True)


def _over_http(call: Call, exchange: Exchange, made: ToldExchange) -> ToldExchange:
    """A model call that went over HTTP too. What the exchange does not hold as the call told it is told in the step."""
    asked, outcome = call.asked.arguments, call.outcome
    arguments = made.arguments if arguments_in(exchange, made.arguments) == asked else asked
    answered = msgspec.UNSET if outcome is None else outcome.result
    same = answered is msgspec.UNSET or result_in(exchange, made.result) == answered
    return ToldExchange(exchange, arguments, made.result if same else answered)


def drafts_of(told: Instrumented, spans: Sequence[Draft]) -> list[Draft]:
    """A draft for each call, in stored order. One that a span tells of too is the span's draft; `spans` are joined with
    their exchanges."""
    at = {id(call.exchange): index for index, call in enumerate(told.ordered.calls)}
    ranks = {number: at[id(model.exchange)] for number, model in told.models.items()}
    same = _same(told, ranks, spans)
    made: dict[int, Draft] = {}
    for place, number in enumerate(told.arranged.order):
        call, model = told.calls[number], told.models.get(number)
        draft = same.get(number)
        if draft is None:
            clock = (call.started_ns, call.ended_ns or call.started_ns) if told.mixed or spans else (place, place)
            answer = None if number not in ranks else told.ordered.calls[ranks[number]].answer
            draft = _draft(call, clock, place, model=call.asked.model if answer is None else answer.model)
        draft.told = _told(call, place, told.arranged.groups.get(number), model)
        draft.call = draft.rank = ranks.get(number, draft.call)
        made[number] = draft
        parent = told.arranged.parents.get(number)
        if parent is not None:
            _put_under(draft, made[parent])
    return list(made.values())


def _same(told: Instrumented, ranks: Mapping[int, int], spans: Sequence[Draft]) -> dict[int, Draft]:
    """The spans that tell of instrumented calls: of model calls those with the same exchange, of others those with the
    same name and arguments, then those with the same name, first with first."""
    if not spans:
        return {}
    found: dict[int, Draft] = {}
    free = sorted(spans)
    for whole in (True, False):
        waiting: defaultdict[Hashable, list[Draft]] = defaultdict(list)
        for draft in reversed(free):
            waiting[_name_of_span(draft, whole=whole)].append(draft)
        for number in told.arranged.order:
            name = None if number in found else _name_of_call(told.calls[number], ranks, whole=whole)
            alike = waiting.get(name)
            if alike:
                found[number] = alike.pop()
        taken = {id(draft) for draft in found.values()}
        free = [draft for draft in free if id(draft) not in taken]
    return found


def _name_of_span(draft: Draft, *, whole: bool) -> Hashable:
    step = draft.step
    if step.type == "llm_call":
        return id(draft) if draft.call is None else ("llm_call", draft.call)
    said = json_text(step.arguments) if whole and step.arguments is not msgspec.UNSET else ""
    return step.type, step.name, said


def _name_of_call(call: Call, ranks: Mapping[int, int], *, whole: bool) -> Hashable:
    asked = call.asked
    if asked.type == "llm_call":
        return "llm_call", ranks[call.number]
    return asked.type, bare_tool(asked.name), json_text(plain_form(asked.arguments)) if whole else ""


def _draft(call: Call, clock: tuple[int, int], place: int, *, model: str | None) -> Draft:
    asked, outcome = call.asked, call.outcome
    tool = asked.type == "tool_call"
    answered = msgspec.UNSET if outcome is None else outcome.result
    step = GenAiStep(
        type=asked.type,
        operation=asked.type,
        name=bare_tool(asked.name),
        arguments=plain_form(asked.arguments) if tool else msgspec.UNSET,
        result=plain_form(answered) if tool and answered is not msgspec.UNSET else msgspec.UNSET,
        error=_error(outcome),
        model=model or asked.model,
    )
    span = Span(trace_id="", span_id="", parent_id=None, name=asked.name, start_ns=clock[0], end_ns=clock[1])
    return Draft(step, span, place)


def _told(call: Call, place: int, group: int | None, model: ToldExchange | None) -> Told:
    outcome = call.outcome
    return Told(
        name=call.asked.name,
        place=place,
        group=group,
        arguments=call.asked.arguments if model is None else model.arguments,
        result=(msgspec.UNSET if outcome is None else outcome.result) if model is None else model.result,
        raised=msgspec.UNSET if outcome is None else outcome.raised,
        error=_error(outcome),
    )


def _error(outcome: Outcome | None) -> StepError | None:
    return UNFINISHED if outcome is None else outcome.error


def _put_under(draft: Draft, parent: Draft) -> None:
    """Make `draft` a child of the call in whose body it was made, wherever its span stood; never of one below it."""
    above: Draft | None = parent
    while above is not None:
        if above is draft:
            return
        above = above.parent if draft.children else None
    if draft.parent is not None:
        draft.parent.children = [child for child in draft.parent.children if child is not draft]
    draft.parent = parent
    parent.children.append(draft)


def _content(call: Call, models: Mapping[int, ToldExchange], key: Key) -> tuple[bytes, ...]:
    """What a call says, blind to ids and clocks first, as `key` is; then to the letter."""
    outcome = call.outcome
    came = "unfinished" if outcome is None else json_text(msgspec.to_builtins(outcome))
    model = models.get(call.number)
    asked = json_text(call.asked.arguments) if model is None else ""
    texts = (f"{call.asked.name} {asked}", came)
    seen = [key(_message(text)) for text in texts]
    if model is not None:
        seen.insert(1, key(model.exchange))
    return (*seen, digest(call.asked.name, call.asked.arguments, came))


def _message(text: str) -> Exchange:
    """A text in the form that keys are made of."""
    body = JsonBody({"messages": [{"role": "user", "content": text}]})
    return Exchange("", "chat_completions", Request("POST", "/chat/completions", body=body), Response(200))

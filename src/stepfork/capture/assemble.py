"""What was recorded of a run to its trace and its exchanges in stored order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from stepfork.capture.add_models import add_models
from stepfork.capture.calls import Call
from stepfork.capture.cost import cost_of_run
from stepfork.capture.derive import derive_steps, result_of
from stepfork.capture.drafts import Draft
from stepfork.capture.ends import Ends, ends_of_calls, ends_of_spans
from stepfork.capture.join_models import join_models
from stepfork.capture.join_tools import asked_in_calls, asked_in_spans, join_tools
from stepfork.capture.order import Key, Ordered, order_calls
from stepfork.capture.spans import map_spans
from stepfork.capture.tree import in_order
from stepfork.capture.unshown import Wanted, unshown
from stepfork.providers.genai_values import exact_value
from stepfork.trace.exchange import Exchange
from stepfork.trace.recorded import Recorded
from stepfork.trace.span import Span
from stepfork.trace.step import Origin, Step, Trace, Usage


class Assembled(msgspec.Struct, frozen=True):
    """A trace, and the exchanges that its steps point to."""

    trace: Trace
    exchanges: tuple[Exchange, ...]


def assemble(recorded: Sequence[Recorded], spans: Sequence[Span], *, key: Key) -> Assembled:
    """The trace of a run and its exchanges in stored order, blind to timing. Never raises for what was recorded.

    `spans` stand in order of arrival. Where none of them is a step the trace is derived from the exchanges. `key` is
    the content of a request, see `stepfork.capture.order.Key`.
    """
    ordered = order_calls(recorded, key)
    mapped = map_spans(spans)
    told = ends_of_calls(ordered.calls, ordered.links)
    if not mapped.drafts and (ordered.calls or not spans):
        asked = asked_in_calls(ordered.calls, ordered.links)
        steps, notes = derive_steps(ordered.calls, ordered.links, asked)
        cost, untold = cost_of_run([], ordered.calls)
        return Assembled(_trace("exchanges", steps, told, cost, [*mapped.notes, *notes, *untold]), ordered.exchanges)
    join_models(mapped.drafts, ordered.calls)
    asked = asked_in_calls(ordered.calls, ordered.links) if ordered.calls else asked_in_spans(mapped.drafts)
    join_tools(mapped.drafts, asked)
    add_models(mapped, ordered)
    drafts = in_order(mapped.drafts)
    steps = _steps(drafts, ordered)
    cost, untold = cost_of_run(drafts, ordered.calls)
    ends = ends_of_spans(drafts, told)
    notes = [*mapped.notes, *untold, *([] if ordered.calls else _unpaired(drafts, steps))]
    return Assembled(_trace("spans", steps, ends, cost, notes), ordered.exchanges)


def _trace(origin: Origin, steps: tuple[Step, ...], ends: Ends, cost: float | None, notes: Sequence[str]) -> Trace:
    return Trace(
        origin=origin,
        steps=steps,
        agent=ends.agent,
        conversation=ends.conversation,
        input=ends.input,
        output=ends.output,
        status="completed" if ends.error is None else "error",
        error=ends.error,
        cost_usd=cost,
        notes=tuple(sorted(set(notes))),
    )


def _unpaired(drafts: Sequence[Draft], steps: Sequence[Step]) -> Iterator[str]:
    """Calls that the spans' own messages tell of and no tool span shows; with exchanges these are what is looked at."""
    given: dict[str, list[int]] = {}
    for index, draft in enumerate(drafts):
        for name in draft.said.answered if draft.step.type == "llm_call" else ():
            given.setdefault(name, []).append(index)
    wanted = [
        Wanted(call.name, call.id, index, to)
        for index, draft in enumerate(drafts)
        if draft.step.type == "llm_call"
        for call in draft.said.calls
        if call.id not in draft.said.own and (to := next((at for at in given.get(call.id, ()) if at > index), None))
    ]
    for one in unshown(steps, wanted):
        yield f"unpaired_call: the model was given a result of {one.name} that no tool span shows"


def _steps(drafts: Sequence[Draft], ordered: Ordered) -> tuple[Step, ...]:
    place = {id(draft): index for index, draft in enumerate(drafts)}
    bounds = _bounds(drafts)
    groups = _groups(drafts)
    return tuple(
        _step(
            draft,
            ordered.calls[draft.call] if draft.call is not None else None,
            bounds[index],
            parent=None if draft.parent is None else place[id(draft.parent)],
            group=None if draft.asked is None else groups.get(draft.asked.place[0]),
        )
        for index, draft in enumerate(drafts)
    )


def _bounds(drafts: Sequence[Draft]) -> list[tuple[int, int]]:
    """For each draft (children right behind their parents) where it starts and ends, counted from 1."""
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    open_: list[Draft] = []
    now = 0
    for draft in [*drafts, None]:
        while open_ and (draft is None or open_[-1] is not draft.parent):
            now += 1
            ends[id(open_.pop())] = now
        if draft is not None:
            now += 1
            starts[id(draft)] = now
            open_.append(draft)
    return [(starts[id(draft)], ends[id(draft)]) for draft in drafts]


def _groups(drafts: Sequence[Draft]) -> dict[int, int]:
    """A number, from 1, for each model answer that several tool steps answer: these may have run at once."""
    answering = Counter(draft.asked.place[0] for draft in drafts if draft.asked is not None)
    several = dict.fromkeys(
        draft.asked.place[0] for draft in drafts if draft.asked is not None and answering[draft.asked.place[0]] > 1
    )
    return {rank: number for number, rank in enumerate(several, start=1)}


def _step(draft: Draft, call: Call | None, bounds: tuple[int, int], *, parent: int | None, group: int | None) -> Step:
    step, asked = draft.step, draft.asked
    arguments, result = step.arguments, step.result
    if asked is not None:
        arguments = exact_value(asked.call.arguments) if arguments is msgspec.UNSET else arguments
        result = result_of(asked) if result is msgspec.UNSET and step.error is None else result
    answer = call.answer if call is not None else None
    return Step(
        type=step.type,
        name=step.name,
        start=bounds[0],
        end=bounds[1],
        call_id=step.call_id or (asked.call.id or None if asked is not None else None),
        parent=parent,
        group=group,
        arguments=arguments,
        result=result,
        error=step.error,
        model=step.model or (answer.model if answer is not None else None),
        usage=_usage(step.usage, answer.usage if answer is not None else None),
        finish_reasons=step.finish_reasons or (answer.finish_reasons if answer is not None else ()),
        exchange=draft.call,
    )


def _usage(told: Usage | None, counted: Usage | None) -> Usage | None:
    """What the span says, and what only the exchange says."""
    if told is None or counted is None:
        return told or counted
    return Usage(
        input_tokens=counted.input_tokens if told.input_tokens is None else told.input_tokens,
        output_tokens=counted.output_tokens if told.output_tokens is None else told.output_tokens,
        cached_tokens=counted.cached_tokens if told.cached_tokens is None else told.cached_tokens,
    )

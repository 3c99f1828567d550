"""What was recorded of a run to its trace and its exchanges in stored order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from stepfork.capture.add_models import add_models
from stepfork.capture.add_untold import add_untold, unanswered
from stepfork.capture.cost import cost_of_run
from stepfork.capture.derive import derive_steps
from stepfork.capture.drafts import Draft
from stepfork.capture.ends import Ends, ends_of_calls, ends_of_spans
from stepfork.capture.instrumented import drafts_of, read_instrumented
from stepfork.capture.join_models import join_models
from stepfork.capture.join_tools import asked_in_calls, asked_in_spans, join_tools
from stepfork.capture.order import Key, order_calls
from stepfork.capture.spans import map_spans
from stepfork.capture.steps import steps_of
from stepfork.capture.tree import in_order
from stepfork.capture.unshown import Wanted, unshown
from stepfork.trace.call import Call as Instrumentation
from stepfork.trace.exchange import Exchange
from stepfork.trace.recorded import Recorded
from stepfork.trace.span import Span
from stepfork.trace.step import Origin, Step, Trace


class Assembled(msgspec.Struct, frozen=True):
    """A trace, and the exchanges that its steps point to."""

    trace: Trace
    exchanges: tuple[Exchange, ...]


def assemble(
    recorded: Sequence[Recorded], spans: Sequence[Span], calls: Sequence[Instrumentation] = (), *, key: Key
) -> Assembled:
    """The trace of a run and its exchanges in stored order, blind to timing. Never raises for what was recorded.

    `spans` stand in order of arrival. Where none of them is a step the trace is derived from the exchanges. `calls` are
    what instrumentation told; what exchanges or spans tell of the same calls is joined with them. `key` is the content
    of a request, see `stepfork.capture.order.Key`.
    """
    if calls:
        return _with_calls(recorded, spans, calls, key)
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
    steps = steps_of(drafts, ordered)
    cost, untold = cost_of_run(drafts, ordered.calls)
    ends = ends_of_spans(drafts, told)
    notes = [*mapped.notes, *untold, *([] if ordered.calls else _unpaired(drafts, steps))]
    return Assembled(_trace("spans", steps, ends, cost, notes), ordered.exchanges)


def _with_calls(
    recorded: Sequence[Recorded], spans: Sequence[Span], calls: Sequence[Instrumentation], key: Key
) -> Assembled:
    told = read_instrumented(calls, recorded, key)
    ordered = told.ordered
    mapped = map_spans(spans)
    with_spans = bool(mapped.drafts)
    join_models(mapped.drafts, ordered.calls)
    known = {id(draft) for draft in mapped.drafts}
    mapped.drafts += [draft for draft in drafts_of(told, mapped.drafts) if id(draft) not in known]
    asked = asked_in_calls(ordered.calls, ordered.links)
    join_tools(mapped.drafts, asked)
    if with_spans:
        add_models(mapped, ordered)
    else:
        add_untold(mapped, ordered, asked)
    drafts = in_order(mapped.drafts)
    steps = steps_of(drafts, ordered)
    cost, untold = cost_of_run(drafts, ordered.calls)
    ends = ends_of_calls(ordered.calls, ordered.links)
    if with_spans:
        ends = ends_of_spans([draft for draft in drafts if id(draft) in known], ends)
    elif not recorded:  # a program that goes on, or ends, after a failed call says so itself
        ends = msgspec.structs.replace(ends, error=None)
    origin: Origin = "spans" if with_spans else "exchanges" if recorded else "instrumented"
    notes = [*mapped.notes, *untold, *([] if with_spans else unanswered(drafts))]
    return Assembled(_trace(origin, steps, ends, cost, notes), ordered.exchanges)


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

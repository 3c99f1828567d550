"""What about a trace speaks against relying on it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from stepfork.capture.calls import Call, as_recorded, read_calls
from stepfork.capture.drafts import Asked
from stepfork.capture.join_tools import asked_in_calls, given_results
from stepfork.capture.links import link
from stepfork.capture.unshown import Wanted, unshown
from stepfork.providers.finish import asks_for_tools
from stepfork.trace.exchange import Exchange
from stepfork.trace.finding import TraceFinding
from stepfork.trace.step import Trace

_NOTE = re.compile(r"([a-z_]+)(?:\[([0-9]+)\])?: (.*)", re.DOTALL)


def check_trace(trace: Trace, exchanges: Sequence[Exchange]) -> tuple[TraceFinding, ...]:
    """The findings of a trace and its exchanges (in stored order); none is a clean trace.

    Works on a stored run as on a fresh one: ids need only be equal where they were equal. Agents are trusted to
    record nothing twice, so counts are compared where there are exchanges at all.
    """
    return tuple(_findings(trace, read_calls(as_recorded(exchanges))))


def _findings(trace: Trace, calls: Sequence[Call]) -> Iterator[TraceFinding]:
    for note in trace.notes:
        told = _NOTE.fullmatch(note)
        if told is None:
            yield TraceFinding("note", note)
        else:
            yield TraceFinding(told[1], told[3], None if told[2] is None else int(told[2]))
    yield from _links(trace, len(calls))
    if not any(step.type in ("llm_call", "tool_call") for step in trace.steps):
        yield TraceFinding("no_steps", "no model call and no tool call was mapped")
    if trace.origin == "spans" and any(call.is_model_call for call in calls):
        yield from _counts(trace, calls)
        yield from _unpaired(trace, calls)
    elif trace.origin == "spans":
        yield from _untold(trace)
    if trace.origin == "exchanges":
        yield from _open(trace)
    for index, step in enumerate(trace.steps):
        if step.error is not None:
            yield TraceFinding("error_status", f"{step.name} failed with {step.error.type}", index)
    if trace.status == "error":
        yield TraceFinding("error_status", "the run ended with an error")


def _links(trace: Trace, exchanges: int) -> Iterator[TraceFinding]:
    """Steps that point where nothing is: no writer makes them."""
    for index, step in enumerate(trace.steps):
        if step.parent is not None and not 0 <= step.parent < index:
            yield TraceFinding("bad_step", "its parent is not an earlier step", index)
        if step.exchange is not None and not 0 <= step.exchange < exchanges:
            yield TraceFinding("bad_step", "its exchange is not there", index)
        if step.end < step.start:
            yield TraceFinding("bad_step", "it ends before it starts", index)


def _counts(trace: Trace, calls: Sequence[Call]) -> Iterator[TraceFinding]:
    linked = {step.exchange for step in trace.steps}
    unseen = sum(call.answered and index not in linked for index, call in enumerate(calls))
    if unseen:
        total = sum(call.answered for call in calls)
        yield TraceFinding("calls_without_spans", f"{unseen} of {total} answered model calls have no span")
    # Embeddings are often made beside the agent's model, by a library of this machine.
    models = [step for step in trace.steps if step.type == "llm_call" and step.name != "embeddings"]
    alone = sum(step.exchange is None for step in models)
    if alone:
        yield TraceFinding("spans_without_exchanges", f"{alone} of {len(models)} model spans have no recorded exchange")


def _unpaired(trace: Trace, calls: Sequence[Call]) -> Iterator[TraceFinding]:
    asked = asked_in_calls(calls, link(calls))
    known = {one.call.id for one in asked}
    for index, step in enumerate(trace.steps):
        if step.type == "tool_call" and step.call_id not in known:
            yield TraceFinding("unasked_call", f"no recorded answer asked for this call of {step.name}", index)
    models = {step.exchange: index for index, step in enumerate(trace.steps) if step.type == "llm_call"}
    for one in unshown(trace.steps, [*_wanted(asked, calls, models)]):
        yield TraceFinding("unpaired_call", f"the model was given a result of {one.name} that no tool span shows")


def _wanted(asked: Sequence[Asked], calls: Sequence[Call], models: Mapping[int | None, int]) -> Iterator[Wanted]:
    given: defaultdict[str, list[int]] = defaultdict(list)
    for rank, call in enumerate(calls):
        for name in given_results(call):
            given[name].append(rank)
    for one in asked:
        rank = one.place[0]
        to = next((later for later in given[one.call.id] if later > rank), None)
        if one.result is not None:
            yield Wanted(one.call.name, one.call.id, models.get(rank), None if to is None else models.get(to))


def _open(trace: Trace) -> Iterator[TraceFinding]:
    """What models asked for and nobody went on after: without spans nothing says whether it ran, as contracts take it
    to have."""
    told = {found[2] for note in trace.notes if (found := _NOTE.fullmatch(note)) is not None}
    for index, step in enumerate(trace.steps):
        if step.type == "tool_call" and step.result is msgspec.UNSET and str(index) not in told:
            yield TraceFinding("open_call", f"the run ended when the model had asked for {step.name}", index)


def _untold(trace: Trace) -> Iterator[TraceFinding]:
    """Models that asked for tools and went on, in a trace without any tool: of what they asked nothing else is known.
    An agent whose span tells its result may have asked for that alone."""
    if any(step.type == "tool_call" for step in trace.steps):
        return
    models = [step for step in trace.steps if step.type == "llm_call"]
    last = {step.parent: at for at, step in enumerate(models)}
    told = {index for index, step in enumerate(trace.steps) if step.result is not msgspec.UNSET}
    asked = sum(
        asks_for_tools(step.finish_reasons) and last[step.parent] != at and step.parent not in told
        for at, step in enumerate(models)
    )
    if asked:
        yield TraceFinding(
            "unpaired_call", f"{asked} of {len(models)} model calls asked for tools, and no span shows any"
        )

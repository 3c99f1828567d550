"""What a run cost: each model call once, whoever told it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from stepfork.capture.calls import Call
from stepfork.capture.drafts import Draft
from stepfork.providers.cost import total


class Tally(msgspec.Struct, frozen=True):
    """The US dollars of the calls that tell a cost, how many these are, and how many tell none."""

    usd: float = 0.0
    told: int = 0
    untold: int = 0


def cost_of_run(drafts: Sequence[Draft], calls: Sequence[Call]) -> tuple[float | None, list[str]]:
    """The US dollars that the model calls of a run cost together, and notes; None where one of them does not say.

    `drafts` stand behind their parents, `calls` in stored order. A call is counted by its answer's own bill, else by
    its span; a model span with others inside is those calls unless it tells a cost itself; calls without a span count
    too. An agent's cost is a sum, and is not looked at.
    """
    tallies: dict[int, Tally] = {}
    for draft in reversed(drafts):
        below = _sum(tallies.pop(id(child)) for child in draft.children if id(child) in tallies)
        tallies[id(draft)] = _of_model(draft, calls, below) if draft.step.type == "llm_call" else below
    with_span = {draft.call for draft in drafts}
    alone = [call for index, call in enumerate(calls) if call.answered and index not in with_span]
    run = _sum([*tallies.values(), *(_one(call.answer.cost_usd) for call in alone)])
    if run.told and run.untold:
        counted = f"{run.untold} of {run.told + run.untold} model calls tell no cost"
        return None, [f"cost_incomplete: {counted}"]
    return (run.usd if run.told else None), []


def _of_model(draft: Draft, calls: Sequence[Call], below: Tally) -> Tally:
    billed = calls[draft.call].answer.cost_usd if draft.call is not None else None
    own = draft.step.cost_usd if billed is None else billed
    if own is None and (below.told or below.untold):
        return below
    return Tally() if own is None and draft.step.error is not None else _one(own)


def _one(usd: float | None) -> Tally:
    return Tally(untold=1) if usd is None else Tally(usd, told=1)


def _sum(tallies: Iterable[Tally]) -> Tally:
    found = list(tallies)
    return Tally(
        total([tally.usd for tally in found]), sum(tally.told for tally in found), sum(tally.untold for tally in found)
    )

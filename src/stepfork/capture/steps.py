"""Drafts to steps: their numbers, their groups, and what each has from its span, its exchange and instrumentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import msgspec

from stepfork.capture.calls import Call
from stepfork.capture.derive import result_of
from stepfork.capture.drafts import Draft
from stepfork.capture.order import Ordered
from stepfork.providers.genai_values import exact_value
from stepfork.trace.step import Step, Usage


def steps_of(drafts: Sequence[Draft], ordered: Ordered) -> tuple[Step, ...]:
    """The steps of `drafts`, which are in order; `ordered` are the exchanges that they point to."""
    place = {id(draft): index for index, draft in enumerate(drafts)}
    bounds = _bounds(drafts)
    groups = _groups(drafts)
    return tuple(
        _step(
            draft,
            ordered.calls[draft.call] if draft.call is not None else None,
            bounds[index],
            parent=None if draft.parent is None else place[id(draft.parent)],
            group=groups.get(_together(draft)),
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


def _groups(drafts: Sequence[Draft]) -> dict[Hashable, int]:
    """A number, from 1, for each group of instrumented calls, and for each model answer that several other tool steps
    answer: these may have run at once."""
    answering = Counter(_together(draft) for draft in drafts)
    several = dict.fromkeys(
        together
        for draft in drafts
        if (together := _together(draft)) is not None and (draft.told is not None or answering[together] > 1)
    )
    return {together: number for number, together in enumerate(several, start=1)}


def _together(draft: Draft) -> Hashable:
    """What steps that may run at once share; None of a step that may not."""
    if draft.told is not None:
        return None if draft.told.group is None else ("told", draft.told.group)
    return None if draft.asked is None else ("asked", draft.asked.place[0])


def _step(draft: Draft, call: Call | None, bounds: tuple[int, int], *, parent: int | None, group: int | None) -> Step:
    step, asked = draft.step, draft.asked
    arguments, result = step.arguments, step.result
    if asked is not None:
        arguments = exact_value(asked.call.arguments) if arguments is msgspec.UNSET else arguments
        result = result_of(asked) if result is msgspec.UNSET and step.error is None else result
    answer = call.answer if call is not None else None
    told = draft.told
    if told is not None:
        arguments, result = told.arguments, told.result
    return Step(
        type=step.type,
        name=step.name if told is None else told.name,
        start=bounds[0],
        end=bounds[1],
        call_id=step.call_id or (asked.call.id or None if asked is not None else None),
        parent=parent,
        group=group,
        arguments=arguments,
        result=result,
        error=step.error if told is None else told.error,
        model=step.model or (answer.model if answer is not None else None),
        usage=_usage(step.usage, answer.usage if answer is not None else None),
        finish_reasons=step.finish_reasons or (answer.finish_reasons if answer is not None else ()),
        exchange=draft.call,
        instrumented=told is not None,
        raised=msgspec.UNSET if told is None else told.raised,
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

"""Spans to drafts of steps: which spans are steps, and which step each stands under."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from stepfork.capture.drafts import Draft
from stepfork.providers.genai import GenAiStep, step_of
from stepfork.trace.span import Span


class Mapped(msgspec.Struct):
    """The drafts of a run, parents before children, and what was found while mapping."""

    drafts: list[Draft]
    notes: list[str]


def map_spans(spans: Sequence[Span]) -> Mapped:
    """The steps among `spans`, which stand in order of arrival; no spans at all is no steps."""
    notes: list[str] = []
    kept = _once(spans, notes)
    drafts: dict[tuple[str, str], Draft] = {}
    for arrival, (identity, span) in enumerate(kept.items()):
        step = step_of(span)
        if step is not None:
            drafts[identity] = Draft(step, span, arrival)
            notes.extend(_bad(step, span))
    _find_parents(kept, drafts)
    _keep_costs(drafts.values())
    made = [draft for draft in drafts.values() if not _repeats(draft)]
    for draft in made:
        while draft.parent is not None and _repeats(draft.parent):
            draft.parent = draft.parent.parent
        if draft.parent is not None:
            draft.parent.children.append(draft)
    if spans and not made:
        notes.append(f"no_genai_spans: none of {len(kept)} spans names a GenAI operation that is a step")
    return Mapped(made, notes)


def _once(spans: Iterable[Span], notes: list[str]) -> dict[tuple[str, str], Span]:
    """The spans by trace and span id. One delivered twice counts once; of two that differ the later one stands."""
    kept: dict[tuple[str, str], Span] = {}
    for span in spans:
        identity = (span.trace_id, span.span_id)
        first = kept.setdefault(identity, span)
        if first is not span and _plain(first) != _plain(span):
            notes.append(f"span_conflict: two different spans came under one id, the last one named {span.name!r}")
            kept[identity] = max(first, span, key=lambda held: (held.end_ns, len(held.attributes), repr(_plain(held))))
    return kept


def _plain(span: Span) -> Any:
    return msgspec.structs.replace(span, notes=())


def _bad(step: GenAiStep, span: Span) -> Iterable[str]:
    for note in span.notes:
        yield f"bad_attribute: {step.type} {step.name}: {note}"
    for name in step.bad:
        yield f"bad_attribute: {step.type} {step.name}: {name} is not {'an amount' if 'cost' in name else 'a count'}"


def _find_parents(kept: dict[tuple[str, str], Span], drafts: dict[tuple[str, str], Draft]) -> None:
    """Give each draft the nearest ancestor that is a step; spans that are none pass parentage through."""
    nearest: dict[tuple[str, str], Draft | None] = dict(drafts)
    for draft in drafts.values():
        path: list[tuple[str, str]] = []
        at = _parent_of(draft.span)
        while at is not None and at in kept and at not in nearest:
            nearest[at] = None  # spans that name one another as parents end here
            path.append(at)
            at = _parent_of(kept[at])
        found = nearest.get(at) if at is not None else None
        nearest.update(dict.fromkeys(path, found))
        draft.parent = found
    checked: set[int] = set()
    for draft in drafts.values():
        line: set[int] = set()
        while draft.parent is not None and id(draft) not in checked:
            checked.add(id(draft))
            line.add(id(draft))
            if id(draft.parent) in line:
                draft.parent = None
                break
            draft = draft.parent  # noqa: PLW2901


def _parent_of(span: Span) -> tuple[str, str] | None:
    return None if span.parent_id is None else (span.trace_id, span.parent_id)


def _repeats(draft: Draft) -> bool:
    """Whether the step above tells of the same call already: two instrumentations watched it."""
    above, mine = draft.parent, _identity(draft.step)
    return (
        above is not None and mine is not None and above.step.type == draft.step.type and _identity(above.step) == mine
    )


def _keep_costs(drafts: Iterable[Draft]) -> None:
    """What only a repeated span tells of the cost goes to the one that stands for both."""
    for draft in drafts:
        cost, above = draft.step.cost_usd, draft
        while cost is not None and above.parent is not None and _repeats(above):
            above = above.parent
        if above is not draft and above.step.cost_usd is None:
            above.step = msgspec.structs.replace(above.step, cost_usd=cost)


def _identity(step: GenAiStep) -> str | None:
    return {"llm_call": step.response_id, "tool_call": step.call_id}.get(step.type)

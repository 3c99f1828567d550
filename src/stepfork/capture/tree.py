"""The order of the steps of a run, parents before children: by what the model answered, not by the clock.

A model step stands where its exchange stands; a tool step behind the answer that asked for it, at its place in that
answer; an agent where the first of its steps stands. A step that none of this reaches stands where it started.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from stepfork.capture.drafts import SLACK, Draft
from stepfork.capture.order import blind

_Anchor = tuple[int, int, int]
_BEFORE_ALL: _Anchor = (-1, 0, 0)


def in_order(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts of a run, each behind its parent, in an order that two equal runs share."""
    anchors: dict[int, _Anchor] = {}
    roots = [draft for draft in drafts if draft.parent is None]
    downwards: list[Draft] = []
    stack = list(roots)
    while stack:
        draft = stack.pop()
        downwards.append(draft)
        stack.extend(draft.children)
    for draft in reversed(downwards):
        own = _own_anchor(draft)
        below = [anchors[id(child)] for child in draft.children if id(child) in anchors]
        if own is not None or below:
            anchors[id(draft)] = own if own is not None else min(below)
    order: list[Draft] = []
    waiting = list(reversed(_siblings(roots, anchors)))
    while waiting:
        draft = waiting.pop()
        order.append(draft)
        waiting.extend(reversed(_siblings(draft.children, anchors)))
    return order


def _own_anchor(draft: Draft) -> _Anchor | None:
    if draft.rank is not None:
        return (draft.rank, 0, 0)
    return (draft.asked.place[0], 1, draft.asked.place[1]) if draft.asked is not None else None


def _siblings(drafts: Sequence[Draft], anchors: dict[int, _Anchor]) -> list[Draft]:
    anchored = sorted(draft for draft in drafts if id(draft) in anchors)
    keyed: list[tuple[_Anchor, int, int, Draft]] = [
        (anchors[id(draft)], 0, place, draft) for place, draft in enumerate(anchored)
    ]
    starts = [draft.span.start_ns for draft in anchored]
    reached = [_BEFORE_ALL, *accumulate((anchors[id(draft)] for draft in anchored), max)]
    loose = _by_time([draft for draft in drafts if id(draft) not in anchors])
    keyed += [
        (reached[bisect_right(starts, draft.span.start_ns)], 1, place, draft) for place, draft in enumerate(loose)
    ]
    return _as_told([draft for *_, draft in sorted(keyed)])


def _as_told(drafts: list[Draft]) -> list[Draft]:
    """Instrumented calls in their own order, which their structure says; the others stay where they are."""
    told = [(draft.told.place, at) for at, draft in enumerate(drafts) if draft.told is not None]
    made = list(drafts)
    for (_, at), (_, from_) in zip(told, sorted(told), strict=True):
        made[at] = drafts[from_]
    return made


def _by_time(drafts: Sequence[Draft]) -> list[Draft]:
    """In order of their starts; those that overlapped, in order of what they say."""
    order: list[Draft] = []
    together: list[Draft] = []
    end = 0
    for draft in sorted(drafts):
        if together and draft.span.start_ns + SLACK >= end:
            order.extend(sorted(together, key=_content))
            together = []
        together.append(draft)
        end = max(end, draft.span.end_ns) if len(together) > 1 else draft.span.end_ns
    return [*order, *sorted(together, key=_content)]


def _content(draft: Draft) -> tuple[str, str, bytes, str]:
    said = repr((draft.step.arguments, draft.step.result))
    return draft.step.type, draft.step.name, blind(said), said

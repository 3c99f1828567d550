"""Grades: each change gets the rule that it falls under, and what no longer holds the change that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from stepfork.diff.grade_rules import RULES, broken, by_rule, rule_of
from stepfork.diff.run_breaks import Break, run_breaks
from stepfork.diff.tool_breaks import graded_tool
from stepfork.diff.tool_surface import surface_of, unpaired_breaks
from stepfork.diff.values import Change, ItemKind
from stepfork.diff.verdict_breaks import repaired_tools, verdict_breaks, verdicts_of
from stepfork.diff.views import Side
from stepfork.providers.apis import MODEL_APIS
from stepfork.trace.fixture import Fixture

_GRADED_LESS = tuple(name for name, grade in RULES.items() if grade != "breaking")


class Grader:
    """Grades the changes between two fixtures, in one numbering of placeholders; `pairs` are the (old, new) indices of
    the exchanges that stand for one another."""

    def __init__(self, old: Fixture, new: Fixture, before: Side, after: Side, pairs: Sequence[tuple[int, int]]) -> None:
        self._sides = before, after
        self._pairs = pairs
        self.breaks = list(_breaks(old, new, before, after, pairs))

    def graded(self, changes: Iterable[Change]) -> list[Change]:
        """The same changes with their grades, and one more for what no longer holds and no change shows."""
        before, after = self._sides
        tools = {b: (before.views[a].form.head.tools, after.views[b].form.head.tools) for a, b in self._pairs}
        offered = frozenset(name for view in after.views for name in view.form.head.tools)
        ids = _call_ids(before), _call_ids(after)
        made = [
            graded_tool(one, tools, offered) if one.section == "tools" else by_rule(one, rule_of(one, ids))
            for one in changes
        ]
        if self._have_unpaired():
            shown = {one.subject for one in made if one.section == "tools"}
            made += unpaired_breaks(surface_of(before.views), surface_of(after.views), shown)
        for one in self.breaks:
            _show(one, made)
        return made

    def _have_unpaired(self) -> bool:
        """Whether both sides made model calls of which some have no counterpart."""
        asked = [any(view.kind[1] in MODEL_APIS for view in side.views) for side in self._sides]
        return all(asked) and any(len(side.views) > len(self._pairs) for side in self._sides)


def _breaks(old: Fixture, new: Fixture, before: Side, after: Side, pairs: Sequence[tuple[int, int]]) -> Iterator[Break]:
    """What no longer holds; where an incident's contract holds now, fewer calls of its tool are the repair."""
    repaired = repaired_tools(verdicts_of(old), verdicts_of(new))
    for one in run_breaks(old, new, before, after, pairs):
        if one.gone or one.tool not in repaired:
            yield one
    yield from verdict_breaks(old, new)


def _show(one: Break, made: list[Change]) -> None:
    """Put it on the change that shows it; one that shows something else already is passed over."""
    for shows in one.shows:
        for at, change in enumerate(made):
            if shows(change) and change.rule in (one.rule, *_GRADED_LESS):
                told = f"{change.breaks}; {one.told}" if change.breaks else one.told
                made[at] = broken(change, one.rule, told)
                return
    kind: ItemKind = "removed" if one.rule in ("output-gone", "tool-call-dropped") else "changed"
    made.append(broken(Change(one.section, kind, "consequence", one.subject, one.told), one.rule, one.told))


def _call_ids(side: Side) -> frozenset[str]:
    """The ids of all calls and results of a side."""
    ids: set[str] = set()
    for index, view in enumerate(side.views):
        holders = [view.answered, *(unit.rest for unit in side.own_units(index))]
        for holder in holders:
            ids.update(call["id"] for call in holder.get("tool_calls") or () if isinstance(call, dict))
            ids.update([holder["call_id"]] if isinstance(holder.get("call_id"), str) else [])
    return frozenset(ids)

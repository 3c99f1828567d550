"""The tools that a run offers its models, compared alone: by name, over all exchanges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from stepfork.diff.json_diff import json_diff
from stepfork.diff.keys import canonical_text
from stepfork.diff.tool_breaks import Tools, graded_tool
from stepfork.diff.values import Change, FieldChange
from stepfork.diff.views import View
from stepfork.trace.body import JsonValue

_NAMELESS = "(without a name)"


class Offered(NamedTuple):
    """One version of a tool, and the exchanges that offer it."""

    value: JsonValue
    exchanges: list[int]


Surface = dict[str, list[Offered]]
"""Each tool by its name, its versions in order of first use: most runs offer one."""


def surface_of(views: Sequence[View]) -> Surface:
    """The tools that the exchanges of a run offer; those without a name, or with one that was given already, are under
    a name of their own."""
    found: dict[str, dict[str, Offered]] = {}
    known: dict[str, list[Offered]] = {}
    for index, view in enumerate(views):
        head = view.form.head
        if view.form.head_text not in known:
            nameless = {_NAMELESS: head.other["tools"]} if head.other.get("tools") else {}
            known[view.form.head_text] = [
                found.setdefault(name, {}).setdefault(canonical_text(value), Offered(value, []))
                for name, value in (head.tools | nameless).items()
            ]
        for offered in known[view.form.head_text]:
            offered.exchanges.append(index)
    return {name: list(versions.values()) for name, versions in found.items()}


def surface_changes(old: Surface, new: Surface) -> Iterator[Change]:
    """A change for each tool that came, went or has another description or schema, each with its grade.

    Where a run offers several versions of a tool they pair in order; where the sides have not as many, the last ones.
    """
    offered = frozenset(new)
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name, []), new.get(name, [])
        if not after:
            gone = FieldChange("", "removed", old=before[-1].value)
            change = Change("tools", "removed", "authored", name, f"- {name}", _all(before), fields=(gone,))
            yield graded_tool(change, {}, offered)
        elif not before:
            come = FieldChange("", "added", new=after[-1].value)
            change = Change("tools", "added", "authored", name, f"+ {name}", _all(after), fields=(come,))
            yield graded_tool(change, {}, offered)
        else:
            pairs = zip(before, after, strict=True) if len(before) == len(after) else [(before[-1], after[-1])]
            changed = [_changed(name, one, other) for one, other in pairs]
            yield from (graded_tool(change, tools, offered) for change, tools in changed if change.fields)
            if len(before) != len(after) and not any(change.fields for change, _ in changed):
                yield graded_tool(_versions(name, before, after), {}, offered)


def unpaired_breaks(old: Surface, new: Surface, shown: Set[str]) -> Iterator[Change]:
    """Of the tools that no change in `shown` is about, since no exchanges that stand for one another offer them: those
    that are gone or narrower."""
    for change in surface_changes(old, new):
        versions = [*old.get(change.subject, []), *new.get(change.subject, [])]
        if change.grade == "breaking" and change.subject not in shown and len(versions) <= 2:
            yield change


def _changed(name: str, old: Offered, new: Offered) -> tuple[Change, Tools]:
    fields = json_diff(old.value, new.value)
    told = f"{name} changed ({len(fields)} field{'' if len(fields) == 1 else 's'})"
    change = Change("tools", "changed", "authored", name, told, tuple(new.exchanges), fields=fields)
    return change, {new.exchanges[0]: ({name: old.value}, {name: new.value})}


def _versions(name: str, before: list[Offered], after: list[Offered]) -> Change:
    """Another number of versions, the last of which is as it was."""
    fields = json_diff([one.value for one in before], [one.value for one in after])
    told = f"{name} is offered in {len(after)} version{'' if len(after) == 1 else 's'}, was {len(before)}"
    return Change("tools", "changed", "authored", name, told, _all(after), fields=fields)


def _all(versions: list[Offered]) -> tuple[int, ...]:
    return tuple(sorted(index for one in versions for index in one.exchanges))

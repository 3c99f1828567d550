"""Grades of the tools that a model is offered: one that is gone, one whose schema accepts fewer calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stepfork.diff.grade_rules import broken, by_rule, rule_of
from stepfork.diff.schema_narrowing import narrowings
from stepfork.diff.values import Change
from stepfork.providers.shapes import dict_of
from stepfork.trace.body import JsonValue

Tools = Mapping[int, tuple[Mapping[str, JsonValue], Mapping[str, JsonValue]]]
"""The tools offered in an exchange, by its new index: to the old side and to the new one, each by name."""
_SCHEMA = "/parameters"


def graded_tool(change: Change, tools: Tools, offered: frozenset[str]) -> Change:
    """The grade of a change of a tool; `offered` are the tools that the new side offers anywhere."""
    name = change.subject
    if change.change == "removed" and name not in offered:
        return broken(change, "tool-removed", f"tool {name} is no longer offered")
    if change.change == "changed":
        pairs = [tools[index] for index in change.exchanges[:1] if index in tools]
        narrower = [
            told
            for old, new in pairs
            for path, told in tool_narrowings(old.get(name), new.get(name))
            if any(_same_place(field.path, path) for field in change.fields)
        ]
        if narrower:
            more = f" (and {len(narrower) - 2} more)" if len(narrower) > 2 else ""
            return broken(change, "schema-narrowed", f"tool {name}: {'; '.join(narrower[:2])}{more}")
    return by_rule(change, rule_of(change, (frozenset(), frozenset())))


def tool_narrowings(old: JsonValue, new: JsonValue) -> Iterator[tuple[str, str]]:
    """Path and phrase of each place where a tool accepts fewer calls; nothing for a tool that has no schema."""
    before, after = dict_of(old), dict_of(new)
    if "parameters" in before and "parameters" in after:
        for one in narrowings(before["parameters"], after["parameters"]):
            place = _place(one.path)
            yield f"{_SCHEMA}{one.path}", f"{place} {one.told}" if place else one.told


def _place(path: str) -> str:
    """The member that a place of a schema is about, such as ``order.lines[].amount``; empty for the whole."""
    names: list[str] = []
    steps = iter(path.split("/")[1:])
    for step in steps:
        if step == "properties":
            name = next(steps, None)
            names += [] if name is None else [name.replace("~1", "/").replace("~0", "~")]
        elif step == "items" and names:
            names[-1] += "[]"
    return ".".join(names)


def _same_place(field: str, narrowed: str) -> bool:
    """Whether a changed path may be what narrowed a place: around it, below its parent, or behind a reference."""
    above = narrowed.rpartition("/")[0]
    return f"{field}/".startswith(f"{above}/") or f"{narrowed}/".startswith(f"{field}/") or "/$" in field

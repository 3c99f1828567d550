"""Two requests in their normal form, compared part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from stepfork.diff.alignment import Item, Op, align
from stepfork.diff.json_diff import json_diff
from stepfork.diff.keys import canonical_text
from stepfork.diff.text_diff import all_lines, changed_lines
from stepfork.diff.units import RequestForm, Unit, json_lines, read_json
from stepfork.diff.values import FieldChange, ItemKind, Line, MessageChange, ModelChange, RequestDiff, ToolChange
from stepfork.providers.normal_form import NormalRequest
from stepfork.trace.body import JsonValue

Heads = dict[tuple[str, str], RequestDiff]
"""What differs between two requests beside their messages, by their ``head_text``."""


def diff_forms(old: RequestForm, new: RequestForm, heads: Heads | None = None) -> RequestDiff:
    """What differs; empty exactly where the canonical bytes of the normal forms are equal.

    Tools pair by name. Messages and tool results pair by content in order, so an inserted one is one change; their
    order and repetition count. `heads` remembers what most calls of a run have in common: their prompt and tools.
    """
    changes = list(diff_units(old.units, new.units))
    if not changes and old.head_text == new.head_text:
        if old.places == new.places:
            return RequestDiff()
        # Equal texts and results, cut into messages in another way: for each, the number of its message.
        return RequestDiff(other=(FieldChange("/messages", "changed", old.places, new.places),))
    heads = {} if heads is None else heads
    texts = old.head_text, new.head_text
    if texts not in heads:
        heads[texts] = _diff_heads(old.head, new.head)
    return msgspec.structs.replace(
        heads[texts],
        messages=tuple(change for section, change in changes if section == "messages"),
        tool_results=tuple(change for section, change in changes if section == "tool_results"),
    )


def _diff_heads(before: NormalRequest, after: NormalRequest) -> RequestDiff:
    return RequestDiff(
        model=None if before.model == after.model else ModelChange(before.model, after.model),
        params=json_diff(before.params, after.params),
        system=tuple(_system_lines(before.system, after.system)),
        tools=tuple(_tools(before.tools, after.tools)),
        other=json_diff(before.other, after.other),
    )


def added_request(units: Sequence[Unit], form: RequestForm, change: ItemKind) -> RequestDiff:
    """The request of an added or removed exchange: the `units` that only its side has; of a `form` that has none, what
    was asked instead."""
    asked = {} if form.units else form.head.other
    changes = [(unit.section, _alone(unit, change, at)) for at, unit in enumerate(units)]
    return RequestDiff(
        messages=tuple(made for section, made in changes if section == "messages"),
        tool_results=tuple(made for section, made in changes if section == "tool_results"),
        other=json_diff({}, asked) if change == "added" else json_diff(asked, {}),
    )


def diff_units(old: Sequence[Unit], new: Sequence[Unit]) -> Iterator[tuple[str, MessageChange]]:
    """Section and change of each unit that differs, in order."""
    start, most = 0, min(len(old), len(new))
    while start < most and old[start].key == new[start].key:
        start += 1
    end = 0
    while end < most - start and old[-1 - end].key == new[-1 - end].key:
        end += 1
    items = [[unit.item for unit in side[start : len(side) - end]] for side in (old, new)]
    for step in align(*items):
        op = Op(step.kind, *(None if at is None else at + start for at in (step.old, step.new)))
        if op.old is None and op.new is not None:
            yield new[op.new].section, _alone(new[op.new], "added", op.new)
        elif op.new is None and op.old is not None:
            yield old[op.old].section, _alone(old[op.old], "removed", op.old)
        elif op.old is not None and op.new is not None and op.kind != "same":
            yield new[op.new].section, _edited(old[op.old], new[op.new], op)


def _alone(unit: Unit, change: ItemKind, at: int) -> MessageChange:
    op = "+" if change == "added" else "-"
    text = all_lines(op, unit.text) if unit.text else ()
    calls = tuple(line for call in unit.call_lines for line in all_lines(op, call))
    extra = {name: value for name, value in unit.rest.items() if name == "extra"}
    fields = json_diff({}, extra) if change == "added" else json_diff(extra, {})
    place = (None, at) if change == "added" else (at, None)
    return MessageChange(unit.index, change, unit.role, unit.label, text + calls, fields, at=place)


def _edited(old: Unit, new: Unit, op: Op) -> MessageChange:
    """The change of a pair, found once: every later exchange of a conversation carries both units."""
    kind: ItemKind = "moved" if op.kind == "moved" else "changed"
    at = (op.old, op.new)
    known = old.compared.get(id(new))
    if known is None:
        lines, fields = _differences(old, new)
        made = MessageChange(new.index, kind, new.role, new.label, lines, fields, old_index=old.index, at=at)
    else:
        made = known[1]
        if made.at == at and made.change == kind:
            return made
        made = msgspec.structs.replace(made, change=kind, at=at)
    old.compared[id(new)] = (new, made)
    return made


def _differences(old: Unit, new: Unit) -> tuple[tuple[Line, ...], tuple[FieldChange, ...]]:
    """Changed lines and fields of a pair."""
    sides = (old.rest, new.rest) if old.text == new.text else (_without_cuts(old.rest), _without_cuts(new.rest))
    fields = rest_changes(*sides)
    if old.role != new.role:
        fields = (FieldChange("/role", "changed", old.role, new.role), *fields)
    return unit_lines(old.section, old.text, new.text), fields


def _without_cuts(rest: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """All else of a message without where its text is cut into blocks of plain text: lines of another text say that."""
    extra = rest.get("extra")
    content = extra.get("content") if isinstance(extra, dict) else None
    if not isinstance(extra, dict) or not isinstance(content, list):
        return rest
    if any(part != "text" and not (isinstance(part, dict) and part.keys() == {"lines"}) for part in content):
        return rest
    others = {name: value for name, value in extra.items() if name != "content"}
    return {name: value for name, value in rest.items() if name != "extra"} | ({"extra": others} if others else {})


def unit_lines(section: str, old: str, new: str) -> tuple[Line, ...]:
    """Changed lines of two texts; of two tool results that are JSON, those of the JSON where it differs in value."""
    if old == new:
        return ()
    if section == "tool_results":
        before, after = json_lines(old), json_lines(new)
        if before is not None and after is not None and before != after:
            return changed_lines("\n".join(before), "\n".join(after))
    return changed_lines(old, new)


def rest_changes(old: dict[str, JsonValue], new: dict[str, JsonValue]) -> tuple[FieldChange, ...]:
    """Changed fields; arguments of calls are compared as the JSON that they are, where that shows a difference."""
    changes = json_diff(_arguments_read(old), _arguments_read(new))
    return changes or json_diff(old, new)


def _arguments_read(rest: dict[str, Any]) -> dict[str, Any]:
    if "tool_calls" not in rest:
        return rest
    calls = [call | {"arguments": _or_text(call["arguments"])} for call in rest["tool_calls"]]
    return rest | {"tool_calls": calls}


def _or_text(text: str) -> JsonValue:
    value = read_json(text)
    return text if value is None else value


def _system_lines(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[Line]:
    """Changed lines of the system prompt; a prompt given in other pieces differs, even where its lines do not."""
    if old == new:
        return
    if len(old) == len(new) == 1:
        yield from changed_lines(old[0], new[0])
        return
    for op in align(*([Item((text,), texts=(text,)) for text in side] for side in (old, new))):
        before = None if op.old is None else old[op.old]
        after = None if op.new is None else new[op.new]
        if before is not None and after is not None and op.kind != "moved":
            yield from changed_lines(before, after)
            continue
        yield from () if before is None else all_lines("-", before)
        yield from () if after is None else all_lines("+", after)


def _tools(old: dict[str, JsonValue], new: dict[str, JsonValue]) -> Iterator[ToolChange]:
    if canonical_text(old) == canonical_text(new):
        return
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield ToolChange(name, "removed", (FieldChange("", "removed", old=old[name]),))
        elif name not in old:
            yield ToolChange(name, "added", (FieldChange("", "added", new=new[name]),))
        elif fields := json_diff(old[name], new[name]):
            yield ToolChange(name, "changed", fields)

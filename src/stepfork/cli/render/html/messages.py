"""Messages, tool calls and tool results, each beside its counterpart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from stepfork.cli.render.diff_clean import Clean
from stepfork.cli.render.html.elements import Html, element, user, words
from stepfork.cli.render.html.marks import mark
from stepfork.cli.render.html.texts import text_pair
from stepfork.diff.alignment import Item, align
from stepfork.diff.keys import canonical_text
from stepfork.diff.timeline import UnitPair
from stepfork.diff.units import Unit, read_json
from stepfork.trace.body import JsonValue

Calls = Sequence[dict[str, Any]]


def unit_name(unit: Unit, clean: Clean) -> Html:
    """``user message 3``, ``tool result lookup_order``."""
    what = f"tool result {clean(unit.label)}".rstrip() if unit.section == "tool_results" else ""
    return user(what or f"{clean(unit.role) or 'item'} message {unit.index}")


def unit_title(pair: UnitPair, clean: Clean, *said: Html, alone: bool, style: str = "who") -> Html:
    """What became of which message; of an exchange that stands `alone` that is known."""
    unit = pair.new or pair.old
    assert unit is not None, "a pair has a side"
    kind = () if alone else (mark(pair.kind), words(" "))
    return element("p", *kind, unit_name(unit, clean), *said, class_=style)


def unit_pair(pair: UnitPair, clean: Clean) -> Iterator[Html]:
    """Text, calls, and whatever else either has."""
    old, new = pair.old, pair.new
    unit = new or old
    assert unit is not None, "a pair has a side"
    before, after = (None if side is None else side.text for side in (old, new))
    if before or after:
        yield legible_pair(before, after, clean) if unit.section == "tool_results" else text_pair(before, after, clean)
    rests = [dict(side.rest) if side else None for side in (old, new)]
    calls = [list(rest.pop("tool_calls", ())) if rest else [] for rest in rests]
    yield from call_pairs(calls[0] if old else None, calls[1] if new else None, clean)
    if old and new and old.role != new.role:
        rests = [(rest or {}) | {"role": unit.role} for rest, unit in zip(rests, (old, new), strict=True)]
    sides = rests[0], rests[1]
    if pair.kind not in ("same", "moved") and old and new and sides[0] != sides[1]:
        yield json_pair(sides[0], sides[1], clean)
    elif "extra" in (sides[1] or sides[0] or {}):
        yield element("details", element("summary", words("other members")), json_pair(*sides, clean))


def call_pairs(old: Calls | None, new: Calls | None, clean: Clean) -> Iterator[Html]:
    """Tool calls, paired by name and arguments in order; an id is shown where it alone differs."""
    for op in align([_item(call) for call in old or ()], [_item(call) for call in new or ()]):
        before = None if op.old is None or old is None else old[op.old]
        after = None if op.new is None or new is None else new[op.new]
        call = after or before or {}
        title = [words("→ "), element("code", user(clean(str(call["name"]))))]
        if old is not None and new is not None and op.kind != "same":
            title = [mark(op.kind), words(" "), *title]
        yield element("p", *title, class_="call")
        arguments = [None if side is None else str(side["arguments"]) for side in (before, after)]
        yield legible_pair(arguments[0], arguments[1], clean)
        if before and after and before["id"] != after["id"]:
            yield json_pair({"id": before["id"]}, {"id": after["id"]}, clean)


def _item(call: dict[str, Any]) -> Item:
    name, arguments = call["name"], call["arguments"]
    return Item(((name, arguments, call["id"]), (name, arguments), name), name)


def legible_pair(old: str | None, new: str | None, clean: Clean) -> Html:
    """Two texts, as indented JSON where they are JSON and that shows their difference."""
    if old is None or new is None or old == new or legible(old) != legible(new):
        return text_pair(old, new, lambda text: legible(clean(text)))
    return text_pair(old, new, clean)


def json_pair(old: JsonValue, new: JsonValue, clean: Clean) -> Html:
    """Two JSON values, or one (the other None)."""
    before, after = (None if side is None else json_text(side) for side in (old, new))
    return text_pair(before, after, clean)


def json_text(value: JsonValue) -> str:
    """A JSON value as indented text."""
    return canonical_text(value).rstrip("\n")


def legible(text: str) -> str:
    """A text that is a JSON object or list, indented."""
    value = read_json(text)
    return text if value is None else json_text(value)

"""Both sides of a comparison in one numbering of placeholders (see ``renaming``), learnt from what both say alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import msgspec

from stepfork.diff.alignment import Item, align
from stepfork.diff.renaming import Renaming, map_texts, masked, without_times
from stepfork.diff.run_diff import trace_text
from stepfork.diff.step_forms import forms_of
from stepfork.diff.units import Unit
from stepfork.diff.views import Conversations, Side, View, align_sides
from stepfork.trace.fixture import Fixture
from stepfork.trace.step import Trace


class Sides(NamedTuple):
    """Two fixtures, each with the views of its exchanges."""

    old: Fixture
    new: Fixture
    old_views: list[View]
    new_views: list[View]


def in_one_numbering(sides: Sides) -> Sides:
    """The same sides in the old side's numbers, times without any; the fixtures then lack their exchanges, which the
    views stand for."""
    old_trace, new_trace = trace_text(sides.old.run.trace), trace_text(sides.new.run.trace)
    views = (*sides.old_views, *sides.new_views)
    if "{{" not in old_trace + new_trace and not any(_holds_placeholders(view) for view in views):
        return sides
    renaming = Renaming()
    for old, new in dict.fromkeys(_alike(sides.old_views, sides.new_views)):
        renaming.learn(old, new)
    for old, new in _alike_steps(sides.old.run.trace, sides.new.run.trace):
        renaming.learn(old, new)
    renaming.learn(old_trace, new_trace)
    renaming.known(old_trace)
    for text in dict.fromkeys(text for view in sides.old_views for text in _texts(view)):
        renaming.known(text)

    def renamed(text: str) -> str:
        return renaming.text(without_times(text))

    units: dict[int, Unit] = {}
    new_units: dict[int, Unit] = {}
    return Sides(
        map_texts(_without_exchanges(sides.old), without_times),
        map_texts(_without_exchanges(sides.new), renamed),
        [view.mapped(without_times, units) for view in sides.old_views],
        [view.mapped(renamed, new_units) for view in sides.new_views],
    )


def _without_exchanges(fixture: Fixture) -> Fixture:
    return msgspec.structs.replace(fixture, run=msgspec.structs.replace(fixture.run, exchanges=()))


def _texts(view: View) -> Iterator[str]:
    yield view.form.head_text
    yield view.answer_text
    yield from (unit.canonical for unit in view.form.units)


def _holds_placeholders(view: View) -> bool:
    texts = (view.form.head_text, view.answer_text)
    return any("{{" in text for text in texts) or any(unit.has_placeholders for unit in view.form.units)


def _alike(old_views: list[View], new_views: list[View]) -> Iterator[tuple[str, str]]:
    """Texts of both sides that stand for one another: first those equal but for numbers, then the edited ones."""
    conversations = Conversations()
    old, new = Side(old_views, conversations, mask=True), Side(new_views, conversations, mask=True)
    edited: list[tuple[str, str]] = []
    ops = align_sides(old, new)
    told = {(op.old, op.new) for op in ops}
    for op in ops:
        if op.old is None or op.new is None:
            continue
        before, after = old.views[op.old], new.views[op.new]
        pairs = [(before.form.head_text, after.form.head_text), *_units(old, op.old, new, op.new, told)]
        pairs.append((before.answer_text, after.answer_text))
        for first, second in pairs:
            if masked(first) == masked(second):
                yield first, second
            else:
                edited.append((first, second))
    yield from edited


def _units(
    old: Side, left: int, new: Side, right: int, told: set[tuple[int | None, int | None]]
) -> Iterator[tuple[str, str]]:
    """The units of a pair of exchanges that are not in the history of both, nor of what both continue where that is
    one of the pairs that are `told`."""
    before, after = old.views[left].form.units, new.views[right].form.units
    old_keys, new_keys = old.keys[left], new.keys[right]
    first = second = 0
    if old.bases[left] is not None and (old.bases[left], new.bases[right]) in told:
        first, second = old.owns[left], new.owns[right]
    if first == second:
        most = min(len(before), len(after))
        while first < most and old_keys[first] == new_keys[first]:
            if first >= min(old.owns[left], new.owns[right]):
                yield before[first].canonical, after[first].canonical
            first += 1
        second = first
    items = [_item(unit, key) for unit, key in zip(before[first:], old_keys[first:], strict=True)]
    others = [_item(unit, key) for unit, key in zip(after[second:], new_keys[second:], strict=True)]
    for op in align(items, others):
        if op.old is not None and op.new is not None:
            yield before[first + op.old].canonical, after[second + op.new].canonical


def _alike_steps(old: Trace, new: Trace) -> Iterator[tuple[str, str]]:
    """Steps of both sides that stand for one another: first those equal but for numbers, then the edited ones."""
    before, after = [form.text for form in forms_of(old)], [form.text for form in forms_of(new)]
    kinds = [[(step.type, step.name) for step in trace.steps] for trace in (old, new)]
    sides = [
        [Item((masked(text),), kind, (text,)) for text, kind in zip(texts, of_side, strict=True)]
        for texts, of_side in zip((before, after), kinds, strict=True)
    ]
    pairs = [(op.old, op.new) for op in align(*sides) if op.old is not None and op.new is not None]
    texts = [(before[a], after[b]) for a, b in pairs]
    yield from sorted(texts, key=lambda pair: masked(pair[0]) != masked(pair[1]))


def _item(unit: Unit, key: Hashable) -> Item:
    return Item((key,), (unit.section, unit.role, unit.label), (unit.canonical,))

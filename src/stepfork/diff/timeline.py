"""All exchanges of two fixtures side by side, those that do not differ too: for a view that leaves nothing out.

Each exchange has what it appended to the conversation that it continues, so that a run of any length is told once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

import msgspec

from stepfork.diff.alignment import Kind, Op, align
from stepfork.diff.exchange_diff import Compared
from stepfork.diff.request_diff import diff_forms
from stepfork.diff.units import Unit
from stepfork.diff.views import Side, View

_HEAD = ("model", "params", "system", "tools", "other")


class Call(msgspec.Struct, frozen=True):
    """One exchange of a side. ``base`` is the exchange that it continues, ``carried`` the number of messages and
    results that it has from there; ``answers`` says which of its units only say the answer of ``base`` again."""

    index: int
    view: View
    base: int | None
    carried: int
    answers: frozenset[int]


class UnitPair(NamedTuple):
    """A message or result of both sides, or of one. ``answers``, (old, new): the exchange whose answer it only says
    again; both None where it says something that no answer said."""

    kind: Kind
    old: Unit | None
    new: Unit | None
    answers: tuple[int | None, int | None] = (None, None)


class Row(NamedTuple):
    """An exchange of both sides, or of one. ``units`` are what it appended, and what of its history no earlier row
    shows. ``differs`` names the parts that differ: fields of ``RequestDiff``, ``history`` for messages that it only
    carries on, and ``answer``."""

    kind: Kind
    old: Call | None
    new: Call | None
    units: tuple[UnitPair, ...]
    differs: tuple[str, ...]


def timeline(old: Side, new: Side, compared: Sequence[Compared]) -> tuple[Row, ...]:
    """All exchanges as they were compared, in the order of the new side, each removed one after what stood before
    it."""
    return tuple(_Rows(old, new, compared).all())


class _Rows:
    def __init__(self, old: Side, new: Side, compared: Sequence[Compared]) -> None:
        self._old = old
        self._new = new
        self._compared = compared
        self._pairs = {(one.op.old, one.op.new) for one in self._compared}
        self._shown: set[tuple[object, object]] = set()

    def all(self) -> Iterator[Row]:
        for one in self._compared:
            old, new = _call(self._old, one.op.old), _call(self._new, one.op.new)
            units = tuple(self._units(old, new))
            self._shown.update(map(_keys, units))
            yield Row(one.op.kind, old, new, units, tuple(self._differs(one, old, new)))

    def _units(self, old: Call | None, new: Call | None) -> Iterator[UnitPair]:
        """What was appended on either side, and what an earlier row did not show."""
        continued = old is not None and new is not None and (old.base, new.base) in self._pairs
        skips = continued or old is None or new is None
        first, second = ((call.carried if skips and call else 0) for call in (old, new))
        before, after = (call.view.form.units if call else () for call in (old, new))
        for op in _aligned(before[first:], after[second:]):
            at_old = None if op.old is None else op.old + first
            at_new = None if op.new is None else op.new + second
            pair = UnitPair(op.kind, _unit(old, at_old), _unit(new, at_new), (_says(old, at_old), _says(new, at_new)))
            own = _is_own(old, at_old) or _is_own(new, at_new)
            if own or (op.kind != "same" and _keys(pair) not in self._shown):
                yield pair

    def _differs(self, one: Compared, old: Call | None, new: Call | None) -> Iterator[str]:
        if old is None or new is None:
            return
        request = one.diff.request
        yield from (name for name in _HEAD if getattr(request, name))
        carried = False
        for name in ("messages", "tool_results"):
            own = [change for change in getattr(request, name) if any(map(_is_own, (old, new), change.at))]
            carried = carried or len(own) < len(getattr(request, name))
            if own:
                yield name
        if carried or (not request and diff_forms(old.view.form, new.view.form)):
            yield "history"
        if one.answer is not None:
            yield "answer"


def _call(side: Side, index: int | None) -> Call | None:
    if index is None:
        return None
    base, carried = side.bases[index], side.owns[index]
    view = side.views[index]
    answers = frozenset() if base is None else _answers(view.form.units, carried, side.views[base])
    return Call(index, view, base, carried, answers)


def _answers(units: Sequence[Unit], start: int, base: View) -> frozenset[int]:
    """The places of the units right after the history that together are the answer of the exchange continued."""
    said = list(takewhile(lambda place: units[place].role in ("assistant", ""), range(start, len(units))))
    said = [place for place in said if units[place].text or "tool_calls" in units[place].rest]
    calls = [call for place in said for call in units[place].rest.get("tool_calls", ())]
    text = "".join("".join(units[place].text.split()) for place in said)
    whole = calls == base.answered["tool_calls"] and text == "".join(base.answered["text"].split())
    return frozenset(said if whole else ())


def _aligned(old: Sequence[Unit], new: Sequence[Unit]) -> Iterator[Op]:
    """Ops of all units, the equal ones at the start without a search."""
    start = 0
    while start < min(len(old), len(new)) and old[start].key == new[start].key:
        yield Op("same", start, start)
        start += 1
    for op in align([unit.item for unit in old[start:]], [unit.item for unit in new[start:]]):
        yield Op(op.kind, *(None if at is None else at + start for at in (op.old, op.new)))


def _unit(call: Call | None, at: int | None) -> Unit | None:
    return None if call is None or at is None else call.view.form.units[at]


def _is_own(call: Call | None, at: int | None) -> bool:
    return call is not None and at is not None and at >= call.carried


def _says(call: Call | None, at: int | None) -> int | None:
    return call.base if call is not None and at in call.answers else None


def _keys(pair: UnitPair) -> tuple[object, object]:
    return (pair.old and pair.old.key, pair.new and pair.new.key)

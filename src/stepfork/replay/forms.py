"""Requests as a miss compares them: in the recording's numbers, and with date-times that were data as they were."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from stepfork.diff.alignment import Item, align
from stepfork.diff.lcs import common
from stepfork.diff.renaming import Renaming, map_texts, masked
from stepfork.diff.units import RequestForm, Unit
from stepfork.normalize.known import Context
from stepfork.normalize.placeholders import BY_POSITION, BY_VALUE, LOOK_ALIKE, Placeholder, as_placeholder, read
from stepfork.normalize.times import is_clocks
from stepfork.replay.identities import STRICT, Identities

_NEW = 1_000_000
"""Added to the numbers of values that stand for no placeholder of the recording, so that they are nobody else's."""

Meaning = Callable[[str], str]
"""What a placeholder of a form stands for: a value of this run, or a placeholder of the recording."""


class Numbering:
    """Spells alike what stands for one thing in a recorded and in a live request."""

    def __init__(self, recorded: Meaning, live: Meaning, identities: Identities, context: Context) -> None:
        self._recorded = recorded
        self._live = live
        self._identities = identities
        self._context = context

    def alike(self, old: RequestForm, new: RequestForm) -> tuple[RequestForm, RequestForm]:
        """Both forms, the live one in the recorded one's numbers. Addresses keep the roles that they have by now; ids
        are told apart within the request alone, as its key does."""
        clocks = dict(self._clocks(old, new))
        before = _mapped(old, lambda text: _replaced(text, self._as_recorded))
        after = _mapped(new, lambda text: _replaced(text, lambda found: self._as_live(found, clocks)))
        renaming = Renaming()
        for name in dict.fromkeys(match.group() for text in _texts(new) for match in LOOK_ALIKE.finditer(text)):
            settled = self._settled(name)
            if settled is not None:
                renaming.learn(settled, settled)
        for first, second in sorted(_pairs(before, after), key=lambda pair: masked(pair[0]) != masked(pair[1])):
            renaming.learn(first, second)
        after = _mapped(after, renaming.text)
        return before, _mapped(after, _Newcomers(before, after))

    def _clocks(self, old: RequestForm, new: RequestForm) -> Iterator[tuple[str, bool]]:
        """The live date-times that have a counterpart, and whether a clock was read there when the run was recorded."""
        for before, after in (lines for texts in _pairs(old, new) for lines in _same_lines(*texts)):
            for recorded, live in zip(_times(before), _times(after), strict=False):
                yield live, self._recorded(recorded).startswith("{{")

    def _as_recorded(self, found: Placeholder) -> str:
        meaning = self._recorded(str(found))
        return _timeless(found) if found.kind == BY_POSITION and meaning.startswith("{{") else _shaped(meaning, found)

    def _as_live(self, found: Placeholder, clocks: dict[str, bool]) -> str:
        text = str(found)
        if found.kind == BY_POSITION:
            value = self._live(text)
            here = self._context
            now = clocks.get(text, is_clocks(value, here.started_ns, here.ended_ns))
            return _timeless(found) if now else value
        settled = self._settled(str(found.plain)) or str(Placeholder(found.kind, (found.number or 0) + _NEW))
        return _shaped(settled, found)

    def _settled(self, placeholder: str) -> str | None:
        kind = placeholder[2:].partition("_")[0]
        name = self._identities.placeholder((kind, self._live(placeholder))) if kind in STRICT else None
        return None if name is None else name[1]


class _Newcomers:
    """Numbers what only the live request has after all others."""

    def __init__(self, *forms: RequestForm) -> None:
        self._last: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        for text in (text for form in forms for text in _texts(form)):
            for found in filter(None, map(as_placeholder, LOOK_ALIKE.finditer(text))):
                if found.number is not None and found.number < _NEW:
                    self._last[found.kind] = max(self._last.get(found.kind, 0), found.number)

    def __call__(self, text: str) -> str:
        return _replaced(text, self._number)

    def _number(self, found: Placeholder) -> str:
        if (found.number or 0) < _NEW:
            return str(found)
        name = str(found.plain)
        if name not in self._numbers:
            self._last[found.kind] = self._numbers[name] = self._last.get(found.kind, 0) + 1
        return str(Placeholder(found.kind, self._numbers[name], found.shape))


def _timeless(found: Placeholder) -> str:
    return str(Placeholder(BY_POSITION, 1, found.shape))


def _shaped(text: str, found: Placeholder) -> str:
    """A placeholder in the spelling of another one."""
    plain = read(text) if found.shape is not None else None
    return text if plain is None else str(Placeholder(plain.kind, plain.number, found.shape))


def _replaced(text: str, spell: Callable[[Placeholder], str]) -> str:
    def one(match: re.Match[str]) -> str:
        found = as_placeholder(match)
        numbered = found is not None and (found.kind in BY_VALUE or found.kind == BY_POSITION)
        return spell(found) if found is not None and numbered else match.group()

    return LOOK_ALIKE.sub(one, text)


def _mapped(form: RequestForm, change: Callable[[str], str]) -> RequestForm:
    head = map_texts(form.head, change)
    return RequestForm(head, tuple(unit.mapped(change) for unit in form.units))


def _texts(form: RequestForm) -> Iterator[str]:
    yield form.head_text
    yield from (unit.canonical for unit in form.units)


def _pairs(old: RequestForm, new: RequestForm) -> Iterator[tuple[str, str]]:
    """Texts that stand for one another."""
    yield old.head_text, new.head_text
    for op in align([_item(unit) for unit in old.units], [_item(unit) for unit in new.units]):
        if op.old is not None and op.new is not None:
            yield old.units[op.old].canonical, new.units[op.new].canonical


def _item(unit: Unit) -> Item:
    return Item((unit.masked,), (unit.section, unit.role, unit.label), (unit.canonical,))


def _same_lines(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Lines of two texts that are equal but for numbers."""
    if "{{" not in old or "{{" not in new:
        return
    if masked(old) == masked(new):
        yield old, new
        return
    before, after = (text.replace("\\n", "\n").split("\n") for text in (old, new))
    pairs = common([masked(line) for line in before], [masked(line) for line in after])
    yield from ((before[a], after[b]) for a, b in pairs)


def _times(text: str) -> list[str]:
    found = ((match, as_placeholder(match)) for match in LOOK_ALIKE.finditer(text))
    return [match.group() for match, placeholder in found if placeholder and placeholder.kind == BY_POSITION]

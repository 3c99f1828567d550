"""One exchange of the timeline: what both sides sent and got, each part beside its counterpart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from stepfork.cli.render.diff_clean import Clean, clean_summary
from stepfork.cli.render.diff_words import number
from stepfork.cli.render.html.elements import NOTHING, Html, element, join, user, words
from stepfork.cli.render.html.marks import mark
from stepfork.cli.render.html.messages import call_pairs, json_pair, json_text, unit_pair, unit_title
from stepfork.cli.render.html.texts import note, text_pair
from stepfork.diff.timeline import Call, Row, UnitPair
from stepfork.providers.normal_form import NormalRequest

REPEATED = 300
"""Characters of a message from which on it is not told twice."""


class Place(NamedTuple):
    """A row of a timeline: its anchor, and its name in words."""

    anchor: str
    name: str

    @property
    def link(self) -> Html:
        """A link to it."""
        return element("a", words(self.name), href=f"#{self.anchor}")


class Section(NamedTuple):
    """A part of an exchange. ``news``: it differs, and no earlier row says so."""

    html: Html
    news: bool


class Exchanges:
    """Makes the rows of one timeline; what one row tells, later ones refer to."""

    def __init__(self, places: dict[tuple[str, int], Place], clean: Clean) -> None:
        self._places = places
        self._clean = clean
        self._told: dict[tuple[object, ...], Place] = {}

    def sections(self, row: Row, here: Place) -> Iterator[Section]:
        """System prompt, tools, parameters, messages, answer, and what else there is."""
        before = [*self._head(row, here)]
        yield from (section for section in before if isinstance(section, Section))
        earlier: dict[Place, list[str]] = {}
        for section in before:
            if not isinstance(section, Section):
                earlier.setdefault(section[0], []).append(section[1])
        for place, names in earlier.items():
            said = element("p", words(f"{', '.join(names)}: as in "), place.link, class_="as")
            yield Section(said, news=False)
        yield from self._messages(row, here)
        yield from self._answer(row)

    def _head(self, row: Row, here: Place) -> Iterator[Section | tuple[Place, str]]:
        """Each part of the head, or where the same was told and its name."""
        sides = [None if call is None else call.view.form.head for call in (row.old, row.new)]
        for name, read in _HEAD.items():
            old, new = (None if head is None else read(head) for head in sides)
            if old is None and new is None:
                continue
            if (told := self._told.get((name, old, new) if row.old and row.new else (name, new or old))) is not None:
                yield told, name + (" (differ)" if row.old and row.new and old != new else "")
                continue
            self._told.update(dict.fromkeys([(name, old, new), (name, old), (name, new)], here))
            body = self._tools(*sides) if name == "Tools" else text_pair(old, new, self._clean)
            kind = _kind(row, old, new)
            yield Section(_section(name, kind, [body]), news=kind not in (None, "same"))

    def _tools(self, old: Any, new: Any) -> Html:
        """Tools by name: those that differ, then the others under their names."""
        before, after = (head.tools if head else {} for head in (old, new))
        made, same = [], []
        for name in sorted(before.keys() | after.keys()):
            first, second = (json_text(side[name]) if name in side else None for side in (before, after))
            if first == second or old is None or new is None:
                same.append((name, first or second))
                continue
            kind = "added" if first is None else "removed" if second is None else "changed"
            made.append(element("p", mark(kind), words(" "), element("code", user(self._clean(name))), class_="call"))
            made.append(text_pair(first, second, self._clean))
        for name, text in same:
            title = element("summary", element("code", user(self._clean(name))))
            made.append(element("details", title, text_pair(text, text, self._clean)))
        return join(made)

    def _messages(self, row: Row, here: Place) -> Iterator[Section]:
        items = [self._message(pair, here, alone=None in (row.old, row.new)) for pair in row.units]
        carried = self._carried(row)
        if items or carried:
            kinds = {pair.kind for pair, (_, told) in zip(row.units, items, strict=True) if not told}
            news = bool(row.old and row.new and kinds - {"same"})
            parts = [carried, element("ol", *(item for item, _ in items)) if items else NOTHING]
            kind = ("changed" if news else "same") if row.old and row.new else None
            yield Section(_section("Messages", kind, parts), news)

    def _carried(self, row: Row) -> Html:
        """What is not repeated of the conversation."""
        told = []
        for side, call in (("old", row.old), ("new", row.new)):
            if call is not None and call.base is not None:
                told.append((number(call.carried, "message"), self._places[side, call.base]))
        if not told:
            return NOTHING
        kinds = dict.fromkeys(told)
        says = [join([words("continues "), place.link, words(f" ({count} before)")]) for count, place in kinds]
        if len(says) == 2:
            says = [join([words(f"{side}: "), said]) for side, said in zip(("old", "new"), says, strict=True)]
        return element("p", join(says, "; "), class_="as")

    def _message(self, pair: UnitPair, here: Place, *, alone: bool) -> tuple[Html, bool]:
        """A message, or where it was told, and whether that is so."""
        where = self._said(pair) or self._repeated(pair, here)
        if where is not None:
            return element("li", unit_title(pair, self._clean, words(": "), where, alone=alone, style="as")), True
        return element("li", unit_title(pair, self._clean, alone=alone), *unit_pair(pair, self._clean)), False

    def _said(self, pair: UnitPair) -> Html | None:
        """Of a message that only says an answer again: where that is."""
        sides = [(side, at) for side, unit, at in zip(("old", "new"), pair[1:3], pair.answers, strict=True) if unit]
        extras = [unit.rest.get("extra") for unit in (pair.old, pair.new) if unit]
        if any(at is None for _, at in sides) or extras[0] != extras[-1]:
            return None
        places = dict.fromkeys(self._places[side, at] for side, at in sides if at is not None)
        links = join([place.link for place in places], " and ")
        return join([words("the answer of "), links])

    def _repeated(self, pair: UnitPair, here: Place) -> Html | None:
        size = max(len(unit.text) for unit in (pair.old, pair.new) if unit)
        keys = ("unit", pair.old and pair.old.key, pair.new and pair.new.key)
        told = self._told.setdefault(keys, here)
        if told is here or size < REPEATED:
            return None
        return join([words("as in "), told.link])

    def _answer(self, row: Row) -> Iterator[Section]:
        old, new = (dict(call.view.answered) if call else None for call in (row.old, row.new))
        differs = "answer" in row.differs
        parts = list(_answer_parts(old, new, self._clean))
        kind = ("changed" if differs else "same") if old and new else None
        yield Section(_section("Answer", kind, parts or [note("empty")]), differs)


def _answer_parts(old: dict[str, Any] | None, new: dict[str, Any] | None, clean: Clean) -> Iterator[Html]:
    sides = [side for side in (old, new) if side is not None]
    for name in ("reasoning", "text"):
        before, after = ((side.pop(name) if side else None) for side in (old, new))
        if before or after:
            if name == "reasoning":
                yield element("p", words("reasoning"), class_="who")
            yield text_pair(before, after, clean)
    calls = [side.pop("tool_calls") if side is not None else None for side in (old, new)]
    yield from call_pairs(calls[0], calls[1], clean)
    bodies = [side.pop("body", None) if side is not None else None for side in (old, new)]
    if any(body is not None for body in bodies):
        yield json_pair(bodies[0], bodies[1], clean)
    rests = [None if side is None else {name: value for name, value in side.items() if value} for side in (old, new)]
    failed = any(side.get("outcome") != "ok" or side.get("error") for side in sides)
    if failed or (len(sides) == 2 and rests[0] != rests[1]):
        yield json_pair(rests[0], rests[1], clean)


_HEAD: dict[str, Callable[[NormalRequest], str | None]] = {
    "System prompt": lambda head: "\n\n(next block)\n\n".join(head.system) if head.system else None,
    "Tools": lambda head: json_text(head.tools) if head.tools else None,
    "Model and parameters": lambda head: json_text({"model": head.model} | head.params),
    "Other": lambda head: json_text(head.other) if head.other else None,
}
"""The parts of a request but its messages, each as the text that is compared; None where it has none."""


def _kind(row: Row, old: str | None, new: str | None) -> str | None:
    """What became of a part; None where the whole exchange came or went."""
    if row.old is None or row.new is None:
        return None
    if old == new:
        return "same"
    return "added" if old is None else "removed" if new is None else "changed"


def _section(name: str, kind: str | None, parts: Sequence[Html]) -> Html:
    head = element("h5", words(name), *((words(" "), mark(kind)) if kind else ()))
    if kind == "same":
        return element("section", head, *parts, class_="same")
    return element("section", head, *parts)


def call_line(call: Call, clean: Clean, limit: int) -> str:
    """An answer in one line: what it asks, or says."""
    answer = call.view.answered
    asked = [f"→ {one['name']}" for one in answer["tool_calls"]]
    said = " ".join(asked) if asked else answer["text"]
    return clean_summary(said, clean, limit) or str(answer["outcome"])

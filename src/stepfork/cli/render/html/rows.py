"""The timeline: every exchange of both sides, aligned, each to be opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stepfork.cli.render import diff_words
from stepfork.cli.render.diff_clean import Clean
from stepfork.cli.render.html.elements import NOTHING, Html, element, user, words
from stepfork.cli.render.html.exchange import Exchanges, Place, call_line
from stepfork.cli.render.html.marks import LEGEND, css, mark
from stepfork.diff.timeline import Row
from stepfork.diff.usage import usage_of

OPEN = 10
"""Exchanges of a fixture that are open at first: the first that differ."""
SAID = 90
"""Characters of an answer that stand in the line of its exchange."""
_PARTS = {"params": "parameters", "tool_results": "tool results"}

Places = dict[tuple[str, int], Place]
"""Where the exchanges of both sides stand, by ``old`` or ``new`` and index."""


def places_of(rows: Sequence[Row], prefix: str) -> Places:
    """An anchor for each row, and the way to it from either side."""
    made: Places = {}
    for number, row in enumerate(rows):
        place = Place(f"{prefix}-x{number}", _name(row))
        made.update({(side, call.index): place for side, call in (("old", row.old), ("new", row.new)) if call})
    return made


def timeline_list(rows: Sequence[Row], places: Places, clean: Clean) -> Html:
    """All rows, those that say something new marked as stops."""
    exchanges = Exchanges(places, clean)
    opened = 0
    items: list[Html] = []
    whole = all(row.kind == rows[0].kind for row in rows) and rows[0].kind in ("added", "removed")
    for row in rows:
        call = row.new or row.old
        assert call is not None, "a row has a side"
        here = places["new" if row.new else "old", call.index]
        sections = list(exchanges.sections(row, here))
        news = row.kind in ("added", "removed", "moved") or any(section.news for section in sections)
        news = news and not (whole and items)  # of a fixture that came or went, one stop
        kind = "as before" if row.kind == "changed" and not news else row.kind
        head = element("summary", *_head(row, kind, here, clean))
        body = element("div", *_facts(row, clean), *(section.html for section in sections), class_="body")
        is_open = news and not whole and opened < OPEN
        opened += is_open
        name = f"row {css(kind)}" + (" stop" if news else "")
        items.append(element("li", element("details", head, body, class_=name, id=here.anchor, open=is_open)))
    return element("ol", *items, class_="timeline")


def legend() -> Html:
    """What the marks mean."""
    told = {"as before": "repeats what an exchange above changed"}
    items = (element("li", mark(kind), words(f" {told[kind]}" if kind in told else "")) for kind in LEGEND)
    return element("ul", *items, class_="legend", aria_label="Marks")


def _name(row: Row) -> str:
    """``exchange 2``, or ``exchange 2 → 3`` where it stands elsewhere now."""
    if row.old is None or row.new is None or row.old.index == row.new.index:
        call = row.new or row.old
        return f"exchange {'' if call is None else call.index}"
    return f"exchange {row.old.index} → {row.new.index}"


def _head(row: Row, kind: str, here: Place, clean: Clean) -> Iterator[Html]:
    yield mark(kind)
    yield element("h4", words(here.name))
    said = [None if call is None else call_line(call, clean, SAID) for call in (row.old, row.new)]
    if row.old is not None and row.new is not None and said[0] == said[1]:
        yield element("span", user(said[0] or ""), class_="says both")
    else:
        for side, line in (("old", said[0]), ("new", said[1])):
            if line is not None:
                yield element("span", element("i", words(f"{side} ")), user(line), class_=f"says {side}")
    if row.differs and row.kind != "same":
        yield element(
            "span", words(f"differs: {', '.join(_PARTS.get(part, part) for part in row.differs)}"), class_="parts"
        )


def _facts(row: Row, clean: Clean) -> Iterator[Html]:
    labels = list(dict.fromkeys(call.view.label for call in (row.old, row.new) if call))
    told = " → ".join(map(clean, labels))
    usages = [usage_of(call.view.answer) for call in (row.old or row.new, row.new or row.old) if call]
    used = "; ".join(f"{what} {said}" for what, said, _ in diff_words.used(*usages))
    yield element("p", user(told), words(f"; {used}") if used else NOTHING, class_="facts")
    if row.old is not None and row.new is not None and row.kind != "same":
        yield element("div", element("b", words("old")), element("b", words("new")), class_="p sides")

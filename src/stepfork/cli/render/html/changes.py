"""The changes of a fixture as a list: what was authored first, what follows from it folded, each with its exchanges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from stepfork.cli.render.diff_clean import Clean, clean_field, clean_lines, clean_summary
from stepfork.cli.render.diff_words import counts_old, name_of, number
from stepfork.cli.render.html.elements import NOTHING, Html, element, join, user, words
from stepfork.cli.render.html.marks import css, mark
from stepfork.cli.render.html.messages import json_text
from stepfork.cli.render.html.rows import Places
from stepfork.cli.render.html.texts import hunk, text_pair
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.diff.text_diff import hunks_of
from stepfork.diff.values import Change, FieldChange
from stepfork.trace.body import JsonValue

LINKS = 12
"""Exchanges of a change that are named; how many more there are is said."""
SUMMARY = 160
"""Characters of a change in one line."""


def change_lists(diff: FixtureDiff, places: Places, prefix: str, clean: Clean) -> Iterator[Html]:
    """Authored changes; consequences, folded where there is something that they follow from."""
    numbered = [(f"{prefix}-c{number}", change) for number, change in enumerate(diff.changes)]
    authored = [one for one in numbered if one[1].cause == "authored"]
    consequences = [one for one in numbered if one[1].cause == "consequence"]
    if authored:
        yield element("p", words(number(len(authored), "authored change")), class_="cause")
        yield _list(authored, places, clean, is_open=True)
    if consequences:
        told = words(number(len(consequences), "consequence"))
        made = _list(consequences, places, clean, is_open=False)
        yield element("details", element("summary", told), made, class_="cause", open=not authored)


def _list(changes: Sequence[tuple[str, Change]], places: Places, clean: Clean, *, is_open: bool) -> Html:
    return element("ul", *(_item(name, one, places, clean, is_open=is_open) for name, one in changes), class_="changes")


def _item(anchor: str, change: Change, places: Places, clean: Clean, *, is_open: bool) -> Html:
    details = list(_details(change, clean))
    head = join(_head(change, clean), " ")
    links = _links(change, places)
    return element(
        "li",
        element(
            "details",
            element("summary", head),
            links,
            *details,
            class_=f"stop {css(change.change)}",
            id=anchor,
            open=is_open,
        ),
    )


def _head(change: Change, clean: Clean) -> Iterator[Html]:
    yield mark(change.change)
    if change.grade != "changed":
        yield mark(change.grade)
    if change.cause == "authored":
        told = name_of(change, clean_summary(change.subject, clean, SUMMARY))
    else:
        told = clean_summary(change.summary, clean, SUMMARY)
    if change.change in ("added", "removed"):
        told = told.removeprefix("+ ").removeprefix("- ")  # the mark says it
    yield element("strong", user(told))
    if change.breaks:
        yield element("span", user(clean_summary(change.breaks, clean, SUMMARY)))


def _links(change: Change, places: Places) -> Html:
    side = "old" if counts_old(change) else "new"
    found = [places[side, index] for index in change.exchanges if (side, index) in places]
    if not found:
        return NOTHING
    links = [place.link for place in found[:LINKS]]
    more = words(f" and {len(found) - LINKS:,} more") if len(found) > LINKS else NOTHING
    return element("p", words("in "), join(links, ", "), more, class_="as")


def _details(change: Change, clean: Clean) -> Iterator[Html]:
    parts = [part for gone, come in hunks_of(list(clean_lines(change.lines, clean))) for part in hunk(gone, come)]
    if parts:
        yield element("div", *parts, class_="d")
    for field in change.fields:
        yield from _field(clean_field(field, clean), change)


def _field(field: FieldChange, change: Change) -> Iterator[Html]:
    """A field, redacted already."""
    path = element("code", user(field.path)) if field.path else NOTHING
    if field.change == "moved":
        where = (
            join([element("code", user(field.old_path)), words(" → "), path])
            if field.old_path is not None
            else user(f"{field.old} → {field.new}")
        )
        yield element("p", words("moved "), where, class_="call")
        return
    if path:
        yield element("p", mark(field.change), words(" "), path, class_="call")
    old, new = (None if side is msgspec.UNSET else _text(side) for side in (field.old, field.new))
    if isinstance(field.old, str) != isinstance(field.new, str) and old is not None and new is not None:
        old, new = json_text(field.old), json_text(field.new)
    if change.section == "model":
        old, new = (text if text != "null" else "(none)" for text in (old, new))
    yield text_pair(old, new, str)


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json_text(value)

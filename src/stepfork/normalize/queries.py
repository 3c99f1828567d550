"""Query strings: names and values as a program reads them, edited where they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from stepfork.rewrite.place import Edit, Place

_PAIR = re.compile(r"([^&=]+)(=?)([^&]*)")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
Find = Callable[[str, Place], Sequence[Edit]]
"""The edits of a value at a place."""


def query_edits(query: str, place: Place, find: Find) -> Iterator[Edit]:
    """The edits of a raw query string, in its own characters. Names stay as they are. A value stands below its name,
    and where that comes again below its number too."""
    seen: dict[str, int] = {}
    for pair in _PAIR.finditer(query):
        name, start, raw = decoded(pair[1])[0], pair.start(3), pair[3]
        if not pair[2]:
            name, start, raw = "", pair.start(1), pair[1]
        text, at = decoded(raw)
        count = seen.get(name, 0)
        seen[name] = count + 1
        for edit in find(text, place.child(name, count) if count else place.child(name)):
            yield Edit(start + at[edit.start], start + at[edit.end], edit.text)


def is_form(content_type: str) -> bool:
    """Whether a body of that type is spelled like a query."""
    return content_type.lower().lstrip().startswith("application/x-www-form-urlencoded")


def decoded(raw: str) -> tuple[str, Sequence[int]]:
    """What a raw piece says, and where in it each character begins (and, last, where it ends). What is no UTF-8 is
    left as it is, and so is a plus that may be part of an address."""
    spaced = raw if "@" in raw or "%40" in raw else raw.replace("+", " ")
    if "%" not in raw:
        return spaced, range(len(raw) + 1)
    text = ""
    at: list[int] = []
    cursor = 0
    for run in _ESCAPES.finditer(raw):
        text += spaced[cursor : run.start()]
        at += range(cursor, run.start())
        try:
            said = bytes.fromhex(run[0].replace("%", "")).decode("utf-8")
        except UnicodeDecodeError:
            said = run[0]
        index = run.start()
        for char in said:
            at.append(index)
            index += 1 if said is run[0] else 3 * len(char.encode())
        text += said
        cursor = run.end()
    return text + spaced[cursor:], [*at, *range(cursor, len(raw) + 1)]

"""JSON documents one after another in one text: JSON lines, a stream of objects, an array of them. Standard library
only."""

from __future__ import annotations

import json
import re

from stepfork.rewrite.place import apply_edits
from stepfork.rewrite.series import Series

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from stepfork.rewrite.place import Edit, Place, Rewriter

_BETWEEN = re.compile(r"[ \t\r\n\x1e,]*")
_FIRST = re.compile(r"[ \t\r\n\x1e\ufeff]*\[?[ \t\r\n]*(?=[{\[\"])")
_raw_decode = json.JSONDecoder().raw_decode

Found = tuple[int, int, "Any"]
"""Where a document begins and ends, and what it holds."""


def documents_in(text: str) -> list[Found]:
    """The documents that a text is made of, white space and commas between them and brackets around them aside; none
    where they are fewer than two, or strings alone. What follows the last that can be read is not looked at."""
    first = _FIRST.match(text)
    if first is None:
        return []
    found: list[Found] = []
    cursor = first.end()
    while cursor < len(text):
        try:
            value, end = _raw_decode(text, cursor)
        except (ValueError, RecursionError):
            break
        if not isinstance(value, dict | list | str):
            break
        found.append((cursor, end, value))
        between = _BETWEEN.match(text, end)
        cursor = between.end() if between else end
    return found if len(found) > 1 and any(not isinstance(value, str) for _, _, value in found) else []


def documents_edits(
    text: str, documents: Sequence[Found], place: Place, rewriter: Rewriter, api: str = ""
) -> list[Edit]:
    """The edits of a text that is made of `documents`, in its own characters."""
    series = Series(rewriter, api)
    for number, (start, end, value) in enumerate(documents):
        series.document(0, start, text[start:end], value, place.child("documents", number))
    end = documents[-1][1]
    series.text(0, end, text[end:], place)
    return list(series.edits().get(0, ()))


def rewrite_items(items: list[Any], place: Place, rewriter: Rewriter, api: str = "") -> list[Any]:
    """An array of documents that came one after another, as some providers stream them; the same object where nothing
    changed."""
    series = Series(rewriter, api)
    texts = [json.dumps(item, ensure_ascii=False) for item in items]
    for number, (item, text) in enumerate(zip(items, texts, strict=True)):
        series.document(number, 0, text, item, place.child(number))
    edits = series.edits()
    if not edits:
        return items
    return [
        json.loads(apply_edits(text, edits[number])) if number in edits else item
        for number, (item, text) in enumerate(zip(items, texts, strict=True))
    ]

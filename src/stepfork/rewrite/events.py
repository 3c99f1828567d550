"""An event stream rewritten: what its events spell out together is joined, edited, and given back to them.

Every event stays one event, and one in which nothing changed keeps its bytes. Standard library only.
"""

from __future__ import annotations

import re

from stepfork.rewrite.json_text import NO_JSON, parsed
from stepfork.rewrite.place import Edit, Place, Rewriter, apply_edits
from stepfork.rewrite.series import Series

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_FIELD = re.compile("\ufeff?(data|event): ?")

Line = tuple[int, str, str]
"""Where the value of a line begins, the value, and its field; the whole of a line of no field that counts here."""


def rewrite_events(events: Sequence[str], place: Place, rewriter: Rewriter, api: str = "") -> tuple[str, ...]:
    """The events as `rewriter` wants them, each still one event."""
    edits = event_edits(events, place, rewriter, api)
    return tuple(apply_edits(event, edits.get(index, ())) for index, event in enumerate(events))


def event_edits(events: Sequence[str], place: Place, rewriter: Rewriter, api: str = "") -> Mapping[int, list[Edit]]:
    """The edits of each event that `rewriter` wants otherwise, by the event's number."""
    series = Series(rewriter, api)
    for index, text in enumerate(events):
        here = place.child("events", index)
        for lines in _events(text):
            data = [line for line in lines if line[2] == "data"]
            for start, value, field in lines:
                if field != "data":
                    series.text(index, start, value, here)
                elif start == data[0][0]:
                    name = next((line[1] for line in lines if line[2] == "event"), "")
                    _add_data(series, index, data, here, name)
    return series.edits()


def _events(text: str) -> Iterator[list[Line]]:
    """The lines of each event: a text holds several where the blank lines of its stream are spelled in two ways."""
    lines: list[Line] = []
    for match in _LINE.finditer(text):
        start, end = match.span(1)
        if start < end:
            field = _FIELD.match(text, start, end)
            begin = field.end() if field else start
            lines.append((begin, text[begin:end], field.group(1) if field else ""))
        elif lines:
            yield lines
            lines = []


def _add_data(series: Series, index: int, data: Sequence[Line], place: Place, name: str) -> None:
    """The data of an event: all lines as one document where they are one, else line by line."""
    start, text = _as_one(data)
    value = parsed(text)
    if value is not NO_JSON:
        series.document(index, start, text, value, place, name)
        return
    for number, (start, text, _) in enumerate(data, 1):
        value = parsed(text) if len(data) > 1 else NO_JSON
        if value is not NO_JSON:
            series.document(index, start, text, value, place, name)
        else:
            series.text(index, start, text, place, event=name, end="\n" if number < len(data) else "")


def _as_one(data: Sequence[Line]) -> tuple[int, str]:
    """Lines of data as one text: what stands between them becomes white space of equal length, so that each token
    keeps its place."""
    start, text, _ = data[0]
    cursor = start + len(text)
    for begin, line, _ in data[1:]:
        text += " " * (begin - cursor) + line
        cursor = begin + len(line)
    return start, text

"""Server-sent events: the lines of one event, and what they say.

The rules are those of the HTML standard, "Interpreting an event stream", with two allowances that clients make too: an
event at the end of a stream needs no blank line after it, and a byte order mark is ignored wherever an event starts.
The text of a stream is cut into events by ``stepfork.trace.wire``. Only the standard library is imported here, since
the scan for secrets starts with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from stepfork.trace.body import EventsBody

# Never str.splitlines: U+2028, U+2029, U+0085, form feeds and others are text inside a line.
_LINE_END = re.compile(r"\r\n|\n|\r")


class SseEvent(NamedTuple):
    """``name`` is the ``event:`` field, ``data`` the ``data:`` lines joined by LF; None where there is no such field.

    ``comment_only``: nothing but comment lines (a keepalive); a text without any line is not one.
    """

    name: str | None
    data: str | None
    comment_only: bool


def parse_event(text: str) -> SseEvent:
    """The first event in `text`; an event without fields where there is none. Never raises."""
    return next(iter(parse_events(text)), SseEvent(None, None, comment_only=False))


def parse_events(text: str) -> list[SseEvent]:
    """All events in `text`: one piece of a stream holds several where its blank lines are spelled in two ways."""
    found: list[SseEvent] = []
    lines: list[str] = []
    for line in [*_LINE_END.split(text.removeprefix("\ufeff")), ""]:
        if line:
            lines.append(line)
        elif lines:
            found.append(_event(lines))
            lines = []
    return found


def events_data(body: EventsBody) -> Iterator[tuple[int, SseEvent]]:
    """The events of a stream in order, each with the index of the piece that it stands in."""
    for index, piece in enumerate(body.events):
        for event in parse_events(piece):
            yield index, event


def json_data(event: SseEvent) -> Any:
    """The decoded JSON of an event's data; None for ``[DONE]``, for no data and for what does not parse."""
    if not event.data:
        return None
    try:
        return json.loads(event.data)
    except (ValueError, RecursionError):
        return None


def _event(lines: list[str]) -> SseEvent:
    name: str | None = None
    data: list[str] = []
    fields = 0
    for line in lines:
        if line.startswith(":"):
            continue
        fields += 1
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value or None
    return SseEvent(name, "\n".join(data) if data else None, comment_only=fields == 0)

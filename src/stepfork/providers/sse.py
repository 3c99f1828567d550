"""Server-sent events: the lines of one event, and what they say.

The rules are those of the HTML standard, "Interpreting an event stream", with two allowances that clients make too: an
event at the end of a stream needs no blank line after it, and a byte order mark is ignored wherever an event starts.
The text of a stream is cut by ``stepfork.trace.stream``. Only the standard library is imported here, since
the scan for secrets starts with it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from stepfork.trace.body import EventsBody

# Never str.splitlines: U+2028, U+2029, U+0085, form feeds and others are text inside a line.
_LINE_END = re.compile(r"\r\n|\n|\r")


class SseEvent(NamedTuple):
    """``name`` is the ``event:`` field, ``data`` the ``data:`` lines joined by LF; None where there is no such field
    (a keepalive, which is nothing but a comment, has neither)."""

    name: str | None
    data: str | None


def parse_events(text: str) -> list[SseEvent]:
    """All events in `text`: one piece of a stream holds several where its blank lines are spelled in two ways.

    Never raises.
    """
    found: list[SseEvent] = []
    lines: list[str] = []
    for line in [*_LINE_END.split(text.removeprefix("\ufeff")), ""]:
        if line:
            lines.append(line)
        elif lines:
            found.append(_event(lines))
            lines = []
    return found


def events_of(body: EventsBody) -> list[SseEvent]:
    """The events of a stream, in order."""
    return [event for piece in body.events for event in parse_events(piece)]


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
    for line in lines:
        if line.startswith(":"):
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value or None
    return SseEvent(name, "\n".join(data) if data else None)

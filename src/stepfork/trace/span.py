"""An OpenTelemetry span, decoded from either wire form, before it is mapped to a step."""

from __future__ import annotations

import msgspec

from stepfork.trace.body import JsonValue


class SpanEvent(msgspec.Struct, frozen=True):
    """An event of a span; ``time_ns`` is Unix time in nanoseconds."""

    name: str
    time_ns: int
    attributes: dict[str, JsonValue] = {}


class Span(msgspec.Struct, frozen=True):
    """Ids are lower-case hex (32 and 16 digits); times are Unix nanoseconds; ``status`` is unset, ok or error.

    ``notes`` names attributes that were dropped because their value was not readable.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    start_ns: int
    end_ns: int
    attributes: dict[str, JsonValue] = {}
    events: tuple[SpanEvent, ...] = ()
    status: str = "unset"
    status_message: str = ""
    scope: str = ""
    resource: dict[str, JsonValue] = {}
    notes: tuple[str, ...] = ()

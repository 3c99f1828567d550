"""Bytes on the wire to a body and back, and the JSON form in which a body is stored.

read_body(raw, media) -> Body        body_bytes(body) -> raw
body_to_json(body) -> JSON value     body_from_json(value) -> Body
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from stepfork.canonical.order import order_of, with_order
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError
from stepfork.trace.body import Body, BytesBody, EventsBody, JsonBody, TextBody
from stepfork.trace.stream import SEPARATOR, cut_events

BODY_DEPTH = 200
"""Levels of nesting in a body that is kept as JSON; a deeper one is kept as its text."""


def media_type(content_type: str) -> str:
    """The media type alone, in lower case, without parameters."""
    return content_type.partition(";")[0].strip().lower()


def read_body(raw: bytes, content_type: str, *, streamed: bool = False) -> Body:
    """The body that gives `raw` back: JSON equal in value and number type, everything else byte for byte.

    `streamed`: the request asked for a stream, so text that is no JSON document is one, whatever its media type.
    """
    if not raw:
        return None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return BytesBody(raw)
    media = media_type(content_type)
    if media == "text/event-stream":
        return read_events(text)
    if media in ("", "application/json", "text/json") or media.endswith("+json"):
        try:
            value = parse(text, limit=BODY_DEPTH)
        except CanonicalError as error:
            if streamed and _looks_streamed(text):
                return read_events(text)
            return TextBody(text, None if media == "" else error.what)
        return JsonBody(value, order_of(value))
    return read_events(text) if streamed and _looks_streamed(text) else TextBody(text)


def read_events(text: str) -> EventsBody:
    """A server-sent event stream cut at its blank lines."""
    events, separator = cut_events(text)
    return EventsBody(tuple(events), separator)


def _looks_streamed(text: str) -> bool:
    return text.lstrip("\ufeff\r\n").startswith(("data:", "event:", "id:", "retry:", ":"))


def body_bytes(body: Body) -> bytes:
    """The bytes to send: compact JSON in the recorded order of members, anything else as it was recorded."""
    match body:
        case None:
            return b""
        case JsonBody(value, order):
            return json.dumps(with_order(value, order), ensure_ascii=False, separators=(",", ":")).encode()
        case TextBody(text):
            return text.encode()
        case BytesBody(data):
            return data
        case EventsBody(events, separator):
            return separator.join(events).encode()


def body_to_json(body: Body) -> Any:
    """The stored form: one member names the kind, so that look-alike text stays text."""
    match body:
        case None:
            return None
        case JsonBody(value, order):
            return {"json": value} | ({"order": order} if order is not None else {})
        case TextBody(text, reason):
            return {"text": text} | ({"reason": reason} if reason is not None else {})
        case BytesBody(data):
            return {"base64": base64.b64encode(data).decode()}
        case EventsBody(events, separator):
            return {"events": list(events)} | ({"separator": separator} if separator != SEPARATOR else {})


def body_from_json(stored: Any) -> Body:
    """The body of a stored form. Raises CanonicalError where the form is not one that `body_to_json` writes."""
    if stored is None:
        return None
    kind = next((name for name in _BESIDE if isinstance(stored, dict) and name in stored), None)
    if kind is None:
        raise _unknown_form()
    value, beside = stored[kind], stored.get(_BESIDE[kind]) if kind != "base64" else None
    if not (stored.keys() <= {kind, _BESIDE[kind]} and (beside is None or isinstance(beside, str))):
        raise _unknown_form()
    if kind == "json":
        return JsonBody(value, beside)
    if kind == "text" and isinstance(value, str):
        return TextBody(value, beside)
    if kind == "base64" and isinstance(value, str):
        return BytesBody(_decode_base64(value))
    if kind == "events" and isinstance(value, list) and all(isinstance(event, str) for event in value):
        return EventsBody(tuple(value), SEPARATOR if beside is None else beside)
    raise _unknown_form()


_BESIDE = {"json": "order", "text": "reason", "base64": "base64", "events": "separator"}
"""The member that names a body's kind, and the one that may stand beside it."""


def _decode_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise CanonicalError("a body's base64 cannot be read") from None


def _unknown_form() -> CanonicalError:
    return CanonicalError("a body is of no known form")

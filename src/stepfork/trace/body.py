"""The body of a request or a response, kept so that it can be given back.

Which kind a body gets is decided by ``stepfork.trace.wire.read_body``; the rules are in ``docs/reference/format.md``.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stepfork.trace.stream import SEPARATOR

JsonValue = Any
"""None, bool, int, float, str, list or dict with str keys: what canonical JSON can carry."""


class JsonBody(msgspec.Struct, frozen=True):
    """A JSON document; equal in value and number type when given back.

    ``order`` is the recorded order of members (see ``stepfork.canonical.order``), None where members were sorted.
    """

    value: JsonValue
    order: str | None = None


class TextBody(msgspec.Struct, frozen=True):
    """UTF-8 text, byte for byte. ``reason`` says why a JSON media type is kept as text, None for plain text."""

    text: str
    reason: str | None = None


class BytesBody(msgspec.Struct, frozen=True):
    """Bytes that are not UTF-8 text, byte for byte."""

    data: bytes


class EventsBody(msgspec.Struct, frozen=True):
    """A server-sent event stream: the text cut at each ``separator`` (see ``stepfork.trace.stream``), so that joining
    gives it back byte for byte."""

    events: tuple[str, ...]
    separator: str = SEPARATOR


Body = JsonBody | TextBody | BytesBody | EventsBody | None
"""None is an empty body."""

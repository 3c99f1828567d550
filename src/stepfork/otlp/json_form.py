"""An export request in OTLP/JSON to spans.

The rules are those of the protocol's JSON encoding: ids in hexadecimal (not base64), 64-bit integers as numbers or
decimal strings, enumerations as numbers or names, members that are not known ignored.
"""

from __future__ import annotations

import json
import re
from typing import Any

from stepfork.errors import OtlpError
from stepfork.otlp.json_members import (
    array_in,
    double,
    hex_id,
    integer,
    object_in,
    objects_in,
    status,
    text_of_base64,
    time_in,
)
from stepfork.otlp.limits import Limits, check_json
from stepfork.otlp.values import UnreadableValueError, whole
from stepfork.otlp.wire import malformed
from stepfork.trace.body import JsonValue
from stepfork.trace.span import Span, SpanEvent

_VALUE_KINDS = ("stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue")
_HALVES = re.compile(rb"\\u[dD][89a-fA-F]")


def decode_json(data: bytes, limits: Limits) -> list[Span]:
    """The spans of an export request, in the order of the document. Raises OtlpError that names the field."""
    check_json(data, limits)
    try:
        document = json.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError):  # ValueError: not JSON, or an integer past all sizes
        raise malformed("JSON") from None
    if not isinstance(document, dict):
        raise malformed("JSON")
    reader = _Reader(limits, halves=_HALVES.search(data) is not None)
    for i, of_resource in objects_in(document, "resourceSpans", ""):
        notes: list[str] = []
        at = f"resourceSpans[{i}]"
        resource = reader.attributes(object_in(of_resource, "resource", at), f"{at}.resource", notes)
        for j, of_scope in objects_in(of_resource, "scopeSpans", at):
            here = f"{at}.scopeSpans[{j}]"
            scope = reader.text(object_in(of_scope, "scope", here), "name", f"{here}.scope")
            for k, span in objects_in(of_scope, "spans", here):
                reader.spans.append(reader.span(span, f"{here}.spans[{k}]", scope, resource))
                if len(reader.spans) > limits.spans:
                    raise OtlpError(f"more than {limits.spans} spans in one export")
    return reader.spans


class _Reader:
    """Reads the members of one document; `where` is always the path of the object that holds the member."""

    def __init__(self, limits: Limits, *, halves: bool) -> None:
        self.limits = limits
        self.halves = halves
        self.spans: list[Span] = []

    def span(self, span: dict[str, Any], where: str, scope: str, resource: dict[str, JsonValue]) -> Span:
        notes: list[str] = []
        events = list(objects_in(span, "events", where))
        if len(events) + len(array_in(span, "attributes", where)) > self.limits.span_members:
            raise OtlpError(f"more than {self.limits.span_members} attributes, events and links in one span")
        ended = object_in(span, "status", where)
        parent = span.get("parentSpanId")
        return Span(
            trace_id=hex_id(span.get("traceId"), 32, f"{where}.traceId"),
            span_id=hex_id(span.get("spanId"), 16, f"{where}.spanId"),
            parent_id=None if parent in (None, "", "0" * 16) else hex_id(parent, 16, f"{where}.parentSpanId"),
            name=self.text(span, "name", where),
            start_ns=time_in(span, "startTimeUnixNano", where),
            end_ns=time_in(span, "endTimeUnixNano", where),
            attributes=self.attributes(span, where, notes),
            events=tuple(self.event(event, f"{where}.events[{i}]", notes) for i, event in events),
            status=status(ended.get("code"), f"{where}.status.code"),
            status_message=self.text(ended, "message", f"{where}.status"),
            scope=scope,
            resource=resource,
            notes=tuple(notes),
        )

    def event(self, event: dict[str, Any], where: str, notes: list[str]) -> SpanEvent:
        name = self.text(event, "name", where)
        mine: list[str] = []
        made = SpanEvent(name, time_in(event, "timeUnixNano", where), self.attributes(event, where, mine))
        notes.extend(f"{name} {note}" for note in mine)
        return made

    def attributes(self, holder: dict[str, Any], where: str, notes: list[str]) -> dict[str, JsonValue]:
        made: dict[str, JsonValue] = {}
        for i, pair in objects_in(holder, "attributes", where):
            at = f"{where}.attributes[{i}]"
            key = self.text(pair, "key", at)
            try:
                made[key] = self.value(pair.get("value"), f"{at}.value")
            except UnreadableValueError as error:
                notes.append(f"{key}: {error}")
        return made

    def value(self, value: Any, where: str, depth: int = 0) -> JsonValue:
        if value is None:
            return None
        if not isinstance(value, dict):
            raise OtlpError("must be an object", where=where)
        kind = next((name for name in _VALUE_KINDS if name in value), None)
        if kind is None:
            return None
        held, at = value[kind], f"{where}.{kind}"
        if held is None:
            raise UnreadableValueError(f"{kind} is null")
        if kind in ("arrayValue", "kvlistValue"):
            return self.container(kind, held, at, depth)
        match kind:
            case "stringValue":
                return self.text(value, kind, where)
            case "intValue":
                return integer(held, -(2**63), 2**63, at)
            case "doubleValue":
                return double(held, at)
            case "bytesValue":
                return text_of_base64(held, at)
        if not isinstance(held, bool):
            raise OtlpError("must be true or false", where=at)
        return held

    def container(self, kind: str, held: Any, where: str, depth: int) -> JsonValue:
        if depth >= self.limits.depth:
            raise OtlpError(f"more than {self.limits.depth} levels of nesting in an attribute")
        if not isinstance(held, dict):
            raise OtlpError("must be an object", where=where)
        if kind == "arrayValue":
            items = enumerate(array_in(held, "values", where))
            return [self.value(item, f"{where}.values[{i}]", depth + 1) for i, item in items]
        made: dict[str, JsonValue] = {}
        for i, pair in objects_in(held, "values", where):
            at = f"{where}.values[{i}]"
            made[self.text(pair, "key", at)] = self.value(pair.get("value"), f"{at}.value", depth + 1)
        return made

    def text(self, holder: dict[str, Any], name: str, where: str) -> str:
        text = holder.get(name)
        if text is None:
            return ""
        if not isinstance(text, str):
            raise OtlpError("must be a string", where=f"{where}.{name}")
        return whole(text) if self.halves else text

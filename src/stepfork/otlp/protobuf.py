"""An export request in protobuf to spans. The message is never turned into a dict of its JSON form on the way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stepfork.errors import OtlpError
from stepfork.otlp.limits import Limits, check_protobuf
from stepfork.otlp.values import UnreadableValueError, from_bytes, number
from stepfork.otlp.wire import malformed
from stepfork.trace.body import JsonValue
from stepfork.trace.span import Span, SpanEvent

_STATUS = ("unset", "ok", "error")


def decode_protobuf(data: bytes, limits: Limits) -> list[Span]:
    """The spans of an ExportTraceServiceRequest, in the order of the message. Raises OtlpError."""
    check_protobuf(data, limits)
    from google.protobuf.message import DecodeError
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    try:
        request = ExportTraceServiceRequest.FromString(data)
    except (DecodeError, UnicodeDecodeError, RecursionError):
        raise malformed("protobuf") from None
    spans: list[Span] = []
    for i, of_resource in enumerate(request.resource_spans):
        resource = _attributes(of_resource.resource.attributes, [], "")
        for j, of_scope in enumerate(of_resource.scope_spans):
            for k, span in enumerate(of_scope.spans):
                where = f"resource_spans[{i}].scope_spans[{j}].spans[{k}]"
                spans.append(_span(span, resource, of_scope.scope.name, where))
    return spans


def _span(span: Any, resource: dict[str, JsonValue], scope: str, where: str) -> Span:
    notes: list[str] = []
    parent = span.parent_span_id
    return Span(
        trace_id=_id(span.trace_id, 16, f"{where}.trace_id"),
        span_id=_id(span.span_id, 8, f"{where}.span_id"),
        parent_id=_id(parent, 8, f"{where}.parent_span_id") if any(parent) else None,
        name=span.name,
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        attributes=_attributes(span.attributes, notes, ""),
        events=tuple(
            SpanEvent(event.name, event.time_unix_nano, _attributes(event.attributes, notes, f"{event.name} "))
            for event in span.events
        ),
        status=_STATUS[span.status.code] if span.status.code in (1, 2) else "unset",
        status_message=span.status.message,
        scope=scope,
        resource=resource,
        notes=tuple(notes),
    )


def _id(data: bytes, size: int, where: str) -> str:
    if len(data) != size or not any(data):
        raise OtlpError(f"an id must be {size} bytes that are not all zero", where=where)
    return data.hex()


def _attributes(pairs: Iterable[Any], notes: list[str], prefix: str) -> dict[str, JsonValue]:
    made: dict[str, JsonValue] = {}
    for pair in pairs:
        try:
            made[pair.key] = _value(pair.value)
        except UnreadableValueError as error:
            notes.append(f"{prefix}{pair.key}: {error}")
    return made


def _value(value: Any) -> JsonValue:
    kind = value.WhichOneof("value")
    match kind:
        case "string_value" | "bool_value" | "int_value":
            return getattr(value, kind)
        case "double_value":
            return number(value.double_value)
        case "bytes_value":
            return from_bytes(value.bytes_value)
        case "array_value":
            return [_value(item) for item in value.array_value.values]
        case "kvlist_value":
            return {pair.key: _value(pair.value) for pair in value.kvlist_value.values}
        case None:
            return None
    raise UnreadableValueError(f"a value of the unknown kind {kind}")

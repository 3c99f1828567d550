"""Export requests for tests, in both wire forms."""

from __future__ import annotations

import json
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
TRACE_ID = "5b8efff798038103d269b633813fc60c"
SPAN_ID = "eee19b7ec3c1b174"


def any_value(value: Any) -> AnyValue:
    match value:
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case str():
            return AnyValue(string_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case list():
            return AnyValue(array_value=ArrayValue(values=[any_value(item) for item in value]))
        case dict():
            return AnyValue(kvlist_value=KeyValueList(values=pairs(value)))
    return AnyValue()


def pairs(attributes: dict[str, Any]) -> list[KeyValue]:
    return [KeyValue(key=key, value=any_value(value)) for key, value in attributes.items()]


def protobuf(*spans: dict[str, Any], resource: dict[str, Any] | None = None, scope: str = "test") -> bytes:
    request = ExportTraceServiceRequest()
    of_resource = request.resource_spans.add()
    of_resource.resource.attributes.extend(pairs(resource or {}))
    of_scope = of_resource.scope_spans.add()
    of_scope.scope.name = scope
    for given in spans:
        span = of_scope.spans.add(
            trace_id=given.get("trace_id", bytes.fromhex(TRACE_ID)),
            span_id=given.get("span_id", bytes.fromhex(SPAN_ID)),
            parent_span_id=given.get("parent", b""),
            name=given.get("name", "chat"),
            start_time_unix_nano=given.get("start", 1_700_000_000_000_000_001),
            end_time_unix_nano=given.get("end", 1_700_000_001_000_000_000),
            attributes=pairs(given.get("attributes", {})),
        )
        for name, attributes in given.get("events", ()):
            span.events.add(name=name, time_unix_nano=7, attributes=pairs(attributes))
        span.status.code, span.status.message = given.get("status", (0, ""))
    return request.SerializeToString()


def json_span(**changes: Any) -> dict[str, Any]:
    return {
        "traceId": TRACE_ID,
        "spanId": SPAN_ID,
        "name": "chat",
        "kind": 3,
        "startTimeUnixNano": "1700000000000000001",
        "endTimeUnixNano": "1700000001000000000",
        "attributes": [],
    } | changes


def with_values(**values: Any) -> dict[str, Any]:
    return json_span(attributes=[{"key": key, "value": value} for key, value in values.items()])


def json_export(*spans: Any) -> bytes:
    scope = {"scope": {"name": "test"}, "spans": list(spans)}
    return json.dumps({"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [scope]}]}).encode()

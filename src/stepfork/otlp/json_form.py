"""An export request in OTLP/JSON to spans.

The rules are those of the protocol's JSON encoding: ids in hexadecimal (not base64), 64-bit integers as numbers or
decimal strings, enumerations as numbers or names, members that are not known ignored.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any

from stepfork.errors import OtlpError
from stepfork.otlp.limits import Limits, check_json
from stepfork.otlp.values import UnreadableValueError, from_bytes, number, whole
from stepfork.otlp.wire import malformed
from stepfork.trace.body import JsonValue
from stepfork.trace.span import Span, SpanEvent

_STATUS = {
    None: "unset",
    0: "unset",
    1: "ok",
    2: "error",
    "STATUS_CODE_UNSET": "unset",
    "STATUS_CODE_OK": "ok",
    "STATUS_CODE_ERROR": "error",
}
_DECIMAL = re.compile(r"-?[0-9]{1,20}")
_FLOATS = ("NaN", "Infinity", "-Infinity")
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
    for i, of_resource in _objects(document, "resourceSpans", ""):
        notes: list[str] = []
        at = f"resourceSpans[{i}]"
        resource = reader.attributes(_object(of_resource, "resource", at), f"{at}.resource", notes)
        for j, of_scope in _objects(of_resource, "scopeSpans", at):
            here = f"{at}.scopeSpans[{j}]"
            scope = reader.text(_object(of_scope, "scope", here), "name", f"{here}.scope")
            for k, span in _objects(of_scope, "spans", here):
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
        events = list(_objects(span, "events", where))
        if len(events) + len(_list(span, "attributes", where)) > self.limits.span_members:
            raise OtlpError(f"more than {self.limits.span_members} attributes, events and links in one span")
        status = _object(span, "status", where)
        parent = span.get("parentSpanId")
        return Span(
            trace_id=_id(span.get("traceId"), 32, f"{where}.traceId"),
            span_id=_id(span.get("spanId"), 16, f"{where}.spanId"),
            parent_id=None if parent in (None, "", "0" * 16) else _id(parent, 16, f"{where}.parentSpanId"),
            name=self.text(span, "name", where),
            start_ns=_time(span, "startTimeUnixNano", where),
            end_ns=_time(span, "endTimeUnixNano", where),
            attributes=self.attributes(span, where, notes),
            events=tuple(self.event(event, f"{where}.events[{i}]", notes) for i, event in events),
            status=_status(status.get("code"), f"{where}.status.code"),
            status_message=self.text(status, "message", f"{where}.status"),
            scope=scope,
            resource=resource,
            notes=tuple(notes),
        )

    def event(self, event: dict[str, Any], where: str, notes: list[str]) -> SpanEvent:
        name = self.text(event, "name", where)
        mine: list[str] = []
        made = SpanEvent(name, _time(event, "timeUnixNano", where), self.attributes(event, where, mine))
        notes.extend(f"{name} {note}" for note in mine)
        return made

    def attributes(self, holder: dict[str, Any], where: str, notes: list[str]) -> dict[str, JsonValue]:
        made: dict[str, JsonValue] = {}
        for i, pair in _objects(holder, "attributes", where):
            at = f"{where}.attributes[{i}]"
            key = self.text(pair, "key", at)
            try:
                made[key] = self.value(pair.get("value"), f"{at}.value")
            except UnreadableValueError as error:
                notes.append(f"{key}: {error}")
        return made

    def value(self, value: Any, where: str) -> JsonValue:
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
        match kind:
            case "stringValue":
                return self.text(value, kind, where)
            case "boolValue":
                if not isinstance(held, bool):
                    raise OtlpError("must be true or false", where=at)
                return held
            case "intValue":
                return _integer(held, -(2**63), 2**63, at)
            case "doubleValue":
                return _double(held, at)
            case "bytesValue":
                return _bytes(held, at)
            case "arrayValue":
                return [self.value(item, f"{at}.values[{i}]") for i, item in enumerate(_values(held, at))]
        pairs = _objects(held if isinstance(held, dict) else {"values": held}, "values", at)
        return {
            self.text(pair, "key", f"{at}.values[{i}]"): self.value(pair.get("value"), f"{at}.values[{i}].value")
            for i, pair in pairs
        }

    def text(self, holder: dict[str, Any], name: str, where: str) -> str:
        text = holder.get(name)
        if text is None:
            return ""
        if not isinstance(text, str):
            raise OtlpError("must be a string", where=f"{where}.{name}")
        return whole(text) if self.halves else text


def _values(held: Any, where: str) -> list[Any]:
    if not isinstance(held, dict):
        raise OtlpError("must be an object", where=where)
    return _list(held, "values", where)


def _list(holder: dict[str, Any], name: str, where: str) -> list[Any]:
    items = holder.get(name)
    if items is None:
        return []
    if not isinstance(items, list):
        raise OtlpError("must be an array", where=f"{where}.{name}".lstrip("."))
    return items


def _objects(holder: dict[str, Any], name: str, where: str) -> list[tuple[int, dict[str, Any]]]:
    items = _list(holder, name, where)
    for i, item in enumerate(items):
        if not isinstance(item, dict):
            raise OtlpError("must be an object", where=f"{where}.{name}[{i}]".lstrip("."))
    return list(enumerate(items))


def _object(holder: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    item = holder.get(name)
    if item is None:
        return {}
    if not isinstance(item, dict):
        raise OtlpError("must be an object", where=f"{where}.{name}")
    return item


def _id(text: Any, digits: int, where: str) -> str:
    if isinstance(text, str) and len(text) == digits and re.fullmatch(r"[0-9a-fA-F]+", text) and text.strip("0"):
        return text.lower()
    raise OtlpError(f"must be {digits} hexadecimal digits that are not all zero", where=where)


def _time(holder: dict[str, Any], name: str, where: str) -> int:
    value = holder.get(name)
    return 0 if value is None else _integer(value, 0, 2**64, f"{where}.{name}")


def _integer(value: Any, low: int, high: int, where: str) -> int:
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        value = int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value < high:
        raise OtlpError("must be a 64-bit integer, as a number or as decimal digits in a string", where=where)
    return value


def _double(value: Any, where: str) -> float:
    if isinstance(value, str) and (value in _FLOATS or re.fullmatch(r"-?[0-9.]+([eE][-+]?[0-9]+)?", value)):
        try:
            value = float(value)
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise OtlpError("must be a number", where=where)
    try:
        return number(float(value))
    except OverflowError:
        raise UnreadableValueError("a number past the range of a double") from None


def _bytes(value: Any, where: str) -> str:
    try:
        if isinstance(value, str):
            return from_bytes(base64.b64decode(value, validate=True))
    except (binascii.Error, ValueError):
        pass
    raise OtlpError("must be base64", where=where)


def _status(code: Any, where: str) -> str:
    if isinstance(code, str) or code is None:
        if code not in _STATUS:
            raise OtlpError("is not the name of a status code", where=where)
        return _STATUS[code]
    if isinstance(code, bool) or not isinstance(code, int):
        raise OtlpError("must be the number or the name of a status code", where=where)
    return _STATUS.get(code, "unset")  # numbers of a later version are open

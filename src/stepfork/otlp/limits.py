"""What one export may hold, checked on the bytes before anything is decoded.

Decoding multiplies: a few megabytes of nested or empty records become gigabytes of objects. Both checks below read
the bytes once, keep no objects and stop at the first limit passed.
"""

from __future__ import annotations

import re
from itertools import accumulate

import msgspec

from stepfork.errors import OtlpError
from stepfork.otlp.wire import Record, fields, is_plain_attribute


class Limits(msgspec.Struct, frozen=True):
    """Counts for one export: spans, attributes, events and links of one span, values in all, levels of a value."""

    spans: int = 20_000
    span_members: int = 5_000
    values: int = 200_000
    depth: int = 32


DEFAULT = Limits()

# The records of an ExportTraceServiceRequest that can hold spans, attributes or nesting: field number -> record.
_RECORDS: dict[str, dict[int, str]] = {
    "request": {1: "resource spans"},
    "resource spans": {1: "resource", 2: "scope spans"},
    "resource": {1: "attribute"},
    "scope spans": {1: "scope", 2: "span"},
    "scope": {3: "attribute"},
    "span": {9: "attribute", 11: "event", 13: "link"},
    "event": {3: "attribute"},
    "link": {4: "attribute"},
    "attribute": {2: "value"},
    "value": {5: "array", 6: "list"},
    "array": {1: "value"},
    "list": {1: "attribute"},
}
# A string runs to its closing quote, or to the end: an unclosed one is looked at once only.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_ENVELOPE_DEPTH = 12


def check_protobuf(data: bytes, limits: Limits = DEFAULT) -> None:
    """Raise OtlpError where the message breaks off, or holds more than `limits` allow."""
    spans = values = 0
    budget = [6 * limits.values + 20 * limits.spans]  # an attribute takes 4 fields, a span some 12 of its own
    stack: list[tuple[Record, int]] = [(("request", 0, len(data)), 0)]
    while stack:
        (kind, start, end), depth = stack.pop()
        inner = _RECORDS[kind]
        members = 0
        for field, at, stop in fields(data, start, end, budget):
            child = inner.get(field)
            if child is None:
                continue
            members += 1
            if child == "attribute" and is_plain_attribute(data, at, stop):
                values += 1
                continue
            spans += child == "span"
            values += child in ("value", "event", "link")
            below = depth + (child in ("array", "list"))
            if below > limits.depth:
                raise _too_many(limits.depth, "levels of nesting in an attribute")
            stack.append(((child, at, stop), below))
        if kind == "span" and members > limits.span_members:
            raise _too_many(limits.span_members, "attributes, events and links in one span")
        if spans > limits.spans:
            raise _too_many(limits.spans, "spans in one export")
        if values > limits.values:
            raise _too_many(limits.values, "values in one export")


def check_json(data: bytes, limits: Limits = DEFAULT) -> None:
    """Raise OtlpError where the document holds far more than `limits` allow, or nests deeper.

    Spans, members and levels are counted exactly while decoding; here what could be made large is bounded.
    """
    if data.count(b'"') - data.count(b'\\"') > 30 * limits.values + 60 * limits.spans:
        raise _too_many(limits.values, "values in one export")
    brackets = _STRING.sub(b"", data).translate(None, _NOT_BRACKETS)
    if brackets.count(b"{") + brackets.count(b"[") > 5 * limits.values + 12 * limits.spans:
        raise _too_many(limits.values, "values in one export")
    # A level takes up to four brackets: {"kvlistValue":{"values":[{…}]}}.
    if max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > 4 * limits.depth + _ENVELOPE_DEPTH:
        raise _too_many(limits.depth, "levels of nesting in an attribute")


def _too_many(limit: int, what: str) -> OtlpError:
    return OtlpError(f"more than {limit} {what}")

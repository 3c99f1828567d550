"""Replies to export requests, in the content type of the request (JSON where that is neither of OTLP's two)."""

from __future__ import annotations

import json
from typing import Literal

import msgspec

from stepfork.otlp.wire import varint
from stepfork.trace.wire import media_type

PROTOBUF = "application/x-protobuf"
JSON = "application/json"

INVALID_ARGUMENT = 3
"""``google.rpc.Code`` for a request that is wrong whatever the state of the receiver: not to be sent again."""


class Reply(msgspec.Struct, frozen=True):
    """The body of a reply and the content type to send it under."""

    body: bytes
    content_type: str


def wire_form(content_type: str) -> Literal["protobuf", "json"] | None:
    """Which of OTLP's two wire forms a Content-Type names; None for any other, or none."""
    media = media_type(content_type)
    if media in (PROTOBUF, "application/protobuf"):
        return "protobuf"
    return "json" if media == JSON else None


def success(content_type: str) -> Reply:
    """Everything was taken: an empty ExportTraceServiceResponse."""
    return Reply(b"", PROTOBUF) if wire_form(content_type) == "protobuf" else Reply(b"{}", JSON)


def partial_success(content_type: str, rejected_spans: int, message: str) -> Reply:
    """`rejected_spans` of the export were dropped, `message` says why; the exporter must not send them again."""
    if wire_form(content_type) == "protobuf":
        inner = b"\x08" + varint(rejected_spans) + _text(2, message)
        return Reply(b"\x0a" + varint(len(inner)) + inner, PROTOBUF)
    # 64-bit integers are strings in the JSON form.
    value = {"partialSuccess": {"rejectedSpans": str(rejected_spans), "errorMessage": message}}
    return Reply(json.dumps(value).encode(), JSON)


def failure(content_type: str, message: str, code: int = INVALID_ARGUMENT) -> Reply:
    """A ``google.rpc.Status``, the body of a 4xx: nothing was taken, and why."""
    if wire_form(content_type) == "protobuf":
        return Reply(b"\x08" + varint(code) + _text(2, message), PROTOBUF)
    return Reply(json.dumps({"code": code, "message": message}).encode(), JSON)


def _text(field: int, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return varint(field << 3 | 2) + varint(len(data)) + data

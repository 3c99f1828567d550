from __future__ import annotations

import json

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from stepfork.otlp.reply import failure, partial_success, success, wire_form
from tests.unit.otlp.export_samples import JSON, PROTOBUF


def test_c024_a_reply_is_in_the_form_of_the_request() -> None:
    for reply in (success(PROTOBUF), partial_success(PROTOBUF, 3, "why"), failure(PROTOBUF, "why")):
        assert reply.content_type == PROTOBUF
    for media in (JSON, "application/json; charset=utf-8", "text/plain", ""):
        for reply in (success(media), partial_success(media, 3, "why"), failure(media, "why")):
            assert reply.content_type == JSON
            json.loads(reply.body)


@pytest.mark.parametrize("rejected", [0, 1, 127, 128, 20_000, 2**40])
@pytest.mark.parametrize("message", ["", "over the limit", "zu groß " * 40])
def test_a_partial_success_says_how_many_and_why(rejected: int, message: str) -> None:
    told = ExportTraceServiceResponse.FromString(partial_success(PROTOBUF, rejected, message).body).partial_success
    assert (told.rejected_spans, told.error_message) == (rejected, message)
    value = json.loads(partial_success(JSON, rejected, message).body)["partialSuccess"]
    assert (int(value["rejectedSpans"]), value["errorMessage"]) == (rejected, message)


def test_success_is_an_empty_response() -> None:
    assert ExportTraceServiceResponse.FromString(success(PROTOBUF).body) == ExportTraceServiceResponse()
    assert json.loads(success(JSON).body) == {}


def test_a_failure_is_a_status() -> None:
    # google.rpc.Status: 1 code (varint), 2 message (text)
    assert failure(PROTOBUF, "no").body == b"\x08\x03\x12\x02no"
    assert json.loads(failure(JSON, "no", 13).body) == {"code": 13, "message": "no"}


def test_a_message_with_half_a_character_still_gives_a_reply() -> None:
    assert failure(PROTOBUF, "\ud800").body.endswith(b"?")


def test_the_wire_form_is_told_by_the_media_type() -> None:
    assert wire_form("application/x-protobuf") == wire_form("application/protobuf") == "protobuf"
    assert wire_form("application/json;charset=UTF-8") == "json"
    assert wire_form("application/json+x") is wire_form("") is None

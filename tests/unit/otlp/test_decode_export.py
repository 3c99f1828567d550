from __future__ import annotations

import gzip
import math
from typing import Any

import pytest

from stepfork.errors import OtlpError
from stepfork.otlp.decode import decode_export
from tests.unit.otlp.export_samples import (
    JSON,
    PROTOBUF,
    SPAN_ID,
    TRACE_ID,
    json_export,
    json_span,
    protobuf,
    with_values,
)


def refused(data: bytes, media: str = JSON) -> OtlpError:
    with pytest.raises(OtlpError) as caught:
        decode_export(data, media)
    return caught.value


def test_protobuf_and_json_of_one_span_are_one_span() -> None:
    attributes: dict[str, Any] = {
        "text": "grün\u2028",
        "yes": True,
        "whole": -(2**63),
        "real": 0.5,
        "list": ["a", 1, [2.5, None]],
        "map": {"inner": {"deep": False}},
        "nothing": None,
    }
    span = {
        "attributes": attributes,
        "parent": b"\x01" * 8,
        "events": [("exception", {"exception.type": "KeyError"})],
        "status": (2, "broke"),
    }
    held = [
        {"key": "text", "value": {"stringValue": "grün\u2028"}},
        {"key": "yes", "value": {"boolValue": True}},
        {"key": "whole", "value": {"intValue": "-9223372036854775808"}},
        {"key": "real", "value": {"doubleValue": 0.5}},
        {
            "key": "list",
            "value": {
                "arrayValue": {
                    "values": [
                        {"stringValue": "a"},
                        {"intValue": 1},
                        {"arrayValue": {"values": [{"doubleValue": 2.5}, {}]}},
                    ]
                }
            },
        },
        {
            "key": "map",
            "value": {
                "kvlistValue": {
                    "values": [
                        {
                            "key": "inner",
                            "value": {"kvlistValue": {"values": [{"key": "deep", "value": {"boolValue": False}}]}},
                        }
                    ]
                }
            },
        },
        {"key": "nothing", "value": {}},
    ]
    as_json = json_span(
        attributes=held,
        parentSpanId="01" * 8,
        events=[
            {
                "name": "exception",
                "timeUnixNano": 7,
                "attributes": [{"key": "exception.type", "value": {"stringValue": "KeyError"}}],
            }
        ],
        status={"code": "STATUS_CODE_ERROR", "message": "broke"},
    )
    [from_protobuf] = decode_export(protobuf(span), PROTOBUF)
    [from_json] = decode_export(json_export(as_json), JSON)
    assert from_protobuf == from_json
    assert from_json.attributes == attributes
    assert list(map(type, from_json.attributes.values())) == [str, bool, int, float, list, dict, type(None)]
    assert (from_json.status, from_json.status_message, from_json.parent_id) == ("error", "broke", "01" * 8)
    assert from_json.start_ns == 1_700_000_000_000_000_001


def test_resource_and_scope_belong_to_each_span_and_order_is_kept() -> None:
    first, second = {"span_id": b"\x01" * 8, "name": "first"}, {"span_id": b"\x02" * 8, "name": "second"}
    spans = decode_export(protobuf(first, second, resource={"service.name": "refunds"}, scope="handler"), PROTOBUF)
    assert [(span.name, span.scope, span.resource) for span in spans] == [
        ("first", "handler", {"service.name": "refunds"}),
        ("second", "handler", {"service.name": "refunds"}),
    ]


def test_c020_what_was_compressed_decodes_as_what_was_not() -> None:
    for data, media in ((protobuf({"name": "chat"}), PROTOBUF), (json_export(json_span()), JSON)):
        assert decode_export(gzip.decompress(gzip.compress(data)), media) == decode_export(data, media)
        assert "JSON" in str(refused(gzip.compress(data), JSON))  # still compressed: malformed, not a traceback


def test_c021_hexadecimal_ids_in_any_letter_case() -> None:
    [span] = decode_export(json_export(json_span(traceId=TRACE_ID.upper(), spanId="EEE19b7ec3c1B174")), JSON)
    assert (span.trace_id, span.span_id) == (TRACE_ID, SPAN_ID)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("traceId", "W47/95gDgQPSabYzgT/GDA=="),
        ("spanId", "7uGbfsPBsXQ="),
        ("parentSpanId", "7uGbfsPBsXQ="),
        ("traceId", "0" * 32),
        ("spanId", ""),
        ("spanId", 17),
        ("spanId", "eee19b7ec3c1b17"),
        ("spanId", "ééé19b7ec3c1b174"),
        ("traceId", "\uff15b8efff798038103d269b633813fc60c"),
    ],
)
def test_c021_other_ids_are_refused_by_the_name_of_the_field(field: str, value: Any) -> None:
    error = refused(json_export(json_span(), json_span(**{field: value})))
    assert error.where == f"resourceSpans[0].scopeSpans[0].spans[1].{field}"
    assert not isinstance(value, str) or value not in str(error) or not value


@pytest.mark.parametrize("parent", [None, "", "0000000000000000"])
def test_a_parent_that_is_empty_or_zero_is_no_parent(parent: str | None) -> None:
    assert decode_export(json_export(json_span(parentSpanId=parent)), JSON)[0].parent_id is None
    assert decode_export(protobuf({"parent": b"\x00" * 8}), PROTOBUF)[0].parent_id is None


def test_protobuf_ids_of_another_length_are_refused() -> None:
    assert (
        refused(protobuf({"span_id": b"\x01" * 7}), PROTOBUF).where
        == "resource_spans[0].scope_spans[0].spans[0].span_id"
    )
    assert "trace_id" in str(refused(protobuf({"trace_id": b""}), PROTOBUF))


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        ("42", 42),
        (42, 42),
        ("-7", -7),
        ("9007199254740993", 9007199254740993),
        (9007199254740993, 9007199254740993),
        (str(2**63 - 1), 2**63 - 1),
        (str(-(2**63)), -(2**63)),
        (42.0, 42),
    ],
)
def test_c022_integers_as_strings_and_as_numbers_are_exact(given: Any, exact: int) -> None:
    held = decode_export(json_export(with_values(a={"intValue": given})), JSON)[0].attributes["a"]
    assert (held, type(held)) == (exact, int)


@pytest.mark.parametrize(
    "given",
    [
        "forty-two",
        "",
        "0x10",
        "1_000",
        " 42",
        "4.2",
        "\u0664\u0662",
        4.5,
        True,
        [],
        str(2**63),
        2**63,
        10**400,
        "9" * 5000,
    ],
)
def test_c022_what_is_no_64_bit_integer_is_refused_by_name(given: Any) -> None:
    error = refused(json_export(json_span(), with_values(ok={"intValue": 1}, bad={"intValue": given})))
    assert error.where == "resourceSpans[0].scopeSpans[0].spans[1].attributes[1].value.intValue"


def test_c022_times_take_both_forms_too() -> None:
    span = json_span(startTimeUnixNano=1700000000000000001, endTimeUnixNano=str(2**64 - 1))
    [read] = decode_export(json_export(span), JSON)
    assert (read.start_ns, read.end_ns) == (1700000000000000001, 2**64 - 1)
    assert "startTimeUnixNano" in str(refused(json_export(json_span(startTimeUnixNano="soon"))))
    assert "endTimeUnixNano" in str(refused(json_export(json_span(endTimeUnixNano=-1))))


def test_c023_a_null_double_costs_its_attribute_and_nothing_else() -> None:
    bad = with_values(model={"stringValue": "m"}, tokens={"doubleValue": None}, after={"intValue": "3"})
    spans = decode_export(json_export(*(json_span(name=f"s{i}") for i in range(9)), bad), JSON)
    assert len(spans) == 10
    assert spans[-1].attributes == {"model": "m", "after": 3}
    assert spans[-1].notes == ("tokens: doubleValue is null",)
    assert all(span.notes == () for span in spans[:9])


def test_numbers_that_are_not_finite_are_dropped_and_noted_in_both_forms() -> None:
    [span] = decode_export(protobuf({"attributes": {"a": math.nan, "b": [math.inf], "c": 1.5}}), PROTOBUF)
    assert span.attributes == {"c": 1.5}
    assert [note.partition(":")[0] for note in span.notes] == ["a", "b"]
    held = with_values(a={"doubleValue": "NaN"}, b={"doubleValue": "-Infinity"}, c={"doubleValue": "1.5"})
    [span] = decode_export(json_export(held), JSON)
    assert span.attributes == {"c": 1.5}
    assert len(span.notes) == 2
    data = json_export(with_values(a={"doubleValue": 1})).replace(b'"doubleValue": 1', b'"doubleValue": NaN')
    assert decode_export(data, JSON)[0].attributes == {}


def test_half_a_character_costs_itself_only() -> None:
    data = json_export(with_values(a={"stringValue": "cut \ud83d"}, b={"stringValue": "whole \U0001f600"}))
    assert b"\\ud83d" in data
    assert decode_export(data, JSON)[0].attributes == {"a": "cut \ufffd", "b": "whole \U0001f600"}


def test_bytes_that_are_text_are_text() -> None:
    [span] = decode_export(protobuf({"attributes": {"text": b'{"a": 1}', "data": b"\xff\x00"}}), PROTOBUF)
    assert span.attributes == {"text": '{"a": 1}', "data": "/wA="}
    held = with_values(text={"bytesValue": "eyJhIjogMX0="}, data={"bytesValue": "/wA="})
    assert decode_export(json_export(held), JSON)[0].attributes == span.attributes
    assert "bytesValue" in str(refused(json_export(with_values(a={"bytesValue": "no base64!"}))))


@pytest.mark.parametrize(
    ("code", "status"),
    [(0, "unset"), (1, "ok"), (2, "error"), ("STATUS_CODE_OK", "ok"), (9, "unset"), (None, "unset")],
)
def test_enumerations_as_numbers_and_as_names(code: Any, status: str) -> None:
    assert decode_export(json_export(json_span(status={"code": code})), JSON)[0].status == status


def test_an_unknown_name_of_a_status_is_refused_by_name() -> None:
    assert (
        refused(json_export(json_span(status={"code": "BAD"}))).where
        == "resourceSpans[0].scopeSpans[0].spans[0].status.code"
    )


def test_members_that_are_not_known_are_ignored() -> None:
    span = json_span(
        flags=257, kind="SPAN_KIND_CLIENT", links=[{"anything": [1]}], droppedAttributesCount="x", new={"a": []}
    )
    [read] = decode_export(json_export(span).replace(b'"resource":', b'"later": 1, "resource":'), JSON)
    assert read.name == "chat"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b'{"resourceSpans": {}}',
        b'{"resourceSpans": [1]}',
        b'{"resourceSpans": [{"resource": 1}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [null]}]}]}',
        b'{"resourceSpans": [}]',
        b"\xff\xfe",
        b'{"a": "\xff"}',
        b"\xef\xbb\xbf{}",
        b"1" * 5000,
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'"' + b"\\" * 100_001,
        b'{"a": "' + b'\\"' * 100_000,
    ],
    ids=range(18),
)
def test_c024_malformed_json_is_one_short_line(data: bytes) -> None:
    error = refused(data)
    assert "\n" not in str(error)
    assert len(str(error)) < 120


@pytest.mark.parametrize(
    "data",
    [
        b"\x00",
        b"\x0a\xff",
        b"\x0a\x05ab",
        b"\xff" * 20,
        b"{}",
        b"\x0b\x0c",
        b"\x0a\x02\x12\x7f",
        b"\x09\x01",
        protobuf({"name": "chat"})[:-3],
        protobuf({"name": "chat"}).replace(b"chat", b"ch\xff\xff"),
    ],
    ids=range(10),
)
def test_c024_malformed_protobuf_is_one_short_line(data: bytes) -> None:
    error = refused(data, PROTOBUF)
    assert str(error) == "the body is not an ExportTraceServiceRequest in protobuf"


@pytest.mark.parametrize(
    "media", ["", "text/plain", "application/grpc", "application/jsonx", "application/x-ndjson", ";"]
)
def test_c024_another_content_type_is_unsupported(media: str) -> None:
    assert refused(json_export(json_span()), media).what == "unsupported media type"


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "APPLICATION/JSON"])
def test_c024_parameters_and_letter_case_of_the_content_type_do_not_matter(media: str) -> None:
    assert len(decode_export(json_export(json_span()), media)) == 1


def test_an_export_without_spans_is_fine() -> None:
    assert decode_export(b"", PROTOBUF) == []
    assert decode_export(b"{}", JSON) == []
    assert decode_export(b'{"resourceSpans": [{"scopeSpans": null}]}', JSON) == []

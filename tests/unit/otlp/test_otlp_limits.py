from __future__ import annotations

from typing import Any

import pytest

from stepfork.errors import OtlpError
from stepfork.otlp.decode import decode_export
from stepfork.otlp.limits import Limits, check_json, check_protobuf
from stepfork.otlp.wire import varint
from tests.unit.otlp.export_samples import JSON, PROTOBUF, json_export, json_span, protobuf, with_values

SMALL = Limits(spans=3, span_members=4, values=50, depth=5)


def refusal(data: bytes, media: str, limits: Limits = SMALL) -> str:
    with pytest.raises(OtlpError) as caught:
        decode_export(data, media, limits=limits)
    return str(caught.value)


def both(spans: int, **attributes: Any) -> list[tuple[bytes, str]]:
    values = {key: {"intValue": value} for key, value in attributes.items()}
    return [
        (protobuf(*[{"attributes": attributes}] * spans), PROTOBUF),
        (json_export(*[with_values(**values)] * spans), JSON),
    ]


@pytest.mark.parametrize("form", [0, 1], ids=["protobuf", "json"])
def test_each_limit_itself_is_allowed_and_one_more_is_not(form: int) -> None:
    data, media = both(3, a=1, b=2, c=3, d=4)[form]
    assert len(decode_export(data, media, limits=SMALL)) == 3
    data, media = both(4)[form]
    assert refusal(data, media) == "more than 3 spans in one export"
    data, media = both(1, a=1, b=2, c=3, d=4, e=5)[form]
    assert refusal(data, media) == "more than 4 attributes, events and links in one span"


def nested(levels: int) -> Any:
    value: Any = "end"
    for level in range(levels):
        value = [value] if level % 2 else {"k": value}
    return value


def nested_json(levels: int) -> Any:
    value: Any = {"stringValue": "end"}
    for level in range(levels):
        held = {"values": [value if level % 2 else {"key": "k", "value": value}]}
        value = {"arrayValue" if level % 2 else "kvlistValue": held}
    return value


def test_nesting_is_bounded() -> None:
    [span] = decode_export(protobuf({"attributes": {"a": nested(5)}}), PROTOBUF, limits=SMALL)
    assert span.attributes == {"a": nested(5)}
    assert decode_export(json_export(with_values(a=nested_json(5))), JSON, limits=SMALL) == [span]
    assert "levels of nesting" in refusal(protobuf({"attributes": {"a": nested(6)}}), PROTOBUF)
    assert "levels of nesting" in refusal(json_export(with_values(a=nested_json(6))), JSON)
    assert decode_export(json_export(with_values(a=nested_json(32))), JSON)  # the default holds what it promises
    assert decode_export(protobuf({"attributes": {"a": nested(32)}}), PROTOBUF)


def test_values_inside_values_count() -> None:
    assert "values in one export" in refusal(protobuf({"attributes": {"a": list(range(60))}}), PROTOBUF)
    assert "values in one export" in refusal(json_export(with_values(**{f"a{i}": {} for i in range(300)})), JSON)


def test_events_and_links_count() -> None:
    assert "in one span" in refusal(protobuf({"events": [("e", {})] * 5}), PROTOBUF)
    assert "in one span" in refusal(json_export(json_span(events=[{"name": "e"}] * 5)), JSON)


def test_protobuf_nested_past_all_limits_is_refused_without_decoding() -> None:
    value = b"\x0a\x00"
    for _ in range(20_000):  # AnyValue{array_value{values{…}}}
        array = b"\x0a" + varint(len(value)) + value
        value = b"\x2a" + varint(len(array)) + array
    attribute = b"\x12" + varint(len(value)) + value
    span = b"\x4a" + varint(len(attribute)) + attribute
    scope = b"\x12" + varint(len(span)) + span
    resource = b"\x12" + varint(len(scope)) + scope
    with pytest.raises(OtlpError, match="levels of nesting"):
        check_protobuf(b"\x0a" + varint(len(resource)) + resource)


def test_brackets_inside_strings_are_text() -> None:
    check_json(rb'{"a": "[[[{{{\\\"[[[", "b": "\\"}', Limits(depth=0))
    check_json(b'{"a": "' + b"[" * 10_000 + b'"}', Limits(depth=0))
    with pytest.raises(OtlpError, match="levels of nesting"):
        check_json(rb'{"a": "\\"' + b"[" * 20, Limits(depth=0))


def test_mismatched_brackets_are_malformed() -> None:
    for data in (b"[}", b"{]", b"}{", b"[[]", b"]"):
        with pytest.raises(OtlpError):
            decode_export(data, JSON)


def test_an_attribute_cannot_hide_its_nesting() -> None:
    """A value may be written twice, and the last one counts: first a scalar, then an array in an array in …"""
    deep = b"\x0a\x00"
    for _ in range(7):
        array = b"\x0a" + varint(len(deep)) + deep
        deep = b"\x2a" + varint(len(array)) + array
    for first in (b"", b"\x10\x01", b"\x0a\x01a"):
        value = first + deep
        attribute = b"\x0a\x01k\x12" + varint(len(value)) + value
        again = b"\x0a\x01k\x12\x02\x10\x01\x12" + varint(len(deep)) + deep
        for held in (attribute, again):
            span = b"\x4a" + varint(len(held)) + held
            scope = b"\x12" + varint(len(span)) + span
            resource = b"\x12" + varint(len(scope)) + scope
            assert "levels of nesting" in refusal(b"\x0a" + varint(len(resource)) + resource, PROTOBUF)


@pytest.mark.parametrize(
    "data",
    [b"\x0a\x00" * 3_000_000, b"\x08\x01" * 3_000_000, b"\x0a\x02\x12\x00" * 1_500_000],
    ids=["empty resources", "unknown fields", "empty scopes"],
)
def test_many_empty_records_are_refused_before_they_are_made(data: bytes) -> None:
    with pytest.raises(OtlpError, match="fields in one export"):
        check_protobuf(data, Limits(spans=100, values=1_000))


@pytest.mark.parametrize("data", [b'"' * 100_000, b"{}" * 100_000, b"[" * 100_000, b'{"a":' * 100_000])
def test_many_empty_json_values_are_refused_before_they_are_made(data: bytes) -> None:
    with pytest.raises(OtlpError, match="more than"):
        check_json(data, Limits(spans=10, values=100))

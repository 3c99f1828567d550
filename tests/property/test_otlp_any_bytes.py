"""Whatever bytes arrive: spans that canonical JSON can carry, or an OtlpError."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.errors import OtlpError
from stepfork.otlp.decode import decode_export
from stepfork.trace.span import Span
from tests.unit.otlp.export_samples import JSON, PROTOBUF, json_export, json_span, protobuf

MEDIA = st.sampled_from([JSON, PROTOBUF, "", "text/plain"])
WHOLE = protobuf(
    {"attributes": {"a": [1, {"b": 2.5}], "c": True}, "events": [("e", {"k": "v"})], "status": (2, "broke")},
    {"name": "second", "parent": b"\x01" * 8},
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(alphabet=st.characters(exclude_categories=()))
    | st.sampled_from(["NaN", "42", "W47/95gDgQPSabYzgT/GDA==", "", "0" * 16])
)
MEMBERS = [
    *("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue", "arrayValue", "kvlistValue", "values"),
    *("key", "value", "attributes", "spans", "x"),
]
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(MEMBERS),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


def outcome(data: bytes, media: str) -> list[Span] | None:
    try:
        spans = decode_export(data, media)
    except OtlpError:
        return None
    for span in spans:
        dumps(msgspec.to_builtins(span))
    return spans


@given(st.binary(max_size=300), MEDIA)
def test_random_bytes(data: bytes, media: str) -> None:
    outcome(data, media)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=4), st.integers(0, 9)
)
def test_protobuf_with_some_bytes_changed_and_an_end_cut(changes: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(WHOLE)
    for at, byte in changes:
        data[at] = byte
    outcome(bytes(data[: len(data) - cut]), PROTOBUF)


@settings(max_examples=200)
@given(
    st.sampled_from(
        ["traceId", "spanId", "parentSpanId", "name", "startTimeUnixNano", "attributes", "events", "status"]
    ),
    VALUES,
)
def test_json_with_a_member_of_any_kind(member: str, value: Any) -> None:
    outcome(json_export(json_span(**{member: value})), JSON)


@settings(max_examples=200)
@given(VALUES)
def test_json_with_an_attribute_of_any_kind(value: Any) -> None:
    outcome(json_export(json_span(attributes=[{"key": "a", "value": value}])), JSON)


@given(VALUES)
def test_json_of_any_kind(value: Any) -> None:
    outcome(json.dumps({"resourceSpans": value}).encode(), JSON)


@given(st.text(alphabet='{}[]",:\\ a1', max_size=80))
def test_text_that_looks_like_json(text: str) -> None:
    outcome(text.encode(), JSON)

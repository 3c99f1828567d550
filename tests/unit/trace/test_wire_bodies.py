"""Bytes on the wire to a body and back: each kind, and what decides it."""

from __future__ import annotations

import json

import pytest

from stepfork.canonical.encode import dumps
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError
from stepfork.trace.body import Body, BytesBody, EventsBody, JsonBody, TextBody
from stepfork.trace.wire import BODY_DEPTH, body_bytes, body_from_json, body_to_json, read_body

JSON = "application/json"


@pytest.mark.parametrize(
    ("raw", "media", "expected"),
    [
        (b"", JSON, None),
        (b"{}", JSON, JsonBody({})),
        (b" [1,\n1.0] ", "application/vnd.api+json; charset=utf-8", JsonBody([1, 1.0])),
        (b'{"b":1,"a":2}', "", JsonBody({"b": 1, "a": 2}, "10")),
        (b"null", "TEXT/JSON", JsonBody(None)),
        (b"{}", "text/plain", TextBody("{}")),
        (b"hello", "", TextBody("hello")),
        (b"68656c6c6f", "text/plain", TextBody("68656c6c6f")),
        (b"aGVsbG8=", "application/octet-stream", TextBody("aGVsbG8=")),
        (b"\xff\xd8\xff", "image/jpeg", BytesBody(b"\xff\xd8\xff")),
        (b"\xff", JSON, BytesBody(b"\xff")),
        (b'{"a":1', JSON, TextBody('{"a":1', "invalid JSON at line 1 column 7")),
        (b'{"a":1,"a":2}', JSON, TextBody('{"a":1,"a":2}', "an object has two members of the same name")),
        (b"[NaN]", JSON, TextBody("[NaN]", "a number that is not finite has no canonical form")),
        (rb'["\ud83d"]', JSON, TextBody(r'["\ud83d"]', "a lone surrogate has no canonical form")),
        (
            b"[18446744073709551616]",
            JSON,
            TextBody("[18446744073709551616]", "an integer outside 64 bits has no canonical form"),
        ),
        (b"data: 1\n\ndata: 2\n\n", "Text/Event-Stream; charset=UTF-8", EventsBody(("data: 1", "data: 2", ""))),
        (b"data: 1\r\n\r\ndata: 2", "text/event-stream", EventsBody(("data: 1", "data: 2"), "\r\n\r\n")),
        (b"data: 1\r\rdata: 2\r\r", "text/event-stream", EventsBody(("data: 1", "data: 2", ""), "\r\r")),
        (b"data: a\xe2\x80\xa8b\n\n", "text/event-stream", EventsBody(("data: a\u2028b", ""))),
    ],
    ids=range(20),
)
def test_a_body_and_back(raw: bytes, media: str, expected: Body) -> None:
    body = read_body(raw, media)
    assert body == expected
    assert body_from_json(parse(dumps(body_to_json(body)))) == body
    assert body_bytes(body) == (raw if not isinstance(body, JsonBody) else raw.strip().replace(b"\n", b""))


def test_a_stream_is_one_because_the_request_asked() -> None:
    raw = b"event: x\ndata: {}\n\n"
    assert isinstance(read_body(raw, JSON, streamed=True), EventsBody)
    assert isinstance(read_body(raw, "text/plain", streamed=True), EventsBody)
    assert isinstance(read_body(raw, JSON), TextBody)
    assert isinstance(read_body(b'{"error":1}', JSON, streamed=True), JsonBody)
    assert isinstance(read_body(b"Bad gateway", "text/plain", streamed=True), TextBody)


def test_the_order_of_members_and_the_types_of_numbers_come_back() -> None:
    raw = b'{"z":{"b":1.0,"a":[{"y":1,"x":-0.0}]},"a":1e400}'.replace(b"1e400", b"1e22")
    given = json.loads(body_bytes(read_body(raw, JSON)))
    assert json.dumps(given) == json.dumps(json.loads(raw))


def test_a_body_at_its_depth() -> None:
    deep, deeper = (b"[" * levels + b"]" * levels for levels in (BODY_DEPTH, BODY_DEPTH + 1))
    assert isinstance(read_body(deep, JSON), JsonBody)
    assert read_body(deeper, JSON) == TextBody(deeper.decode(), f"nested more than {BODY_DEPTH} levels deep")


@pytest.mark.parametrize(
    "stored",
    [
        *(1, "x", [], {}, {"json": 1, "text": "x"}, {"json": 1, "order": 1}, {"json": 1, "more": "x"}, {"text": 1}),
        *(
            {"text": "x", "order": "y"},
            {"base64": "?"},
            {"base64": 1},
            {"base64": "YQ==", "text": "x"},
            {"events": "x"},
        ),
        *({"events": [1]}, {"events": [], "separator": 1}, {"order": "10"}),
    ],
)
def test_a_stored_form_of_no_known_kind(stored: object) -> None:
    with pytest.raises(CanonicalError):
        body_from_json(stored)

from __future__ import annotations

import pytest

from stepfork.listener.headers import accepted, kept, onward_request, onward_response

CODINGS = frozenset({"gzip", "deflate"})


def test_what_speaks_of_one_connection_stays_on_it() -> None:
    pairs = [
        ("Host", "localhost:1"),
        ("Connection", "keep-alive, X-Hop"),
        ("X-Hop", "1"),
        ("Keep-Alive", "5"),
        ("TE", "trailers"),
        ("Transfer-Encoding", "chunked"),
        ("Upgrade", "h2c"),
        ("Proxy-Authorization", "Basic x"),
        ("Expect", "100-continue"),
        ("Content-Length", "3"),
        ("Authorization", "Bearer x"),
        ("Accept-Encoding", "gzip"),
        ("X-Twice", "a"),
        ("x-twice", "b"),
    ]
    assert onward_request(pairs, CODINGS) == [
        ("Authorization", "Bearer x"),
        ("Accept-Encoding", "gzip"),
        ("X-Twice", "a"),
        ("x-twice", "b"),
    ]


def test_connection_cannot_name_what_belongs_to_the_message() -> None:
    pairs = [("Connection", "authorization, content-type"), ("Authorization", "Bearer x"), ("Content-Type", "a/b")]
    assert onward_request(pairs, CODINGS)[:2] == pairs[1:]
    assert onward_response([("Connection", "content-encoding"), ("Content-Encoding", "gzip")]) == [
        ("Content-Encoding", "gzip")
    ]


def test_a_response_is_framed_in_one_way() -> None:
    both = [("Transfer-Encoding", "chunked"), ("Content-Length", "9"), ("Set-Cookie", "a"), ("Set-Cookie", "b")]
    assert onward_response(both) == [("Set-Cookie", "a"), ("Set-Cookie", "b")]
    assert onward_response([("Content-Length", "9")]) == [("Content-Length", "9")]


@pytest.mark.parametrize(
    ("asked", "onward"),
    [
        ("gzip, deflate", "gzip, deflate"),
        ("gzip, deflate, br, zstd", "gzip, deflate"),
        ("br;q=1.0, GZIP;q=0.8, *;q=0.1", "GZIP;q=0.8"),
        ("identity;q=0, gzip", "identity;q=0, gzip"),
        ("br", "identity"),
        ("*", "identity"),
        ("", "identity"),
    ],
)
def test_only_codings_that_can_be_undone_are_asked_for(asked: str, onward: str) -> None:
    assert accepted(asked, CODINGS) == onward


def test_no_accept_encoding_means_none() -> None:
    assert onward_request([], CODINGS) == [("Accept-Encoding", "identity")]


def test_what_no_header_can_carry_is_left_out() -> None:
    assert onward_request([("X-Odd", "\udcff"), ("Accept-Encoding", "gzip")], CODINGS) == [("Accept-Encoding", "gzip")]
    assert onward_response([("X-Odd", "\udcff"), ("X-Fine", "é")]) == [("X-Fine", "é")]


def test_few_headers_are_recorded() -> None:
    headers = {
        "retry-after": "1.5",
        "retry-after-ms": "1500",
        "x-should-retry": "true",
        "request-id": "req_test0001",
        "x-request-id": "req_test0002",
        "date": "today",
        "set-cookie": "session=1",
        "openai-processing-ms": "12",
        "x-ratelimit-reset-requests": "1s",
    }
    assert kept(headers) == {name: headers[name] for name in list(headers)[:5]}


@pytest.mark.parametrize("value", ["Wed, 21 Oct 2026 07:28:00 GMT", "soon", ""])
def test_a_moment_to_retry_at_is_not_recorded(value: str) -> None:
    assert kept({"retry-after": value}) == {}

"""Which piece of a stream brings the event after which a client has its whole answer, however it is cut and coded."""

from __future__ import annotations

import zlib

import pytest

from stepfork.listener.last_event import LastEvent

DELTA = b'data: {"choices":[{"index":0,"delta":{"content":"[DONE]"},"finish_reason":null}]}\n\n'
STOP = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"
STREAM = {"content-type": "text/event-stream; charset=utf-8"}


def told(pieces: list[bytes], api: str = "chat_completions", **headers: str) -> list[bool]:
    last = LastEvent(api, {**STREAM, **{name.replace("_", "-"): value for name, value in headers.items()}})
    return [last.is_in(piece) for piece in pieces]


def test_only_a_terminal_event_counts() -> None:
    assert told([DELTA, DELTA, STOP, DONE]) == [False, False, True, True]
    assert told([DELTA + STOP + DONE]) == [True]


def test_an_event_counts_once_it_is_whole() -> None:
    pieces = [bytes([byte]) for byte in DONE]
    assert told([DELTA, *pieces]) == [False] * len(pieces) + [True]


@pytest.mark.parametrize("separator", [b"\n\n", b"\r\n\r\n", b"\r\r"])
def test_every_separator_of_events_is_known(separator: bytes) -> None:
    assert told([one.replace(b"\n\n", separator) for one in (DELTA, DONE)]) == [False, True]


@pytest.mark.parametrize(
    ("api", "event"),
    [
        ("messages", b'event: message_stop\ndata: {"type":"message_stop"}\n\n'),
        ("responses", b'event: response.completed\ndata: {"type":"response.completed","response":{}}\n\n'),
        ("messages", b'event: error\ndata: {"type":"error"}\n\n'),
    ],
)
def test_each_api_has_its_own(api: str, event: bytes) -> None:
    assert told([DELTA, event], api) == [False, True]


def test_a_coded_stream_is_read() -> None:
    coder = zlib.compressobj(wbits=31)
    pieces = [coder.compress(one) + coder.flush(zlib.Z_SYNC_FLUSH) for one in (DELTA, DONE)]
    assert told(pieces, content_encoding="gzip") == [False, True]


@pytest.mark.parametrize("headers", [{"content_encoding": "sdch"}, {"content_type": "application/json"}])
def test_what_is_no_stream_or_cannot_be_read_has_none(headers: dict[str, str]) -> None:
    assert told([DELTA, DONE], **headers) == [False, False]


def test_bytes_that_are_no_coding_end_the_looking() -> None:
    assert told([b"no gzip at all", DONE], content_encoding="gzip") == [False, False]


def test_one_endless_event_is_let_go() -> None:
    last = LastEvent("chat_completions", STREAM)
    assert not any(last.is_in(b"w" * (1 << 20)) for _ in range(6))
    assert len(last._rest) <= 4 << 20

from __future__ import annotations

import gzip
import random

import pytest

from stepfork.listener.conclude import Concluded, conclude, without_cut_character
from stepfork.listener.limits import Limits
from stepfork.listener.transcript import Transcript
from stepfork.providers.apis import api_of
from stepfork.trace.body import BytesBody, EventsBody, JsonBody
from stepfork.trace.exchange import Ending
from stepfork.trace.wire import body_bytes

CHAT = "/chat/completions"
EVENTS = "text/event-stream"
FINISH = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
DELTA = b'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n'
DONE = b"data: [DONE]\n\n"
ERROR = b'data: {"error":{"message":"overloaded"}}\n\n'


def concluded(
    response: bytes = b"{}",
    media: str = "application/json",
    ending: Ending | None = "complete",
    *,
    request: bytes = b'{"model":"test-model"}',
    path: str = CHAT,
    status: int = 200,
    limits: Limits | None = None,
    room: int = 1 << 30,
    **headers: str,
) -> Concluded:
    transcript = Transcript(
        3,
        provider="openai",
        api=api_of("openai", "POST", path),
        method="POST",
        path=path,
        query="q=1",
        arrived_ns=10,
        connection=2,
    )
    transcript.request_headers = {"content-type": "application/json"}
    transcript.request_body += request
    transcript.status = status
    transcript.response_headers = {"content-type": media, **{name.replace("_", "-"): v for name, v in headers.items()}}
    transcript.keep(response, 1 << 30)
    if ending is not None:
        transcript.end(ending, 20)
    return conclude(transcript, limits or Limits(), room)


def test_an_exchange_has_all_that_was_seen() -> None:
    found = concluded(request_id="req_test0001", date="today")
    assert found.problems == ()
    assert (found.recorded.arrived_ns, found.recorded.ended_ns, found.recorded.connection) == (10, 20, 2)
    exchange = found.recorded.exchange
    assert (exchange.provider, exchange.api) == ("openai", "chat_completions")
    assert (exchange.request.method, exchange.request.path, exchange.request.query) == ("POST", CHAT, "q=1")
    assert exchange.request.body == JsonBody({"model": "test-model"}, exchange.request.body.order)
    assert exchange.response.headers == {"request-id": "req_test0001"}
    assert found.size == 24


@pytest.mark.parametrize(
    ("stream", "wire", "ending"),
    [
        (DELTA + FINISH + DONE, "complete", "complete"),
        (DELTA + FINISH, "complete", "complete"),  # some gateways send no [DONE]
        (DELTA + ERROR, "complete", "complete"),
        (DELTA, "complete", "reset"),
        (b"", "complete", "reset"),
        (DELTA, "reset", "reset"),
        (DELTA, "client_closed", "client_closed"),
        (b"", "client_closed", "client_closed"),
        (DELTA + FINISH + DONE, "client_closed", "complete"),
        (DELTA + FINISH + DONE, "reset", "complete"),
        (DELTA + DONE[:-4], "client_closed", "client_closed"),  # a piece of the last event is not the last event
        (DELTA + DONE[:-1], "client_closed", "complete"),
        (b"data: {no json\n\n" + DONE, "complete", "unreadable"),
        (DELTA + b"data: {no js", "client_closed", "client_closed"),
        (b"data: \xff\n\n" + DONE, "complete", "unreadable"),
        (b": ping\n\n" + DELTA + b": ping\n\n" + DONE + b": ping\n\n", "complete", "complete"),
        (DELTA.replace(b"\n", b"\r\n") + DONE.replace(b"\n", b"\r"), "complete", "complete"),
        (DELTA + b"data: {no js", None, "client_closed"),
    ],
)
def test_the_last_event_decides_how_a_stream_ended(stream: bytes, wire: Ending | None, ending: Ending) -> None:
    found = concluded(stream, EVENTS, wire)
    assert found.recorded.exchange.response.ending == ending
    assert len(found.problems) == (ending != "complete")
    for problem in found.problems:
        assert problem.text.startswith("exchange 3 (openai chat_completions test-model): ")
        assert "\n" not in problem.text


def test_streams_of_unknown_apis_end_as_the_wire_says() -> None:
    assert concluded(b"data: hello\n\n", EVENTS, path="/audio/speech").problems == ()
    assert concluded(b"data: \xff\n\n", EVENTS, path="/audio/speech").problems == ()
    assert concluded(b"data: hello\n\n", EVENTS, "reset", path="/audio/speech").problems[0].kind == "reset"


def test_an_error_status_is_whole_whatever_its_body_looks_like() -> None:
    assert concluded(DELTA, EVENTS, status=500).problems == ()
    assert concluded(b"", EVENTS, status=429).problems == ()


def test_a_json_answer_to_a_request_for_a_stream() -> None:
    found = concluded(b'{"error":{}}', "application/json", request=b'{"stream":true}')
    assert isinstance(found.recorded.exchange.response.body, JsonBody)
    assert found.problems == ()
    found = concluded(DELTA + DONE, "application/json; charset=utf-8", request=b'{"stream":true}')
    assert isinstance(found.recorded.exchange.response.body, EventsBody)


def test_a_404_is_a_hint_with_the_url() -> None:
    transcript = Transcript(
        0, provider="openai", api="chat_completions", method="POST", path=CHAT, query="", arrived_ns=1, connection=0
    )
    transcript.status = 404
    transcript.url = "http://127.0.0.1:1/v1/v1"
    transcript.end("complete", 2)
    found = conclude(transcript, Limits(), 100)
    assert transcript.url in found.notice
    assert found.problems == ()


def test_c004_a_coded_response_without_a_body() -> None:
    found = concluded(b"", content_encoding="gzip")
    assert found.recorded.exchange.response.body is None
    assert found.problems == ()


@pytest.mark.parametrize(
    ("data", "coding", "kind", "ending"),
    [
        (gzip.compress(b"{}" * 500, mtime=0)[:20], "gzip", "reset", "reset"),
        (b"plain text, not compressed", "gzip", "unreadable", "unreadable"),
        (b"{}", "made-up", "unreadable", "unreadable"),
    ],
)
def test_coded_bodies_that_do_not_decode(data: bytes, coding: str, kind: str, ending: Ending) -> None:
    found = concluded(data, content_encoding=coding)
    assert found.recorded.exchange.response.ending == ending
    assert [problem.kind for problem in found.problems] == [kind]


def test_limits_are_on_decoded_bytes_and_on_what_the_capture_has_left() -> None:
    packed = gzip.compress(b"x" * 5000)
    for more in ({"limits": Limits(response_bytes=100)}, {"room": 100}):
        found = concluded(packed, "text/plain", content_encoding="gzip", **more)
        assert body_bytes(found.recorded.exchange.response.body) == b"x" * 100
        assert found.recorded.exchange.response.ending == "truncated"
        assert [problem.kind for problem in found.problems] == ["limit"]


@pytest.mark.parametrize("text", ["abc", "é", "漢", "🚀", "a🚀漢é"])
def test_c005_a_text_that_breaks_off_stays_text(text: str) -> None:
    data = text.encode()
    for cut in range(len(data) + 1):
        kept = without_cut_character(data[:cut])
        assert text.startswith(kept.decode())
        assert cut - len(kept) < 4


def test_bytes_that_are_no_text_are_left_alone() -> None:
    assert without_cut_character(b"\xff\xfe") == b"\xff\xfe"
    found = concluded(b"\x89PNG\xff", "image/png", "reset")
    assert found.recorded.exchange.response.body == BytesBody(b"\x89PNG\xff")


def test_a_request_that_was_not_sent_to_its_end() -> None:
    transcript = Transcript(
        0, provider="openai", api="chat_completions", method="POST", path=CHAT, query="", arrived_ns=1, connection=0
    )
    transcript.status = 400
    transcript.request_whole = False
    transcript.end("complete", 2)
    assert [problem.kind for problem in conclude(transcript, Limits(), 100).problems] == ["unfinished"]


def test_any_bytes_make_an_exchange() -> None:
    rng = random.Random(11)
    parts = [
        DELTA,
        FINISH,
        DONE,
        ERROR,
        b"data: ",
        b"\n\n",
        b"\r",
        b"[" * 5000,
        b"\xff",
        b'{"a":1}',
        b"event: error\n",
        b"9" * 5000,
    ]
    for _ in range(400):
        data = b"".join(rng.choices(parts, k=rng.randrange(6)))
        found = concluded(
            data,
            rng.choice([EVENTS, "application/json", "", "text/plain; charset=x", "\udcff", "image/png"]),
            rng.choice(["complete", "reset", "client_closed"]),
            request=rng.choice([b"", b'{"stream":true}', b'{"stream":1}', data]),
            path=rng.choice([CHAT, "/responses", "/v1/messages", "", "/x"]),
            status=rng.choice([0, 200, 404, 500]),
            content_encoding=rng.choice(["", "", "gzip", "br"]),
        )
        assert body_bytes(found.recorded.exchange.request.body) is not None


@pytest.mark.parametrize(
    ("body", "media"),
    [
        (b'{"b": 1, "a": [1.50, 1e5, "\\u00e9"]}', "application/json"),
        (b'{"b":1,"a":[1.5,2]}', "application/json"),
        (b'{"a":1,"a":2}', "application/json"),
        (b'{"a":1}\n{"a":2}\n', "application/x-ndjson"),
        (b"\xff\x00\x01", "image/png"),
        (b"data: x\n\ndata: {\n\n", "text/event-stream"),
        (b"[1, 2]\n", ""),
        (b"", "application/json"),
    ],
)
def test_what_an_opaque_service_answers_is_given_back_byte_for_byte(body: bytes, media: str) -> None:
    transcript = Transcript(
        0, provider="weather", api="opaque", method="GET", path="/x", query="", arrived_ns=1, connection=0
    )
    transcript.status = 200
    transcript.response_headers = {"content-type": media}
    transcript.keep(body, 1 << 20)
    transcript.end("complete", 2)
    done = conclude(transcript, Limits(), 1 << 20)
    response = done.recorded.exchange.response
    assert body_bytes(response.body) == body
    assert (response.ending, response.content_type, done.problems) == ("complete", media, ())

"""The proxy relays bytes as they are and as they come, and records them decoded."""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from stepfork.trace.body import BytesBody, EventsBody, JsonBody, TextBody
from stepfork.trace.coding import supported
from stepfork.trace.wire import body_bytes
from tests.integration.wire import ANSWER, CHAT_EVENTS, PATIENCE, Asked, Line, connected, listening, model_server, post

STREAM = b'{"model":"test-model","messages":[],"stream":true}'


def test_c001_each_event_reaches_the_agent_before_the_next_one_is_sent() -> None:
    read = threading.Semaphore(0)
    done = threading.Event()

    def one_by_one(asked: Asked, line: Line) -> None:
        line.head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        for event in CHAT_EVENTS:
            line.chunk(event)
            assert read.acquire(timeout=PATIENCE)  # the agent has it
        assert done.wait(PATIENCE)  # the socket stays open: nothing may wait for its end

    with model_server(one_by_one) as model, listening(model.url) as listener, connected(listener) as connection:
        connection.request("POST", f"/{listener.token}/openai/v1/chat/completions", STREAM)
        response = connection.getresponse()
        for event in CHAT_EVENTS:
            assert response.read(len(event)) == event
            read.release()
        connection.close()
        listener.settle(PATIENCE)
        done.set()
    (recorded,) = listener.heard().exchanges
    body = recorded.exchange.response.body
    assert isinstance(body, EventsBody)
    assert body_bytes(body) == b"".join(CHAT_EVENTS)
    assert len(body.events) == 6
    assert recorded.exchange.response.ending == "complete"  # closed after the last event


def test_the_head_of_a_silent_stream_is_relayed_at_once() -> None:
    go = threading.Event()

    def silent(asked: Asked, line: Line) -> None:
        line.head("Content-Type: text/event-stream", "Transfer-Encoding: chunked", "request-id: req_test1")
        assert go.wait(PATIENCE)
        line.chunk(*CHAT_EVENTS)
        line.send(b"0\r\n\r\n")

    with model_server(silent) as model, listening(model.url) as listener, connected(listener) as connection:
        connection.request("POST", f"/{listener.token}/openai/v1/chat/completions", STREAM)
        response = connection.getresponse()
        assert response.getheader("request-id") == "req_test1"
        go.set()
        assert response.read() == b"".join(CHAT_EVENTS)
    assert listener.heard().problems == ()


def test_c002_compressed_events_are_relayed_untouched_and_recorded_decoded() -> None:
    read = threading.Semaphore(0)
    sent: list[bytes] = []

    def flushed(asked: Asked, line: Line) -> None:
        deflater = zlib.compressobj(wbits=31)
        line.head("Content-Type: text/event-stream", "Content-Encoding: gzip", "Transfer-Encoding: chunked")
        for event in CHAT_EVENTS:
            sent.append(deflater.compress(event) + deflater.flush(zlib.Z_SYNC_FLUSH))
            line.chunk(sent[-1])
            assert read.acquire(timeout=PATIENCE)
        sent.append(deflater.flush())
        line.chunk(sent[-1])
        line.send(b"0\r\n\r\n")

    with model_server(flushed) as model, listening(model.url) as listener, connected(listener) as connection:
        headers = {"Accept-Encoding": "gzip"}
        connection.request("POST", f"/{listener.token}/openai/v1/chat/completions", STREAM, headers)
        response = connection.getresponse()
        assert response.getheader("content-encoding") == "gzip"
        for index in range(len(CHAT_EVENTS)):
            first = response.read1(1)
            assert first == sent[index][:1]
            rest = response.read(len(sent[index]) - 1)
            assert first + rest == sent[index]
            read.release()
        assert response.read() == sent[-1]
    heard = listener.heard()
    assert body_bytes(heard.exchanges[0].exchange.response.body) == b"".join(CHAT_EVENTS)
    assert heard.problems == ()


@pytest.mark.parametrize(
    ("coding", "packed"), [("gzip", gzip.compress(ANSWER, mtime=0)), ("deflate", zlib.compress(ANSWER))]
)
def test_c003_headers_describe_the_bytes_that_are_sent(coding: str, packed: bytes) -> None:
    def squeezed(asked: Asked, line: Line) -> None:
        assert asked.headers["accept-encoding"] == "gzip, deflate"
        headers = ("Content-Type: application/json", f"Content-Encoding: {coding}", "Connection: close, X-Hop")
        line.whole(packed, *headers, "X-Hop: 1", "Keep-Alive: timeout=5", "Set-Cookie: a=1", "Set-Cookie: b=2")

    with model_server(squeezed) as model, listening(model.url) as listener:
        status, headers, body = post(
            listener, Accept_Encoding="gzip, deflate", Connection="keep-alive, X-Mine", X_Mine="1"
        )
        asked = model.asked[0]
    assert (status, body) == (200, packed)
    assert headers["content-length"] == str(len(packed))
    assert headers["content-encoding"] == coding
    assert "transfer-encoding" not in headers
    assert "x-hop" not in headers
    assert "keep-alive" not in headers
    assert "x-mine" not in asked.headers
    assert asked.headers["host"] in model.url
    response = listener.heard().exchanges[0].exchange.response
    assert isinstance(response.body, JsonBody)
    assert response.headers == {}


@pytest.mark.parametrize(
    ("method", "status"), [("HEAD", "200 OK"), ("POST", "204 No Content"), ("GET", "304 Not Modified")]
)
def test_c004_no_body_that_claims_to_be_compressed(method: str, status: str) -> None:
    def empty(asked: Asked, line: Line) -> None:
        length = () if status.startswith("204") else ("Content-Length: 1234",)
        line.head("Content-Encoding: gzip", "Content-Type: application/json", *length, status=status)

    with model_server(empty) as model, listening(model.url) as listener, connected(listener) as connection:
        for _ in range(2):  # the second on the same connection: the first was framed as empty
            connection.request(method, f"/{listener.token}/anthropic/v1/messages")
            response = connection.getresponse()
            assert response.status == int(status[:3])
            assert response.read() == b""
    heard = listener.heard()
    assert [recorded.exchange.response.body for recorded in heard.exchanges] == [None, None]
    assert [recorded.exchange.request.method for recorded in heard.exchanges] == [method, method]
    assert heard.problems == ()


def test_c005_characters_cut_at_every_border_of_the_wire_are_whole_in_the_recording() -> None:
    text = "price 5 € 漢字 🚀 done"
    event = b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n' % text.encode()
    cuts = range(event.index(b"5 "), event.index(b" done"))

    def cut(asked: Asked, line: Line) -> None:
        at = int(json.loads(asked.body)["user"])
        line.stream(event[:at], event[at:], *CHAT_EVENTS[-2:])

    with model_server(cut) as model, listening(model.url) as listener:
        for at in cuts:
            _, _, body = post(listener, body=b'{"stream":true,"user":"%d"}' % at)
            assert text.encode() in body
    heard = listener.heard()
    assert len(heard.exchanges) == len(cuts)
    for recorded in heard.exchanges:
        body = recorded.exchange.response.body
        assert isinstance(body, EventsBody)
        assert text in body.events[0]
    assert heard.problems == ()


def test_c006_only_cr_lf_and_crlf_end_a_line() -> None:
    event = 'data: {"choices":[{"delta":{"content":"a\u2028b\u2029c\u0085d"},"finish_reason":"stop"}]}'.encode()

    def odd(asked: Asked, line: Line) -> None:
        line.stream(event, b"\r\n\r\n", b"data: [DONE]\r\n\r\n")

    with model_server(odd) as model, listening(model.url) as listener:
        post(listener, body=STREAM)
    heard = listener.heard()
    body = heard.exchanges[0].exchange.response.body
    assert isinstance(body, EventsBody)
    assert body.events[0] == event.decode()
    assert body.separator == "\r\n\r\n"
    assert heard.problems == ()


@pytest.mark.parametrize("media", ["text/event-stream; charset=utf-8", "Text/Event-Stream", "application/json"])
def test_c007_a_stream_is_known_by_its_media_type_or_by_the_request(media: str) -> None:
    def odd(asked: Asked, line: Line) -> None:
        line.stream(*CHAT_EVENTS, headers=(f"Content-Type: {media}",))

    with model_server(odd) as model, listening(model.url) as listener:
        _, headers, _ = post(listener, body=STREAM)
    assert headers["content-type"] == media
    heard = listener.heard()
    assert isinstance(heard.exchanges[0].exchange.response.body, EventsBody)
    assert heard.problems == ()


def test_c008_keepalives_reach_the_agent_and_end_nothing() -> None:
    read = threading.Semaphore(0)
    pieces = (b": still here\n\n", b'event: ping\ndata: {"type":"ping"}\n\n')

    def pinging(asked: Asked, line: Line) -> None:
        line.head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        for piece in pieces:
            line.chunk(piece)
            assert read.acquire(timeout=PATIENCE)
        line.chunk(b'event: message_stop\ndata: {"type":"message_stop"}\n\n')
        line.send(b"0\r\n\r\n")

    with model_server(pinging) as model, listening(model.url) as listener, connected(listener) as connection:
        connection.request("POST", f"/{listener.token}/anthropic/v1/messages", STREAM)
        response = connection.getresponse()
        for piece in pieces:
            assert response.read(len(piece)) == piece
            read.release()
        response.read()
    assert listener.heard().problems == ()


def test_c009_an_error_inside_a_good_stream_is_a_whole_recording() -> None:
    events = (
        b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_test0001"}}\n\n',
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    )
    with model_server(lambda asked, line: line.stream(*events)) as model, listening(model.url) as listener:
        _, _, body = post(listener, "/anthropic/v1/messages", STREAM)
    heard = listener.heard()
    assert body == b"".join(events)
    assert heard.exchanges[0].exchange.response.ending == "complete"
    assert heard.problems == ()


def test_c013_chunks_without_choices_are_relayed_and_recorded() -> None:
    events = (
        b'data: {"choices":[],"prompt_filter_results":[]}\n\n',
        *CHAT_EVENTS[:-1],
        b'data: {"choices":[],"usage":{}}\n\n',
    )
    with (
        model_server(lambda asked, line: line.stream(*events, CHAT_EVENTS[-1])) as model,
        listening(model.url) as listener,
    ):
        post(listener, body=STREAM)
    heard = listener.heard()
    assert body_bytes(heard.exchanges[0].exchange.response.body) == b"".join((*events, CHAT_EVENTS[-1]))
    assert heard.problems == ()


def test_c017_a_retry_is_an_exchange_of_its_own() -> None:
    def busy_once(asked: Asked, line: Line) -> None:
        if asked.headers["x-stainless-retry-count"] == "0":
            headers = (
                "Content-Type: application/json",
                "Retry-After: 1",
                "x-request-id: req_test1",
                "x-ratelimit-reset: 3s",
            )
            line.whole(b'{"error":{"message":"slow down"}}', *headers, status="429 Too Many Requests")
        else:
            line.whole(ANSWER, "Content-Type: application/json", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT")

    with model_server(busy_once) as model, listening(model.url) as listener:
        assert [post(listener, X_Stainless_Retry_Count=str(count))[0] for count in range(2)] == [429, 200]
    heard = listener.heard()
    first, second = (recorded.exchange for recorded in heard.exchanges)
    assert (first.response.status, second.response.status) == (429, 200)
    assert first.response.headers == {"retry-after": "1", "x-request-id": "req_test1"}
    assert second.response.headers == {}
    assert first.request == second.request
    assert heard.problems == ()


@pytest.mark.parametrize(
    ("media", "body", "kind"),
    [
        ("audio/mpeg", bytes(range(256)), BytesBody),
        ("application/octet-stream", b"\xff\xfe\x00", BytesBody),
        ("text/plain", b"deadbeefcafe", TextBody),
        ("text/plain", b"aGVsbG8gd29ybGQ=", TextBody),
        ("application/json", b'{"truncated": ', TextBody),
    ],
)
def test_c018_binary_bodies_and_texts_that_look_like_them(media: str, body: bytes, kind: type) -> None:
    def speak(asked: Asked, line: Line) -> None:
        line.whole(body, f"Content-Type: {media}")

    with model_server(speak) as model, listening(model.url) as listener:
        _, _, got = post(listener, "/openai/v1/audio/speech", body, Content_Type=media)
    exchange = listener.heard().exchanges[0].exchange
    assert got == body
    assert isinstance(exchange.response.body, kind)
    assert isinstance(exchange.request.body, kind)
    assert body_bytes(exchange.response.body) == body_bytes(exchange.request.body) == body


def test_c019_parallel_calls_keep_their_own_answers_in_order_of_arrival() -> None:
    together = threading.Barrier(8)

    def echo(asked: Asked, line: Line) -> None:
        together.wait(PATIENCE)  # all eight are under way at once
        line.whole(b'{"echo":%s}' % asked.body, "Content-Type: application/json")

    with model_server(echo) as model, listening(model.url) as listener, ThreadPoolExecutor(8) as pool:
        bodies = [b'{"user":"%d"}' % number for number in range(8)]
        answers = list(pool.map(lambda body: post(listener, body=body)[2], bodies))
    assert answers == [b'{"echo":%s}' % body for body in bodies]
    heard = listener.heard()
    assert len(heard.exchanges) == 8
    for recorded in heard.exchanges:
        request, response = recorded.exchange.request.body, recorded.exchange.response.body
        assert isinstance(request, JsonBody)
        assert isinstance(response, JsonBody)
        assert response.value == {"echo": request.value}
    arrivals = [recorded.arrived_ns for recorded in heard.exchanges]
    assert arrivals == sorted(arrivals)
    assert sorted(recorded.connection for recorded in heard.exchanges) == list(range(8))


def test_calls_on_one_connection_share_its_number() -> None:
    with model_server() as model, listening(model.url) as listener, connected(listener) as connection:
        for _ in range(3):
            connection.request("POST", f"/{listener.token}/openai/v1/chat/completions", b"{}")
            connection.getresponse().read()
        post(listener)
    assert [recorded.connection for recorded in listener.heard().exchanges] == [0, 0, 0, 1]


def test_paths_are_recorded_decoded_and_sent_as_they_are() -> None:
    with model_server() as model, listening(model.url) as listener:
        post(listener, "/openai/v1/files/caf%C3%A9%2Fx?after=a%20b&beta=true")
        asked = model.asked[0]
    assert asked.target == "/v1/files/caf%C3%A9%2Fx?after=a%20b&beta=true"
    request = listener.heard().exchanges[0].exchange.request
    assert request.path == "/files/café/x"
    assert request.query == "after=a%20b&beta=true"


def test_keys_pass_through_and_are_kept_nowhere() -> None:
    key = "sk-" + "proj-" + "a1B2" * 8
    with model_server() as model, listening(model.url) as listener:
        post(listener, Authorization=f"Bearer {key}", x_api_key=key, OpenAI_Organization="org")
        asked = model.asked[0]
    assert asked.headers["authorization"] == f"Bearer {key}"
    assert asked.headers["x-api-key"] == key
    assert key not in repr(listener.heard())


def test_only_codings_that_can_be_recorded_are_asked_for() -> None:
    with model_server() as model, listening(model.url) as listener:
        post(listener, Accept_Encoding="gzip, deflate, br, zstd, *;q=0.1, made-up")
        post(listener, Accept_Encoding="made-up")
        asked = model.asked
    found = asked[0].headers["accept-encoding"].split(", ")
    assert set(found) == {"gzip", "deflate"} | ({"br", "zstd"} & supported())
    assert asked[1].headers["accept-encoding"] == "identity"


def test_a_large_request_goes_on_while_it_comes() -> None:
    half = b"x" * 300_000
    chunk = b"%x\r\n%s\r\n" % (len(half), half)
    first_half_is_there = threading.Event()

    def reading(asked: Asked, line: Line) -> None:
        line.receive(len(half))
        first_half_is_there.set()
        while line.receive(1) != b"0" or line.receive(4) != b"\r\n\r\n":
            pass
        line.whole(ANSWER, "Content-Type: application/json", "Connection: close")
        line.close()

    with model_server(reading, lazy=True) as model, listening(model.url) as listener, connected(listener) as connection:
        connection.putrequest("POST", f"/{listener.token}/openai/v1/files")
        connection.putheader("Transfer-Encoding", "chunked")
        connection.putheader("Content-Type", "text/plain")
        connection.endheaders()
        connection.send(chunk)
        assert first_half_is_there.wait(PATIENCE)  # and the second is not even sent
        connection.send(chunk + b"0\r\n\r\n")
        assert connection.getresponse().read() == ANSWER
    assert body_bytes(listener.heard().exchanges[0].exchange.request.body) == half * 2


@pytest.mark.parametrize("size", [0, 1, 65_536, 65_537, 3_000_000])
def test_request_bodies_of_all_sizes_arrive_whole(size: int) -> None:
    body = bytes(range(256)) * (size // 256) + b"y" * (size % 256)
    with model_server() as model, listening(model.url) as listener:
        assert post(listener, body=body, Content_Type="text/plain")[0] == 200
        assert model.asked[0].body == body
        assert model.asked[0].headers["content-length"] == str(size)
    assert body_bytes(listener.heard().exchanges[0].exchange.request.body) == body


def test_a_compressed_request_is_relayed_as_it_is_and_recorded_decoded() -> None:
    asked = b'{"model":"test-model"}'
    with model_server() as model, listening(model.url) as listener:
        post(listener, body=gzip.compress(asked), Content_Encoding="gzip")
        assert gzip.decompress(model.asked[0].body) == asked
        assert model.asked[0].headers["content-encoding"] == "gzip"
    body = listener.heard().exchanges[0].exchange.request.body
    assert isinstance(body, JsonBody)
    assert body.value == {"model": "test-model"}


def test_an_answer_before_the_whole_request_does_not_cut_the_recording() -> None:
    body = b'{"input":"' + b"z" * 3_000_000 + b'"}'

    def impatient(asked: Asked, line: Line) -> None:
        line.whole(b"{}", "Content-Type: application/json", "Connection: close", status="401 Unauthorized")
        line.wait_for_hang_up()

    with (
        model_server(impatient, lazy=True) as model,
        listening(model.url) as listener,
        connected(listener) as connection,
    ):
        connection.putrequest("POST", f"/{listener.token}/openai/v1/responses")
        connection.putheader("Content-Length", str(len(body)))
        connection.putheader("Content-Type", "application/json")
        connection.endheaders()
        connection.send(body[:100_000])
        response = connection.getresponse()
        assert response.status == 401
        connection.sock.sendall(body[100_000:])
        assert response.read() == b"{}"
        listener.settle(PATIENCE)
    request = listener.heard().exchanges[0].exchange.request
    assert isinstance(request.body, JsonBody)
    assert request.body.value == {"input": "z" * 3_000_000}

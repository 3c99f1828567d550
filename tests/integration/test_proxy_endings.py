"""How a call can end: five different things, and none of them is made up."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading

import pytest

from stepfork.listener.limits import Limits
from stepfork.listener.tape import Heard
from stepfork.trace.body import EventsBody, JsonBody
from stepfork.trace.exchange import Exchange
from stepfork.trace.wire import body_bytes
from tests.integration.wire import (
    ANSWER,
    CHAT_EVENTS,
    PATIENCE,
    Asked,
    Line,
    connected,
    head,
    listening,
    model_server,
    post,
    raw,
)

STREAM = b'{"model":"test-model","messages":[],"stream":true}'
CHUNKED = ("Content-Type: text/event-stream", "Transfer-Encoding: chunked")


def only(heard: Heard) -> Exchange:
    (recorded,) = heard.exchanges
    return recorded.exchange


@pytest.mark.parametrize("how", ["reset", "close"])
def test_c010_an_upstream_that_breaks_off_breaks_off_for_the_agent(how: str) -> None:
    def breaking(asked: Asked, line: Line) -> None:
        line.head(*CHUNKED)
        line.chunk(*CHAT_EVENTS[:3])
        assert read.wait(PATIENCE)
        getattr(line, how)()

    read = threading.Event()
    with model_server(breaking) as model, listening(model.url) as listener, connected(listener) as connection:
        connection.request("POST", f"/{listener.token}/openai/v1/chat/completions", STREAM)
        response = connection.getresponse()
        sent = b"".join(CHAT_EVENTS[:3])
        assert response.read(len(sent)) == sent
        read.set()
        with pytest.raises(http.client.IncompleteRead) as broken:
            response.read()
        assert broken.value.partial == b""  # no finish reason, no [DONE]
    heard = listener.heard()
    exchange = only(heard)
    assert exchange.response.ending == "reset"
    assert body_bytes(exchange.response.body) == sent
    (problem,) = heard.problems
    assert problem.kind == "reset"
    assert problem.text.startswith("exchange 0 (openai chat_completions test-model): ")


def test_c010_a_body_without_framing_that_is_reset_is_reset_for_the_agent() -> None:
    read = threading.Event()

    def unframed(asked: Asked, line: Line) -> None:
        line.head("Content-Type: text/event-stream")
        line.send(*CHAT_EVENTS[:3])
        assert read.wait(PATIENCE)
        line.reset()

    with model_server(unframed) as model, listening(model.url) as listener, raw(listener) as agent:
        agent.sendall(head(listener, "/openai/v1/chat/completions", "Content-Length: 2") + b"{}")
        found = b""
        while not found.endswith(CHAT_EVENTS[2]):
            found += agent.recv(65536)
        assert b"transfer-encoding" not in found.lower()
        read.set()
        with pytest.raises(ConnectionResetError):
            agent.recv(65536)
    assert only(listener.heard()).response.ending == "reset"


def test_a_body_without_framing_ends_with_its_connection() -> None:
    def unframed(asked: Asked, line: Line) -> None:
        line.head("Content-Type: text/event-stream")
        line.send(*CHAT_EVENTS)
        line.close()

    with model_server(unframed) as model, listening(model.url) as listener:
        status, headers, body = post(listener, body=STREAM)
    assert (status, body) == (200, b"".join(CHAT_EVENTS))
    assert headers["connection"] == "close"
    heard = listener.heard()
    assert only(heard).response.ending == "complete"
    assert heard.problems == ()


def test_c010_a_clean_end_without_a_last_event_is_no_end() -> None:
    with model_server(lambda asked, line: line.stream(*CHAT_EVENTS[:3])) as model, listening(model.url) as listener:
        assert post(listener, body=STREAM)[2] == b"".join(CHAT_EVENTS[:3])
    heard = listener.heard()
    assert only(heard).response.ending == "reset"
    assert [problem.kind for problem in heard.problems] == ["reset"]


@pytest.mark.parametrize(
    ("path", "event"),
    [
        ("/openai/v1/responses", b'event: response.incomplete\ndata: {"type":"response.incomplete","response":{}}\n\n'),
        ("/openai/v1/responses", b'event: response.failed\ndata: {"type":"response.failed","response":{}}\n\n'),
        ("/openai/v1/responses", b'event: response.completed\ndata: {"type":"response.completed","response":{}}\n\n'),
        ("/anthropic/v1/messages", b'event: message_stop\ndata: {"type":"message_stop"}\n\n'),
        ("/openai/v1/chat/completions", CHAT_EVENTS[-1]),
    ],
)
@pytest.mark.parametrize("agent_closes", [False, True])
def test_c011_any_terminal_event_completes_a_call(path: str, event: bytes, agent_closes: bool) -> None:
    closed = threading.Event()

    def ending(asked: Asked, line: Line) -> None:
        line.head(*CHUNKED)
        line.chunk(b'data: {"type":"response.created"}\n\n', event)
        if agent_closes:
            assert closed.wait(PATIENCE)
        line.send(b"0\r\n\r\n")

    with model_server(ending) as model, listening(model.url) as listener, connected(listener) as connection:
        connection.request("POST", f"/{listener.token}{path}", STREAM)
        response = connection.getresponse()
        while not response.readline().startswith(event.strip().splitlines()[-1]):
            pass
        if agent_closes:
            response.close()
            connection.close()
            listener.settle(PATIENCE)
            closed.set()
        else:
            response.read()
    heard = listener.heard()
    assert only(heard).response.ending == "complete"
    assert heard.problems == ()


def test_c012_an_agent_that_stops_reading_cancels_the_upstream_and_fails_the_capture() -> None:
    hung_up = threading.Event()

    def patient(asked: Asked, line: Line) -> None:
        line.head(*CHUNKED)
        line.chunk(*CHAT_EVENTS[:2])
        line.wait_for_hang_up()
        hung_up.set()
        line.close()

    with model_server(patient) as model, listening(model.url) as listener, connected(listener) as connection:
        connection.request("POST", f"/{listener.token}/openai/v1/chat/completions", STREAM)
        response = connection.getresponse()
        response.read(len(b"".join(CHAT_EVENTS[:2])))
        response.close()
        connection.close()
        assert hung_up.wait(PATIENCE)
    heard = listener.heard()
    exchange = only(heard)
    assert exchange.response.ending == "client_closed"
    assert isinstance(exchange.response.body, EventsBody)
    (problem,) = heard.problems
    assert problem.kind == "unfinished"
    assert "exchange 0 (openai chat_completions test-model)" in problem.text


def test_c012_an_agent_that_gives_up_before_the_first_byte() -> None:
    asked_for, hung_up = threading.Event(), threading.Event()

    def thinking(asked: Asked, line: Line) -> None:
        asked_for.set()
        line.wait_for_hang_up()
        hung_up.set()
        line.close()

    with model_server(thinking) as model, listening(model.url) as listener, connected(listener) as connection:
        connection.request("POST", f"/{listener.token}/anthropic/v1/messages", STREAM)
        assert asked_for.wait(PATIENCE)
        connection.close()
        assert hung_up.wait(PATIENCE)
    heard = listener.heard()
    assert only(heard).response.ending == "client_closed"
    assert isinstance(only(heard).request.body, JsonBody)
    assert [problem.kind for problem in heard.problems] == ["unfinished"]


def test_a_call_that_still_runs_when_the_listener_closes_is_unfinished() -> None:
    begun = threading.Event()

    def endless(asked: Asked, line: Line) -> None:
        line.head(*CHUNKED)
        line.chunk(CHAT_EVENTS[0])
        begun.set()
        line.wait_for_hang_up()
        line.close()

    with model_server(endless) as model:
        listener = listening(model.url)
        with listener, raw(listener) as agent:
            agent.sendall(head(listener, "/openai/v1/chat/completions", "Content-Length: 2") + b"{}")
            assert begun.wait(PATIENCE)
            listener.settle(0.0)
    heard = listener.heard()
    assert only(heard).response.ending == "client_closed"
    assert [problem.kind for problem in heard.problems] == ["unfinished"]


@pytest.mark.parametrize(
    "stream",
    [b"data: {not json\n\ndata: [DONE]\n\n", b'data: {"choices":[{"delta":{"content":"\xff"}}]}\n\ndata: [DONE]\n\n'],
)
def test_a_stream_that_does_not_parse_fails_the_capture(stream: bytes) -> None:
    with model_server(lambda asked, line: line.stream(stream)) as model, listening(model.url) as listener:
        assert post(listener, body=STREAM)[2] == stream  # the agent gets what there is
    heard = listener.heard()
    assert only(heard).response.ending == "unreadable"
    assert [problem.kind for problem in heard.problems] == ["unreadable"]


def test_a_compressed_body_that_is_not_what_it_says() -> None:
    def lying(asked: Asked, line: Line) -> None:
        line.whole(b"plain text", "Content-Encoding: gzip", "Content-Type: text/plain")

    with model_server(lying) as model, listening(model.url) as listener:
        assert post(listener)[2] == b"plain text"
    heard = listener.heard()
    assert only(heard).response.ending == "unreadable"
    assert [problem.kind for problem in heard.problems] == ["unreadable"]


def test_a_response_over_the_limit_is_relayed_whole_and_marked_truncated() -> None:
    limits = Limits(response_bytes=100_000)
    text = "é" * 400_000

    def long(asked: Asked, line: Line) -> None:
        line.whole(text.encode(), "Content-Type: text/plain; charset=utf-8")

    with model_server(long) as model, listening(model.url, limits=limits) as listener:
        assert post(listener)[2] == text.encode()
    heard = listener.heard()
    exchange = only(heard)
    assert exchange.response.ending == "truncated"
    assert body_bytes(exchange.response.body) == text.encode()[:100_000]
    assert [problem.kind for problem in heard.problems] == ["limit"]


def test_a_truncated_text_never_ends_in_half_a_character() -> None:
    def long(asked: Asked, line: Line) -> None:
        line.whole("é".encode() * 100, "Content-Type: text/plain")

    with model_server(long) as model, listening(model.url, limits=Limits(response_bytes=99)) as listener:
        post(listener)
    assert body_bytes(only(listener.heard()).response.body) == "é".encode() * 49


def test_a_response_that_inflates_over_the_limit_is_truncated() -> None:
    packed = gzip.compress(b"0" * 10_000_000)

    def bomb(asked: Asked, line: Line) -> None:
        line.whole(packed, "Content-Type: text/plain", "Content-Encoding: gzip")

    with model_server(bomb) as model, listening(model.url, limits=Limits(response_bytes=100_000)) as listener:
        assert post(listener)[2] == packed
    exchange = only(listener.heard())
    assert exchange.response.ending == "truncated"
    assert body_bytes(exchange.response.body) == b"0" * 100_000


def test_a_capture_over_its_limit_fails_and_the_agent_does_not_notice() -> None:
    with model_server() as model, listening(model.url, limits=Limits(capture_bytes=300)) as listener:
        assert [post(listener)[2] for _ in range(5)] == [ANSWER] * 5
    heard = listener.heard()
    assert len(heard.exchanges) == 5
    assert "limit" in {problem.kind for problem in heard.problems}
    assert any("capture holds" in problem.text for problem in heard.problems)


def test_an_upstream_that_cannot_be_reached_is_told_with_the_url_that_was_tried() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound, and not listening: nobody else gets the port
        nowhere = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with listening(nowhere) as listener:
            status, headers, body = post(listener, "/openai/v1/chat/completions?api_key=abc")
    assert status == 502
    assert headers["content-type"] == "application/json"
    message = json.loads(body)["error"]["message"]
    assert f"{nowhere}/v1/chat/completions?api_key=…" in message
    assert "abc" not in message
    heard = listener.heard()
    assert only(heard).response.ending == "reset"
    assert only(heard).response.status == 502
    (problem,) = heard.problems
    assert problem.kind == "reset"
    assert nowhere in problem.text


def test_c014_a_404_of_the_upstream_is_shown_with_the_full_url() -> None:
    def lost(asked: Asked, line: Line) -> None:
        line.whole(b'{"error":"no such route"}', "Content-Type: application/json", status="404 Not Found")

    with model_server(lost) as model, listening(model.url) as listener:
        assert post(listener, "/openai/v1/chat/completions")[0] == 404
    heard = listener.heard()
    assert heard.problems == ()
    (notice,) = heard.notices
    assert f"{model.url}/v1/chat/completions" in notice


def test_what_is_no_http_is_answered_502() -> None:
    def babble(asked: Asked, line: Line) -> None:
        line.send(b"220 mail ready\r\n")
        line.close()

    with model_server(babble) as model, listening(model.url) as listener:
        assert post(listener)[0] == 502
    assert only(listener.heard()).response.ending == "reset"


def test_a_request_over_the_limit_is_refused_and_fails_the_capture() -> None:
    limits = Limits(request_bytes=200_000)
    with model_server(lazy=True) as model, listening(model.url, limits=limits) as listener:
        with raw(listener) as agent:  # announced: refused before anything of it is sent
            agent.sendall(head(listener, "/openai/v1/files", "Content-Length: 200001"))
            assert agent.recv(65536).startswith(b"HTTP/1.1 413 ")
        assert model.asked == []
        with raw(listener) as agent:  # not announced: refused as soon as it is too much

            def reading(asked: Asked, line: Line) -> None:
                line.wait_for_hang_up()
                line.close()

            model.script = reading
            agent.sendall(
                head(listener, "/openai/v1/files", "Transfer-Encoding: chunked")
                + b"%x\r\n%s\r\n" % (200_001, b"x" * 200_001)
            )
            assert agent.recv(65536).startswith(b"HTTP/1.1 413 ")
    heard = listener.heard()
    assert heard.exchanges == ()
    assert {problem.kind for problem in heard.problems} == {"limit"}


def test_half_a_request_is_given_up() -> None:
    with (
        model_server() as model,
        listening(model.url, limits=Limits(idle_seconds=0.05)) as listener,
        raw(listener) as agent,
    ):
        agent.sendall(head(listener, "/openai/v1/responses", "Content-Length: 20") + b"half")
        assert agent.recv(65536).startswith(b"HTTP/1.1 408 ")
        assert model.asked == []
    assert listener.heard().problems[0].kind == "limit"

"""Any bytes on a connection to the listener get a refusal, an answer or nothing, and the next client never notices.

Without the token nothing that is sent is recorded, not as an exchange and not as a problem.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepfork.listener.server import Listener
from tests.integration.replaying import send
from tests.integration.wire import ANSWER, Asked, Line, listening, model_server, post, raw, read_all
from tests.unit.listener.any_json import ANY_JSON

TOKEN = "\0TOKEN\0"
"""Stands for the listener's token, which no strategy can know."""

FEW = settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.function_scoped_fixture])
"""An example costs two connections."""


def joined(*parts: st.SearchStrategy[bytes] | bytes) -> st.SearchStrategy[bytes]:
    made = [st.just(part) if isinstance(part, bytes) else part for part in parts]
    return st.tuples(*made).map(b"".join)


def one_of(*texts: str) -> st.SearchStrategy[bytes]:
    return st.sampled_from([text.encode("latin-1") for text in texts])


ODD = st.binary(max_size=12)
LINE_END = one_of("\r\n", "\r\n", "\r\n", "\n", "\r", "")
METHODS = one_of("POST", "POST", "GET", "HEAD", "PUT", "CONNECT", "OPTIONS", "TRACE", "PRI", "brew", "") | ODD
PATHS = (
    one_of(
        "/v1/traces",
        "/openai/v1/chat/completions",
        "/openai/v1",
        "/anthropic/v1/messages?beta=true",
        "/x",
        "",
        "/stepfork/calls",
        "/stepfork/calls?replay",
        "/stepfork/calls/",
    )
    | ODD
)
VERSIONS = one_of("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "http/1.1", "HTTP/1.1.1", "") | ODD
HEADERS = (
    one_of(
        "Host: localhost",
        "Host: 127.0.0.1:80",
        "Host: evil.example",
        "Host:",
        "Origin: null",
        "Content-Type: application/json",
        "Content-Type: application/x-protobuf",
        "Content-Encoding: gzip",
        "Content-Encoding: br, gzip",
        "Content-Length: 2",
        "Content-Length: 1000000",
        "Content-Length: 99999999999999999999999",
        "Content-Length: -1",
        "Content-Length: 2, 2",
        "Transfer-Encoding: chunked",
        "Transfer-Encoding: chunked, identity",
        "Expect: 100-continue",
        "Connection: close",
        "Connection: upgrade",
        "Upgrade: h2c",
        "Cookie: \xff\x00",
        " folded: line",
        "no colon",
        "X: " + "y" * 70_000,
    )
    | ODD
)
BODIES = one_of(
    "", "{}", "2\r\n{}\r\n0\r\n\r\n", "2\r\n{", "ffffffffffffffff\r\n", "-1\r\n", "\x1f\x8b\x08\x00\x00\x00\x00"
) | st.binary(max_size=40)


def requests(token: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """A request that may be wrong anywhere; whatever is not: well-formed ones are among them."""
    line = joined(METHODS, b" ", one_of("/", "/", "http://localhost/", ""), token, PATHS, b" ", VERSIONS, LINE_END)
    head = st.lists(joined(HEADERS, LINE_END), max_size=5).map(b"".join)
    return joined(line, one_of("Host: localhost\r\n", ""), head, LINE_END, BODIES)


OUTSIDE = requests(one_of("", "0" * 32, "token", "%00", "..") | ODD)
INSIDE = requests(st.just(TOKEN.encode()))
ANY_BYTES = st.binary(max_size=200) | one_of(
    "\x16\x03\x01\x02\x00\x01\x00", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\r\n" * 50
)


@pytest.fixture(scope="module")
def served() -> Iterator[Listener]:
    """A listener whose model answers and hangs up, whatever it is asked."""

    def answer(asked: Asked, line: Line) -> None:
        line.whole(ANSWER, "Content-Type: application/json", "Connection: close")
        line.close()

    with model_server(answer, lazy=True) as model, listening(model.url) as listener:
        yield listener


def sent(listener: Listener, pieces: list[bytes]) -> bytes:
    """What came back on one connection, to its end."""
    with raw(listener) as agent:
        try:
            for piece in pieces:
                agent.sendall(piece.replace(TOKEN.encode(), listener.token.encode()))
            agent.shutdown(socket.SHUT_WR)
        except OSError:  # refused before all of it was sent
            pass
        return read_all(agent)


def check(listener: Listener, answer: bytes) -> None:
    assert not answer or answer.startswith(b"HTTP/1."), answer
    assert not answer[9:].startswith(b"500"), answer
    assert post(listener)[0] == 200


@FEW
@given(st.lists(OUTSIDE | ANY_BYTES, min_size=1, max_size=3))
def test_whoever_has_no_token_changes_nothing(served: Listener, pieces: list[bytes]) -> None:
    before = len(served._tape._transcripts)
    check(served, sent(served, pieces))
    heard = served._tape
    assert (len(heard._transcripts), heard._problems, heard._exports) == (before + 1, [], [])


@FEW
@given(pieces=st.lists(INSIDE | ANY_BYTES, min_size=1, max_size=3))
def test_whoever_has_it_breaks_nothing(pieces: list[bytes]) -> None:
    with model_server() as model, listening(model.url) as listener:
        check(listener, sent(listener, pieces))
    heard = listener.heard()
    assert "internal" not in {problem.kind for problem in heard.problems}
    assert heard.exchanges[-1].exchange.response.ending == "complete"


@FEW
@given(st.binary(max_size=60) | ANY_JSON.map(lambda value: json.dumps(value).encode()))
def test_any_body_is_a_message_of_a_call_or_refused(body: bytes) -> None:
    with model_server() as model, listening(model.url) as listener:
        status, _, answer = send(listener.base_url, body, path="/stepfork/calls")
        assert post(listener)[0] == 200
    assert status in {200, 400}, answer
    assert {problem.kind for problem in listener.heard().problems} == ({"call_rejected"} if status == 400 else set())

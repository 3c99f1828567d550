"""Who is let in: only who holds the token, only this machine, never a web page; and never too many at once."""

from __future__ import annotations

import contextlib
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from stepfork.listener.limits import Limits
from tests.integration.wire import (
    ANSWER,
    PATIENCE,
    Asked,
    Line,
    connected,
    head,
    listening,
    model_server,
    post,
    raw,
    read_all,
)

HEAD = "POST /{token}/openai/v1/chat/completions HTTP/1.1\r\n{headers}Content-Length: 1000000\r\n\r\n"


def answer_to(listener, headers: str, token: str = "") -> bytes:
    """The first line of the answer to a request whose announced body is never sent."""
    with raw(listener) as agent:
        agent.sendall(HEAD.format(token=token or listener.token, headers=headers).encode())
        return agent.recv(65536).splitlines()[0]


@pytest.mark.parametrize(
    "headers",
    [
        "Host: evil.example\r\n",
        "Host: evil.example:80\r\n",
        "Host: 127.0.0.1.evil.example\r\n",
        "Host: localhost\r\nOrigin: https://evil.example\r\n",
        "Host: localhost\r\nOrigin: null\r\n",
        "Host: 192.168.0.1\r\n",
        "Host: 0.0.0.0\r\n",
        "Host: \r\n",
    ],
)
def test_c111_pages_and_rebound_names_are_refused_before_the_body_is_read(headers: str) -> None:
    with model_server() as model, listening(model.url) as listener:
        assert answer_to(listener, headers) == b"HTTP/1.1 403 Forbidden"
        assert model.asked == []
    heard = listener.heard()
    assert (heard.exchanges, heard.problems) == ((), ())


def test_c111_a_wrong_token_is_not_found_and_not_recorded() -> None:
    with model_server() as model, listening(model.url) as listener:
        token = listener.token
        for wrong in ("0" * 32, token[:-1], token + "0", token.upper() if token.upper() != token else "x", "%00"):
            assert answer_to(listener, "Host: localhost\r\n", wrong) == b"HTTP/1.1 404 Not Found"
        assert model.asked == []
    heard = listener.heard()
    assert (heard.exchanges, heard.problems) == ((), ())


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:1234", "localhost", "LocalHost:9", "[::1]", "[::1]:80"])
def test_c111_loopback_hosts_with_any_port_pass(host: str) -> None:
    with model_server() as model, listening(model.url) as listener:
        assert post(listener, Host=host)[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/openai/v2/models",
        "/openai",
        "/v1/metrics",
        "/v1/traces/v1/traces",
        "/anthropicx/v1/messages",
        "/openai/v1/../../../etc",
        "/openai/v1/%2e%2e/x",
        "/",
        "",
    ],
)
def test_nothing_else_is_served(path: str) -> None:
    with model_server() as model, listening(model.url) as listener:
        assert post(listener, path)[0] == 404
        assert model.asked == []
    assert listener.heard().exchanges == ()


def test_each_listener_has_128_bits_of_its_own() -> None:
    tokens = {listening("http://127.0.0.1:9").token for _ in range(20)}
    assert len(tokens) == 20
    assert all(len(token) == 32 and int(token, 16) >= 0 for token in tokens)


def test_it_listens_on_loopback_alone() -> None:
    with listening("http://127.0.0.1:9") as listener:
        host, _, port = listener.address.partition(":")
        assert host == "127.0.0.1"
        with socket.socket() as other, pytest.raises(ConnectionRefusedError):
            other.connect(("127.0.0.2", int(port)))


def test_one_more_than_are_served_at_once_waits_for_its_turn() -> None:
    limits = Limits(requests_at_once=4)
    inside, most = 0, 0
    lock = threading.Lock()
    full = threading.Semaphore(0)
    go = threading.Event()

    def slow(asked: Asked, line: Line) -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        full.release()
        assert go.wait(PATIENCE)
        with lock:
            inside -= 1
        line.whole(ANSWER, "Content-Type: application/json")

    with model_server(slow) as model, listening(model.url, limits=limits) as listener, ThreadPoolExecutor(12) as pool:
        answers = [pool.submit(post, listener) for _ in range(12)]
        for _ in range(4):
            assert full.acquire(timeout=PATIENCE)
        # An export is not held up by calls that wait.
        assert post(listener, "/v1/traces", b"{}")[0] == 200
        go.set()
        assert [answer.result()[2] for answer in answers] == [ANSWER] * 12
    assert most == 4
    assert len(listener.heard().exchanges) == 12


def test_of_65_calls_at_once_64_are_under_way_and_the_last_one_waits() -> None:
    arrived = threading.Semaphore(0)
    go = threading.Event()

    def slow(asked: Asked, line: Line) -> None:
        arrived.release()
        assert go.wait(PATIENCE)
        line.whole(ANSWER, "Content-Type: application/json")

    with model_server(slow) as model, listening(model.url) as listener, contextlib.ExitStack() as agents:
        sockets = [agents.enter_context(raw(listener)) for _ in range(65)]
        for agent in sockets:
            agent.sendall(head(listener, "/openai/v1/responses", "Content-Length: 2", "Connection: close") + b"{}")
        for _ in range(64):
            assert arrived.acquire(timeout=PATIENCE)
        assert post(listener, "/v1/traces", b"{}")[0] == 200  # the listener goes on
        assert len(model.asked) == 64
        go.set()
        assert all(read_all(agent).endswith(ANSWER) for agent in sockets)
    assert len(listener.heard().exchanges) == 65


def test_half_requests_hold_up_nobody_and_end_with_the_listener() -> None:
    with model_server() as model, contextlib.ExitStack() as agents:
        with listening(model.url) as listener:
            a, b, c = (agents.enter_context(raw(listener)) for _ in range(3))
            a.sendall(b"POST /")
            b.sendall(HEAD.format(token=listener.token, headers="Host: localhost\r\n").encode() + b"{")
            c.sendall(f"POST /{listener.token}/v1/traces HTTP/1.1\r\nHost: localhost\r\n".encode())
            assert post(listener)[0] == 200
        assert [read_all(half) for half in (a, b, c)] == [b"", b"", b""]
    assert "unfinished" in {problem.kind for problem in listener.heard().problems}


def test_a_client_that_waits_for_100_continue_is_invited_in() -> None:
    with model_server() as model, listening(model.url) as listener, raw(listener) as agent:
        head = f"POST /{listener.token}/openai/v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
        agent.sendall((head + "Expect: 100-continue\r\nConnection: close\r\n\r\n").encode())
        assert agent.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        agent.sendall(b"{}")
        assert read_all(agent).startswith(b"HTTP/1.1 200 OK\r\n")
        assert "expect" not in model.asked[0].headers
        assert model.asked[0].body == b"{}"


def test_connections_are_kept_open_between_calls() -> None:
    with model_server() as model, listening(model.url) as listener, connected(listener) as connection:
        used = set()
        for _ in range(5):
            connection.request("POST", f"/{listener.token}/openai/v1/chat/completions", b"{}")
            connection.getresponse().read()
            used.add(connection.sock)
        assert len(used) == 1

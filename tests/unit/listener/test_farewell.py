from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from stepfork.listener import farewell
from stepfork.listener.farewell import Farewell


@pytest.fixture
def host() -> Iterator[Farewell]:
    one = Farewell()
    yield one
    one.close()


def status(port: int, body: bytes = b"{}") -> tuple[int, str]:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/token/v1/traces", body, timeout=20).close()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)["error"]["message"]
    raise AssertionError("it was taken in")


def test_whoever_comes_is_told_whatever_it_brings(host: Farewell) -> None:
    door = socket.create_server(("127.0.0.1", 0))
    port = door.getsockname()[1]
    host.take(door)
    for body in (b"{}", b"x" * 1_000_000):
        assert status(port, body) == (
            404,
            "stepfork: the block in which this client was made is over; make it inside the block",
        )


def test_somebody_who_says_nothing_holds_nobody_up(host: Farewell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(farewell, "_PATIENCE", 0.02)
    door = socket.create_server(("127.0.0.1", 0))
    port = door.getsockname()[1]
    host.take(door)
    with socket.create_connection(("127.0.0.1", port)):
        assert status(port)[0] == 404


def test_the_oldest_address_goes(host: Farewell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(farewell, "_MOST", 2)
    doors = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    ports = [door.getsockname()[1] for door in doors]
    for door in doors:
        host.take(door)
    assert [status(port)[0] for port in ports[1:]] == [404, 404]
    with pytest.raises(urllib.error.URLError):
        status(ports[0])
    host.close()
    with pytest.raises(urllib.error.URLError):
        status(ports[1])

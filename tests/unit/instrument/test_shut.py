from __future__ import annotations

import socket
from functools import partial
from typing import Any

import pytest

from stepfork.instrument.shut import shut


@pytest.fixture(autouse=True)
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What was asked of the system."""
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **named: asked.append(words))
    return asked


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("api.openai.com", 443),
        ("API.OpenAI.com.", "443"),
        (b"api.openai.com", "https"),
        ("api.openai.com", b"443"),
    ],
)
def test_what_is_shut_is_refused_however_it_is_spelled(host: Any, port: Any, resolved: list[tuple[Any, ...]]) -> None:
    with shut({("api.openai.com", 443)}) as tried, pytest.raises(ConnectionRefusedError, match="inside the block"):
        socket.getaddrinfo(host, port)
    assert tried == [("api.openai.com", 443)]
    assert resolved == []


@pytest.mark.parametrize(("host", "port"), [("api.openai.com", 80), ("localhost", 443), (None, None), ("x", "smtp")])
def test_what_is_not_is_resolved_as_ever(host: Any, port: Any, resolved: list[tuple[Any, ...]]) -> None:
    with shut({("api.openai.com", 443)}) as tried:
        socket.getaddrinfo(host, port)
    assert (tried, resolved) == ([], [(host, port)])


def test_afterwards_it_is_open_even_where_another_one_has_come_over_it(resolved: list[tuple[Any, ...]]) -> None:
    before = socket.getaddrinfo
    with shut({("api.openai.com", 443)}):
        pass
    assert socket.getaddrinfo is before
    with shut({("api.openai.com", 443)}):
        inner = socket.getaddrinfo
        socket.getaddrinfo = over = partial(inner)
    assert socket.getaddrinfo is over
    socket.getaddrinfo("api.openai.com", 443)
    assert resolved == [("api.openai.com", 443)]

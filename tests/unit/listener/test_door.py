from __future__ import annotations

import pytest

from stepfork.listener.door import Routed, TraceExport, admit, find_route, is_loopback_host
from stepfork.listener.routes import BUILT_IN, Route, with_built_in

OPENAI, ANTHROPIC = BUILT_IN

TOKEN = "01ab9cf" * 5


@pytest.mark.parametrize(
    ("target", "route"),
    [
        ("/openai/v1/chat/completions", Routed(OPENAI, "/chat/completions", "")),
        ("/openai/v1", Routed(OPENAI, "", "")),
        ("/openai/v1/", Routed(OPENAI, "/", "")),
        ("/openai/v1?x=1", Routed(OPENAI, "", "x=1")),
        ("/anthropic/v1/messages?beta=true&x=a%20b", Routed(ANTHROPIC, "/v1/messages", "beta=true&x=a%20b")),
        ("/anthropic", Routed(ANTHROPIC, "", "")),
        ("/anthropic/a%2Fb", Routed(ANTHROPIC, "/a%2Fb", "")),
        ("/openai/v1/x?next=/../y", Routed(OPENAI, "/x", "next=/../y")),
        ("/v1/traces", TraceExport()),
        ("/v1/traces?x", TraceExport()),
    ],
)
def test_what_is_served(target: str, route: object) -> None:
    assert find_route(f"/{TOKEN}{target}", TOKEN) == route


@pytest.mark.parametrize(
    "target",
    [
        "",
        "/",
        "*",
        TOKEN,
        f"/{TOKEN}",
        f"/{TOKEN}/",
        f"//{TOKEN}/v1/traces",
        f"/x/{TOKEN}/v1/traces",
        f"/{TOKEN}/v1/traces/",
        f"/{TOKEN}/openai/v10/x",
        f"/{TOKEN}/openai/v1/a/../../v1/traces",
        f"/{TOKEN}/openai/v1/a/%2E%2e/b",
        f"/{TOKEN}/anthropic/.",
        f"/{TOKEN[:-1]}/v1/traces",
        f"/{TOKEN.upper()}/v1/traces",
        f"http://localhost/{TOKEN}/v1/traces",
        "/\udcff\udcfe/v1/traces",
        "/ü/v1/traces",
    ],
)
def test_what_is_not(target: str) -> None:
    assert find_route(target, TOKEN) is None


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:80", "127.0.0.1", "127.1.2.3:1", "[::1]", "[::1]:65535", " localhost "]
)
def test_hosts_of_this_machine(host: str) -> None:
    assert is_loopback_host(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        ":80",
        "localhost.",
        "localhost.evil.example",
        "evil.example",
        "[::2]",
        "::1",
        "10.0.0.1",
        "127.0.0.1@evil.example",
        "127.0.0.1:80:80",
        "localhost:http",
        "localhost:123456",
        "0x7f000001",
        "2130706433",
        "[::ffff:10.0.0.1]",
    ],
)
def test_hosts_of_others(host: str) -> None:
    assert not is_loopback_host(host)


@pytest.mark.parametrize(
    ("peer", "hosts", "has_origin", "status"),
    [
        ("127.0.0.1", ["localhost"], False, None),
        ("::1", ["[::1]:1"], False, None),
        ("10.0.0.9", ["localhost"], False, 403),
        ("", ["localhost"], False, 403),
        ("127.0.0.1", [], False, 403),
        ("127.0.0.1", ["localhost", "evil.example"], False, 403),
        ("127.0.0.1", ["localhost"], True, 403),
    ],
)
def test_who_is_admitted(peer: str, hosts: list[str], has_origin: bool, status: int | None) -> None:
    refusal = admit(peer, hosts, has_origin=has_origin)
    assert (refusal.status if refusal else None) == status


AZURE = Route.custom("azure", "AZURE_OPENAI_ENDPOINT", "openai")


@pytest.mark.parametrize(
    ("target", "route"),
    [
        (
            "/routes/azure/openai/deployments/d/x?api-version=1",
            Routed(AZURE, "/openai/deployments/d/x", "api-version=1"),
        ),
        ("/routes/azure", Routed(AZURE, "", "")),
        ("/openai/v1/x", Routed(OPENAI, "/x", "")),
        ("/routes/azure2/x", None),
        ("/routes/other/x", None),
        ("/routes/x", None),
        ("/azure/x", None),
        ("/routes/azure/../../v1/traces", None),
    ],
)
def test_routes_of_the_project_are_served_below_their_names(target: str, route: Routed | None) -> None:
    assert find_route(f"/{TOKEN}{target}", TOKEN, with_built_in([AZURE])) == route
    assert find_route(f"/{TOKEN}/routes/azure/x", TOKEN) is None


def test_stray_bytes_of_a_target_are_encoded() -> None:
    assert find_route(f"/{TOKEN}/openai/v1/\udcffx?y=\udc80", TOKEN) == Routed(OPENAI, "/%FFx", "y=%80")

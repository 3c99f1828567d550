from __future__ import annotations

import pytest

from stepfork.capture.base_url import read_base
from stepfork.capture.proxies import Proxies

PROXY = "http://proxy.example:3128"


def proxy_for(url: str, **environ: str) -> str | None:
    return Proxies.from_environment(environ).proxy_for(read_base(url, "X"))


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, None),
        ({"HTTPS_PROXY": PROXY}, PROXY),
        ({"https_proxy": PROXY, "HTTPS_PROXY": "http://other.example"}, PROXY),
        ({"https_proxy": "", "HTTPS_PROXY": PROXY}, PROXY),
        ({"HTTP_PROXY": PROXY}, None),
        ({"ALL_PROXY": PROXY}, PROXY),
        ({"ALL_PROXY": "http://other.example", "HTTPS_PROXY": PROXY}, PROXY),
        ({"HTTPS_PROXY": "proxy.example:3128"}, PROXY),
        ({"HTTPS_PROXY": " "}, None),
    ],
)
def test_c016_the_proxy_of_an_https_upstream(environ: dict[str, str], expected: str | None) -> None:
    assert proxy_for("https://api.example/v1", **environ) == expected


@pytest.mark.parametrize(
    "direct",
    [
        "*",
        "api.example",
        ".example",
        "example",
        "*.example",
        "other, API.example ",
        "api.example:443",
        "10.0.0.0/8,api.example",
    ],
)
def test_hosts_that_are_reached_directly(direct: str) -> None:
    assert proxy_for("https://api.example/v1", HTTPS_PROXY=PROXY, NO_PROXY=direct) is None


@pytest.mark.parametrize("direct", ["", ",", "pi.example", "api.example.org", "api.example:80", "10.0.0.0/8", "."])
def test_hosts_that_are_not(direct: str) -> None:
    assert proxy_for("https://api.example/v1", HTTPS_PROXY=PROXY, no_proxy=direct) == PROXY


@pytest.mark.parametrize(
    ("url", "direct"),
    [
        ("http://10.1.2.3:8000/v1", "10.0.0.0/8"),
        ("http://127.0.0.1:8000/v1", "127.0.0.1"),
        ("http://127.0.0.1:8000/v1", "127.0.0.1:8000"),
        ("http://[::1]:8000/v1", "::1"),
        ("http://[::1]/v1", "[::1]"),
        ("http://localhost:8000/v1", "localhost"),
    ],
)
def test_addresses_and_networks(url: str, direct: str) -> None:
    assert proxy_for(url, HTTP_PROXY=PROXY) == PROXY
    assert proxy_for(url, HTTP_PROXY=PROXY, NO_PROXY=direct) is None

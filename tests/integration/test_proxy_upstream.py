"""Which server a call reaches, and by which way."""

from __future__ import annotations

import base64

import pytest

from stepfork.capture.upstream import UpstreamForwarder, Upstreams
from stepfork.listener.server import Listener
from tests.integration.wire import ANSWER, Asked, Line, listening, model_server, post


@pytest.mark.parametrize(
    ("base", "target"),
    [
        ("{}/v1", "/v1/chat/completions"),
        ("{}/v1/", "/v1/chat/completions"),
        ("{}", "/v1/chat/completions"),
        ("{}/", "/v1/chat/completions"),
        ("{}/gateway/team/v1", "/gateway/team/v1/chat/completions"),
        ("{}/gateway", "/gateway/v1/chat/completions"),
        ("{}/v1?tenant=a%20b", "/v1/chat/completions?tenant=a%20b"),
        ("{}/v1beta/openai/", "/v1beta/openai/chat/completions"),
    ],
)
def test_c014_the_base_url_is_joined_once(base: str, target: str) -> None:
    with model_server() as model, listening("", OPENAI_BASE_URL=base.format(model.url)) as listener:
        assert post(listener)[0] == 200
        assert model.asked[0].target == target


def test_c015_an_empty_variable_is_the_vendors_upstream() -> None:
    upstreams = Upstreams.from_environment({"OPENAI_BASE_URL": "", "ANTHROPIC_BASE_URL": "  "})
    assert upstreams == Upstreams.from_environment({})
    assert upstreams.routes == "openai → api.openai.com   anthropic → api.anthropic.com"


def _proxied(asked: Asked, line: Line) -> None:
    assert asked.target == "http://models.example.test/v1/chat/completions"
    assert asked.headers["host"] == "models.example.test"
    line.whole(ANSWER, "Content-Type: application/json")


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_c016_the_way_out_uses_the_corporate_proxy(name: str) -> None:
    login = base64.b64encode(b"me:secret").decode()
    with model_server(_proxied) as proxy:
        environ = {name: proxy.url.replace("://", "://me:secret@"), "OPENAI_BASE_URL": "http://models.example.test/v1"}
        with Listener(UpstreamForwarder(Upstreams.from_environment(environ))) as listener:
            assert post(listener, Authorization="Bearer mine")[0] == 200
        assert proxy.asked[0].headers["proxy-authorization"] == f"Basic {login}"
        assert proxy.asked[0].headers["authorization"] == "Bearer mine"


def test_c016_hosts_of_no_proxy_are_reached_directly() -> None:
    with (
        model_server() as model,
        listening(model.url, HTTP_PROXY="http://127.0.0.1:9", NO_PROXY="127.0.0.1") as listener,
    ):
        assert post(listener)[0] == 200


def test_a_socks_proxy_is_said_to_be_unsupported() -> None:
    with model_server() as model, listening(model.url, ALL_PROXY="socks5://127.0.0.1:9") as listener:
        status, _, body = post(listener)
        assert model.asked == []
    assert status == 502
    assert b"HTTP proxy" in body


def test_a_login_in_the_base_url_is_sent_and_never_shown() -> None:
    with model_server() as model, listening(model.url.replace("://", "://me:secret@")) as listener:
        assert post(listener)[0] == 200
        assert post(listener, Authorization="Bearer mine")[0] == 200
        first, second = (asked.headers["authorization"] for asked in model.asked)
    assert first == "Basic " + base64.b64encode(b"me:secret").decode()
    assert second == "Bearer mine"
    with listening("http://me:sec" + "ret@127.0.0.1:9") as listener:
        assert b"secret" not in post(listener)[2]
    assert "secret" not in repr(listener.heard())


def test_redirects_and_cookies_are_the_agents_business() -> None:
    def moved(asked: Asked, line: Line) -> None:
        assert "cookie" not in asked.headers
        line.whole(b"", "Location: /elsewhere", "Set-Cookie: session=1", status="307 Temporary Redirect")

    with model_server(moved) as model, listening(model.url) as listener:
        for _ in range(2):
            status, headers, _ = post(listener)
            assert status == 307
            assert headers["location"] == "/elsewhere"
            assert headers["set-cookie"] == "session=1"
        assert len(model.asked) == 2


def test_nothing_is_added_to_what_either_side_says() -> None:
    def plain(asked: Asked, line: Line) -> None:
        line.whole(b"{}")

    with model_server(plain) as model, listening(model.url) as listener:
        _, headers, _ = post(listener, User_Agent="agent/1")
        asked = model.asked[0]
    assert set(asked.headers) == {"host", "content-type", "content-length", "accept-encoding", "user-agent"}
    assert asked.headers["user-agent"] == "agent/1"
    assert set(headers) == {"content-length", "date"}

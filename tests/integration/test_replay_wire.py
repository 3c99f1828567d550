"""A recording served over HTTP: what goes over the wire, byte for byte."""

from __future__ import annotations

import gzip
import json
from typing import Any

from stepfork.capture.upstream import UpstreamForwarder, Upstreams
from stepfork.listener.server import Listener
from stepfork.redact.secrets import Secrets
from stepfork.replay.player import Player
from stepfork.replay.reuse import ReuseForwarder
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture
from stepfork.trace.wire import read_body
from tests.integration.replaying import fixture_of, here, replaying, send
from tests.integration.wire import CHAT_EVENTS, model_server

JSON = "application/json"
ANSWER = b'{"z":1,"a":{"y":2,"b":[1.0,1]},"id":"x"}'


def call(
    body: bytes, answer: bytes, media: str = JSON, *, path: str = "/chat/completions", status: int = 200, **more: Any
) -> Exchange:
    api = "chat_completions" if path == "/chat/completions" else "other"
    return Exchange(
        more.pop("provider", "openai"),
        api,
        Request(more.pop("method", "POST"), path, "", JSON, read_body(body, JSON)),
        Response(status, media, more.pop("headers", {}), read_body(answer, media)),
    )


def fixture(*exchanges: Exchange) -> Fixture:
    return fixture_of(exchanges, here())


def asking(text: str) -> bytes:
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()


def test_members_stay_in_recorded_order_and_only_kept_headers_are_sent() -> None:
    recorded = fixture(call(asking("go"), ANSWER, headers={"x-should-retry": "false"}))
    with replaying(recorded) as (base, _):
        status, headers, body = send(base, asking("go"))
    assert (status, headers["content-type"], headers["x-should-retry"]) == (200, JSON, "false")
    assert headers["content-length"] == str(len(body))
    assert body.startswith(b'{"z":1,"a":{"y":2,"b":[1.0,1]},"id":"')
    assert "server" not in headers


def test_a_stream_is_served_as_one() -> None:
    media = "text/event-stream; charset=utf-8"
    with replaying(fixture(call(asking("go"), b"".join(CHAT_EVENTS), media))) as (base, _):
        status, headers, body = send(base, asking("go"))
    assert (status, headers["content-type"], headers["transfer-encoding"]) == (200, media, "chunked")
    assert "content-length" not in headers
    assert body.count(b"\n\n") == len(CHAT_EVENTS)
    assert body.endswith(b"data: [DONE]\n\n")


def test_compressed_and_large_requests_are_read_and_broken_ones_miss() -> None:
    large = asking("go " * 60_000)
    recorded = fixture(call(asking("go"), ANSWER), call(asking("go"), ANSWER), call(large, ANSWER))
    with replaying(recorded, problems=("unreadable",)) as (base, player):
        assert send(base, gzip.compress(asking("go")), Content_Encoding="gzip")[0] == 200
        assert send(base, gzip.compress(asking("go"))[:-9], Content_Encoding="gzip")[0] == 412
        assert send(base, gzip.compress(asking("go")), Content_Encoding="unheard-of")[0] == 412
        assert send(base, large)[0] == 200
        assert send(base, asking("go"))[0] == 200
    assert [served.exchange for served in player.report().served] == [0, 2, 1]


def test_a_miss_says_so_in_the_form_of_its_api() -> None:
    with replaying(fixture(call(asking("go"), ANSWER))) as (base, _):
        status, headers, body = send(base, asking("stay"))
        anthropic = json.loads(send(base, asking("stay"), path="/anthropic/v1/messages")[2])
    error = json.loads(body)["error"]
    assert (status, headers["x-should-retry"]) == (412, "false")
    assert error["message"] == (
        "stepfork replay: call 1 (openai chat_completions m) matches no recording: message 0 (user), "
        "against recorded exchange 0"
    )
    assert "stay" not in error["message"]
    assert (anthropic["type"], anthropic["error"]["type"]) == ("error", "stepfork_replay_miss")


def test_answers_without_a_body() -> None:
    recorded = fixture(
        call(b"", b"", "", path="/api/hello", method="HEAD", status=404, provider="anthropic"),
        call(b"", b"", "", path="/files/a b", method="DELETE", status=204),
        call(b"", b"\xff\x00\xfe", "audio/mpeg", path="/speech", method="GET", headers={"retry-after": "9"}),
    )
    with replaying(recorded) as (base, player):
        assert send(base, method="HEAD", path="/anthropic/api/hello")[::2] == (404, b"")
        assert send(base, method="DELETE", path="/openai/v1/files/a%20b")[::2] == (204, b"")
        status, headers, body = send(base, method="GET", path="/openai/v1/speech")
        assert send(base, method="HEAD", path="/anthropic/api/other")[::2] == (412, b"")
    assert (status, headers["content-type"], headers["retry-after"], body) == (200, "audio/mpeg", "9", b"\xff\x00\xfe")
    assert player.report().is_whole


def test_reuse_answers_from_the_recording_until_the_first_miss() -> None:
    recorded = fixture(*[call(asking(word), json.dumps({"id": word}).encode()) for word in ("one", "two", "three")])
    player = Player(recorded, context=here(), secrets=Secrets({}))
    with model_server() as model:
        live = UpstreamForwarder(Upstreams.from_environment({"OPENAI_BASE_URL": f"{model.url}/v1"}))
        forwarder = ReuseForwarder(player, live)
        with Listener(forwarder) as listener:
            sent = [send(listener.base_url, asking(word)) for word in ("one", "two", "other", "three", "go " * 60_000)]
    assert [status for status, _, _ in sent] == [200] * 5
    assert forwarder.reused == 2
    assert [json.loads(asked.body)["messages"][0]["content"][:5] for asked in model.asked] == [
        "other",
        "three",
        "go go",
    ]
    assert listener.heard().problems == ()

"""Services of config.toml: recorded below their own names, sent where the program would have sent them, replayed."""

from __future__ import annotations

import json
import os
from typing import Any

import openai
import pytest

from stepfork.capture.upstream import UpstreamForwarder, Upstreams
from stepfork.config.project import read_settings
from stepfork.config.routes import RouteSetting, listener_routes
from stepfork.errors import UsageError
from stepfork.listener.environment import child_environment
from stepfork.listener.server import Listener
from stepfork.trace.body import BytesBody, JsonBody, TextBody
from stepfork.workflows.replay import ReplayRequest, ReplayResult, replay
from tests.integration.stand import Said, Stand
from tests.integration.wire import CHAT_EVENTS, Asked, Line, model_server

KEY = "aZ3kQ9" + "mTw7RbL2xYcV"  # in two pieces, since it is made to look like one
MESSAGES: list[Any] = [{"role": "user", "content": "Please refund order O-1042."}]


def chat(asked: Asked, line: Line) -> None:
    if b'"stream":true' in asked.body.replace(b" ", b""):
        line.stream(*CHAT_EVENTS)
        return
    message = {"role": "assistant", "content": "Done."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    told = {"id": "chatcmpl-test0001", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    line.whole(json.dumps(told).encode(), "Content-Type: application/json")


def watched(upstreams: Upstreams, *routes: RouteSetting) -> Listener:
    return Listener(UpstreamForwarder(upstreams), routes=listener_routes(routes))


def test_the_azure_client_by_its_own_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    azure = RouteSetting("azure", "AZURE_OPENAI_ENDPOINT", dialect="openai")
    with model_server(chat) as model:
        parent = {
            "AZURE_OPENAI_ENDPOINT": f"{model.url}/",
            "AZURE_OPENAI_API_KEY": KEY,
            "OPENAI_API_VERSION": "2024-10-21",
        }
        with watched(Upstreams.from_environment(parent, [azure]), azure) as listener:
            for name, value in child_environment(parent, listener.base_url, listener_routes([azure])).items():
                monkeypatch.setenv(name, value)
            with openai.AzureOpenAI(azure_deployment="gpt-4o") as client:
                client.chat.completions.create(model="gpt-4o", messages=MESSAGES)
            with openai.AzureOpenAI(max_retries=0) as client:
                stream = client.chat.completions.create(model="gpt-4o", messages=MESSAGES, stream=True)
                assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == "The refund is done"
        exchanges = [seen.exchange for seen in listener.heard().exchanges]
    target = "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"
    assert [asked.target for asked in model.asked] == [target, target]
    assert {asked.headers["api-key"] for asked in model.asked} == {KEY}
    assert [(seen.provider, seen.api, seen.response.ending) for seen in exchanges] == [
        ("azure", "chat_completions", "complete")
    ] * 2
    assert exchanges[0].request.path == "/openai/deployments/gpt-4o/chat/completions"
    assert KEY not in repr(exchanges)


def test_two_services_with_the_openai_client_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with model_server(chat) as router, model_server(chat) as local:
        routes = [
            RouteSetting("ollama", "OLLAMA_BASE_URL", f"{local.url}/v1", "openai"),
            RouteSetting("openrouter", "OPENROUTER_BASE_URL", f"{router.url}/api/v1", "openai"),
        ]
        with watched(Upstreams.from_environment({}, routes), *routes) as listener:
            child = child_environment({}, listener.base_url, listener_routes(routes))
            for name, key in (("OPENROUTER_BASE_URL", KEY), ("OLLAMA_BASE_URL", "unused")):
                with openai.OpenAI(base_url=child[name], api_key=key, max_retries=0) as client:
                    client.chat.completions.create(model="some/model", messages=MESSAGES)
        exchanges = [seen.exchange for seen in listener.heard().exchanges]
    assert [asked.target for asked in router.asked] == ["/api/v1/chat/completions"]
    assert [asked.target for asked in local.asked] == ["/v1/chat/completions"]
    assert router.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert [(seen.provider, seen.api, seen.request.path) for seen in exchanges] == [
        ("openrouter", "chat_completions", "/chat/completions"),
        ("ollama", "chat_completions", "/chat/completions"),
    ]


# A tool's own API: what the model asks for, and what the tool then asks the service.

AGENT = """
base = os.environ["WEATHER_API_URL"]
key = os.environ.get("WEATHER_API_KEY", "none-at-all")

def get(path):
    return urllib.request.urlopen(base + path, timeout=20).read()

def tell(path, body, media):
    request = urllib.request.Request(base + path, body, {"Content-Type": media}, method="PUT")
    return urllib.request.urlopen(request, timeout=20).read()

messages = [{"role": "user", "content": "Shall I take an umbrella?"}]
first = json.loads(call({"model": "m", "messages": messages}))["choices"][0]["message"]
now = get(f"/v2/now?city={CITY}&api_key={key}").decode()
assert get("/v2/map.png").startswith(bytes([137, 80]))
assert json.loads(tell("/v2/seen", b"id=1&city=Oslo", "application/x-www-form-urlencoded"))["created"] == 1733000000
told = {"role": "tool", "tool_call_id": first["tool_calls"][0]["id"], "content": now}
call({"model": "m", "messages": [*messages, first, told]})
print(now)
"""
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
NOW = b'{"id": "obs-77", "created": 1733000000, "rain": true}'
PNG = b"\x89PNG\r\n\x1a\n\x00\xff"
CONFIG = """
[routes.weather]
variable = "WEATHER_API_URL"
upstream = "{}"
dialect = "opaque"
tools = ["get_weather"]
"""


def weather(asked: Asked, line: Line) -> None:
    if asked.target.startswith("/base/v2/now"):
        line.whole(NOW, "Content-Type: application/json")
    elif asked.target == "/base/v2/map.png":
        line.whole(PNG, "Content-Type: image/png")
    elif asked.target == "/base/v2/seen":
        line.whole(b'{"created":1733000000}', "Content-Type: application/json")
    else:
        asks = b"umbrella" in asked.body and b"tool_call_id" not in asked.body
        message = {"role": "assistant", "content": None, "tool_calls": [CALL]} if asks else {"content": "Yes."}
        line.whole(json.dumps({"id": "chatcmpl-1", "choices": [{"index": 0, "message": message}]}).encode())


@pytest.fixture
def recorded(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> Stand:
    """A project with the weather route, and a capture of an agent that asks for Oslo."""
    (stand.root / ".stepfork" / "config.toml").write_text(CONFIG.format(f"{stand.model.url}/base"))
    monkeypatch.setenv("WEATHER_API_KEY", KEY)
    capture(stand, "Oslo")
    return stand


def capture(stand: Stand, city: str) -> Said:
    return stand.capture(f"CITY = {city!r}\n" + AGENT, weather)


def play(stand: Stand, city: str, *executes: str, **environ: str) -> ReplayResult:
    stand.agent(f"CITY = {city!r}\n" + AGENT)
    environment = {name: value for name, value in os.environ.items() if name != "WEATHER_API_KEY"}
    settings = read_settings(stand.store.root)
    request = ReplayRequest(
        stand.store.read("case"), ("python", "agent.py"), stand.root, {**environment, **environ}, settings, executes
    )
    return replay(request)


def test_a_tools_own_service_is_recorded_as_it_answered_and_again_to_the_same_bytes(recorded: Stand) -> None:
    own = [seen for seen in recorded.store.read("case").run.exchanges if seen.provider == "weather"]
    picture, now, seen = sorted(own, key=lambda one: one.request.path)
    assert (now.api, now.request.method, now.request.path) == ("opaque", "GET", "/v2/now")
    assert now.request.query == "city=Oslo&api_key=[redacted]"
    assert now.response.body == TextBody(NOW.decode(), "the spelling of its JSON is kept")
    assert seen.response.body == JsonBody({"created": 1733000000})
    assert picture.response.body == BytesBody(PNG)
    assert (seen.request.method, seen.request.body) == ("PUT", TextBody("id=1&city=Oslo"))
    before = recorded.files()
    said = capture(recorded, "Oslo")
    assert recorded.files() == before
    assert said.line("model calls") == "model calls   2   openai chat_completions m"
    assert said.line("other calls") == "other calls   3   weather opaque"
    shown = recorded.stepfork("show", "case").out
    assert "GET /v2/now?city=Oslo&api_key=[redacted] → 200" in shown
    assert all(KEY.encode() not in data for data in recorded.files().values())
    assert {asked.target for asked in recorded.model.asked if "now" in asked.target} == {
        f"/base/v2/now?city=Oslo&api_key={KEY}"
    }


def test_a_replay_answers_the_service_too_and_needs_no_leave_for_the_tool_but_its_route(recorded: Stand) -> None:
    recorded.model.asked.clear()
    done = play(recorded, "Oslo", WEATHER_API_URL="http://127.0.0.1:9/nowhere")
    assert done.causes == ()
    assert len(done.report.served) == 5
    assert recorded.model.asked == []

    done = play(recorded, "Bergen")
    assert not done.passed
    assert [miss.label for miss in done.report.misses] == ["weather opaque"]
    assert recorded.model.asked == []
    (recorded.root / ".stepfork" / "config.toml").write_text("format = 1\n")
    with pytest.raises(UsageError, match="a route that is not configured: weather"):
        play(recorded, "Oslo", "get_weather")


def test_a_route_without_an_upstream_stops_no_capture_but_one_that_calls_it(stand: Stand) -> None:
    (stand.root / ".stepfork" / "config.toml").write_text('[routes.azure]\nvariable = "AZ_URL"\ndialect = "openai"\n')
    said = stand.capture("assert os.environ['AZ_URL']; ask('hi')")
    assert "  azure → nowhere" in said.err
    notice = "route azure leads nowhere: AZ_URL is not set, and [routes.azure] has no upstream"
    assert said.line("route azure") == notice
    assert stand.stepfork("replay", "case", "--", "python", "agent.py").err
    said = stand.capture(
        "ask('hi')\ntry:\n    urllib.request.urlopen(os.environ['AZ_URL'] + '/chat/completions', b'{}')\n"
        "except urllib.error.HTTPError as error:\n    assert error.code == 502",
        name="calls",
        code=1,
    )
    fix = "route azure: it leads nowhere; set AZ_URL, or upstream in [routes.azure] of config.toml"
    assert fix in said.line("cause")
    assert stand.store.names() == ["case"]

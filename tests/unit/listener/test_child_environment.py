from __future__ import annotations

import subprocess

import pytest

from stepfork.listener.environment import GIT_HOOK_VARIABLES, child_environment
from stepfork.listener.routes import Route, with_built_in

BASE = "http://127.0.0.1:4000/0123"
OTLP = "OTEL_EXPORTER_OTLP"


def test_models_and_traces_lead_to_the_listener_and_the_rest_is_kept() -> None:
    parent = {"PATH": "/bin", "OPENAI_BASE_URL": "https://gateway.example/v1", "OPENAI_API_KEY": "unused"}
    before = dict(parent)
    assert child_environment(parent, BASE) == {
        "PATH": "/bin",
        "OPENAI_API_KEY": "unused",
        "OPENAI_BASE_URL": f"{BASE}/openai/v1",
        "ANTHROPIC_BASE_URL": f"{BASE}/anthropic",
        f"{OTLP}_TRACES_ENDPOINT": f"{BASE}/v1/traces",
        f"{OTLP}_TRACES_PROTOCOL": "http/protobuf",
        "STEPFORK_CALLS": f"{BASE}/stepfork/calls",
        "NO_PROXY": "127.0.0.1,localhost,::1",
        "no_proxy": "127.0.0.1,localhost,::1",
    }
    assert parent == before


def test_instrumented_calls_lead_to_the_innermost_listener_which_may_answer_them() -> None:
    parent = {"STEPFORK_CALLS": "http://127.0.0.1:1/other/stepfork/calls?replay", "STEPFORK_PLACE": "[3,[]]"}
    recorded, answered = child_environment(parent, BASE), child_environment(parent, BASE, answered=True)
    assert recorded["STEPFORK_CALLS"] == f"{BASE}/stepfork/calls"
    assert answered["STEPFORK_CALLS"] == f"{BASE}/stepfork/calls?replay"
    assert "STEPFORK_PLACE" not in recorded | answered


@pytest.mark.parametrize(
    ("parent", "protocol"),
    [
        ({}, "http/protobuf"),
        ({"PROTOCOL": "grpc"}, "http/protobuf"),
        ({"TRACES_PROTOCOL": "grpc"}, "http/protobuf"),
        ({"TRACES_PROTOCOL": "grpc", "PROTOCOL": "http/json"}, "http/protobuf"),
        ({"TRACES_PROTOCOL": ""}, "http/protobuf"),
        ({"PROTOCOL": "http/json"}, None),
        ({"TRACES_PROTOCOL": "http/json", "PROTOCOL": "grpc"}, "http/json"),
        ({"TRACES_PROTOCOL": "http/protobuf"}, "http/protobuf"),
    ],
)
def test_c025_the_protocol_of_traces_is_one_that_is_received(parent: dict[str, str], protocol: str | None) -> None:
    child = child_environment({f"{OTLP}_{name}": value for name, value in parent.items()}, BASE)
    assert child.get(f"{OTLP}_TRACES_PROTOCOL") == protocol


def test_c025_no_signal_reaches_the_collector_of_the_parent() -> None:
    collector = "https://collector.example"
    parent = {
        f"{OTLP}_ENDPOINT": collector,
        f"{OTLP}_TRACES_ENDPOINT": f"{collector}/v1/traces",
        f"{OTLP}_METRICS_ENDPOINT": f"{collector}/v1/metrics",
        f"{OTLP}_LOGS_ENDPOINT": f"{collector}/v1/logs",
        f"{OTLP}_HEADERS": "api-key=unused",
        f"{OTLP}_TRACES_HEADERS": "api-key=unused",
        f"{OTLP}_PROTOCOL": "grpc",
        f"{OTLP}_COMPRESSION": "zstd",
        f"{OTLP}_TIMEOUT": "1000",
    }
    child = child_environment(parent, BASE)
    assert not [name for name, value in child.items() if "collector" in value or "unused" in value]
    assert child[f"{OTLP}_ENDPOINT"] == BASE
    assert child[f"{OTLP}_TRACES_ENDPOINT"] == f"{BASE}/v1/traces"
    assert child[f"{OTLP}_TRACES_COMPRESSION"] == "gzip"
    assert child[f"{OTLP}_METRICS_PROTOCOL"] == "http/protobuf"
    assert child[f"{OTLP}_TIMEOUT"] == "1000"


def test_endpoints_that_were_not_set_are_not_set() -> None:
    child = child_environment({f"{OTLP}_COMPRESSION": "gzip"}, BASE)
    names = {name for name in child if name.startswith(OTLP)}
    assert names == {f"{OTLP}_TRACES_ENDPOINT", f"{OTLP}_TRACES_PROTOCOL", f"{OTLP}_COMPRESSION"}


@pytest.mark.parametrize(
    ("parent", "expected"),
    [
        ({"NO_PROXY": "intra.example, 10.0.0.0/8"}, "intra.example,10.0.0.0/8,127.0.0.1,localhost,::1"),
        ({"no_proxy": "localhost"}, "localhost,127.0.0.1,::1"),
        ({"NO_PROXY": "a.example", "no_proxy": "b.example,a.example"}, "a.example,b.example,127.0.0.1,localhost,::1"),
        ({"NO_PROXY": "*"}, "*"),
        ({"NO_PROXY": ""}, "127.0.0.1,localhost,::1"),
    ],
)
def test_c016_no_proxy_stands_before_the_listener(parent: dict[str, str], expected: str) -> None:
    child = child_environment({"HTTPS_PROXY": "http://proxy.example:3128", **parent}, BASE)
    assert child["NO_PROXY"] == child["no_proxy"] == expected
    assert child["HTTPS_PROXY"] == "http://proxy.example:3128"


def test_variables_of_a_git_hook_are_left_out() -> None:
    parent = dict.fromkeys(GIT_HOOK_VARIABLES, "/nowhere") | {"GIT_AUTHOR_NAME": "Ada", "GIT_CONFIG_COUNT": "0"}
    child = child_environment(parent, BASE)
    assert {name for name in child if name.startswith("GIT_")} == {"GIT_AUTHOR_NAME", "GIT_CONFIG_COUNT"}


def test_every_variable_by_which_git_names_a_repository_is_known() -> None:
    listed = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True).stdout
    # Configuration is the user's own, also where it comes by variable.
    names = {name for name in listed.split() if "CONFIG" not in name and "REPLACE" not in name}
    assert names <= set(GIT_HOOK_VARIABLES)


def test_a_route_of_the_project_is_found_in_its_own_variable() -> None:
    routes = with_built_in([Route.custom("weather", "WEATHER_URL", "opaque")])
    child = child_environment({"WEATHER_URL": "https://weather.test"}, BASE, routes)
    assert child["WEATHER_URL"] == f"{BASE}/routes/weather"
    assert child["OPENAI_BASE_URL"] == f"{BASE}/openai/v1"
    assert "WEATHER_URL" not in child_environment({}, BASE)

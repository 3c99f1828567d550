from __future__ import annotations

from pathlib import Path

import pytest

from stepfork.config.project import Settings
from stepfork.config.routes import RouteSetting
from stepfork.workflows.health import Check, check_environment

KEY = "hU3mW9" + "qRt6YsDf4GjK"  # in two pieces, since it is made to look like one


def checks(folder: Path, environ: dict[str, str], *routes: RouteSetting) -> dict[str, Check]:
    found = list(check_environment(environ, str(folder), Settings(routes=routes)))
    assert KEY not in repr(found)
    return {check.name: check for check in found}


@pytest.mark.parametrize(
    ("environ", "state", "says"),
    [
        ({}, "ok", "without any, the trace is made of the calls"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "https://me:" + "x@otel.test:4318"}, "ok", "otel.test:4318 gets none"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "otel.test"}, "ok", "an address that is no URL gets none"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "note", "use the HTTP exporter"),
        (
            {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"},
            "ok",
            "takes them",
        ),
        ({"OTEL_TRACES_EXPORTER": "otlp,console"}, "ok", "takes them"),
        ({"OTEL_TRACES_EXPORTER": "none"}, "problem", "does not name otlp"),
        ({"OTEL_SDK_DISABLED": "TRUE"}, "problem", "no span is made"),
        ({"OTEL_TRACES_SAMPLER": "always_off"}, "problem", "drops every span"),
        ({"OTEL_TRACES_SAMPLER": "parentbased_traceidratio"}, "note", "some runs"),
    ],
)
def test_exporters(environ: dict[str, str], state: str, says: str, tmp_path: Path) -> None:
    found = checks(tmp_path, environ)["spans"]
    assert found.state == state
    assert says in found.text


@pytest.mark.parametrize(
    ("environ", "state", "says"),
    [
        ({}, "ok", "OPENAI_BASE_URL not set → api.openai.com, OPENAI_API_KEY not set"),
        ({"OPENAI_API_KEY": KEY}, "ok", "OPENAI_BASE_URL not set → api.openai.com, OPENAI_API_KEY set"),
        (
            {"OPENAI_BASE_URL": f"https://me:{KEY}@gw.test/v1?key={KEY}"},
            "ok",
            "OPENAI_BASE_URL → gw.test, OPENAI_API_KEY not set",
        ),
        ({"OPENAI_BASE_URL": "http://gw.test"}, "note", "gw.test (not encrypted)"),
        ({"OPENAI_BASE_URL": "http://localhost:11434/v1"}, "ok", "localhost:11434 (this machine)"),
        ({"OPENAI_BASE_URL": "gw.test"}, "problem", "OPENAI_BASE_URL is not an http or https URL"),
        ({"OPENAI_API_KEY": KEY + "\n"}, "problem", "OPENAI_API_KEY has white space"),
    ],
)
def test_addresses_and_keys(environ: dict[str, str], state: str, says: str, tmp_path: Path) -> None:
    found = checks(tmp_path, environ)["openai"]
    assert found.state == state
    assert says in found.text


def test_routes_of_the_project(tmp_path: Path) -> None:
    azure = RouteSetting("azure", "AZURE_OPENAI_ENDPOINT", dialect="openai")
    weather = RouteSetting("weather", "WEATHER_URL", "https://weather.test", "opaque")
    found = checks(tmp_path, {}, azure, weather)
    assert found["azure"] == Check(
        "azure",
        "note",
        "AZURE_OPENAI_ENDPOINT not set → nowhere, AZURE_OPENAI_API_KEY not set",
        "for recordings that call it set it, or upstream in [routes.azure] of config.toml",
    )
    assert checks(tmp_path, {"ALL_PROXY": "http://proxy.test"}, azure)["proxy"].state == "ok"
    assert found["weather"] == Check("weather", "ok", "WEATHER_URL not set → weather.test")
    (tmp_path / ".env").write_text(f"AZURE_OPENAI_API_KEY={KEY}\n")
    found = checks(tmp_path, {"AZURE_OPENAI_ENDPOINT": "https://az.test"}, azure)
    assert found["azure"].text == "AZURE_OPENAI_ENDPOINT → az.test, AZURE_OPENAI_API_KEY set in .env"
    assert found[".env"] == Check(".env", "ok", "1 values, 1 with the name of a secret")


def test_a_dotenv_that_cannot_be_read_and_one_whose_secret_is_too_short(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DB_PASSWORD=abc\nA=1\n")
    assert checks(tmp_path, {})[".env"].text == (
        "2 values, 1 with the name of a secret; DB_PASSWORD has under 8 characters and is not looked for"
    )
    (tmp_path / ".env").unlink()
    (tmp_path / ".env").mkdir()
    assert checks(tmp_path, {})[".env"].state == "problem"


def test_proxies(tmp_path: Path) -> None:
    assert "proxy" not in checks(tmp_path, {})
    found = checks(tmp_path, {"HTTPS_PROXY": f"http://me:{KEY}@proxy.test:3128"})
    assert found["proxy"] == Check("proxy", "ok", "calls go out by proxy.test:3128")
    assert checks(tmp_path, {"ALL_PROXY": "socks5://127.0.0.1:9"})["proxy"].state == "problem"
    assert "proxy" not in checks(tmp_path, {"ALL_PROXY": "http://proxy.test", "NO_PROXY": "*"})


@pytest.mark.parametrize(("ci", "state"), [("", "ok"), ("true", "note")])
def test_ci(ci: str, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", ci)
    assert checks(tmp_path, {})["ci"].state == state


@pytest.mark.parametrize(("now", "state"), [(0, "problem"), (1.8e9, "ok"), (5e9, "problem")])
def test_the_clock(now: float, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: now)
    assert checks(tmp_path, {})["clock"].state == state

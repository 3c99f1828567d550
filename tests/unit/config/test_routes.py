from __future__ import annotations

from pathlib import Path

import pytest

from stepfork.config.process import from_here
from stepfork.config.project import read_settings
from stepfork.config.routes import RouteSetting, listener_routes
from stepfork.errors import ConfigError
from stepfork.listener.routes import BUILT_IN, Route
from stepfork.normalize.request_key import KeyRules

AZURE = '[routes.azure]\nvariable = "AZURE_OPENAI_ENDPOINT"\ndialect = "openai"\n'
KEY = "9f8e7d6c5b4a" + "39281706abcd"  # in two pieces, since it is made to look like one


def read(folder: Path, text: str) -> str:
    """The message of the error that a config.toml of `text` is."""
    (folder / "config.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_settings(folder)
    assert caught.value.where == from_here(folder / "config.toml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_routes_stand_in_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[routes.weather]\nvariable = "WEATHER_URL"\nupstream = "https://api.weather.test/v2?units=metric"\n'
        'dialect = "opaque"\ntools = ["get_weather", "get_tides"]\n' + AZURE
    )
    routes = read_settings(tmp_path).routes
    assert routes == (
        RouteSetting("azure", "AZURE_OPENAI_ENDPOINT", dialect="openai"),
        RouteSetting(
            "weather", "WEATHER_URL", "https://api.weather.test/v2?units=metric", "opaque", ("get_weather", "get_tides")
        ),
    )
    assert listener_routes(routes) == (
        *BUILT_IN,
        Route("azure", "AZURE_OPENAI_ENDPOINT", "/routes/azure", "openai"),
        Route("weather", "WEATHER_URL", "/routes/weather", "opaque"),
    )


def test_without_routes_there_are_the_built_in_ones(tmp_path: Path) -> None:
    assert read_settings(tmp_path).routes == ()
    assert listener_routes(()) == BUILT_IN


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("routes = 3", "routes is not a table"),
        ("[routes]\nx = 1", "routes.x is not a table; write [routes.x]"),
        (AZURE.replace("azure", "Azure"), "routes.'Azure' is no name of a route"),
        (AZURE.replace("azure", "'a/b'"), "routes.'a/b' is no name of a route"),
        (AZURE.replace("azure", "'\\u001b'"), "is no name of a route"),
        (AZURE.replace("azure", "a" * 41), "is no name of a route"),
        (AZURE.replace("azure", "openai"), "routes.openai is a name of the listener's own"),
        (AZURE.replace("azure", "traces"), "routes.traces is a name of the listener's own"),
        (AZURE + 'url = "x"', "unknown key routes.azure.'url'; a route has variable, upstream, dialect, tools"),
        (AZURE + "upstream = 3", "routes.azure.upstream is not a string"),
        ('[routes.azure]\ndialect = "openai"', "routes.azure has no variable"),
        ('[routes.azure]\nvariable = "AZ"', "routes.azure has no dialect; choose one of openai, anthropic, opaque"),
        (AZURE.replace('"openai"', '"gemini"'), "routes.azure.dialect is none that is known"),
        (AZURE.replace("AZURE_OPENAI_ENDPOINT", "A-B"), "routes.azure.variable is no name of an environment variable"),
        (AZURE.replace("AZURE_OPENAI_ENDPOINT", ""), "routes.azure.variable is no name of an environment variable"),
        (AZURE.replace("AZURE_OPENAI_ENDPOINT", "OPENAI_BASE_URL"), "variable is a built-in route's"),
        (AZURE.replace("AZURE_OPENAI_ENDPOINT", "openai_base_url"), "variable is a built-in route's"),
        (
            AZURE.replace("AZURE_OPENAI_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
            "variable is a built-in route's",
        ),
        (AZURE.replace("AZURE_OPENAI_ENDPOINT", "OTEL_SERVICE_NAME"), "which holds no service's address"),
        (AZURE.replace("AZURE_OPENAI_ENDPOINT", "no_proxy"), "which holds no service's address"),
        (AZURE.replace("AZURE_OPENAI_ENDPOINT", "PATH"), "which holds no service's address"),
        (
            AZURE + AZURE.replace("azure", "other"),
            "routes.azure and routes.other have one variable, AZURE_OPENAI_ENDPOINT",
        ),
        (AZURE + 'upstream = "ftp://h/x"', "routes.azure.upstream is not an http or https URL"),
        (AZURE + 'upstream = "localhost:11434"', "routes.azure.upstream is not an http or https URL"),
        (AZURE + 'upstream = "https://h:x/"', "routes.azure.upstream is not an http or https URL"),
        (AZURE + 'upstream = "https://h/a b"', "routes.azure.upstream is not an http or https URL"),
        (AZURE + 'upstream = "https://h/a#b"', "routes.azure.upstream is not an http or https URL"),
        (AZURE + 'upstream = "https://"', "routes.azure.upstream is not an http or https URL"),
        (AZURE + f'upstream = "https://me:{KEY}@h/"', "routes.azure.upstream holds a credential"),
        (AZURE + f'upstream = "https://h/?api-key={KEY}"', "routes.azure.upstream holds a credential"),
        (AZURE + 'tools = "look"', "routes.azure.tools is not a list of names"),
        (AZURE + "tools = [1]", "routes.azure.tools is not a list of names"),
        (AZURE + 'tools = [""]', "routes.azure.tools is not a list of names"),
    ],
)
def test_what_is_wrong_with_a_route_is_said(text: str, says: str, tmp_path: Path) -> None:
    said = read(tmp_path, text)
    assert says in said
    assert KEY not in said


def test_what_is_volatile_by_tool(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[normalize.tool.rate]\nvolatile = ["/amount", "/at/*", ""]\n[normalize.tool."mcp__a.b"]\nvolatile = []\n'
    )
    settings = read_settings(tmp_path)
    assert settings.key_rules == KeyRules({"rate": ("/amount", "/at/*", ""), "mcp__a.b": ()})
    assert read_settings(tmp_path / "none").key_rules == KeyRules()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("normalize = 1", "normalize is not as it should be; write [normalize.tool.NAME]"),
        ("[normalize]\ntool = 1", "normalize is not as it should be"),
        ("[normalize.times]\nx = 1", "unknown key normalize.'times'"),
        ("[normalize]\ntoday = 'no'", "normalize.today is neither true nor false; write today = true"),
        ("[normalize.tool]\nrate = 1", "normalize.tool.rate is not a table"),
        ("[normalize.tool.rate]\nvolatil = []", "unknown key normalize.tool.rate.'volatil'"),
        ("[normalize.tool.rate]\nvolatile = '/a'", "normalize.tool.rate.volatile is not a list of JSON pointers"),
        ("[normalize.tool.rate]\nvolatile = [1]", "normalize.tool.rate.volatile is not a list of JSON pointers"),
        ("[normalize.tool.rate]\nvolatile = ['/a~3']", "has '/a~3', which is no JSON pointer; write ~0 for a ~"),
        ("[normalize.tool.rate]\nvolatile = ['amount']", "has 'amount', which is no JSON pointer; begin it with /"),
    ],
)
def test_what_is_wrong_with_a_rule_is_said(text: str, says: str, tmp_path: Path) -> None:
    assert says in read(tmp_path, text)

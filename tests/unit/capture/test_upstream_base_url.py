from __future__ import annotations

import pytest

from stepfork.capture.base_url import Base, join, read_base, shown
from stepfork.capture.upstream import Upstreams
from stepfork.config.routes import RouteSetting
from stepfork.errors import UsageError

ORIGIN = "https://models.example"


@pytest.mark.parametrize(
    ("base", "path", "query", "url"),
    [
        ("", "/chat/completions", "", "/v1/chat/completions"),
        ("/", "/chat/completions", "", "/v1/chat/completions"),
        ("/v1", "/chat/completions", "", "/v1/chat/completions"),
        ("/v1//", "/chat/completions", "", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions", "", "/v1/chat/completions"),
        ("", "/v1/chat/completions", "", "/v1/chat/completions"),
        ("/a/b", "/responses", "", "/a/b/v1/responses"),
        ("/a/b/v1/", "/responses", "x=1", "/a/b/v1/responses?x=1"),
        ("/v1?k=1", "/responses", "", "/v1/responses?k=1"),
        ("/v1/?k=1", "/responses", "x=%20", "/v1/responses?k=1&x=%20"),
        ("/v4", "/responses", "", "/v4/responses"),
        ("/v1beta/openai", "/responses", "", "/v1beta/openai/responses"),
        ("/openai/deployments/gpt?api-version=2", "/responses", "", "/openai/deployments/gpt/responses?api-version=2"),
        ("/v1", "", "", "/v1"),
        ("/v1", "/files/a%2Fb", "", "/v1/files/a%2Fb"),
        ("/v12x-not-a-version", "/responses", "", "/v12x-not-a-version/v1/responses"),
    ],
)
def test_c014_openai(base: str, path: str, query: str, url: str) -> None:
    assert join("openai", read_base(ORIGIN + base, "X"), path, query) == ORIGIN + url


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("", "/v1/messages", "/v1/messages"),
        ("/", "/v1/messages", "/v1/messages"),
        ("/v1", "/v1/messages", "/v1/messages"),
        ("/v1/", "/v1/messages/count_tokens", "/v1/messages/count_tokens"),
        ("/v1", "/messages", "/v1/messages"),
        ("", "/messages", "/v1/messages"),
        ("/gateway", "/v1/messages", "/gateway/v1/messages"),
        ("/gateway", "/messages", "/gateway/v1/messages"),
        ("", "", ""),
        ("", "/", "/"),
        ("", "/api/hello", "/api/hello"),
    ],
)
def test_c014_anthropic(base: str, path: str, url: str) -> None:
    assert join("anthropic", read_base(ORIGIN + base, "X"), path, "") == ORIGIN + url


@pytest.mark.parametrize(
    ("base", "path", "query", "url"),
    [
        (
            "",
            "/openai/deployments/d/chat/completions",
            "api-version=1",
            "/openai/deployments/d/chat/completions?api-version=1",
        ),
        ("/", "/weather", "", "/weather"),
        ("", "", "", ""),
        ("/api/v1", "/chat/completions", "", "/api/v1/chat/completions"),
        ("/api/v1/", "/v1/messages", "", "/api/v1/v1/messages"),
        ("/v2?units=metric", "/weather", "city=Oslo", "/v2/weather?units=metric&city=Oslo"),
    ],
)
def test_a_route_of_the_project_is_joined_as_its_program_would(base: str, path: str, query: str, url: str) -> None:
    assert join("azure", read_base(ORIGIN + base, "X"), path, query) == ORIGIN + url


@pytest.mark.parametrize(
    ("value", "origin"),
    [
        ("https://MODELS.example:8443/v1", "https://models.example:8443"),
        (" HTTP://127.0.0.1:80/v1 ", "http://127.0.0.1:80"),
        ("http://[::1]:9/v1", "http://[::1]:9"),
        ("https://bücher.example/v1", "https://xn--bcher-kva.example"),
        ("https://me:sec" + "ret@models.example/v1#part", "https://models.example"),
    ],
)
def test_origins(value: str, origin: str) -> None:
    base = read_base(value, "X")
    assert (base.origin, base.path, base.query) == (origin, "/v1", "")


@pytest.mark.parametrize(
    "value",
    [
        "models.example/v1",
        "ftp://models.example",
        "https://",
        "https:///v1",
        "http://h:99999",
        "http://h:x",
        "http://a b/v1",
        "http://h/a b",
        "http://h/v1?a b",
        "http://[::1",
        "http://h/\x07",
        "unix:///var/run/x",
        "http://" + "ü" * 300,
    ],
)
def test_what_is_no_url_names_the_variable_and_not_the_value(value: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_base(value, "OPENAI_BASE_URL")
    assert str(caught.value).startswith("OPENAI_BASE_URL: ")
    assert value not in str(caught.value)


def test_a_login_is_a_header_and_is_decoded() -> None:
    assert read_base("https://a%40b:" + "p%3Aw@h/v1", "X").authorization == "Basic " + "YUBiOnA6dw=="
    assert read_base("https://h/v1", "X") == Base("https://h", "/v1")


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("https://h/v1/x", "https://h/v1/x"),
        ("https://h/v1/x?key=abc&flag&b=", "https://h/v1/x?key=…&flag&b=…"),
        ("https://h/?", "https://h/?"),
    ],
)
def test_values_of_a_query_are_not_shown(url: str, text: str) -> None:
    assert shown(url) == text


WEATHER = RouteSetting("weather", "WEATHER_URL", "https://weather.test/v2")


@pytest.mark.parametrize(
    ("environ", "host"),
    [
        ({}, "weather.test"),
        ({"WEATHER_URL": "  "}, "weather.test"),
        ({"WEATHER_URL": "http://127.0.0.1:9/x"}, "127.0.0.1:9"),
    ],
)
def test_the_variable_of_a_route_wins_over_its_upstream(environ: dict[str, str], host: str) -> None:
    upstreams = Upstreams.from_environment(environ, [WEATHER])
    assert upstreams.bases["weather"].host == host
    assert upstreams.routes.endswith(f"   weather → {host}")


def test_a_route_without_upstream_leads_nowhere_and_a_bad_one_is_refused() -> None:
    upstreams = Upstreams.from_environment({}, [RouteSetting("azure", "AZURE_OPENAI_ENDPOINT")])
    assert upstreams.routes.endswith("   azure → nowhere")
    assert upstreams.notices == (
        "route azure leads nowhere: AZURE_OPENAI_ENDPOINT is not set, and [routes.azure] has no upstream",
    )
    with pytest.raises(UsageError, match=r"^WEATHER_URL: is not an http"):
        Upstreams.from_environment({"WEATHER_URL": "localhost:80"}, [WEATHER])

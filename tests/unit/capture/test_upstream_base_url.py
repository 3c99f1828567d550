from __future__ import annotations

import pytest

from stepfork.capture.base_url import Base, join, read_base, shown
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
    ("value", "origin"),
    [
        ("https://MODELS.example:8443/v1", "https://models.example:8443"),
        (" HTTP://127.0.0.1:80/v1 ", "http://127.0.0.1:80"),
        ("http://[::1]:9/v1", "http://[::1]:9"),
        ("https://bücher.example/v1", "https://xn--bcher-kva.example"),
        ("https://me:secret@models.example/v1#part", "https://models.example"),
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
    assert read_base("https://a%40b:p%3Aw@h/v1", "X").authorization == "Basic YUBiOnA6dw=="
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

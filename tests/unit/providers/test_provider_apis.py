from __future__ import annotations

import pytest

from stepfork.providers.apis import api_of, asks_for_stream, label, request_model
from stepfork.trace.body import TextBody
from tests.unit.providers.samples import exchange


@pytest.mark.parametrize(
    ("path", "api"),
    [
        ("/chat/completions", "chat_completions"),
        ("/v1/chat/completions", "chat_completions"),
        ("/openai/deployments/gpt-4o/chat/completions", "chat_completions"),
        ("/chat/completions/", "chat_completions"),
        ("/responses", "responses"),
        ("/openai/v1/responses", "responses"),
        ("/responses/compact", "other"),
        ("/responses/resp_1", "other"),
        ("/v1/messages", "messages"),
        ("/messages", "messages"),
        ("/anthropic/v1/messages", "messages"),
        ("/v1/messages/count_tokens", "other"),
        ("/v1/messages/batches", "other"),
        ("/v1/threads/thread_1/messages", "other"),
        ("/v1/embeddings", "other"),
        ("/v1/completions", "other"),
        ("/xresponses", "other"),
        ("", "other"),
    ],
)
def test_the_path_says_the_api(path: str, api: str) -> None:
    assert api_of("any", "POST", path) == api
    assert api_of("any", "post", path) == api


def test_only_a_post_is_a_model_call() -> None:
    assert api_of("openai", "GET", "/v1/responses") == "other"


def test_a_label_is_provider_api_and_model() -> None:
    assert label(exchange("chat_completions", {"model": "gpt-4.1"})) == "openai chat_completions gpt-4.1"
    assert label(exchange("other", {"input": "x"})) == "openai other"


def test_a_label_stays_one_safe_line() -> None:
    said = label(exchange("messages", {"model": "a\x1b[2J\nb" + "x" * 300}))
    assert "\x1b" not in said
    assert "\n" not in said
    assert len(said) <= 120


@pytest.mark.parametrize("body", [None, TextBody("{"), [1], {"model": 7}, {"model": ""}, {}])
def test_no_model_is_none(body: object) -> None:
    assert request_model(exchange("responses", body)) is None


def test_a_stream_is_asked_for_by_true_alone() -> None:
    assert asks_for_stream(exchange("responses", {"stream": True}, {"output": []}).request)
    assert not asks_for_stream(exchange("responses", {"stream": 1}, {"output": []}).request)
    assert not asks_for_stream(exchange("responses", {"stream": False}, {"output": []}).request)

"""Bodies that JSON cannot carry exactly still tell what the agent read in them."""

from __future__ import annotations

from typing import Any

import pytest

from stepfork.providers.answer import answer_of
from stepfork.providers.apis import label
from stepfork.providers.legible import legible
from stepfork.providers.summary import says
from stepfork.trace.body import BytesBody, EventsBody, JsonBody, TextBody
from stepfork.trace.wire import read_body
from tests.unit.providers.samples import exchange


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'{"a": "cut \ud83d"}', {"a": "cut \ufffd"}),
        (r'{"\udc00": ["\ud83d\ude00", "\udc00x"]}', {"\ufffd": ["\U0001f600", "\ufffdx"]}),
        ("[18446744073709551616, -9223372036854775809]", ["18446744073709551616", "-9223372036854775809"]),
        ("[18446744073709551616, 18446744073709551615]", ["18446744073709551616", 18446744073709551615]),
        ("[" + "9" * 5000 + "]", ["9" * 5000]),
        ("[NaN, -Infinity, 1e999, 1.5]", ["NaN", "-Infinity", "1e999", 1.5]),
        ('{"a": 1, "a": 2}', None),
        ('{"x": {"a": 1, "a": 1}}', None),
        ('{"a": 1', None),
        ("[" * 200 + "]" * 200, None),
        ("[" * 100_000 + "]" * 100_000, None),
        ("[" * 100_000, None),
    ],
    ids=range(12),
)
def test_what_a_body_kept_as_text_says(text: str, value: Any) -> None:
    body = read_body(text.encode(), "application/json")
    if value is not None:
        assert isinstance(body, TextBody)
        assert body.reason
        assert legible(body) == value
    elif isinstance(body, TextBody):
        assert legible(body) is None


@pytest.mark.parametrize("body", [None, TextBody('{"a": 1}'), BytesBody(b"\xff"), EventsBody(("data: {}", ""))])
def test_text_that_is_no_json_and_other_bodies_say_nothing(body: Any) -> None:
    assert legible(body) is None


def test_a_body_kept_as_json_is_its_value() -> None:
    value = {"a": [1, 1.0, None]}
    assert legible(JsonBody(value)) is value


@pytest.mark.parametrize("odd", [r'"cut \ud83d"', '"hi", "cost": NaN', '"hi", "id": 18446744073709551617'])
def test_an_answer_that_cannot_be_kept_as_json_is_an_answer(odd: str) -> None:
    message = '{"content": ' + odd + "}"
    answered = '{"model": "m-1", "choices": [{"index": 0, "finish_reason": "stop", "message": ' + message + "}]}"
    body = read_body(answered.encode(), "application/json")
    assert isinstance(body, TextBody)
    asked = read_body(rb'{"model": "m", "messages": [{"role": "user", "content": "\udc00"}]}', "application/json")
    call = exchange("chat_completions", asked, body)
    answer = answer_of(call)
    assert (answer.outcome, answer.error, answer.model) == ("ok", None, "m-1")
    assert answer.text == ("cut \ufffd" if "cut" in odd else "hi")
    assert label(call) == "openai chat_completions m"
    assert says(call, 0) == (f"assistant: {answer.text}",)


def test_repeated_members_are_no_answer_of_which_one_is_chosen() -> None:
    answered = b'{"choices": [{"message": {"content": "a", "content": "b"}, "finish_reason": "stop"}]}'
    call = exchange("chat_completions", {"model": "m"}, read_body(answered, "application/json"))
    assert answer_of(call).outcome == "error"

"""The vendors' own clients, their retries on, against a recording."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import anthropic
import openai
import pytest

from stepfork.replay.refusal import TYPE
from stepfork.replay.report import Component
from stepfork.trace.fixture import Fixture
from tests.integration.replaying import recorded, replaying
from tests.integration.wire import Asked, Line

KEY = "made-up"
TOOL = {"type": "object", "properties": {"order_id": {"type": "string"}}}
CHANGES: list[tuple[dict[str, Any], Component]] = [
    ({"system": "You are a refund agent. Be kind."}, "system"),
    ({"schema": TOOL | {"required": ["order_id"]}}, "tools"),
    ({"temperature": 0.5}, "params"),
    ({"model": "other-model"}, "model"),
    ({"user": "Please refund order O-1043."}, "messages"),
]


def ask_openai(
    base: str,
    *,
    system: str = "You are a refund agent.",
    schema: dict[str, Any] = TOOL,
    temperature: float = 0,
    model: str = "test-model",
    user: str = "Please refund order O-1042.",
    stream: bool = False,
) -> str:
    tool: Any = {"type": "function", "function": {"name": "lookup", "description": "Looks up.", "parameters": schema}}
    messages: list[Any] = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    with openai.OpenAI(base_url=f"{base}/openai/v1", api_key=KEY) as client:
        create: Any = client.chat.completions.create
        got = create(model=model, messages=messages, tools=[tool], temperature=temperature, stream=stream)
        if stream:
            return "".join(chunk.choices[0].delta.content or "" for chunk in got)
        return str(got.choices[0].message.content)


def ask_anthropic(
    base: str,
    *,
    system: str = "You are a refund agent.",
    schema: dict[str, Any] = TOOL,
    temperature: float = 0,
    model: str = "test-model",
    user: str = "Please refund order O-1042.",
    stream: bool = False,
) -> str:
    tools: Any = [{"name": "lookup", "description": "Looks up.", "input_schema": schema}]
    asked: Any = {"model": model, "max_tokens": 99, "system": system, "tools": tools}
    asked["messages"] = [{"role": "user", "content": user}]
    if temperature:
        asked["extra_body"] = {"temperature": temperature}
    with anthropic.Anthropic(base_url=f"{base}/anthropic", api_key=KEY) as client:
        if stream:
            with client.messages.stream(**asked) as told:
                return told.get_final_text()
        return str(client.messages.create(**asked).content[0].text)  # type: ignore[union-attr]


def model(asked: Asked, line: Line) -> None:
    body = json.loads(asked.body)
    stream = body.get("stream")
    if asked.target.startswith("/v1/messages"):
        head = {"id": "msg_01Abcdefghij234567890123", "type": "message", "role": "assistant", "model": "test-model"}
        usage = {"input_tokens": 1, "output_tokens": 1}
        whole = head | {"content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn", "usage": usage}
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": head | {"content": [], "stop_reason": None, "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Done."}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]
        pieces = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
    else:
        head = {"id": "chatcmpl-Abcdefghij2345678901234567890", "created": 1764500000, "model": "test-model"}
        message = {"role": "assistant", "content": f"Done: {body['messages'][-1]['content']}"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        whole = head | {"object": "chat.completion", "choices": [choice]}
        deltas = [{"role": "assistant", "content": "Do"}, {"content": "ne."}, {}]
        chunks = [{"index": 0, "delta": d, "finish_reason": None if d else "stop"} for d in deltas]
        made = [head | {"object": "chat.completion.chunk", "choices": [chunk]} for chunk in chunks]
        pieces = [*(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in made), b"data: [DONE]\n\n"]
    if stream:
        line.stream(*pieces)
    else:
        line.whole(json.dumps(whole).encode(), "Content-Type: application/json")


@pytest.fixture(scope="module")
def of_openai() -> Fixture:
    return recorded(lambda base: [ask_openai(base), ask_openai(base, stream=True)], model)


@pytest.fixture(scope="module")
def of_anthropic() -> Fixture:
    return recorded(lambda base: [ask_anthropic(base), ask_anthropic(base, stream=True)], model)


def test_an_unchanged_program_is_answered_streamed_and_not(of_openai: Fixture, of_anthropic: Fixture) -> None:
    with replaying(of_openai) as (base, player):
        assert ask_openai(base, stream=True) == "Done."
        assert ask_openai(base) == "Done: Please refund order O-1042."
    assert player.report().is_whole
    with replaying(of_anthropic) as (base, player):
        assert ask_anthropic(base) == "Done."
        assert ask_anthropic(base, stream=True) == "Done."
    assert player.report().is_whole


@pytest.mark.parametrize(("change", "component"), CHANGES, ids=[component for _, component in CHANGES])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_c087_what_changed_is_named_first(
    of_openai: Fixture, of_anthropic: Fixture, change: dict[str, Any], component: Component, stream: bool
) -> None:
    sides: list[tuple[Fixture, Callable[..., str], Any]] = [
        (of_openai, ask_openai, openai.APIStatusError),
        (of_anthropic, ask_anthropic, anthropic.APIStatusError),
    ]
    for fixture, ask, refused in sides:
        with replaying(fixture) as (base, player), pytest.raises(refused, match="stepfork replay: call 1 "):
            ask(base, **change, stream=stream)
        (miss,) = player.report().misses
        assert (miss.component, miss.kind, miss.times) == (component, "changed", 1)
        assert miss.nearest == stream


def test_c093_no_sdk_asks_again_after_a_miss_and_it_is_counted_once(of_openai: Fixture, of_anthropic: Fixture) -> None:
    with replaying(of_openai) as (base, player), pytest.raises(openai.APIStatusError) as refused:
        ask_openai(base, user="Hello.")
    assert [miss.times for miss in player.report().misses] == [1]
    assert refused.value.type == TYPE
    with replaying(of_anthropic) as (base, player):
        for _ in range(2):
            with pytest.raises(anthropic.APIStatusError) as told:
                ask_anthropic(base, user="Hello.")
    assert [miss.times for miss in player.report().misses] == [2]
    assert told.value.body["error"]["type"] == TYPE  # type: ignore[index]
    # Other SDKs do not know the header, so the status alone has to be one that nobody repeats.
    assert 400 <= told.value.status_code < 500
    assert told.value.status_code not in (408, 409, 425, 429)


def test_c089_parallel_calls_find_their_own_answers_in_any_order() -> None:
    users = [f"Please refund order O-{number}." for number in range(8)]
    fixture = recorded(lambda base: [ask_openai(base, user=user) for user in users], model)

    async def all_at_once(base: str) -> list[str]:
        async with openai.AsyncOpenAI(base_url=f"{base}/openai/v1", api_key=KEY) as client:

            async def ask(user: str) -> str:
                tool: Any = {"name": "lookup", "description": "Looks up.", "parameters": TOOL}
                messages: list[Any] = [
                    {"role": "system", "content": "You are a refund agent."},
                    {"role": "user", "content": user},
                ]
                got = await client.chat.completions.create(
                    model="test-model",
                    messages=messages,
                    tools=[{"type": "function", "function": tool}],
                    temperature=0,
                    stream=False,
                )
                return str(got.choices[0].message.content)

            return await asyncio.gather(*map(ask, reversed(users)))

    with replaying(fixture) as (base, player):
        assert asyncio.run(all_at_once(base)) == [f"Done: {user}" for user in reversed(users)]
    assert player.report().is_whole


def test_a_recorded_429_is_repeated_at_once_and_then_answered() -> None:
    asked_before: list[bytes] = []

    def busy_once(asked: Asked, line: Line) -> None:
        asked_before.append(asked.body)
        if len(asked_before) > 1:
            model(asked, line)
            return
        body = b'{"error": {"message": "slow down", "type": "rate_limit_error"}}'
        line.whole(body, "Content-Type: application/json", "retry-after-ms: 2", status="429 Too Many Requests")

    fixture = recorded(ask_openai, busy_once)
    assert [exchange.response.status for exchange in fixture.run.exchanges] == [429, 200]
    with replaying(fixture) as (base, player):
        assert ask_openai(base) == "Done: Please refund order O-1042."
    assert [served.exchange for served in player.report().served] == [0, 1]

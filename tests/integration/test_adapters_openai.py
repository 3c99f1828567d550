"""wrap_openai with the vendor's own client: recorded from a server, replayed frozen without one."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import openai
import pydantic
import pytest

import stepfork
from stepfork.errors import UsageError
from tests.integration.recorded_blocks import KEY, record_block, replay_block
from tests.integration.scripted_models import models
from tests.integration.wire import model_server

TOOLS: Any = [{"type": "function", "function": {"name": "lookup", "parameters": {"type": "object"}}}]
ASK: Any = {"model": "gpt-test", "messages": [{"role": "user", "content": "Hello."}]}


class City(pydantic.BaseModel):
    city: str


def client(**options: Any) -> Any:
    return stepfork.wrap_openai(openai.OpenAI(api_key=KEY, max_retries=0, **options))


def aclient() -> Any:
    return stepfork.wrap_openai(openai.AsyncOpenAI(api_key=KEY, max_retries=0))


def told(value: Any) -> Any:
    """An SDK's object as JSON, with its class, without what differs at each run."""
    if isinstance(value, list | tuple):
        return [told(item) for item in value]
    if isinstance(value, pydantic.BaseModel):
        dumped = json.loads(value.model_dump_json(exclude={"id", "created", "created_at"}, warnings=False))
        return [type(value).__name__, _without_ids(dumped)]
    return value


def _without_ids(value: Any) -> Any:
    if isinstance(value, dict):
        volatile = {"id", "item_id", "created", "created_at", "completed_at"}
        return {key: _without_ids(item) for key, item in value.items() if key not in volatile}
    return [_without_ids(item) for item in value] if isinstance(value, list) else value


def chats(_: Any) -> Any:
    with client() as one:
        return told(list(_chats(one)))


def _chats(one: Any) -> Any:
    first = one.chat.completions.create(**ASK, tools=TOOLS, extra_body={"seed": 7}, timeout=30)
    yield ((first, first.choices[0].message.tool_calls[0].function.arguments, first.usage.total_tokens))
    call = first.choices[0].message.tool_calls[0]
    result = {"role": "tool", "tool_call_id": call.id, "content": "found"}
    more: Any = {"model": "gpt-test", "messages": [*ASK["messages"], first.choices[0].message, result]}
    yield (one.with_options(timeout=3).chat.completions.create(**more, extra_headers={"x-own": "1"}))
    yield (list(one.chat.completions.create(**ASK, stream=True, stream_options={"include_usage": True})))
    with one.chat.completions.create(**ASK, stream=True, tools=TOOLS) as stream:
        yield ([chunk.choices[0].delta.tool_calls for chunk in stream][:3])
    with one.chat.completions.create(**ASK, stream=True) as stream:
        yield (next(stream))
    for chunk in one.chat.completions.create(**ASK, stream=True):
        yield (chunk)
        break
    gc.collect()
    parsed = one.chat.completions.parse(**ASK, response_format=City)
    yield ((parsed, parsed.choices[0].message.parsed))
    with one.chat.completions.stream(**ASK) as helped:
        yield ([event.type for event in helped])
        yield (helped.get_final_completion())
    raw = one.chat.completions.with_raw_response.create(**ASK)
    yield ((raw.parse(), raw.http_response.status_code, json.loads(raw.http_response.text)["x_new"]))
    yield (list(one.chat.completions.with_raw_response.create(**ASK, stream=True).parse()))
    with one.chat.completions.with_streaming_response.create(**ASK) as response:
        yield (response.parse())
    with one.chat.completions.with_streaming_response.create(**ASK, stream=True) as response:
        yield (next(response.iter_lines())[:6])


def responses(_: Any) -> Any:
    with client() as one:
        return told(list(_responses(one)))


def _responses(one: Any) -> Any:
    whole = one.responses.create(model="gpt-test", input="Hello.", instructions=None)
    yield ((whole, whole.output_text))
    yield (list(one.responses.create(model="gpt-test", input="Hello.", stream=True)))
    parsed = one.responses.parse(model="gpt-test", input="Hello.", text_format=City)
    yield ((parsed, parsed.output_parsed))
    with one.responses.stream(model="gpt-test", input="Hello.") as stream:
        yield ([event.type for event in stream])
        yield (stream.get_final_response().output_text)


def asynchronous(_: Any) -> Any:
    return asyncio.run(_asynchronous())


async def _asynchronous() -> Any:
    made: list[Any] = []
    async with aclient() as one:
        made.append(await one.chat.completions.create(**ASK))
        stream = await one.chat.completions.create(**ASK, stream=True)
        made.append([chunk async for chunk in stream])
        async with await one.chat.completions.create(**ASK, stream=True) as stream:
            made.append(await anext(stream))
        parsed = await one.chat.completions.parse(**ASK, response_format=City)
        made.append(parsed.choices[0].message.parsed)
        async with one.chat.completions.stream(**ASK) as helped:
            made.append([event.type async for event in helped])
        raw = await one.chat.completions.with_raw_response.create(**ASK)
        made.append(raw.parse())
        made.append(await one.with_options(timeout=3).responses.create(model="gpt-test", input="Hello."))
        asked = [one.responses.create(model="gpt-test", input=f"Number {number}.") for number in range(4)]
        made.append([answer.output_text for answer in await asyncio.gather(*asked)])
    return told(made)


@pytest.mark.parametrize("block", [chats, responses, asynchronous])
def test_every_entry_point_gives_the_same_objects_without_a_server(
    block: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = record_block(block, "x", models, project, monkeypatch)
    assert len(recorded.run.exchanges) == len(recorded.asked)
    assert sum(step.instrumented for step in recorded.run.trace.steps) == len(recorded.asked)
    result = replay_block(block, recorded)
    assert result.causes == ()
    assert result.error is None
    assert result.value == recorded.value
    assert result.substituted == {"chat": len(recorded.asked)}


def test_arguments_are_the_body_that_is_sent(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def block(_: Any) -> None:
        with client(default_headers={"x-own": "1"}) as one:
            told_in(one)

    def told_in(one: Any) -> None:
        first = one.chat.completions.create(**ASK, tools=TOOLS, user=openai.NOT_GIVEN, timeout=3)
        messages = [*ASK["messages"], first.choices[0].message]
        one.chat.completions.create(model="gpt-test", messages=iter(messages), extra_body={"seed": 7, "model": "other"})

    from stepfork.instrument import context
    from stepfork.instrument.recorder import Recorder

    recorder = Recorder()
    with model_server(models) as server, context.listening(recorder):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        block("x")
    told_bodies = [call.asked.arguments for call in recorder.calls()]
    assert told_bodies == [json.loads(asked.body) for asked in server.asked]
    assert [call.asked.model for call in recorder.calls()] == ["gpt-test", "other"]
    assert {(call.asked.provider, call.asked.api) for call in recorder.calls()} == {("openai", "chat_completions")}


def failing(_: Any) -> Any:
    with client() as one:
        return _failing(one)


def _failing(one: Any) -> Any:
    beside = one.with_options(base_url=f"{os.environ['MODEL_SERVER']}/v1")  # the listener keeps no broken run
    made: list[Any] = []
    for model in ("fail-400", "fail-429", "fail-500"):
        with pytest.raises(openai.APIStatusError) as raised:
            one.chat.completions.create(**{**ASK, "model": model})
        error = raised.value
        made.append([type(error).__name__, str(error), error.status_code, error.code, error.param, error.body])
        made.append([error.response.status_code, error.request.method, error.response.json()["error"]["code"]])
    for model in ("sick", "cut"):
        got = []
        with pytest.raises(openai.APIError) as broken:
            got.extend(beside.chat.completions.create(**{**ASK, "model": model}, stream=True))
        made.append([type(broken.value).__name__, len(got)])
    with pytest.raises(pydantic.ValidationError):
        one.chat.completions.parse(**ASK, response_format=Other)
    return made


class Other(pydantic.BaseModel):
    country: str


def test_errors_are_the_same_errors(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = record_block(failing, "x", models, project, monkeypatch)
    assert recorded.value[0][:4] == ["BadRequestError", "Error code: 400 - No.", 400, "bad_thing"]
    assert [row[0] for row in recorded.value[-2:]] == ["APIError", "APIConnectionError"]
    result = replay_block(failing, recorded)
    assert result.causes == ()
    assert result.value == recorded.value
    statuses = [exchange.response.status for exchange in recorded.run.exchanges]
    assert statuses == [400, 429, 500, 200, 200, 200]  # a stream that broke off had begun


def unreachable(_: Any) -> Any:
    with client(base_url="http://127.0.0.1:9/v1") as one, pytest.raises(openai.APIConnectionError) as raised:
        one.chat.completions.create(**ASK)
    return [type(raised.value).__name__, str(raised.value), raised.value.request.method]


def test_a_connection_that_failed_fails_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = record_block(unreachable, "x", models, project, monkeypatch)
    result = replay_block(unreachable, recorded)
    assert (result.causes, result.value) == ((), recorded.value)


def changed(question: Any) -> Any:
    messages: Any = [{"role": "user", "content": question}]
    with client(timeout=9) as one:
        return one.chat.completions.create(model="gpt-test", messages=messages).choices[0].message.content


def test_another_request_is_a_mismatch_and_asks_nobody(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = record_block(changed, "Hello.", models, project, monkeypatch)
    with model_server(models) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        result = replay_block(lambda question: changed(f"{question} Again."), recorded)
        assert server.asked == []
    assert not result.passed
    assert len(result.causes) == 1
    assert "messages" in result.causes[0]


def test_more_of_a_stream_than_was_read_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def some(count: int) -> Any:
        with client() as one, one.chat.completions.create(**ASK, stream=True) as stream:
            return [next(stream).choices[0].delta.content for _ in range(count)]

    recorded = record_block(lambda _: some(1), "x", models, project, monkeypatch)
    result = replay_block(lambda _: some(2), recorded)
    assert not result.passed, result
    assert "after which it was closed" in result.causes[0]


def test_usage_and_cost_are_those_of_the_answers(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def block(_: Any) -> Any:
        with client() as one:
            one.chat.completions.create(**ASK)
            return len(list(one.chat.completions.create(**ASK, stream=True, stream_options={"include_usage": True})))

    recorded = record_block(block, "x", models, project, monkeypatch)
    usages = [step.usage for step in recorded.run.trace.steps]
    assert [(usage.input_tokens, usage.output_tokens) for usage in usages if usage] == [(11, 7), (11, 7)]
    assert recorded.run.trace.cost_usd == 0.025


def test_outside_of_a_session_a_client_does_what_it_did() -> None:
    with model_server(models) as server, openai.OpenAI(api_key=KEY, base_url=f"{server.url}/v1") as bare:
        same = bare.chat.completions.create(**ASK)
        wrapped = stepfork.wrap_openai(bare)
        assert wrapped is bare
        assert type(stepfork.wrap_openai(wrapped)) is type(wrapped)
        assert type(wrapped) is not openai.OpenAI
        assert (type(wrapped).__name__, type(wrapped).__module__) == ("OpenAI", "openai")
        assert wrapped.chat.completions.create(**ASK) == same
        assert type(wrapped.with_options(timeout=1)) is type(wrapped)
        with wrapped.chat.completions.create(**ASK, stream=True) as stream:
            assert type(stream) is openai.Stream


@pytest.mark.parametrize("value", [None, "client", openai, object()])
def test_what_is_no_client_is_refused_in_one_line(value: Any) -> None:
    with pytest.raises(UsageError, match=r"^wrap_openai takes an openai\.OpenAI or openai\.AsyncOpenAI, not a \w+$"):
        stepfork.wrap_openai(value)


def test_a_client_that_is_built_otherwise_is_refused() -> None:
    class Later(openai.OpenAI):
        def request(self, call: Any) -> Any:  # type: ignore[override]
            return call

    match = r"^wrap_openai does not know this version of openai \(\d+\.\d+"
    with Later(api_key=KEY) as one, pytest.raises(UsageError, match=match):
        stepfork.wrap_openai(one)


AGENT = """
import openai, stepfork

def run(question):
    with stepfork.wrap_openai(openai.OpenAI(api_key="made-up")) as client:
        asked = {"model": "gpt-test", "messages": [{"role": "user", "content": question}]}
        whole = client.chat.completions.create(**asked)
        stream = client.chat.completions.create(**asked, stream=True)
        pieces = [chunk.choices[0].delta.content or "" for chunk in stream]
        return [type(whole).__name__, whole.choices[0].message.content, "".join(pieces)]
"""


def test_a_process_of_its_own_replays_it_too(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "sdk_agent.py").write_text(AGENT, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(AGENT, "sdk_agent.py", "exec"), names)
    recorded = record_block(names["run"], "Hello.", models, project, monkeypatch)
    assert recorded.value == ["ChatCompletion", "You said: Hello.", "You said: Hello."]
    command = [sys.executable, "-m", "stepfork", "replay", "run.sftrace", "--entrypoint", "sdk_agent:run", "--json"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "substituted        chat ×2" in done.stderr
    assert "output             as recorded" in done.stderr


def by_request(one: Any) -> Any:
    return stepfork.llm_request(one.chat.completions.create, **ASK).choices[0].message.content


def by_streamed_request(one: Any) -> Any:
    return [
        chunk.choices[0].delta.content
        for chunk in stepfork.llm_request(one.chat.completions.create, **ASK, stream=True)
    ]


def by_awaited_request(_: Any) -> Any:
    async def ask() -> Any:
        async with aclient() as one:
            return (await stepfork.allm_request(one.chat.completions.create, **ASK)).choices[0].message.content

    return asyncio.run(ask())


def by_langchain(one: Any) -> Any:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Model(BaseChatModel):
        _llm_type = "over"

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
            answer = one.chat.completions.create(**ASK)
            used = {
                "input_tokens": answer.usage.prompt_tokens,
                "output_tokens": answer.usage.completion_tokens,
                "total_tokens": answer.usage.total_tokens,
            }
            message = AIMessage(answer.choices[0].message.content, usage_metadata=used)
            return ChatResult(generations=[ChatGeneration(message=message)])

    return stepfork.wrap_langchain(Model()).invoke("Hello.").content


@pytest.mark.parametrize("way", [by_request, by_streamed_request, by_awaited_request, by_langchain])
@pytest.mark.parametrize("is_heard", [True, False])
def test_a_model_call_inside_a_model_call_is_the_same_one(
    way: Any, is_heard: bool, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def block(_: Any) -> Any:
        if not is_heard:
            os.environ["OPENAI_BASE_URL"] = f"{os.environ['MODEL_SERVER']}/v1"
        with client() as one:
            return [way(one), ask_in_a_tool(one)]

    def ask_in_a_tool(one: Any) -> Any:
        look = stepfork.trace_tool(name="look")(lambda: way(one))
        return stepfork.llm_request(look)

    recorded = record_block(block, "x", models, project, monkeypatch)
    steps = recorded.run.trace.steps
    assert [(step.type, step.parent) for step in steps] == [
        ("llm_call", None),
        ("llm_call", None),
        ("tool_call", 1),
        ("llm_call", 2),  # the tool's own
    ]
    assert len(recorded.run.exchanges) == 3
    if way is not by_streamed_request:
        used = [step.usage.input_tokens for step in steps if step.usage is not None]
        assert used == [11, 11]
    result = replay_block(block, recorded)
    assert (result.causes, result.value) == ((), recorded.value)

"""wrap_anthropic with the vendor's own client: recorded from a server, replayed frozen without one."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import pytest

import stepfork
from stepfork.errors import UsageError
from stepfork.instrument import context
from stepfork.instrument.recorder import Recorder
from tests.integration.recorded_blocks import KEY, record_block, replay_block
from tests.integration.scripted_models import models
from tests.integration.test_adapters_openai import told
from tests.integration.wire import model_server

ASK: Any = {"model": "claude-test", "max_tokens": 50, "messages": [{"role": "user", "content": "Hello."}]}


def client(**options: Any) -> Any:
    return stepfork.wrap_anthropic(anthropic.Anthropic(api_key=KEY, max_retries=0, **options))


def synchronous(_: Any) -> Any:
    with client() as one:
        return told(list(_synchronous(one)))


def _synchronous(one: Any) -> Iterator[Any]:
    whole = one.messages.create(**ASK, system="Be kind.", timeout=30)
    yield whole, whole.content[0].text, whole.usage.input_tokens
    more = [*ASK["messages"], {"role": "assistant", "content": whole.content}, {"role": "user", "content": "More."}]
    yield one.with_options(timeout=3).messages.create(**{**ASK, "messages": more})
    yield list(one.messages.create(**ASK, stream=True))
    with one.messages.create(**ASK, stream=True) as stream:
        yield next(stream)
    with one.messages.stream(**ASK) as helped:
        yield list(helped.text_stream), helped.get_final_message(), helped.get_final_text()
    with one.messages.stream(**ASK) as helped:
        yield [event.type for event in helped]
    with one.messages.stream(**ASK) as helped:
        yield next(iter(helped.text_stream))
    yield one.messages.with_raw_response.create(**ASK).parse()
    yield one.beta.messages.create(**ASK)
    with one.beta.messages.stream(**ASK) as helped:
        yield helped.get_final_text()


def asynchronous(_: Any) -> Any:
    return asyncio.run(_asynchronous())


async def _asynchronous() -> Any:
    made: list[Any] = []
    async with stepfork.wrap_anthropic(anthropic.AsyncAnthropic(api_key=KEY, max_retries=0)) as one:
        made.append(await one.messages.create(**ASK))
        made.append([event async for event in await one.messages.create(**ASK, stream=True)])
        async with one.messages.stream(**ASK) as helped:
            made.append([text async for text in helped.text_stream])
            made.append(await helped.get_final_message())
        raw = await one.with_options(timeout=3).messages.with_raw_response.create(**ASK)
        made.append(raw.parse() if not asyncio.iscoroutinefunction(raw.parse) else await raw.parse())
        asked = [one.messages.create(**{**ASK, "system": f"You are {number}."}) for number in range(3)]
        made.append(await asyncio.gather(*asked))
    return told(made)


@pytest.mark.parametrize("block", [synchronous, asynchronous])
def test_every_entry_point_gives_the_same_objects_without_a_server(
    block: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = record_block(block, "x", models, project, monkeypatch)
    assert len(recorded.run.exchanges) == len(recorded.asked)
    result = replay_block(block, recorded)
    assert result.causes == ()
    assert result.error is None
    assert result.value == recorded.value
    assert result.substituted == {"chat": len(recorded.asked)}
    usage = recorded.run.trace.steps[0].usage
    assert usage is not None
    assert (usage.output_tokens, usage.cached_tokens) == (4, 2)


def failing(_: Any) -> Any:
    made: list[Any] = []
    with client() as one:
        for model in ("fail-400", "fail-429", "fail-500"):
            with pytest.raises(anthropic.APIStatusError) as raised:
                one.messages.create(**{**ASK, "model": model})
            error = raised.value
            made.append([type(error).__name__, str(error), error.status_code, error.body])
            made.append([error.response.status_code, error.request.method, error.response.json()])
        beside = one.with_options(base_url=os.environ["MODEL_SERVER"])
        for model in ("sick", "cut"):
            got = []
            with pytest.raises(Exception, match=r".") as broken:
                got.extend(beside.messages.create(**{**ASK, "model": model}, stream=True))
            made.append([type(broken.value).__name__, len(got)])
    return made


def test_errors_are_the_same_errors(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = record_block(failing, "x", models, project, monkeypatch)
    assert [row[0] for row in recorded.value[:6:2]] == ["BadRequestError", "RateLimitError", "InternalServerError"]
    result = replay_block(failing, recorded)
    assert result.causes == ()
    assert result.value == recorded.value


def test_arguments_are_the_body_that_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder()
    with model_server(models) as server, client(base_url=server.url) as one, context.listening(recorder):
        messages = ({"role": "user", "content": text} for text in ("One.", "Two."))  # which can be read once
        one.messages.create(model="claude-test", max_tokens=5, messages=messages, extra_body={"max_tokens": 6})
        one.messages.create(**ASK, system=anthropic.NOT_GIVEN, extra_headers={"x-own": "1"})
    assert [call.asked.arguments for call in recorder.calls()] == [json.loads(asked.body) for asked in server.asked]
    assert {(call.asked.provider, call.asked.api) for call in recorder.calls()} == {("anthropic", "messages")}


def test_other_calls_of_the_client_are_none_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder()
    with model_server(models) as server, client(base_url=server.url) as one, context.listening(recorder):
        one.messages.count_tokens(model="claude-test", messages=ASK["messages"])
    assert recorder.calls() == ()


@pytest.mark.parametrize("value", [None, "client", anthropic])
def test_what_is_no_client_is_refused_in_one_line(value: Any) -> None:
    match = r"^wrap_anthropic takes an anthropic\.Anthropic or anthropic\.AsyncAnthropic, not a \w+$"
    with pytest.raises(UsageError, match=match):
        stepfork.wrap_anthropic(value)

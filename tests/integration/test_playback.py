"""A block of this process is answered from a fixture: what hits, what misses, and that nothing goes out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

import stepfork
from stepfork.errors import CaptureError, NotFoundError, ReplayError, UsageError
from stepfork.replay.keys import PLACEHOLDER_KEY
from stepfork.testing import evaluate, expect
from tests.integration.stand import Stand
from tests.integration.test_record import OwnError, agent, ask, block, user
from tests.integration.wire import Asked, Line

__all__ = ["block"]


@pytest.fixture
def refund(block: Stand) -> Iterator[Stand]:
    """A stand with the fixture `refund` of a block, whose model has been asked for the last time."""
    with stepfork.record("refund", emit_test=False):
        agent()
    block.model.asked.clear()
    yield block
    assert block.model.asked == []


def test_the_same_block_hits_and_asks_no_model(refund: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "-".join(["sk", "looks", "real"]))
    monkeypatch.setenv("GEMINI_API_KEY", "-".join(["looks", "real", "too"]))
    before = dict(os.environ)
    with stepfork.playback("refund") as playback:
        assert os.environ["OPENAI_API_KEY"] == playback.env["OPENAI_API_KEY"] == PLACEHOLDER_KEY
        assert "GEMINI_API_KEY" not in os.environ
        assert agent() == "It is done."
        assert len(playback.report.served) == 2
    assert dict(os.environ) == before
    result = playback.result
    assert result is not None
    assert (result.passed, result.executed, result.report.is_whole) == (True, {"look_up": 1}, True)
    evaluate(expect(playback.trace).tool_cardinality("look_up", per="order_id", at_most=1))


def test_a_path_names_a_fixture_too(refund: Stand) -> None:
    with stepfork.playback(refund.store.manifest_path("refund"), executes=["look_up"]):
        agent()


def test_a_request_that_was_not_recorded_is_a_miss_and_what_is_left_is_named(refund: Stand) -> None:
    playback = stepfork.playback("refund")
    with pytest.raises(ReplayError) as caught, playback:
        swallowing("Please refund O-2.")
    told = str(caught.value)
    assert told.startswith("the playback of 'refund' is not as recorded: miss at model call 1 of 2: ")
    assert "exchange 1 was recorded and not asked for" in told
    assert playback.result is not None
    assert [miss.component for miss in playback.result.report.misses] == ["messages"]
    assert [unused.exchange for unused in playback.report.unused] == [0, 1]
    assert caught.value.__notes__ == ["  - Please refund O-1.", "  + Please refund O-2."]


def swallowing(question: str) -> None:
    """An agent that takes any error of its client for an answer."""
    with contextlib.suppress(urllib.error.HTTPError):
        agent(question)


def test_a_block_that_raises_goes_on_with_its_own_exception(refund: Stand) -> None:
    error = OwnError("x")

    def fail() -> None:
        agent()
        raise error

    playback = stepfork.playback("refund")
    with pytest.raises(OwnError) as caught, playback:
        fail()
    assert caught.value is error
    assert playback.result is not None
    with pytest.raises(ReplayError, match="entered once"):
        playback.__enter__()


def test_a_miss_is_not_taken_for_the_error_that_a_test_expects(refund: Stand) -> None:
    def fail() -> None:
        swallowing("Please refund O-2.")
        raise OwnError("the model could not be asked")

    with pytest.raises(ReplayError, match="miss at model call 1 of 2") as caught, stepfork.playback("refund"):
        fail()
    assert isinstance(caught.value.__cause__, OwnError)


def test_the_async_form(refund: Stand) -> None:
    async def run(question: str) -> None:
        async with stepfork.playback("refund"):
            await asyncio.to_thread(swallowing, question)

    asyncio.run(run("Please refund O-1."))
    with pytest.raises(ReplayError, match="miss at model call 1 of 2"):
        asyncio.run(run("Please refund O-2."))


def test_a_client_that_was_made_before_the_block_reaches_no_model(refund: Stand) -> None:
    old = os.environ["OPENAI_BASE_URL"]
    caught: list[OSError] = []

    def ask_as_before() -> None:
        try:
            urllib.request.urlopen(old + "/models", timeout=1)
        except urllib.error.URLError as error:
            caught.append(error.reason)

    async def connect(host: str, port: int) -> None:
        try:
            await asyncio.open_connection(host, port)
        except OSError as error:
            caught.append(error)

    def all_of_them() -> None:
        agent()
        ask_as_before()
        asyncio.run(connect("api.OpenAI.com", 443))

    told = r"a client that was made outside of the block asked 127\.0\.0\.1:\d+; "
    playback = stepfork.playback("refund")  # whoever keeps it does not keep the model's address shut
    resolve = socket.getaddrinfo
    with pytest.raises(ReplayError, match=told), playback:
        all_of_them()
    assert socket.getaddrinfo is resolve
    assert [type(error) for error in caught] == [ConnectionRefusedError] * 2
    assert "make this client inside the block" in str(caught[0])
    parts = urlsplit(old)
    socket.create_connection((parts.hostname, parts.port)).close()  # afterwards it is as before


def test_what_cannot_be_played_back_is_refused_before_the_block(refund: Stand) -> None:
    def enter(*words: Any, **options: Any) -> None:
        with stepfork.playback(*words, **options):
            raise AssertionError("the block was entered")

    with pytest.raises(NotFoundError):
        enter("nothing")
    with pytest.raises(NotFoundError):
        enter("refund", store="nowhere")
    with pytest.raises(UsageError, match="really runs tools that are not listed: look_up"):
        enter("refund", executes=[])
    with stepfork.playback("refund"):
        with pytest.raises(CaptureError, match="runs in this process already"):
            enter("refund")
        agent()


def test_calls_at_once_find_their_own_answers(block: Stand) -> None:
    def echo(asked: Asked, line: Line) -> None:
        text = json.loads(asked.body)["messages"][0]["content"]
        choice = {"index": 0, "message": {"role": "assistant", "content": f"re: {text}"}, "finish_reason": "stop"}
        line.whole(json.dumps({"choices": [choice]}).encode(), "Content-Type: application/json")

    def all_at_once() -> list[str]:
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(lambda number: ask(user(f"question {number}"))["content"], range(8)))

    block.model.script = echo
    with stepfork.record("eight"):
        recorded = all_at_once()
    block.model.asked.clear()
    with stepfork.playback("eight"):
        assert all_at_once() == recorded
    assert block.model.asked == []


def export_a_tool_call() -> None:
    told = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look_up"}
    span = {
        "traceId": "01" * 16,
        "spanId": "02" * 8,
        "name": "execute_tool look_up",
        "startTimeUnixNano": "1000",
        "endTimeUnixNano": "2000",
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in told.items()],
    }
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    url = os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]
    urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": "application/json"})).close()


def test_a_trace_that_tells_less_than_the_recorded_one_is_not_to_be_judged(block: Stand) -> None:
    with stepfork.record("refund", emit_test=False):
        agent()
        export_a_tool_call()
    with stepfork.playback("refund") as playback:
        agent()
    with pytest.raises(ReplayError, match="the recorded run exported spans and this one none"):
        expect(playback.trace)
    with stepfork.playback("refund") as playback:
        agent()
        export_a_tool_call()
    assert playback.trace.origin == "spans"
    with pytest.raises(ReplayError, match="when its block has ended"):
        expect(stepfork.playback("refund").trace)

"""A frozen replay of a program that asks its model over HTTP: answered where that was recorded, refused where not."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepfork
from stepfork.config.project import Settings
from stepfork.errors import UsageError
from stepfork.store.bundle import read_bundle
from stepfork.trace.fixture import Fixture
from stepfork.workflows.frozen import FrozenRequest, FrozenResult, frozen_replay
from tests.integration.stand import Stand
from tests.integration.test_record import ask, block, user

__all__ = ["block"]

RAN: list[str] = []


@stepfork.trace_tool
def look_up(order_id: str) -> dict[str, Any]:
    """A tool."""
    RAN.append(order_id)
    return {"amount": 40.0}


def agent(question: str) -> str:
    """Asks its model over HTTP, and has a tool that is instrumented."""
    first = ask(user(question))
    call = first["tool_calls"][0]
    look_up("O-1")
    answer: str = ask(user(question), first, {"role": "tool", "tool_call_id": call["id"], "content": "40.0"})["content"]
    return answer


def asking(question: str) -> str:
    """The same with a model call that is instrumented as well: it is answered without HTTP."""
    first = stepfork.llm_request(ask, user(question))
    call = first["tool_calls"][0]
    look_up("O-1")
    told = {"role": "tool", "tool_call_id": call["id"], "content": "40.0"}
    answer: str = stepfork.llm_request(ask, user(question), first, told)["content"]
    return answer


def tools_alone(_: str) -> str:
    """An agent that asks no model."""
    look_up("O-1")
    return "It is done."


def recorded(program: Callable[[str], str]) -> Fixture:
    with stepfork.record("run", output="run.sftrace") as capture:
        capture.run(program, "Please refund O-1.")
    return read_bundle(Path("run.sftrace"))


def replayed(fixture: Fixture, program: Callable[[str], str], **options: Any) -> FrozenResult:
    RAN.clear()
    return frozen_replay(FrozenRequest(fixture, program, Settings(), dict(os.environ), Path.cwd(), **options))


def test_http_is_answered_beside_the_instrumented_calls(block: Stand) -> None:
    fixture = recorded(agent)
    block.model.asked.clear()
    before = dict(os.environ)
    result = replayed(fixture, agent)
    assert (result.causes, result.value, RAN) == ((), "It is done.", [])
    assert result.model is not None
    assert len(result.model.served) == 2
    assert block.model.asked == []
    assert dict(os.environ) == before


def test_http_that_is_not_as_recorded_is_a_divergence_also_where_it_is_swallowed(block: Stand) -> None:
    fixture = recorded(agent)
    block.model.asked.clear()

    def other(_: str) -> str:
        with contextlib.suppress(Exception):
            return agent("Please refund O-2.")
        look_up("O-1")
        return "It is done."

    result = replayed(fixture, other)
    assert any(cause.startswith("model call 1 of 2 missed: ") for cause in result.causes)
    assert any("exchange 1 was recorded and not asked for" in cause for cause in result.causes)
    assert not result.passed
    assert block.model.asked == []
    left = replayed(fixture, tools_alone)
    assert len(left.causes) == 2


def test_a_model_that_no_recording_knows_is_not_asked(block: Stand) -> None:
    fixture = recorded(tools_alone)
    block.model.asked.clear()

    def curious(question: str) -> str:
        with contextlib.suppress(OSError):
            ask(user(question))
        return tools_alone(question)

    result = replayed(fixture, curious)
    assert block.model.asked == []
    assert [cause.partition(":")[0] for cause in result.causes] == ["a model that is not recorded was asked"]
    assert not result.passed


def test_a_live_tool_may_ask_a_model_where_none_was_recorded_over_http(block: Stand) -> None:
    fixture = recorded(tools_alone)
    result = replayed(fixture, tools_alone, mode="live", allow_live=("look_up",))
    assert (result.causes, RAN) == ((), ["O-1"])


def test_an_instrumented_model_call_is_answered_without_http(block: Stand) -> None:
    fixture = recorded(asking)
    block.model.asked.clear()
    result = replayed(fixture, asking)
    assert (result.causes, result.value, RAN) == ((), "It is done.", [])
    assert block.model.asked == []
    assert sum(result.substituted.values()) == 3


def test_a_model_call_does_not_run_live_where_http_is_answered(block: Stand) -> None:
    def both(question: str) -> str:
        stepfork.llm_request(lambda **_: {"content": "made up"}, model="scripted")
        return agent(question)

    fixture = recorded(both)
    name = next(step.name for step in fixture.run.trace.steps if step.type == "llm_call" and step.instrumented)
    with pytest.raises(UsageError, match="is a model call"):
        replayed(fixture, both, mode="live", allow_live=(name,))

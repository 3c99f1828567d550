from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stepfork import allm_request, llm_request
from tests.unit.instrument.sessions import recorded, replayed

RAN: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


class Client:
    def complete(self, prompt: str, *, model: str = "default", temperature: float = 1.0) -> dict[str, Any]:
        RAN.append(prompt)
        return {"text": prompt.upper(), "model": model}

    async def acomplete(self, prompt: str, *, model: str) -> dict[str, Any]:
        RAN.append(prompt)
        return self.complete(prompt, model=model)

    def failing(self, **request: Any) -> None:
        raise TimeoutError("slow")


def test_a_model_call_is_recorded_and_answered() -> None:
    client = Client()

    def run() -> Any:
        return llm_request(client.complete, "hi", model="m-1")

    result, calls = recorded(run)
    RAN.clear()

    asked = calls[0].asked
    assert (asked.type, asked.model, asked.arguments) == ("llm_call", "m-1", {"prompt": "hi", "model": "m-1"})
    assert replayed(run, calls) == result == {"text": "HI", "model": "m-1"}
    assert RAN == []


def test_an_awaited_model_call() -> None:
    def run() -> Any:
        return asyncio.run(_ask())

    async def _ask() -> Any:
        return await allm_request(Client().acomplete, "hi", model="m-1")

    result, calls = recorded(run)
    RAN.clear()

    assert replayed(run, calls) == result
    assert RAN == []


def test_a_model_that_is_not_named() -> None:
    _, calls = recorded(lambda: llm_request(Client().complete, "hi"))

    assert calls[0].asked.model is None


def test_parameters_of_ones_own_name_reach_the_function() -> None:
    def ask(**request: Any) -> Any:
        return request

    assert recorded(lambda: llm_request(ask, function=1, call=2))[0] == {"function": 1, "call": 2}


def test_a_failing_model_call_fails_again() -> None:
    def run() -> str:
        with pytest.raises(TimeoutError, match="slow"):
            llm_request(Client().failing, model="m")
        return "failed"

    _, calls = recorded(run)

    assert replayed(run, calls) == "failed"


def test_nobody_listens() -> None:
    assert llm_request(Client().complete, "hi") == {"text": "HI", "model": "default"}

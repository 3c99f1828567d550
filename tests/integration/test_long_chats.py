"""A long conversation of instrumented model calls costs its length: its texts once, and little beside them."""

from __future__ import annotations

import random
from typing import Any

import pytest

import stepfork
from stepfork.canonical.encode import dumps
from stepfork.store.bundle import read_bundle
from tests.integration.stand import Stand

TURNS = 200
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "kappa", "lambda")


class Provider:
    """A model of a vendor's SDK: answers are objects of its classes; ``unique`` counts what it and the user said."""

    def __init__(self) -> None:
        self.chance = random.Random(1)
        self.unique = 0

    def text(self) -> str:
        return " ".join(self.chance.choice(WORDS) for _ in range(100))

    def answer(self) -> dict[str, Any]:
        message = {"role": "assistant", "content": self.text(), "refusal": None, "annotations": []}
        return {
            "id": f"chatcmpl-{self.chance.getrandbits(120):030x}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "test-model-2025",
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30},
        }

    def whole(self, *, model: str, messages: list[dict[str, Any]]) -> Any:
        from openai.types.chat import ChatCompletion

        told = self.answer()
        self.unique += len(dumps(told))
        return ChatCompletion.model_validate(told)

    def bare(self, *, model: str, messages: list[dict[str, Any]]) -> str:
        text = self.text()
        self.unique += len(dumps(text))
        return text


@pytest.mark.parametrize("form", ["whole", "bare"])
def test_its_texts_stand_once(stand: Stand, form: str) -> None:
    provider = Provider()
    path = stand.root / "chat.sftrace"
    messages: list[dict[str, Any]] = []
    with stepfork.record("chat", output=path) as capture:
        for _ in range(TURNS):
            messages.append({"role": "user", "content": provider.text()})
            answer = stepfork.llm_request(getattr(provider, form), model="test-model", messages=list(messages))
            text = answer if isinstance(answer, str) else answer.choices[0].message.content
            messages.append({"role": "assistant", "content": text})
        capture.set_output({"turns": len(messages)})
    unique = provider.unique + sum(len(dumps(message)) for message in messages)
    size = sum(one.stat().st_size for one in path.rglob("*.json"))
    assert size <= (1.5 if form == "whole" else 1.6) * unique  # each turn has its line, its step and its file
    run = read_bundle(path).run
    assert len(run.exchanges) == TURNS
    assert len(run.exchanges[-1].request.body.value["messages"]) == 2 * TURNS - 1  # type: ignore[union-attr]

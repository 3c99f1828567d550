"""Eight chains of two calls at once write the same bytes, in whatever order their calls come and are answered.

`scripts/benchmarks/concurrent_captures.py` does the same with commands, a clock, and a hundred captures of each kind.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import aiohttp
import pytest

import stepfork
from tests.integration.stand import Stand
from tests.integration.test_record import ask, block, user
from tests.integration.wire import PATIENCE, Asked, Line

__all__ = ["block"]
CHAINS = 8


class Conductor:
    """A model that answers when every chain waits for it, each time a chain of its choice, with ids of its own."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.turn = threading.Condition()
        self.waiting: list[int] = []
        self.chosen: int | None = None
        self.going_on = CHAINS

    def __call__(self, asked: Asked, line: Line) -> None:
        messages = json.loads(asked.body)["messages"]
        chain = int(messages[0]["content"].split()[-1])
        is_last = messages[-1]["role"] == "tool"
        with self.turn:
            self.waiting.append(chain)
            self._choose()
            assert self.turn.wait_for(lambda: self.chosen == chain, PATIENCE)
            self.waiting.remove(chain)
            self.chosen = None
            self.going_on -= is_last
            self._choose()
            answer = self._answer(chain, is_last=is_last)
        line.whole(json.dumps(answer).encode(), "Content-Type: application/json")

    def _choose(self) -> None:
        if self.chosen is None and self.waiting and len(self.waiting) == self.going_on:
            self.chosen = self.rng.choice(self.waiting)
            self.turn.notify_all()

    def _answer(self, chain: int, *, is_last: bool) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": f"Order {chain} is on its way."}
        if not is_last:
            function = {"name": "look_up", "arguments": json.dumps({"order_id": f"O-{chain}"})}
            call = {"id": f"call_{self.rng.randbytes(9).hex()}", "type": "function", "function": function}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {"id": f"chatcmpl-{self.rng.randbytes(9).hex()}", "choices": [choice]}


def goes_on(chain: int, first: dict[str, Any]) -> list[dict[str, Any]]:
    result = {"role": "tool", "tool_call_id": first["tool_calls"][0]["id"], "content": '{"state": "sent"}'}
    return [user(f"Where is order {chain}"), first, result]


def in_threads() -> None:
    def chain(number: int) -> None:
        ask(*goes_on(number, ask(user(f"Where is order {number}"))))

    with ThreadPoolExecutor(CHAINS) as pool:
        list(pool.map(chain, range(CHAINS)))


def in_tasks() -> None:
    async def call(session: aiohttp.ClientSession, *messages: dict[str, Any]) -> dict[str, Any]:
        url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
        async with session.post(url, json={"model": "test-model", "messages": messages}) as answer:
            message: dict[str, Any] = (await answer.json())["choices"][0]["message"]
            return message

    async def chain(session: aiohttp.ClientSession, number: int) -> None:
        await call(session, *goes_on(number, await call(session, user(f"Where is order {number}"))))

    async def run() -> None:
        async with aiohttp.ClientSession() as session:
            await asyncio.gather(*(chain(session, number) for number in range(CHAINS)))

    asyncio.run(run())


@pytest.mark.parametrize("run", [in_threads, in_tasks])
def test_c019_the_stored_order_is_independent_of_timing(block: Stand, run: Callable[[], None]) -> None:
    stored = set()
    for seed in range(3):
        block.model.script = Conductor(seed)
        with stepfork.record("chains", emit_test=False):
            run()
        stored.add(tuple(sorted(block.files().items())))
    assert len(stored) == 1
    says = [exchange["says"] for exchange in block.manifest("chains")["exchanges"]]
    assert len(says) == 2 * CHAINS
    # A chain is kept whole: each second call stands right behind its first.
    assert [line[0].split(":")[0] for line in says] == ["user", "look_up"] * CHAINS

"""Agents of different styles, each recorded twice and replayed frozen: equal bytes, the same output, no body runs."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import os
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import stepfork
from stepfork.config.project import Settings, read_settings
from stepfork.trace.fixture import Run
from stepfork.workflows.frozen import FrozenRequest, frozen_replay
from stepfork.workflows.open_fixture import open_fixture

ran: list[str] = []
_count = itertools.count()


class Box:
    """Its state is in attributes, one of which nobody can keep."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.lock = threading.Lock()

    def double(self) -> int:
        return self.size * 2


class Point:
    __slots__ = ("__hidden", "x")

    def __init__(self, x: int) -> None:
        self.x = x
        self.__hidden = x + 1

    def total(self) -> int:
        return self.x + self.__hidden


class Refused(Exception):  # noqa: N818
    def __init__(self, code: int, *, again: bool) -> None:
        super().__init__(f"code {code}")
        self.code = code
        self.again = again


class Context:
    """A program's own context: another number in each run, and a lock."""

    def __init__(self) -> None:
        self.number = next(_count)
        self.lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Context {self.number}>"


@stepfork.trace_tool
def box_of(size: int) -> Box:
    ran.append("box_of")
    return Box(size)


@stepfork.trace_tool
def point_of(x: int) -> Point:
    ran.append("point_of")
    return Point(x)


@stepfork.trace_tool
def add(context: Any, more: int) -> int:
    ran.append("add")
    return more + 1


@stepfork.trace_tool
def flaky(attempt: int) -> int:
    ran.append("flaky")
    if attempt < 2:
        raise Refused(500 + attempt, again=True)
    return attempt


@stepfork.trace_tool
def pieces(count: int) -> Iterator[int]:
    ran.append("pieces")
    yield from range(count)


class Warehouse:
    def __init__(self) -> None:
        self.stock = {"lamp": 2}

    @stepfork.trace_tool
    def take(self, item: str) -> int:
        ran.append("take")
        self.stock[item] -= 1
        return self.stock[item]


@stepfork.trace_tool
async def afetch(key: str) -> dict[str, Any]:
    ran.append("afetch")
    await asyncio.sleep(0)
    return {"key": key, "parts": (1, 2)}


def model(*, model: str, messages: list[Any]) -> dict[str, Any]:
    ran.append("model")
    asked = [each for each in messages if each["role"] == "tool"]
    call = {"id": f"call_{len(asked)}", "type": "function", "function": {"name": "add", "arguments": '{"more": 1}'}}
    told = {"role": "assistant", "content": "done"} if asked else {"role": "assistant", "tool_calls": [call]}
    return {"choices": [{"index": 0, "message": told, "finish_reason": "stop"}]}


def streamed(*, model: str, messages: list[Any]) -> Iterator[dict[str, Any]]:
    ran.append("streamed")
    for text in ("a", "b", "c"):
        yield {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    yield {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}}


def objects(size: int) -> dict[str, int]:
    return {"double": box_of(size).double(), "total": point_of(size).total()}


def contexts(more: int) -> dict[str, int]:
    return {"sum": add(Context(), more) + add(threading.Lock(), more) + add(lambda: None, more)}


def retries(first: int) -> dict[str, Any]:
    seen: list[Any] = []
    for attempt in range(first, 5):
        try:
            return {"value": flaky(attempt), "seen": seen}
        except Refused as error:
            seen.append([error.code, error.again, str(error)])
    raise AssertionError


def generator(count: int) -> dict[str, int]:
    return {"sum": sum(pieces(count)), "first": next(iter(pieces(count)))}


def methods(_: int) -> dict[str, int]:
    house = Warehouse()
    return {"left": house.take("lamp") + house.take("lamp")}


def gathered(_: int) -> dict[str, Any]:
    async def main() -> list[Any]:
        return [*await asyncio.gather(afetch("a"), afetch("b")), await afetch("c")]

    return {"keys": [[one["key"], *one["parts"]] for one in asyncio.run(main())]}


def react(_: int) -> dict[str, Any]:
    messages: list[Any] = [{"role": "user", "content": "add"}]
    while True:
        answer = stepfork.llm_request(model, model="m", messages=messages)["choices"][0]["message"]
        messages.append(answer)
        if "tool_calls" not in answer:
            return {"said": answer["content"], "ids": [each.get("tool_call_id") for each in messages]}
        messages += [
            {"role": "tool", "tool_call_id": call["id"], "content": str(add(call["id"], 1))}
            for call in answer["tool_calls"]
        ]


def stream(_: int) -> dict[str, Any]:
    items = list(stepfork.llm_request(streamed, model="m", messages=[{"role": "user", "content": "x"}]))
    return {"text": "".join(one["choices"][0]["delta"]["content"] for one in items if one["choices"])}


@dataclasses.dataclass
class State:
    at: str
    log: list[str]


@stepfork.trace_tool
def step(state: State) -> State:
    ran.append("step")
    following = {"start": "middle", "middle": "end"}[state.at]
    return State(following, [*state.log, following])


def machine(_: int) -> dict[str, Any]:
    state = State("start", [])
    while state.at != "end":
        state = step(state)
    return {"log": state.log}


@stepfork.trace_tool
def helper(size: int) -> int:
    ran.append("helper")
    return box_of(size).double()


def nested(size: int) -> dict[str, int]:
    return {"all": helper(size) + helper(size + 1)}


def callbacks(more: int) -> dict[str, Any]:
    seen: list[int] = []
    add(seen.append, more)
    return {"seen": seen}


AGENTS: list[Callable[[int], Any]] = [
    objects, contexts, retries, generator, methods, gathered, react, stream, machine, nested, callbacks,
]  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS)
def test_what_comes_back_is_what_the_agent_saw(agent: Callable[[int], Any], tmp_path: Path) -> None:
    value, path = recorded(agent, tmp_path / "one.sftrace")
    _, again = recorded(agent, tmp_path / "two.sftrace")
    assert objects_of(path) == objects_of(again)
    ran.clear()
    fixture = open_fixture(path, near=tmp_path).fixture
    made = frozen_replay(FrozenRequest(fixture, agent, Settings(), dict(os.environ), tmp_path))
    assert (made.causes, made.passed, made.value, ran) == ((), True, value, [])


def test_a_generator_of_a_model_is_a_stream(tmp_path: Path) -> None:
    run = run_of(recorded(stream, tmp_path / "run.sftrace")[1])
    (told,) = run.trace.steps
    assert told.usage is not None
    assert (told.usage.input_tokens, told.usage.output_tokens) == (5, 3)


def test_short_ids_are_the_same_everywhere(tmp_path: Path) -> None:
    run = run_of(recorded(react, tmp_path / "run.sftrace")[1])
    (tool,) = [one for one in run.trace.steps if one.type == "tool_call"]
    assert isinstance(tool.arguments, dict)
    assert tool.arguments["context"] == "call_0"
    assert "call_0" in str(run.exchanges[0].response.body)


def test_a_secret_in_the_pieces_of_a_stream_that_broke_is_taken_out(tmp_path: Path) -> None:
    halves = ["sk-" + "proj-", "Ab3dEf6hIj9lMn2p", "Qr5tUv8xYz1B4c7D"]

    def broken(*, model: str, messages: list[Any]) -> Iterator[Any]:
        for half in halves:
            yield {"choices": [{"index": 0, "delta": {"content": half}, "finish_reason": None}]}
        raise RuntimeError("broke")

    def agent(_: int) -> dict[str, Any]:
        try:
            count = len(list(stepfork.llm_request(broken, model="m", messages=[{"role": "user", "content": "x"}])))
        except RuntimeError as error:
            return {"said": str(error)}
        return {"count": count}

    _, path = recorded(agent, tmp_path / "run.sftrace")
    kept = b"".join(objects_of(path).values())
    assert b"[redacted]" in kept
    assert not [half for half in halves[1:] if half.encode() in kept]


def recorded(agent: Callable[[int], Any], path: Path) -> tuple[Any, Path]:
    with stepfork.record("run", output=path, allow_capture=True) as capture:
        value = capture.run(agent, 1)
    return value, path


def objects_of(path: Path) -> dict[str, bytes]:
    return {str(one.relative_to(path)): one.read_bytes() for one in sorted((path / "objects").rglob("*.json"))}


def run_of(path: Path) -> Run:
    return open_fixture(path, near=path.parent).fixture.run


@stepfork.trace_tool
def send(order_key: str) -> dict[str, str]:
    ran.append("send")
    return {"order_key": order_key}


def with_own_id(_: int) -> dict[str, bool]:
    made = str(uuid.uuid4())
    return {"same": send(made)["order_key"] == made}


def test_the_advice_about_an_id_that_each_run_makes_up_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = tmp_path / ".stepfork"
    (store / "fixtures").mkdir(parents=True)
    (store / "objects").mkdir()
    (store / "config.toml").write_text("format = 1\n")
    (cause,) = replayed(with_own_id, tmp_path / "one.sftrace")
    rule = 'id_fields = ["order_key"]'
    assert f"put {rule} under [normalize] in config.toml" in cause
    (store / "config.toml").write_text(f"format = 1\n\n[normalize]\n{rule}\n")
    assert replayed(with_own_id, tmp_path / "two.sftrace") == ()
    _, again = recorded(with_own_id, tmp_path / "three.sftrace")
    assert objects_of(again) == objects_of(tmp_path / "two.sftrace")


def replayed(agent: Callable[[int], Any], path: Path) -> tuple[str, ...]:
    recorded(agent, path)
    settings = read_settings(path.parent / ".stepfork")
    fixture = open_fixture(path, near=path.parent).fixture
    return frozen_replay(FrozenRequest(fixture, agent, settings, dict(os.environ), path.parent)).causes

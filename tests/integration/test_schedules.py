"""What a program waits for decides what of it ran at once, not which piece happened to be done first: every schedule of
a program records the same, and what one has recorded is replayed in every other."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import anyio
import anyio.to_thread
import pytest

from stepfork import trace_tool
from stepfork.canonical.encode import dumps
from stepfork.capture.assemble import assemble
from stepfork.errors import ReplayError
from stepfork.instrument import context
from stepfork.instrument.forking import inherited
from stepfork.instrument.recorder import Recorder
from stepfork.normalize.known import Context
from stepfork.redact.secrets import Secrets
from stepfork.replay.frozen import FrozenReplay
from stepfork.replay.frozen_calls import RecordedCall
from stepfork.replay.frozen_matching import Matching
from stepfork.trace.call import Call
from stepfork.trace.step import Step
from tests.unit.capture.run_samples import key

MODES = ("early", "forward", "backward")
WAIT = 30


@trace_tool
def tool(name: str) -> str:
    return f"did {name}"


@trace_tool
async def atool(name: str) -> str:
    await asyncio.sleep(0)
    return f"did {name}"


class Pieces:
    """Pieces of work that a schedule decides on: done before the program goes on from `point`, or, once it waits, in
    the order in which they were handed out, or in the other."""

    def __init__(self, mode: str) -> None:
        self.mode = mode
        self.given: list[str] = []
        self.done: set[str] = set()
        self.waits = False
        self.changed = threading.Condition()

    def give(self, name: str) -> str:
        self.given.append(name)
        return name

    def point(self) -> None:
        if self.mode == "early":
            self._until(lambda: self.done >= set(self.given))

    def wait(self) -> None:
        self.point()
        with self.changed:
            self.waits = True
            self.changed.notify_all()

    def work(self, name: str) -> None:
        self._until(lambda: self._may(name))
        tool(name)
        self._did(name)

    async def apoint(self) -> None:
        while self.mode == "early" and not self.done >= set(self.given):
            await asyncio.sleep(0)

    async def await_(self) -> None:
        await self.apoint()
        self.wait()

    async def awork(self, name: str, *more: str) -> None:
        while not self._may(name):
            await asyncio.sleep(0)
        for one in (name, *more):
            await atool(one)
        self._did(name)

    def _may(self, name: str) -> bool:
        if self.mode == "early":
            return True
        order = self.given if self.mode == "forward" else self.given[::-1]
        return self.waits and set(order[: order.index(name)]) <= self.done

    def _did(self, name: str) -> None:
        with self.changed:
            self.done.add(name)
            self.changed.notify_all()

    def _until(self, holds: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(holds, WAIT)


def submitted(mode: str) -> None:
    pieces = Pieces(mode)
    with ThreadPoolExecutor(4) as pool:
        futures = []
        for name in "abc":
            futures.append(pool.submit(pieces.work, pieces.give(name)))
            pieces.point()
        pieces.wait()
        for future in futures:
            future.result()
        tool("after")


def shut_down(mode: str) -> None:
    pieces = Pieces(mode)
    with ThreadPoolExecutor(4) as pool:
        for name in "abc":
            pool.submit(pieces.work, pieces.give(name))
            pieces.point()
        pieces.wait()
    tool("after")


def mapped(mode: str) -> None:
    pieces = Pieces(mode)
    names = [pieces.give(name) for name in "abc"]
    if mode != "early":
        pieces.waits = True
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(pieces.work, names))
    tool("after")


def one_after_the_other(mode: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        pool.submit(tool, "b").result()
        pool.submit(tool, "a").result()
    for name in "dc":
        thread = threading.Thread(target=tool, args=(name,))
        thread.start()
        thread.join()


def beside_the_thread(mode: str) -> None:
    pieces = Pieces(mode)
    tool("before")
    thread = threading.Thread(target=pieces.work, args=(pieces.give("thread"),))
    thread.start()
    pieces.point()
    tool("a")
    tool("b")
    pieces.wait()
    thread.join()
    tool("after")


def never_waited_for(mode: str) -> None:
    pieces = Pieces(mode)
    tool("before")
    thread = threading.Thread(target=pieces.work, args=(pieces.give("thread"),))
    thread.start()
    pieces.point()
    tool("a")
    tool("b")
    pieces.wait()
    pieces._until(lambda: bool(pieces.done))


def completed(mode: str) -> None:
    pieces = Pieces(mode)
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(pieces.work, pieces.give(name)) for name in "abc"]
        pieces.wait()
        for number, future in enumerate(concurrent.futures.as_completed(futures)):
            future.result()
            tool(f"number {number}")
    tool("after")


def completed_quietly(mode: str) -> None:
    pieces = Pieces(mode)
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(pieces.work, pieces.give(name)) for name in "abc"]
        pieces.wait()
        said = [future.result() for future in concurrent.futures.as_completed(futures)]
        tool(f"after {len(said)}")


def first_completed(mode: str) -> None:
    pieces = Pieces(mode)
    with ThreadPoolExecutor(4) as pool:
        left = {pool.submit(pieces.work, pieces.give(name)) for name in "abc"}
        pieces.wait()
        while left:
            done, left = concurrent.futures.wait(left, return_when="FIRST_COMPLETED")
            for future in done:
                future.result()
        tool("after")
        pool.submit(tool, "last").result()


def pool_in_the_pool(mode: str) -> None:
    def agent(name: str) -> None:
        inner = Pieces(mode)
        futures = []
        for number in range(2):
            futures.append(pool.submit(inner.work, inner.give(f"{name}{number}")))
            inner.point()
        inner.wait()
        for future in futures:
            future.result()
        tool(f"{name} after")

    with ThreadPoolExecutor(8) as pool:
        agents = [pool.submit(agent, name) for name in "xy"]
        for one in agents:
            one.result()
        tool("after")


def copied_contexts(mode: str) -> None:
    pieces = Pieces(mode)
    with ThreadPoolExecutor(4) as pool:
        futures = []
        for name in "ab":
            futures.append(pool.submit(copy_context().run, pieces.work, pieces.give(name)))
            pieces.point()
        pieces.wait()
        for future in futures:
            future.result()
        tool("after")


async def gathered_threads(mode: str) -> None:
    pieces = Pieces(mode)
    tasks = []
    for name in "abc":
        tasks.append(asyncio.ensure_future(asyncio.to_thread(pieces.work, pieces.give(name))))
        await pieces.apoint()
    pieces.wait()
    await asyncio.gather(*tasks)
    await asyncio.to_thread(tool, "x")
    await asyncio.to_thread(tool, "after")


async def gathered_executor(mode: str) -> None:
    pieces = Pieces(mode)
    loop = asyncio.get_running_loop()
    futures = []
    for name in "abc":
        futures.append(loop.run_in_executor(None, pieces.work, pieces.give(name)))
        await pieces.apoint()
    pieces.wait()
    await asyncio.gather(*futures)
    await loop.run_in_executor(None, tool, "x")
    await loop.run_in_executor(None, tool, "after")


async def task_beside(mode: str) -> None:
    pieces = Pieces(mode)
    task = asyncio.create_task(pieces.awork(pieces.give("b")))
    await pieces.apoint()
    await atool("a")
    await atool("c")
    pieces.wait()
    await task
    await atool("after")


async def tasks_in_turn(mode: str) -> None:
    await asyncio.create_task(atool("b"))
    await asyncio.create_task(atool("a"))
    await asyncio.wait_for(atool("d"), 60)
    await asyncio.wait({asyncio.create_task(atool("c"))})
    await atool("after")


async def task_group(mode: str) -> None:
    pieces = Pieces(mode)
    async with asyncio.TaskGroup() as group:
        for name in "abc":
            group.create_task(pieces.awork(pieces.give(name), f"{name} more"))
            await pieces.apoint()
        pieces.wait()
    await atool("after")


async def anyio_group(mode: str) -> None:
    pieces = Pieces(mode)
    async with anyio.create_task_group() as group:
        for name in "abc":
            group.start_soon(pieces.awork, pieces.give(name))
            await pieces.apoint()
        pieces.wait()
    await anyio.to_thread.run_sync(tool, "x")
    await anyio.to_thread.run_sync(tool, "after")


async def gathered_agents(mode: str) -> None:
    async def agent(name: str) -> None:
        inner = Pieces(mode)
        tasks = []
        for number in range(2):
            tasks.append(asyncio.create_task(inner.awork(inner.give(f"{name}{number}"))))
            await inner.apoint()
        inner.wait()
        await asyncio.gather(*tasks)
        await atool(f"{name} after")

    await asyncio.gather(agent("x"), agent("y"))
    await atool("after")


async def waited(mode: str) -> None:
    pieces = Pieces(mode)
    tasks = [asyncio.create_task(pieces.awork(pieces.give(name))) for name in "abc"]
    await pieces.await_()
    await asyncio.wait(tasks)
    await atool("after")


async def acompleted(mode: str) -> None:
    pieces = Pieces(mode)
    tasks = [asyncio.create_task(pieces.awork(pieces.give(name))) for name in "abc"]
    await pieces.await_()
    for number, task in enumerate(asyncio.as_completed(tasks)):
        await task
        await atool(f"number {number}")


async def from_another_thread(mode: str) -> None:
    loop = asyncio.get_running_loop()
    pieces = Pieces(mode)

    def caller() -> None:
        future = asyncio.run_coroutine_threadsafe(pieces.awork(pieces.give("b")), loop)
        pieces.point()
        tool("a")
        pieces.wait()
        future.result()
        tool("after")

    await asyncio.to_thread(caller)


SYNC: list[Callable[[str], Any]] = [
    submitted,
    shut_down,
    mapped,
    one_after_the_other,
    beside_the_thread,
    never_waited_for,
    completed,
    completed_quietly,
    first_completed,
    pool_in_the_pool,
    copied_contexts,
]
ASYNC: list[Callable[[str], Any]] = [
    gathered_threads,
    gathered_executor,
    task_beside,
    tasks_in_turn,
    task_group,
    anyio_group,
    gathered_agents,
    waited,
    acompleted,
    from_another_thread,
]
PROGRAMS = {one.__name__: one for one in SYNC} | {
    one.__name__: (lambda mode, one=one: asyncio.run(one(mode))) for one in ASYNC
}
IN_TURN = {
    "one_after_the_other": ["b", "a", "d", "c"],
    "tasks_in_turn": ["b", "a", "d", "c", "after"],
}
LAST = {
    "submitted": 1,
    "shut_down": 1,
    "mapped": 1,
    "beside_the_thread": 1,
    "first_completed": 2,
    "completed": 1,
    "completed_quietly": 1,
    "pool_in_the_pool": 1,
    "copied_contexts": 1,
    "gathered_threads": 2,
    "gathered_executor": 2,
    "task_beside": 1,
    "task_group": 1,
    "anyio_group": 2,
    "gathered_agents": 1,
    "waited": 1,
    "from_another_thread": 1,
}
"""How many calls at the end of a program come after all else that it did."""


def recorded(program: Callable[[str], Any], mode: str) -> tuple[Call, ...]:
    recorder = Recorder()
    with context.listening(recorder), inherited():
        program(mode)
    return recorder.close()


def steps_of(calls: tuple[Call, ...]) -> tuple[Step, ...]:
    return assemble((), (), calls, key=key).trace.steps


def replayed(steps: tuple[Step, ...], program: Callable[[str], Any], mode: str) -> FrozenReplay:
    calls = [
        RecordedCall(number, step.type, step.name, step.arguments, step.result, group=step.group, parent=step.parent)  # type: ignore[arg-type]
        for number, step in enumerate(steps)
    ]
    session = FrozenReplay(calls, Matching("schedules", Context(0, 0), Secrets({})))
    with context.listening(session), inherited():
        program(mode)
    session.end()
    return session


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_schedule_records_the_same_and_is_replayed_in_every_other(name: str) -> None:
    program = PROGRAMS[name]
    told = {mode: steps_of(recorded(program, mode)) for mode in MODES}
    assert dumps_of(told["early"]) == dumps_of(told["forward"]) == dumps_of(told["backward"])
    for mode in MODES:
        session = replayed(told["early"], program, mode)
        assert [fault.text for fault in session.faults] == []
        assert session.is_whole
    names = [step.arguments["name"] for step in told["early"]]  # type: ignore[index,call-overload]
    groups = [step.group for step in told["early"]]
    if name in IN_TURN:
        assert (names, groups) == (IN_TURN[name], [None] * len(names))
    else:
        last = LAST.get(name, 0)
        middle = groups[: len(groups) - last]
        assert groups[len(groups) - last :] == [None] * last
        assert {group for name, group in zip(names, middle, strict=False) if name != "before"} == {1}


def dumps_of(steps: tuple[Step, ...]) -> bytes:
    return dumps([[step.name, step.arguments, step.result, step.group, step.parent] for step in steps])  # type: ignore[list-item]


@pytest.mark.parametrize("name", sorted(LAST))
def test_what_comes_after_all_of_it_may_not_come_before(name: str) -> None:
    steps = steps_of(recorded(PROGRAMS[name], "forward"))
    with pytest.raises(ReplayError):
        replayed(steps, lambda _mode: tool("after") if steps[-1].name == "tool" else asyncio.run(atool("after")), "")


def test_what_ran_in_turn_may_not_run_in_another_turn() -> None:
    steps = steps_of(recorded(PROGRAMS["one_after_the_other"], "early"))
    with pytest.raises(ReplayError):
        replayed(steps, lambda _mode: tool("a"), "")

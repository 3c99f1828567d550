from __future__ import annotations

import _thread
import asyncio
import os
import threading
from asyncio import base_events
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import pytest

from stepfork import trace_tool
from stepfork.errors import CaptureError, ReplayClosedError
from stepfork.instrument import context
from stepfork.instrument.forking import inherited
from stepfork.instrument.recorder import Recorder
from stepfork.trace.call import Call
from tests.unit.instrument.sessions import Answering, recorded

RAN: list[Any] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


@trace_tool
def tool(value: Any) -> Any:
    RAN.append(value)
    return value


@trace_tool
async def atool(value: Any) -> Any:
    await asyncio.sleep(0)
    return tool(value)


def forks(calls: list[Call]) -> dict[Any, tuple[Any, ...]]:
    """The counts of events at which the lines of each tool's call were started, outermost first."""
    return {
        call.asked.arguments["value"]: tuple(count for _, count in call.forks)
        for call in calls
        if call.asked.name == "tool"
    }


def lines(calls: list[Call]) -> dict[Any, tuple[int, ...]]:
    return {call.asked.arguments["value"]: tuple(number for number, _ in call.forks) for call in calls}


class OwnRun(threading.Thread):
    def run(self) -> None:
        tool("own run")


def test_a_thread_is_a_fork_of_the_frame_that_starts_it() -> None:
    def run() -> None:
        tool("before")
        started = [threading.Thread(target=tool, args=("thread",)), OwnRun(), threading.Timer(0, tool, ("timer",))]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()
            assert "run" not in vars(thread)
        tool("after")

    _, calls = recorded(run)

    told = forks(calls)
    assert told["before"] == told["after"] == ()
    assert told["thread"][0] == 2
    assert all(len(told[name]) == 1 for name in ("own run", "timer"))
    assert len({lines(calls)[name] for name in ("thread", "own run", "timer")}) == 3


def test_two_calls_of_one_thread_are_on_one_line() -> None:
    def both() -> None:
        tool(1)
        tool(2)

    def run() -> None:
        thread = threading.Thread(target=both)
        thread.start()
        thread.join()

    told = lines(recorded(run)[1])

    assert told[1] == told[2] != ()


def test_a_pool_that_is_older_than_the_session_carries_it_too() -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(tool, "old").result()

        def run() -> list[Any]:
            first = pool.submit(tool, "a")
            first.result()
            second = pool.submit(tool, "b")
            return [first.result(), second.result(), *pool.map(tool, "cd")]

        result, calls = recorded(run)
        pool.submit(tool, "new").result()

    assert result == ["a", "b", "c", "d"]
    assert forks(calls) == {"a": (0,), "b": (3,), "c": (6,), "d": (6,)}


def test_a_pools_threads_do_not_stay_in_the_session_that_made_them() -> None:
    with ThreadPoolExecutor(2) as pool:
        session = Answering([])
        with context.listening(session), inherited():
            pool.submit(RAN.append, "work").result()

        assert pool.submit(tool, "later").result() == "later"


def test_work_that_was_submitted_by_work() -> None:
    def nested(pool: ThreadPoolExecutor) -> Any:
        return pool.submit(tool, "inner").result()

    def run() -> None:
        with ThreadPoolExecutor(2) as pool:
            pool.submit(nested, pool).result()

    assert [len(call.forks) for call in recorded(run)[1]] == [2]


def test_one_after_the_other_and_at_once_are_told_apart() -> None:
    async def main() -> None:
        await asyncio.to_thread(tool, "a")
        await asyncio.to_thread(tool, "b")
        await asyncio.gather(asyncio.to_thread(tool, "c"), asyncio.to_thread(tool, "d"))
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(None, tool, name) for name in "ef"))
        await asyncio.gather(atool("g"), atool("h"))
        async with asyncio.TaskGroup() as group:
            group.create_task(atool("i"))
            group.create_task(atool("j"))
        await asyncio.wait_for(asyncio.ensure_future(atool("k")), 60)

    _, calls = recorded(lambda: asyncio.run(main()))

    told = {name: counts[1] if len(counts) > 1 else None for name, counts in forks(calls).items()}
    ends = {call.asked.arguments["value"]: call.ended for call in calls if call.asked.name == "tool"}
    assert told["b"] >= ends["a"]
    assert told["c"] == told["d"] >= ends["b"]
    assert told["e"] == told["f"] >= ends["d"]
    outer = {call.asked.arguments["value"]: call for call in calls if call.asked.name == "atool"}
    counts = {name: call.forks[1][1] for name, call in outer.items()}
    assert counts["g"] == counts["h"]
    assert counts["i"] == counts["j"] > counts["g"]
    assert counts["k"] > counts["i"]
    assert {call.parent for call in calls if call.asked.name == "tool"} >= {call.number for call in outer.values()}


def test_a_task_whose_context_is_given_and_one_that_starts_at_once() -> None:
    async def main() -> None:
        own = copy_context()
        await asyncio.get_running_loop().create_task(atool("own"), context=own)
        await asyncio.get_running_loop().create_task(atool("plain"), name="named")

    _, calls = recorded(lambda: asyncio.run(main()))

    outer = [call for call in calls if call.asked.name == "atool"]
    assert [len(call.forks) for call in outer] == [2, 2]
    assert outer[0].forks[1] != outer[1].forks[1]


def test_a_thread_that_carries_nothing_is_a_fork_of_the_recordings_root() -> None:
    def run() -> None:
        _bare(lambda: (tool(1), tool(2)))

    _, calls = recorded(run)

    told = lines(calls)
    assert told[1] == told[2] != ()


def test_a_thread_that_carries_nothing_runs_nothing_in_a_replay() -> None:
    session = Answering([])
    with context.listening(session), inherited():
        error = _bare(lambda: tool("stranger"))

    assert isinstance(error, ReplayClosedError)
    assert "a thread that the replay did not start" in str(error)
    assert len(session.told) == 1
    assert RAN == []


@pytest.mark.parametrize("during", ["nothing", "recording", "replay"])
def test_a_thread_that_outlives_its_replay_runs_nothing(during: str) -> None:
    go = threading.Event()
    caught: list[BaseException] = []

    def late() -> None:
        go.wait(60)
        try:
            tool("late")
        except ReplayClosedError as error:
            caught.append(error)

    session = Answering([])
    with context.listening(session), inherited():
        thread = threading.Thread(target=late)
        thread.start()
    with _during(during):
        go.set()
        thread.join()

    assert len(caught) == 1
    assert len(session.told) == 1
    assert RAN == []


def test_a_thread_that_outlives_its_recording_runs_unrecorded() -> None:
    go = threading.Event()
    recorder = Recorder()
    with context.listening(recorder), inherited():
        thread = threading.Thread(target=lambda: (go.wait(60), tool("late")))
        thread.start()
    go.set()
    thread.join()

    assert RAN == ["late"]
    assert recorder.calls() == ()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of os.fork in a process with threads
@pytest.mark.parametrize(("session", "expected"), [(Recorder(), 0), (Answering([]), 3)], ids=["recording", "replay"])
def test_a_forked_process(session: Any, expected: int) -> None:
    with context.listening(session), inherited():
        child = os.fork()
        if child == 0:
            try:
                tool("child")
                os._exit(0)
            except ReplayClosedError:
                os._exit(3)
            finally:
                os._exit(4)
        _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == expected
    assert RAN == []
    assert not isinstance(session, Recorder) or session.calls() == ()


def test_everything_is_put_back() -> None:
    def patched() -> list[Any]:
        return [threading.Thread.start, ThreadPoolExecutor.submit, base_events.BaseEventLoop.create_task]

    before = patched()
    with inherited():
        during = patched()
        with inherited():
            assert patched() == during
        assert patched() == during
    assert patched() == before
    assert all(one is not other for one, other in zip(before, during, strict=True))


def test_what_somebody_else_has_put_over_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    original = threading.Thread.start
    with inherited():
        ours = threading.Thread.start

        def theirs(self: threading.Thread) -> None:
            RAN.append("theirs")
            ours(self)

        monkeypatch.setattr(threading.Thread, "start", theirs)
    thread = threading.Thread(target=tool, args=("x",))
    thread.start()
    thread.join()

    assert RAN == ["theirs", "x"]
    monkeypatch.setattr(threading.Thread, "start", original)


def test_a_thread_that_cannot_start_keeps_its_run() -> None:
    def run() -> None:
        thread = threading.Thread(target=tool, args=(1,))
        thread.start()
        thread.join()
        with pytest.raises(RuntimeError, match="once"):
            thread.start()
        assert "run" not in vars(thread)

    recorded(run)


def test_one_session_at_a_time() -> None:
    with (
        context.listening(Recorder()),
        pytest.raises(CaptureError, match="in this process already"),
        context.listening(Recorder()),
    ):
        pass


def _bare(work: Any) -> BaseException | None:
    """Run `work` in a thread that nobody has told anything; what it raised."""
    done = threading.Lock()
    done.acquire()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)
        finally:
            done.release()

    _thread.start_new_thread(run, ())
    done.acquire()
    return failed[0] if failed else None


@contextmanager
def _during(what: str) -> Iterator[None]:
    if what == "nothing":
        yield
    else:
        with context.listening(Recorder() if what == "recording" else Answering([])), inherited():
            yield

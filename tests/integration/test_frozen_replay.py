"""A recorded program is replayed against its own recording, in this process: threads, tasks, processes, failures."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

import stepfork
from stepfork.config.project import Settings
from stepfork.errors import (
    CaptureError,
    EntrypointError,
    RecordedDependencyError,
    ReplayClosedError,
    ReplayExhaustedError,
    ReplayMismatchError,
    UsageError,
)
from stepfork.store.bundle import read_bundle
from stepfork.store.drafts import CAUSES
from stepfork.trace.fixture import Fixture
from stepfork.workflows.frozen import FrozenRequest, FrozenResult, frozen_replay
from stepfork.workflows.running import wait_for_threads

RAN: list[str] = []
"""The bodies that ran, in order."""


class SoldOutError(Exception):
    """A failure of a tool's own, with more than a message."""

    def __init__(self, flight: str, seats: int) -> None:
        super().__init__(flight, seats)
        self.flight = flight
        self.seats = seats


@stepfork.trace_tool
def search(city: Any) -> dict[str, Any]:
    """A tool."""
    RAN.append(f"search {city}")
    return {"flights": [f"{city}-1", f"{city}-2"], "at": datetime.now(UTC), "by": "ada@example.org"}


@stepfork.trace_tool
def book(flight: str, who: str = "") -> str:
    """A tool that others are made inside of."""
    RAN.append(f"book {flight}")
    return f"{flight} for {who}: {len(search(flight)['flights'])}"


@stepfork.trace_tool
async def wait_for(number: int) -> int:
    """A tool that is awaited."""
    RAN.append(f"wait_for {number}")
    await asyncio.sleep(0)
    return number * 10


@stepfork.trace_tool
def fail(how: str) -> None:
    """A tool that fails."""
    RAN.append(f"fail {how}")
    if how == "timeout":
        raise TimeoutError("too slow")
    if how == "local":
        local = type("LocalError", (Exception,), {"__module__": "gone.with.the.wind"})
        raise local("nobody knows me")
    raise SoldOutError(how, 0)


@pytest.fixture(autouse=True)
def nothing_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    RAN.clear()
    monkeypatch.chdir(tmp_path)


def recorded(agent: Callable[..., Any], *given: Any) -> Fixture:
    """What a run of `agent` is recorded as."""
    shutil.rmtree("run.sftrace", ignore_errors=True)
    with contextlib.suppress(SoldOutError), stepfork.record("run", output="run.sftrace") as capture:
        if asyncio.iscoroutinefunction(agent):
            asyncio.run(capture.arun(agent, *given))
        else:
            capture.run(agent, *given)
    RAN.append("-")
    return read_bundle(Path("run.sftrace"))


def replayed(fixture: Fixture, agent: Callable[..., Any], **options: Any) -> FrozenResult:
    """How `agent` does against a recording."""
    RAN.clear()
    request = FrozenRequest(fixture, agent, Settings(), dict(os.environ), Path.cwd(), **options)
    return frozen_replay(request)


def booking(task: dict[str, Any]) -> dict[str, Any]:
    """An agent that does one thing after another."""
    found = search(task["city"])
    said = book(found["flights"][0], who=found["by"])
    return {"said": said, "year": found["at"].tzinfo is not None}


def test_a_run_replays_against_its_own_recording_and_no_body_runs() -> None:
    fixture = recorded(booking, {"city": "Paris"})
    result = replayed(fixture, booking)
    assert (result.causes, result.ending, result.passed, result.same_output) == ((), None, True, True)
    assert RAN == []
    assert result.substituted == {"search": 1, "book": 1}
    assert result.ran == {}
    assert [(call.name, call.failed) for call in result.calls] == [("search", False), ("book", False)]
    assert result.calls[0].arguments == {"city": "Paris"}
    assert result.value["year"] is True


def threaded(_: Any) -> list[Any]:
    """Calls from threads, executors and tasks, joined in different ways."""
    cities = ["Oslo", "Rome", "Bern", "Riga"]
    with ThreadPoolExecutor(3) as pool:
        mapped = [found["flights"] for found in pool.map(search, cities)]
        futures = [pool.submit(book, city) for city in cities]
        booked = [future.result() for future in futures]
    threads = [threading.Thread(target=search, args=(city,)) for city in cities]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def gathered() -> list[Any]:
        aside = asyncio.to_thread(search, "Lima")
        many = asyncio.gather(*(wait_for(number) for number in range(4)))
        return [await many, (await aside)["flights"]]

    return [mapped, booked, asyncio.run(gathered())]


def test_calls_of_threads_executors_and_tasks_are_answered_and_their_bodies_never_run() -> None:
    fixture = recorded(threaded, None)
    for _ in range(5):
        result = replayed(fixture, threaded)
        assert (result.causes, result.passed, result.same_output) == ((), True, True)
        assert RAN == []
        assert result.substituted == {"search": 9, "book": 4, "wait_for": 4}


async def in_order(numbers: list[int]) -> list[int]:
    """Tasks that are gathered in the order that was asked for."""
    return sorted(await asyncio.gather(*(wait_for(number) for number in numbers)))


def test_tasks_that_come_in_another_order_are_answered_each_with_its_own() -> None:
    fixture = recorded(in_order, [1, 2, 3])
    result = replayed(fixture, lambda _: in_order([3, 1, 2]))
    assert (result.causes, result.value) == ((), [10, 20, 30])
    result = replayed(fixture, lambda _: in_order([3, 1, 4]))
    assert len(result.causes) == 1
    assert "wait_for" in result.causes[0]
    assert not result.passed


def swallowing(*calls: tuple[Callable[..., Any], Any]) -> Callable[[Any], str]:
    """An agent that makes calls and hides whatever they raise."""

    def agent(_: Any) -> str:
        for function, given in calls:
            with contextlib.suppress(Exception):
                function(given)
        return "all is well"

    return agent


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        ([(search, "Oslo"), (search, "Rome"), (search, "Bern")], "call 3 is search, and 2 calls were recorded"),
        ([(search, "Oslo")], "call 2 was recorded and not made: search"),
        ([(search, "Rome"), (search, "Oslo")], "call 1 of 2 (search) has another input at 'city'"),
        ([(book, "Oslo"), (search, "Rome")], "call 1 of 2 is book, recorded was search"),
        ([(search, "Oslo"), (search, ["Rome"])], "call 2 of 2 (search) has another input at 'city'"),
        ([], "call 1 was recorded and not made"),
    ],
)
def test_a_swallowed_divergence_fails_and_its_body_never_runs(calls: list[Any], says: str) -> None:
    fixture = recorded(swallowing((search, "Oslo"), (search, "Rome")), None)
    result = replayed(fixture, swallowing(*calls))
    assert RAN == []
    assert result.value == "all is well"
    assert not result.passed
    assert says in result.causes[0]


def test_a_divergence_reaches_the_program_as_an_error_of_its_kind() -> None:
    fixture = recorded(swallowing((search, "Oslo")), None)
    assert isinstance(replayed(fixture, lambda _: search("Rome")).error, ReplayMismatchError)
    assert isinstance(replayed(fixture, lambda _: (search("Oslo"), search("Oslo"))).error, ReplayExhaustedError)


def failing(_: Any) -> list[Any]:
    """An agent that knows what its tools raise."""
    seen: list[Any] = []
    try:
        fail("timeout")
    except TimeoutError as error:
        seen += [type(error).__name__, str(error)]
    try:
        fail("A")
    except SoldOutError as error:
        seen += [error.flight, error.seats]
    return seen


def test_a_recorded_failure_is_raised_in_its_own_class() -> None:
    fixture = recorded(failing, None)
    result = replayed(fixture, failing)
    assert (result.causes, result.value, RAN) == ((), ["TimeoutError", "too slow", "A", 0], [])
    assert [call.failed for call in result.calls] == [True, True]


def test_a_class_that_is_not_loaded_here_is_no_reason_to_import_anything() -> None:
    def agent(_: Any) -> str:
        try:
            fail("local")
        except RecordedDependencyError as error:
            return str(error)
        except Exception:
            return "its own class"
        return ""

    fixture = recorded(agent, None)
    result = replayed(fixture, agent)
    assert result.value == "the recorded call raised LocalError: nobody knows me"
    assert result.passed


def test_what_a_program_does_to_an_answer_reaches_nothing() -> None:
    def twice(_: Any) -> list[Any]:
        first = search("Oslo")
        first["flights"].append("mine")
        first.clear()
        return search("Oslo")["flights"]  # type: ignore[no-any-return]

    fixture = recorded(twice, None)
    before = msgspec.to_builtins(fixture)
    for _ in range(2):
        assert replayed(fixture, twice).value == ["Oslo-1", "Oslo-2"]
    assert msgspec.to_builtins(fixture) == before


def test_a_thread_that_the_replay_did_not_start_is_refused_and_fails_it() -> None:
    gate, done = threading.Event(), threading.Event()
    said: list[BaseException] = []

    def stranger() -> None:
        gate.wait(10)
        try:
            search("Oslo")
        except BaseException as error:
            said.append(error)
        done.set()

    def agent(_: Any) -> str:
        gate.set()
        done.wait(10)
        return "all is well"

    fixture = recorded(swallowing((search, "Oslo")), None)
    thread = threading.Thread(target=stranger)
    thread.start()
    result = replayed(fixture, agent)
    thread.join()
    assert RAN == []
    assert [type(error) for error in said] == [ReplayClosedError]
    assert any("thread that the replay did not start" in cause for cause in result.causes)


def test_a_thread_that_outlives_the_replay_is_refused() -> None:
    gate = threading.Event()
    said: list[BaseException] = []
    threads: list[threading.Thread] = []

    def late() -> None:
        gate.wait(10)
        try:
            search("Rome")
        except BaseException as error:
            said.append(error)

    def agent(_: Any) -> None:
        search("Oslo")
        threads.append(threading.Thread(target=late, daemon=True))
        threads[0].start()

    fixture = recorded(swallowing((search, "Oslo")), None)
    replayed(fixture, agent)
    gate.set()
    threads[0].join(10)
    assert RAN == []
    assert [type(error) for error in said] == [ReplayClosedError]


def test_threads_that_are_not_joined_are_waited_for() -> None:
    def agent(_: Any) -> str:
        threading.Thread(target=lambda: [search("Oslo"), search("Rome")]).start()
        return "gone"

    fixture = recorded(swallowing((search, "Oslo"), (search, "Rome")), None)
    assert replayed(fixture, agent).causes == ()
    wait_for_threads(set(threading.enumerate()), lambda: False)


def in_process_of_its_own(city: str) -> str:
    """What a worker does: hides that its call was refused."""
    try:
        search(city)
    except ReplayClosedError:
        return "refused"
    except Exception as error:
        return type(error).__name__
    return f"ran in {os.getpid()}"


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_call_in_another_process_is_refused_and_fails_the_replay(method: Any) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    fixture = recorded(swallowing((search, "Oslo")), None)

    def agent(_: Any) -> list[str]:
        search("Oslo")
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
            return list(pool.map(in_process_of_its_own, ["Rome", "Bern"]))

    result = replayed(fixture, agent)
    assert result.value == ["refused", "refused"]
    assert not result.passed
    assert any("process" in cause for cause in result.causes)


async def asking(task: dict[str, Any]) -> int:
    """An asynchronous agent."""
    return await wait_for(task["number"])


def generating(task: dict[str, Any]) -> Iterator[Any]:
    """An agent that yields what it has so far."""
    for city in task["cities"]:
        yield search(city)["flights"][0]


async def streaming(task: dict[str, Any]) -> AsyncIterator[int]:
    """An asynchronous agent that does."""
    for number in task["numbers"]:
        yield await wait_for(number)


def test_asynchronous_and_generating_entrypoints_run_to_their_end() -> None:
    fixture = recorded(asking, {"number": 4})
    assert replayed(fixture, asking).value == 40
    fixture = recorded(lambda task: list(generating(task)), {"cities": ["Oslo", "Rome"]})
    assert replayed(fixture, generating).value == ["Oslo-1", "Rome-1"]

    async def all_of(task: dict[str, Any]) -> list[int]:
        return [number async for number in streaming(task)]

    fixture = recorded(all_of, {"numbers": [1, 2]})
    assert replayed(fixture, streaming).value == [10, 20]


def test_an_asynchronous_entrypoint_runs_while_a_loop_runs_here() -> None:
    fixture = recorded(asking, {"number": 4})

    async def outside() -> FrozenResult:
        return replayed(fixture, asking)

    result = asyncio.run(outside())
    assert (result.causes, result.value) == ((), 40)


def ending(how: BaseException | None) -> Callable[[Any], str]:
    """An agent that ends in one way or another, after a call."""

    def agent(_: Any) -> str:
        search("Oslo")
        if how is not None:
            raise how
        return "well"

    return agent


def test_an_entrypoint_that_raises_is_compared_with_the_recorded_end() -> None:
    fixture = recorded(ending(None), None)
    for error in (ValueError("bad"), SystemExit(3), asyncio.CancelledError()):
        result = replayed(fixture, ending(error))
        assert result.error is error
        assert result.causes == ()
        assert result.ending is not None
        assert type(error).__name__ in result.ending
        assert not result.passed
    fixture = recorded(ending(SoldOutError("A", 1)), None)
    assert fixture.run.trace.status == "error"
    assert replayed(fixture, ending(SoldOutError("A", 1))).passed
    assert replayed(fixture, ending(ValueError("A"))).ending is not None
    healed = replayed(fixture, ending(None))
    assert (healed.passed, healed.causes, healed.value) == (False, (), "well")


def test_an_interrupt_goes_on_and_the_next_replay_can_begin() -> None:
    fixture = recorded(ending(None), None)
    with pytest.raises(KeyboardInterrupt):
        replayed(fixture, ending(KeyboardInterrupt()))
    assert replayed(fixture, ending(None)).passed


def test_what_an_entrypoint_raises_is_told_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "x9" + "Kq27Lm" * 4
    monkeypatch.setenv("SHOP_API_KEY", secret)
    result = replayed(recorded(ending(None), None), ending(ValueError(f"denied for {secret}")))
    assert result.ending is not None
    assert secret not in repr(result)
    assert "[redacted]" in result.ending


def test_a_live_tool_runs_and_what_it_calls_is_answered() -> None:
    fixture = recorded(booking, {"city": "Paris"})
    result = replayed(fixture, booking, mode="live", allow_live=("book",))
    assert (result.causes, RAN) == ((), ["book Paris-1"])
    assert result.substituted == {"search": 2}
    assert result.ran == {"book": 1}

    def other(task: dict[str, Any]) -> Any:
        found = search(task["city"])
        return book(found["flights"][1], who=found["by"])

    result = replayed(fixture, other, mode="live", allow_live=("book",))
    assert RAN == [], "the call is held against the recording before it runs"
    assert not result.passed


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"mode": "live"}, "names no tool that may run"),
        ({"mode": "live", "allow_live": ("erase",)}, "has no instrumented call 'erase'"),
        ({"allow_live": ("book",)}, "mode frozen runs no tool"),
        ({"mode": "warm"}, "there is no mode warm"),
    ],
)
def test_modes_that_make_no_sense_are_refused_before_anything_runs(options: dict[str, Any], says: str) -> None:
    fixture = recorded(booking, {"city": "Paris"})
    with pytest.raises(UsageError, match=says):
        replayed(fixture, booking, **options)
    assert RAN == []


def test_what_cannot_be_answered_is_never_a_pass() -> None:
    fixture = recorded(booking, {"city": "Paris"})
    nothing = msgspec.structs.replace(fixture.run.trace, steps=())
    replace = msgspec.structs.replace
    with pytest.raises(UsageError, match="holds no calls"):
        replayed(replace(fixture, run=replace(fixture.run, trace=nothing)), lambda _: None)
    with pytest.raises(UsageError, match="is the draft"):
        replayed(replace(fixture, extensions={CAUSES: ["it broke off"]}), booking)
    steps = list(fixture.run.trace.steps)
    steps[-1] = replace(steps[-1], result=msgspec.UNSET)
    unended = replace(fixture.run.trace, steps=tuple(steps))
    with pytest.raises(UsageError, match="has no recorded end"):
        replayed(replace(fixture, run=replace(fixture.run, trace=unended)), booking)


def test_an_entrypoint_that_cannot_be_called_with_the_recorded_input_is_told() -> None:
    fixture = recorded(booking, {"city": "Paris"})
    assert replayed(fixture, lambda: booking({"city": "Paris"})).passed, "it takes no input"
    with pytest.raises(EntrypointError, match="missing a required argument"):
        replayed(fixture, lambda task, other: booking(task))
    replace = msgspec.structs.replace
    without = replace(fixture, run=replace(fixture.run, trace=replace(fixture.run.trace, input=msgspec.UNSET)))
    with pytest.raises(EntrypointError, match="the recorded run has no input"):
        replayed(without, booking)


def test_a_call_s_own_arguments_are_given_back_with_their_types() -> None:
    def agent(when: datetime, *rest: int, mark: set[str]) -> list[Any]:
        search(when)
        return [when.year, sum(rest), sorted(mark)]

    with stepfork.record("run", output="run.sftrace") as capture:
        capture.run(agent, datetime(2001, 2, 3, tzinfo=UTC), 4, 5, mark={"b", "a"})
    result = replayed(read_bundle(Path("run.sftrace")), agent)
    assert (result.causes, result.value) == ((), [2001, 9, ["a", "b"]])


def test_one_replay_runs_at_a_time_and_none_in_a_recording() -> None:
    fixture = recorded(booking, {"city": "Paris"})

    def nested(_: Any) -> None:
        replayed(fixture, booking)

    assert isinstance(replayed(fixture, nested).error, CaptureError)
    with pytest.raises(CaptureError), stepfork.record("other", output="other.sftrace"):
        replayed(fixture, booking)
    assert replayed(fixture, booking).passed

"""Work that a thread hands out at once is one group, however fast each piece is; work that it waits for is not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from typing import Any

import pytest

import stepfork
from stepfork.instrument import context
from stepfork.instrument.forking import inherited
from stepfork.instrument.recorder import Recorder


@stepfork.trace_tool
def fetch(what: int) -> int:
    return what


def forks_of(block: Callable[[], Any]) -> list[int]:
    """The counts of events at which the lines of control were started that the calls were made on."""
    recorder = Recorder()
    with context.listening(recorder), inherited():
        block()
    return [call.forks[0][1] for call in sorted(recorder.calls(), key=lambda call: call.asked.arguments["what"])]  # type: ignore[call-overload,index,arg-type,return-value]


def submitted() -> None:
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(fetch, 0)
        _wait_unseen(first.done)
        pool.submit(fetch, 1)


def mapped() -> None:
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(fetch, range(8))) == [*range(8)]


def started() -> None:
    threads = [threading.Thread(target=fetch, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
        _wait_unseen(lambda thread=thread: not thread.is_alive())
    for thread in threads:
        thread.join()


def _wait_unseen(done: Callable[[], bool]) -> None:
    """The piece happens to be done before the next one is handed out."""
    while not done():
        threading.Event().wait(0.001)


@pytest.mark.parametrize("block", [submitted, mapped, started])
def test_pieces_handed_out_at_once_begin_at_once(block: Callable[[], None]) -> None:
    assert set(forks_of(block)) == {0}


def by_result() -> None:
    with ThreadPoolExecutor(2) as pool:
        for number in range(3):
            pool.submit(fetch, number).result()


def by_exception() -> None:
    with ThreadPoolExecutor(2) as pool:
        for number in range(3):
            assert pool.submit(fetch, number).exception() is None


def by_join() -> None:
    for number in range(3):
        thread = threading.Thread(target=fetch, args=(number,))
        thread.start()
        thread.join()


def by_queue() -> None:
    queue: Queue[int] = Queue()
    for number in range(3):
        thread = threading.Thread(target=lambda number=number: queue.put(fetch(number)))
        thread.start()
        queue.get()
        _wait_unseen(lambda thread=thread: not thread.is_alive())


def by_a_pool_of_its_own() -> None:
    for number in range(3):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(fetch, number)


@pytest.mark.parametrize("block", [by_result, by_exception, by_join, by_queue, by_a_pool_of_its_own])
def test_pieces_that_were_waited_for_begin_in_turn(block: Callable[[], None]) -> None:
    assert forks_of(block) == [0, 2, 4]


def test_a_call_of_its_own_in_between_ends_what_was_handed_out_at_once() -> None:
    def block() -> None:
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(fetch, 0)
            _wait_unseen(first.done)
            stepfork.trace_tool(lambda number: number, name="own")(5)
            pool.submit(fetch, 1)

    recorder = Recorder()
    with context.listening(recorder), inherited():
        block()
    assert [call.forks[0][1] for call in recorder.calls() if call.forks] == [0, 4]

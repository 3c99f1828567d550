"""A callable of this process run to its end: awaited where it is asynchronous, and with it the threads it started."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

SECONDS = 5.0
"""How long threads that a program has started are waited for once it has returned."""
_STEP = 0.02


def run_to_end(call: Callable[[], Any]) -> Any:
    """What a call comes to: a coroutine's result, the items of a generator, else what it returned.

    Runs an event loop of its own, in another thread where one runs in this one already.
    """
    made = call()
    if inspect.isawaitable(made) or inspect.isasyncgen(made):
        return _in_loop(_awaited(made))
    return list(made) if inspect.isgenerator(made) else made


def wait_for_threads(before: set[threading.Thread], is_done: Callable[[], bool]) -> None:
    """Wait for the threads that were started since `before` and that Python would wait for at its own end. Those of an
    executor stay when their work is done, so they are waited for until `is_done`. At most SECONDS."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        started = [thread for thread in threading.enumerate() if thread not in before and not thread.daemon]
        pooled = _pooled()
        waiting = [thread for thread in started if thread not in pooled]
        if not waiting and (not started or is_done()):
            return
        (waiting or started)[0].join(_STEP)


async def _awaited(made: Any) -> Any:
    if inspect.isasyncgen(made):
        return [item async for item in made]
    return await made


def _in_loop(coroutine: Any) -> Any:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    ended: Future[Any] = Future()

    def run() -> None:
        try:
            ended.set_result(asyncio.run(coroutine))
        except BaseException as error:
            ended.set_exception(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,))
    thread.start()
    thread.join()
    return ended.result()


def _pooled() -> set[threading.Thread]:
    """The threads of executors (of `concurrent.futures`)."""
    executors = sys.modules.get("concurrent.futures.thread")
    return set(getattr(executors, "_threads_queues", ()))

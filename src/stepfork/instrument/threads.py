"""Threads and executors: their work begins where it was handed over, and ends for whoever waits for it."""

from __future__ import annotations

import concurrent.futures
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import _base as futures
from functools import wraps
from typing import Any

from stepfork.instrument import awaited, context
from stepfork.instrument.context import Here
from stepfork.instrument.patching import Patches
from stepfork.instrument.strand import Strand

_WORK = "_stepfork_work"
"""The lines of the work that was handed to an executor."""


class _Starting(threading.local):
    """Whether this thread is handing work to a pool. The threads that a pool starts for it are the pool's: they outlive
    the work, so they carry nothing."""

    for_pool = False


_starting = _Starting()


def replace_threads(patches: Patches) -> None:
    """Have threads and executors carry, and mark, lines of control."""
    patches.put(threading.Thread, "start", _start)
    patches.put(threading.Thread, "join", _join)
    patches.put(concurrent.futures.ThreadPoolExecutor, "submit", _submit)
    patches.put(concurrent.futures.ThreadPoolExecutor, "shutdown", _shutdown)
    patches.put(futures.Future, "add_done_callback", _add_done_callback)
    for name in ("result", "exception"):
        patches.put(futures.Future, name, _looking)
    patches.put(futures, "_create_and_install_waiters", _completing)
    for owner in (futures, concurrent.futures):
        patches.put(owner, "wait", _wait)


def carrying(function: Callable[..., Any], place: Here) -> Callable[..., Any]:
    """`function`, at `place`."""

    @wraps(function, updated=())
    def carried(*args: Any, **kwargs: Any) -> Any:
        with context.carried(place):
            return function(*args, **kwargs)

    return carried


def _start(original: Any) -> Any:
    def start(self: threading.Thread) -> None:
        place = None if _starting.for_pool else context.forked()
        if place is None:
            original(self)
            return
        run, own = self.run, vars(self).get("run")

        def carried_run() -> None:
            _put_back(self, own)
            with context.carried(place):
                run()

        self.run = carried_run  # type: ignore[method-assign]
        try:
            original(self)
        except BaseException:
            _put_back(self, own)
            raise
        awaited.stands_for(self, place)

    return start


def _put_back(thread: threading.Thread, own: Any) -> None:
    """Give a thread its own `run` again."""
    if own is None:
        vars(thread).pop("run", None)
    else:
        thread.run = own  # type: ignore[method-assign]


def _join(original: Any) -> Any:
    def join(self: threading.Thread, timeout: float | None = None) -> None:
        original(self, timeout)
        if not self.is_alive():
            awaited.waited_for(self)

    return join


def _submit(original: Any) -> Any:
    def submit(self: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        place = context.forked()
        if place is None:
            return original(self, fn, *args, **kwargs)
        before, _starting.for_pool = _starting.for_pool, True
        try:
            future = original(self, carrying(fn, place), *args, **kwargs)
        finally:
            _starting.for_pool = before
        awaited.stands_for(future, place)
        vars(self).setdefault(_WORK, []).append(place.strand)
        return future

    return submit


def _shutdown(original: Any) -> Any:
    def shutdown(self: Any, wait: bool = True, **kwargs: Any) -> None:
        original(self, wait, **kwargs)
        if wait:
            work: list[Strand] = vars(self).get(_WORK, [])
            for strand in work:
                context.over(strand, surely=True)
            work.clear()

    return shutdown


def _looking(original: Any) -> Any:
    def look(self: Any, timeout: float | None = None) -> Any:
        try:
            return original(self, timeout)
        finally:
            if awaited.line_of(self) is not None and self.done():
                awaited.waited_for(self, surely=False)

    return look


def _completing(original: Any) -> Any:
    def create(fs: Iterable[Any], return_when: str) -> Any:
        if return_when == futures._AS_COMPLETED:  # type: ignore[attr-defined]
            awaited.raced(fs)
        return original(fs, return_when)

    return create


def _wait(original: Any) -> Any:
    def wait(fs: Iterable[Any], timeout: float | None = None, return_when: str = futures.ALL_COMPLETED) -> Any:
        waited = set(fs)
        is_race = return_when != futures.ALL_COMPLETED
        if is_race:
            awaited.raced(waited)
        found = original(waited, timeout, return_when)
        if not found.not_done and not is_race:
            for future in waited:
                awaited.waited_for(future)
        return found

    return wait


def _add_done_callback(original: Any) -> Any:
    def add_done_callback(self: Any, fn: Callable[[Any], object]) -> None:
        place = context.forked()
        original(self, fn if place is None else carrying(fn, place))

    return add_done_callback

"""Threads, executors and tasks that are started while a session listens know where they were started.

Threads begin with an empty context, and tasks with a copy that does not say where they forked. What starts them is
replaced while somebody listens, and put back afterwards.
"""

from __future__ import annotations

import threading
from asyncio import base_events
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from queue import Queue
from typing import Any

from stepfork.instrument import context

_lock = threading.Lock()
_listening: list[object] = []
_undo: list[Callable[[], None]] = []


class _Starting(threading.local):
    """Whether this thread is handing work to a pool. The threads that a pool starts for it are the pool's: they outlive
    the work, so they carry nothing."""

    for_pool = False


_starting = _Starting()


@contextmanager
def inherited() -> Iterator[None]:
    """Have threads, work handed to executors, and tasks carry the context of whoever starts them. May be nested."""
    me = object()
    with _lock:
        _listening.append(me)
        if len(_listening) == 1:
            _patch(threading.Thread, "start", _thread_start)
            _patch(ThreadPoolExecutor, "submit", _submit)
            _patch(base_events.BaseEventLoop, "create_task", _create_task)
            for owner, name in ((Future, "result"), (Future, "exception"), (threading.Thread, "join"), (Queue, "get")):
                _patch(owner, name, _looking)
    try:
        yield
    finally:
        with _lock:
            _listening.remove(me)
            if not _listening:
                while _undo:
                    _undo.pop()()


def _patch(owner: type, name: str, made: Callable[[Any], Any]) -> None:
    original = vars(owner)[name]
    replacement = wraps(original)(made(original))
    setattr(owner, name, replacement)

    def undo() -> None:
        if vars(owner)[name] is replacement:  # else somebody has put another one over it, which still calls this one
            setattr(owner, name, original)

    _undo.append(undo)


def _thread_start(original: Any) -> Any:
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

    return start


def _put_back(thread: threading.Thread, own: Any) -> None:
    """Give a thread its own `run` again."""
    if own is None:
        vars(thread).pop("run", None)
    else:
        thread.run = own  # type: ignore[method-assign]


def _submit(original: Any) -> Any:
    def submit(self: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        place = context.forked()
        if place is None:
            return original(self, fn, *args, **kwargs)

        @wraps(fn, updated=())
        def carried_fn(*args: Any, **kwargs: Any) -> Any:
            with context.carried(place):
                return fn(*args, **kwargs)

        before, _starting.for_pool = _starting.for_pool, True
        try:
            return original(self, carried_fn, *args, **kwargs)
        finally:
            _starting.for_pool = before

    return submit


def _create_task(original: Any) -> Any:
    def create_task(self: Any, coro: Any, **kwargs: Any) -> Any:
        place = context.forked()
        if place is None:
            return original(self, coro, **kwargs)
        token = context.inherit(place, kwargs.get("context"))
        try:
            return original(self, coro, **kwargs)
        finally:
            context.leave(token)

    return create_task


def _looking(original: Any) -> Any:
    def look(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        finally:
            context.looked()

    return look

"""Tasks of asyncio, and what loops hand to threads, begin where they were made and end for whoever awaits them."""

from __future__ import annotations

import asyncio
import contextvars
import sys
import threading
from asyncio import base_events, events, futures, taskgroups, tasks
from collections.abc import Callable, Collection, Generator
from importlib import import_module
from typing import Any

from stepfork.instrument import awaited, context
from stepfork.instrument.patching import Patches
from stepfork.instrument.strand import Strand
from stepfork.instrument.threads import carrying

_TASKS = "_stepfork_tasks"
_RACED = "_stepfork_raced"


class _Group(threading.local):
    """The lines of the group of tasks that this thread is making one for."""

    lines: list[Strand] | None = None


_group = _Group()


class _Waiting:
    """A future that notices that it is waited for."""

    def __await__(self) -> Generator[Any, None, Any]:
        try:
            return (yield from super().__await__())  # type: ignore[misc]
        finally:
            _looked(self)

    __iter__ = __await__

    def result(self) -> Any:
        try:
            return super().result()  # type: ignore[misc]
        finally:
            _looked(self)

    def exception(self) -> BaseException | None:
        try:
            return super().exception()  # type: ignore[misc,no-any-return]
        finally:
            _looked(self)


class Task(_Waiting, asyncio.Task[Any]):
    """A task whose end is known to whoever awaits it."""

    def add_done_callback(  # noqa: D102 - as asyncio.Task
        self, fn: Callable[[Any], object], /, *, context: contextvars.Context | None = None
    ) -> None:
        if getattr(fn, "__qualname__", "").startswith(("as_completed.", "_AsCompletedIterator.")):
            setattr(self, _RACED, True)  # which one it gives last is chance
        super().add_done_callback(fn, context=context)


class Future(_Waiting, asyncio.Future[Any]):
    """A future for what is done in a thread."""


def replace_tasks(patches: Patches) -> None:
    """Have tasks, and what loops hand to threads, carry, and mark, lines of control."""
    for loop in _kinds_of_loops():
        patches.put(loop, "create_task", _create_task)
    for owner in (futures, asyncio):
        patches.put(owner, "wrap_future", _wrap_future)
    for owner in (tasks, asyncio):
        patches.put(owner, "run_coroutine_threadsafe", _run_coroutine_threadsafe)
    patches.put(tasks, "_wait", _wait)
    patches.put(tasks._GatheringFuture, "__await__", _await_gathered)  # type: ignore[attr-defined]
    patches.put(taskgroups.TaskGroup, "create_task", _create_in_group)
    patches.put(taskgroups.TaskGroup, "__aexit__", _leave_group)
    if "anyio" in sys.modules:  # which loads this part of it when its first loop runs
        backend: Any = import_module("anyio._backends._asyncio")
        patches.put(backend.TaskGroup, "_spawn", _create_in_group)
        patches.put(backend.TaskGroup, "__aexit__", _leave_group)
        patches.put(backend.AsyncIOBackend, "run_sync_in_worker_thread", _run_sync)


def _kinds_of_loops() -> list[type]:
    """asyncio's loops, and those of others that have a class of Python's (uvloop)."""
    kinds: list[type] = [base_events.BaseEventLoop]
    waiting: list[type] = [events.AbstractEventLoop]
    while waiting:
        kind = waiting.pop()
        waiting.extend(kind.__subclasses__())
        if kind is not events.AbstractEventLoop and not issubclass(kind, base_events.BaseEventLoop):
            kinds.append(kind)
    return kinds


def _looked(waited: Any) -> None:
    if awaited.line_of(waited) is not None and waited.done() and not getattr(waited, _RACED, False):
        awaited.waited_for(waited, surely=False)


def _create_task(original: Any) -> Any:
    def create_task(self: Any, coro: Any, **kwargs: Any) -> Any:
        place = context.handed() or context.forked()
        if place is None:
            return original(self, coro, **kwargs)
        token = context.inherit(place, kwargs.get("context"))
        is_ours = self.get_task_factory() is None
        try:
            if is_ours:
                self.set_task_factory(_task)
            task = original(self, coro, **kwargs)
        finally:
            if is_ours:
                self.set_task_factory(None)
            context.leave(token)
        awaited.stands_for(task, place)
        if _group.lines is not None:
            _group.lines.append(place.strand)
        return task

    return create_task


def _task(loop: Any, coro: Any, **kwargs: Any) -> Any:
    return Task(coro, loop=loop, **kwargs)


def _wrap_future(original: Any) -> Any:
    def wrap_future(future: Any, *, loop: Any = None) -> Any:
        if futures.isfuture(future) or awaited.line_of(future) is None:
            return original(future, loop=loop)
        made = Future(loop=loop)
        futures._chain_future(future, made)  # type: ignore[attr-defined]
        awaited.same_line(made, future)
        return made

    return wrap_future


def _run_coroutine_threadsafe(original: Any) -> Any:
    def run_coroutine_threadsafe(coro: Any, loop: Any) -> Any:
        place = context.forked()
        if place is None:
            return original(coro, loop)
        with context.handing(place):
            future = original(coro, loop)
        awaited.stands_for(future, place)
        return future

    return run_coroutine_threadsafe


def _await_gathered(original: Any) -> Any:
    def waiting(self: Any) -> Generator[Any, None, Any]:
        result = yield from original(self)
        _gathered(self._children)
        return result

    return waiting


def _gathered(children: Collection[Any]) -> None:
    waiting = list(children)
    while waiting:
        child = waiting.pop()
        waiting.extend(getattr(child, "_children", ()))
        if awaited.line_of(child) is not None and child.done():
            awaited.waited_for(child)


def _wait(original: Any) -> Any:
    async def wait(fs: Collection[Any], timeout: Any, return_when: str, loop: Any) -> Any:
        is_race = return_when != tasks.ALL_COMPLETED
        if is_race:
            awaited.raced(fs)
        done, pending = await original(fs, timeout, return_when, loop)
        if not is_race and not pending:
            _gathered(done)
        return done, pending

    return wait


def _create_in_group(original: Any) -> Any:
    def create(self: Any, *args: Any, **kwargs: Any) -> Any:
        before, _group.lines = _group.lines, vars(self).setdefault(_TASKS, [])
        try:
            return original(self, *args, **kwargs)
        finally:
            _group.lines = before

    return create


def _leave_group(original: Any) -> Any:
    async def leave(self: Any, *failure: Any) -> Any:
        try:
            return await original(self, *failure)
        finally:
            for strand in vars(self).get(_TASKS, ()):
                context.over(strand, surely=True)

    return leave


def _run_sync(original: Any) -> Any:
    async def run_sync(cls: Any, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        place = context.forked()
        if place is None:
            return await original(cls, func, *args, **kwargs)
        result = await original(cls, carrying(func, place), *args, **kwargs)
        context.over(place.strand)
        return result

    return run_sync

"""A block of code of this process, its model calls and spans turned to a listener: what `record` and `playback` share.

What is turned are variables of the whole process, so one block runs at a time. A process that was forked inside a block
has a copy of it whose listener is its parent's: what the copy does goes into the parent's block.
"""

from __future__ import annotations

import asyncio
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Self, TypeVar

import msgspec

from stepfork.config.environment import environ
from stepfork.config.process import environment_turned
from stepfork.errors import CaptureError
from stepfork.instrument.tracers import flush_tracers
from stepfork.listener.call_log import Answers, CallLog
from stepfork.listener.environment import child_environment
from stepfork.listener.farewell import say_farewell
from stepfork.listener.forwarding import Forwarder
from stepfork.listener.routes import Route
from stepfork.listener.server import Listener
from stepfork.listener.tape import Progress
from stepfork.listener.watch import SETTLE_SECONDS, Recording, recording_of
from stepfork.listener.witness import Witness
from stepfork.workflows.one_block import RUNNING, busy

_T = TypeVar("_T")


class Block:
    """From `open` to `close`. `env` are the variables that lead to the listener, for programs that are started with an
    environment of their own; empty before the block is open."""

    def __init__(
        self,
        forwarder: Forwarder,
        environment: Callable[[str], Mapping[str, str]],
        routes: Sequence[Route],
        on_progress: Callable[[Progress], None] | None = None,
        answers: Answers | None = None,
    ) -> None:
        self.env: dict[str, str] = {}
        self._environment = environment
        self._routes = routes
        self._listener = Listener(forwarder, routes=routes, on_progress=on_progress, answers=answers)
        self._turned = ExitStack()
        self._process = 0
        self._notices: list[str] = []
        self._started_ns = self._ended_ns = 0

    @property
    def log(self) -> CallLog:
        """The instrumented calls of this process's children, and those that it adds itself."""
        return self._listener.log

    def tell(self, witness: Witness | None) -> None:
        """Who is told of what the listener hears, as it comes in. To be said before `open`."""
        self._listener.tell(witness)

    def open(self) -> None:
        """Turn the process to the listener. Raises CaptureError where a block runs already, or no port can be had."""
        process = os.getpid()
        if RUNNING.setdefault(process, self) is not self:
            raise busy()
        try:
            self._listen()
        except BaseException:
            del RUNNING[process]
            raise
        self._process = process
        self._started_ns = self._ended_ns = time.time_ns()

    def _listen(self) -> None:
        try:
            self._listener.__enter__()
        except OSError as error:
            raise CaptureError("no loopback port can be had", fix=error.strerror) from None
        try:
            base_url, before = self._listener.base_url, environ()
            turned = self._environment(base_url)
            leading = child_environment({}, base_url, self._routes).keys() & turned.keys()
            changed = {name for name, value in turned.items() if before.get(name) != value}
            self.env = {name: turned[name] for name in sorted(leading | changed)}
            self._turned.enter_context(environment_turned(turned))
        except BaseException:
            self._listener.__exit__(None, None, None)
            raise

    def hold(self, context: AbstractContextManager[_T]) -> _T:
        """Enter a context that is left when the block is closed, however that ends."""
        return self._turned.enter_context(context)

    def settle(self) -> None:
        """The code has run: have its spans exported, and wait for calls and exports that are still under way."""
        if self._is_forked:
            return
        self._ended_ns = time.time_ns()
        fault = flush_tracers()
        if fault is not None:
            self._notices.append(f"flushing the tracer provider {fault}; some spans may be missing")
        self._listener.settle(SETTLE_SECONDS)

    async def settled(self) -> None:
        """`settle` beside the event loop, whose other tasks may have the calls that are waited for. Loops of another
        kind than asyncio's stand still meanwhile."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self.settle()
        else:
            await asyncio.to_thread(self.settle)

    def close(self) -> Recording | None:
        """Turn the process back. What was heard; None in a process that was forked inside the block."""
        self._turned.close()
        if self._is_forked:
            return None
        door = self._listener.door()
        try:
            self._listener.__exit__(None, None, None)
        finally:
            del RUNNING[self._process]
            say_farewell(door)
        recording = recording_of(self._listener, exit_code=None, started_ns=self._started_ns, ended_ns=self._ended_ns)
        return msgspec.structs.replace(recording, notices=(*recording.notices, *self._notices))

    @property
    def _is_forked(self) -> bool:
        return os.getpid() != self._process


class BlockContext(ABC):
    """What ends a block, for ``with`` and ``async with``: `record` and `playback` say which block, whether what it did
    is a run, and what becomes of what was heard."""

    @abstractmethod
    def __enter__(self) -> Self:
        """Open a block."""

    @abstractmethod
    def _block(self) -> Block:
        """The block that was entered."""

    @abstractmethod
    def _is_run(self, error: BaseException | None) -> bool:
        """Whether what the block did, and raised, is a run."""

    @abstractmethod
    def _finish(self, recording: Recording | None, error: BaseException | None) -> None:
        """What becomes of it. `recording` is None in a process that was forked inside the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        block = self._block()
        try:
            if self._is_run(error):
                block.settle()
        finally:
            recording = block.close()
        self._finish(recording, error)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        block = self._block()
        try:
            if self._is_run(error):
                # Calls of other tasks of this loop are waited for, so it has to run.
                await block.settled()
        finally:
            recording = block.close()
        self._finish(recording, error)

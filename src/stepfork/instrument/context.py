"""Where a call is made: in which session, in whose body, on which line of control.

A `Here` travels in a context variable, so that it follows a call into tasks, and into threads that `forking` starts.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import count

from stepfork.errors import CaptureError, ReplayClosedError
from stepfork.instrument.session import Session
from stepfork.trace.call import Fork

Line = tuple[int, int]
"""A thread and a task in it; 0 for code that is in no task."""


@dataclass(frozen=True)
class Here:
    """`parent` is the call in whose body this is, `forks` the lines of control started since (see `trace/call.py`);
    `line` is the one that this holds of: another one that finds it has been forked from it."""

    session: Session
    line: Line
    parent: int | None = None
    forks: tuple[Fork, ...] = ()


_here: ContextVar[Here | None] = ContextVar("stepfork_here", default=None)
_numbers = count(1)
_NOBODYS: Line = (0, 0)
"""The line of a fork that has not looked yet."""
_current: list[tuple[int, Session]] = []
"""The session of this process, with the process's id: a fork's copy says nothing about the fork."""


def line() -> Line:
    """The thread and the task that ask."""
    asyncio = sys.modules.get("asyncio")
    task = None
    if asyncio is not None:
        try:
            task = asyncio.current_task()
        except RuntimeError:
            task = None
    return threading.get_ident(), 0 if task is None else id(task)


def current() -> Session | None:
    """The session that runs in this process, whoever asks."""
    return next((session for pid, session in _current if pid == os.getpid()), None)


def here() -> Here | None:
    """Where the caller is; None where nobody listens.

    Raises ReplayClosedError for a call during or after a replay that carries none of its context: its body must not run
    by mistake.
    """
    found, session = _here.get(), current()
    if found is not None and found.session is not session:
        if found.session.closed_to_strangers:
            raise ReplayClosedError("an instrumented call was made after its replay had ended")
        found = None
    if session is None:
        return None
    mine = line()
    if found is not None and found.line == mine:
        return found
    if found is not None and found.line == _NOBODYS:
        placed = replace(found, line=mine)
        _here.set(placed)
        return placed
    if found is None and session.closed_to_strangers:
        raise ReplayClosedError(
            "an instrumented call came from a thread that the replay did not start",
            fix="start threads and executors inside the replayed call",
        )
    forks = () if found is None else found.forks
    placed = Here(session, mine, None if found is None else found.parent, (*forks, (next(_numbers), session.count())))
    _here.set(placed)
    return placed


def forked() -> Here | None:
    """What a line of control that the caller is about to start finds: its fork is counted from now."""
    found = _here.get()
    if found is None or found.session is not current():
        return None
    return replace(found, line=_NOBODYS, forks=(*found.forks, (next(_numbers), found.session.count())))


@contextmanager
def at(place: Here) -> Iterator[None]:
    """Run code at `place`: the first line of control that looks makes it its own."""
    token = _here.set(replace(place, line=line()))
    try:
        yield
    finally:
        _here.reset(token)


@contextmanager
def listening(session: Session) -> Iterator[None]:
    """Make `session` the one of this process and of this context. Raises CaptureError where there is one."""
    if current() is not None:
        raise CaptureError("a recording or a replay of instrumented calls runs in this process already")
    entry = (os.getpid(), session)
    _current[:] = [entry]
    token = _here.set(Here(session, line()))
    try:
        yield
    finally:
        _here.reset(token)
        if entry in _current:
            _current.remove(entry)

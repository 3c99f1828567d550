"""Where a call is made: in which session, in whose body, on which line of control.

A `Here` travels in a context variable, so that it follows a call into tasks, and into threads that `forking` starts.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context, ContextVar, Token
from dataclasses import dataclass, field, replace
from itertools import count

from stepfork.errors import CaptureError, ReplayClosedError
from stepfork.instrument.elsewhere import refusals_file, tell_refusal
from stepfork.instrument.session import ClosedSession, OutsideSession, Session
from stepfork.instrument.strand import Strand
from stepfork.trace.call import PROCESSES, Fork

Line = tuple[int, int]
"""A thread and a task in it; 0 for code that is in no task."""


@dataclass(frozen=True)
class Here:
    """`parent` is the call in whose body this is, `forks` the lines of control started since (see `trace/call.py`);
    `line` is the one that this holds of: another one that finds it has been forked from it. `strand` is what this
    process knows of the line in this body. ``in_model``: the body is a model call's, so that a model call in it is the
    same one, made by a lower layer. ``instead_of`` holds the instrumented function that the body is about to call in
    the name of this call, until it has."""

    session: Session
    line: Line
    parent: int | None = None
    forks: tuple[Fork, ...] = ()
    strand: Strand = field(default_factory=Strand, compare=False, repr=False)
    in_model: bool = False
    instead_of: list[object] = field(default_factory=list, compare=False, repr=False)

    def stands_for(self, function: object) -> bool:
        """Whether `function`, which is called here, is called in the name of the call around it; true once."""
        return bool(self.instead_of) and self.instead_of[0] is function and _taken(self.instead_of)


def _taken(held: list[object]) -> bool:
    try:
        held.pop()
    except IndexError:  # by another thread meanwhile
        return False
    return True


_here: ContextVar[Here | None] = ContextVar("stepfork_here", default=None)
_numbers = count(1)
_outside: Callable[[], Session | None] | None = None
_NOBODYS: Line = (0, 0)
"""The line of a fork that has not looked yet."""
_NOT_ONE: Line = (-1, 0)
"""The line of what belongs to no caller."""
_current: list[tuple[int, Session]] = []
"""The session of this process, with the process's id: a fork's copy says nothing about the fork."""


class _Carried(threading.local):
    """Where the work that this thread does was handed to it, for work that brings a context of its own along, as that
    of `asyncio.to_thread` does: the context is older than the fork."""

    place: Here | None = None


_carried = _Carried()


_roots: weakref.WeakKeyDictionary[Session, Strand] = weakref.WeakKeyDictionary()
"""The lines on which watched programs begin."""


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
    if not _current:  # which is so in most programs that have tools
        return None
    return next((session for pid, session in _current if pid == os.getpid()), None)


def watched_by(outside: Callable[[], Session | None]) -> None:
    """Ask `outside` for a session, at each call, while this process has none of its own."""
    global _outside  # noqa: PLW0603 - this process's
    _outside = outside


def _hearing() -> Session | None:
    """The session of this process, else that of whoever watches it."""
    session = current()
    return session if session is not None or _outside is None else _outside()


def here() -> Here | None:
    """Where the caller is; None where nobody listens.

    Raises ReplayClosedError for a call during or after a replay that carries none of its context: its body must not run
    by mistake.
    """
    found, session = _here.get(), _hearing()
    if found is not None and found.session is not session:
        found = _forked_from(found, session)
    if found is not None and found.session is not session:
        if found.session.closed_to_strangers:
            raise _refused(found.session, "was made outside of its replay: after its end, or in a process of its own")
        found = None
    if session is None:
        if (file := refusals_file()) is not None:
            tell_refusal("an instrumented call was made in a process that the replay started", file)
            raise ReplayClosedError("an instrumented call was made in a process that a replay started")
        return None
    if found is None and session.closed_to_strangers:
        raise _refused(
            session,
            "came from a thread that the replay did not start",
            "start threads and executors inside the replayed call",
        )
    placed = _placed(found or _strangers(session))
    placed.strand.use()
    return placed


def forked(*, process: bool = False) -> Here | None:
    """What a line of control that the caller is about to start finds: its fork is counted from now. None for a caller
    who is in no session. Of a `process` nobody says when it was waited for."""
    found, session = _here.get(), _hearing()
    if found is None and isinstance(session, OutsideSession):
        found = _strangers(session)  # the first that a watched program does may be to start a thread
    if found is None or found.session is not session:
        return None
    return _forked(_placed(found), session.count(), PROCESSES if process else 0)


def mine() -> Strand | None:
    """The line of the caller, where it is its own code that asks; None in what an event loop calls on its behalf."""
    found, session = _here.get(), _hearing()
    if found is None and isinstance(session, OutsideSession):
        found = _strangers(session)
    if found is None or found.session is not session:
        return None
    return _placed(found).strand if _is_known(found, line()) else None


def over(strand: Strand | None, *, surely: bool = False) -> None:
    """The caller has waited for a line of control: it is over, and what he does from now on comes after it; `surely` as
    `Strand.learn` has it."""
    by = None if strand is None else mine()
    session = None if by is None else _hearing()
    if strand is not None and by is not None and session is not None:
        for known in by.learn(strand, surely=surely):
            session.joined(known.number)


@contextmanager
def at(place: Here) -> Iterator[None]:
    """Run code at `place`, which becomes the line of control's that runs it."""
    token = _here.set(replace(place, line=line()))
    try:
        yield
    finally:
        _reset(token)


@contextmanager
def carried(place: Here) -> Iterator[None]:
    """Do the work of a line of control that was started at `place`, as `forked` told it."""
    before, token = _carried.place, _here.set(place)
    _carried.place = place
    try:
        yield
    finally:
        _carried.place = before
        _reset(token)


_handed: ContextVar[Here | None] = ContextVar("stepfork_handed", default=None)


@contextmanager
def handing(place: Here) -> Iterator[None]:
    """What copies the context now is to make the task that was started at `place`."""
    token = _handed.set(place)
    try:
        yield
    finally:
        _handed.reset(token)


def handed() -> Here | None:
    """The place of the task that the caller is to make for somebody else; asked once."""
    place = _handed.get()
    if place is not None:
        _handed.set(None)
    return place


def inherit(place: Here, into: Context | None) -> Token[Here | None] | None:
    """Have contexts that are copied from now on begin at `place`, until `leave`; or the one context `into`."""
    if into is None:
        return _here.set(place)
    with suppress(RuntimeError):  # it is entered already: the one who runs there is found to be another line
        into.run(_here.set, place)
    return None


def leave(token: Token[Here | None] | None) -> None:
    """Undo `inherit`."""
    if token is not None:
        _reset(token)


def _refused(session: Session, how: str, fix: str | None = None) -> ReplayClosedError:
    what = f"an instrumented call {how}"
    if isinstance(session, ClosedSession):
        session.refused(what)
    return ReplayClosedError(what, fix=fix)


def number_lines_from(start: int) -> None:
    """Number lines of control that are started from now on from `start`: other processes number theirs."""
    global _numbers  # noqa: PLW0603 - this process's
    _numbers = count(start)


def begin_anew() -> None:
    """In a process that has just been forked: its only line of control was started where it forked."""
    place = forked(process=True)
    if place is not None:
        _here.set(place)


def _forked_from(found: Here, session: Session | None) -> Here:
    """A place of the session of the process that this one was forked from, in terms of `session`, which is what that
    process has its children tell their calls to; any other place as it is."""
    parents = [one for pid, one in _current if pid != os.getpid()]
    if not isinstance(session, OutsideSession) or not any(one is found.session for one in parents):
        return found
    return _forked(replace(found, session=session), session.count(), PROCESSES)


def _strangers(session: Session) -> Here:
    """Where code is that nobody placed: the main thread of a watched program where its process begins, all else on a
    line of its own."""
    if not isinstance(session, OutsideSession):
        return Here(session, _NOT_ONE)
    root = _roots.setdefault(session, Strand())
    return Here(session, (threading.main_thread().ident or 0, 0), *session.origin(), root)


def _placed(found: Here) -> Here:
    """Where the caller is, who has found `found` in his context."""
    asking, handed = line(), _carried.place
    if found.line == asking:
        return found
    if handed is not None and asking[1] == 0 and _is_fork(handed, found):
        placed = replace(handed, line=asking)
    elif found.line == _NOBODYS and found.strand.claimed_by in (None, asking):
        placed = replace(found, line=asking)
    else:  # a copy of the context, of which nobody knows when it was made: at any time since the body began
        placed = replace(_forked(found, 0), line=asking)
    placed.strand.claimed_by = asking
    _here.set(placed)
    return placed


def _is_known(found: Here, asking: Line) -> bool:
    """Whether the line that asks is the one of the place that it has found, or was told its own."""
    handed = _carried.place
    if found.line == asking or (found.line == _NOBODYS and found.strand.claimed_by in (None, asking)):
        return True
    return handed is not None and asking[1] == 0 and _is_fork(handed, found)


def _forked(place: Here, started: int, bits: int = 0) -> Here:
    number = next(_numbers) | bits
    return replace(place, line=_NOBODYS, forks=(*place.forks, (number, started)), strand=place.strand.fork(number))


def _is_fork(place: Here, found: Here) -> bool:
    return place.session is found.session and place.parent == found.parent and place.forks[:-1] == found.forks


def _reset(token: Token[Here | None]) -> None:
    with suppress(ValueError):  # whoever drives a coroutine by hand may have ended it in another context
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
        _reset(token)
        if entry in _current:
            _current.remove(entry)

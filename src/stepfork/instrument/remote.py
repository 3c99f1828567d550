"""The session of a program that a command runs: its calls are told to the listener that watches the command, and in a
replay answered from there.

A recording never raises here: with a listener that is gone a call runs and is not told. In a replay it does not run.
"""

from __future__ import annotations

import os
import warnings
from contextlib import suppress
from secrets import randbits

import msgspec

from stepfork.config.environment import starting_place
from stepfork.errors import ReplayClosedError
from stepfork.instrument import context
from stepfork.instrument.calls_client import CallsClient, ClientError
from stepfork.instrument.logged import refusal
from stepfork.listener.call_log import FIRST_OF_PROGRAMS
from stepfork.listener.call_messages import ANSWERED, Begun, Declared, Ended, Joined, Message, Noted, Over
from stepfork.trace.call import Asked, Fork, Outcome

Origin = tuple[int | None, tuple[Fork, ...]]
"""Where the code of a process begins: in the body of which call, and on which lines of control."""

_NOWHERE: Origin = (None, ())
_sessions: dict[str, RemoteSession] = {}


def remote_session(url: str) -> RemoteSession:
    """The session of this process, and of those that it forks, at the address that `STEPFORK_CALLS` gives."""
    session = _sessions.get(url)
    if session is None:
        if not _sessions:
            _tell_lines_apart()
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=_forked)
        session = _sessions.setdefault(url, RemoteSession(url))
    return session


def written_place(parent: int | None, forks: tuple[Fork, ...]) -> str:
    """A place as the environment of a process that is started there has it."""
    return msgspec.json.encode((parent, forks)).decode()


class RemoteSession:
    """A `stepfork.instrument.session.Session`. Whoever asks is answered: what nobody placed is a line of control of its
    own, and no body runs in a replay that was not asked for."""

    closed_to_strangers = False

    def __init__(self, url: str) -> None:
        self._replays = url.endswith(f"?{ANSWERED}")
        self._client = CallsClient(url)
        self._count = 0
        self._origin: Origin | None = None
        self._is_gone = False
        self._has_warned = False

    @property
    def has_joined(self) -> bool:
        """Whether the listener knows of this process, or of the one that it was forked from."""
        return self._origin is not None

    def count(self) -> int:
        """The number of events that this process has heard of: those before whatever it does next."""
        if self._origin is None:
            self.origin()
        return self._count

    def origin(self) -> Origin:
        """Where the code of this process begins, of which nobody said more. Never raises."""
        if self._origin is None:
            parent, forks = _started_at()
            noted = None
            with suppress(_UntoldError):
                noted = self._say(Joined(parent, forks))
            self._origin = (parent, forks) if noted is None else (parent, noted.forks)
        return self._origin

    def joined(self, line: int) -> None:
        """A line of control was waited for. Never raises."""
        with suppress(_UntoldError):
            self._say(Over(line))

    def begin(self, asked: Asked, *, parent: int | None, forks: tuple[Fork, ...]) -> Told:
        """A call is made. In a replay raises ReplayMismatchError and ReplayExhaustedError for one that was not
        recorded, ReplayClosedError where it cannot be asked about."""
        try:
            noted = self._say(Begun(asked, None if parent is None or parent < 0 else parent, forks))
        except _UntoldError as error:
            if self._replays:
                raise ReplayClosedError(
                    f"the instrumented call of {asked.name!r} could not be answered, so it did not run: {error}"
                ) from None
            self._warn(asked.name, error)
            return Told(None, -1)
        if noted.refused is not None:
            raise refusal(noted.refused)
        return Told(self, noted.number, noted.answer)

    def end(self, number: int, outcome: Outcome) -> None:
        """The body of a call has ended. For `Told`. Never raises: what was done was done."""
        try:
            self._say(Ended(number, outcome))
        except _UntoldError as error:
            self._warn("a tool", error)

    def declare(self, name: str) -> None:
        """A tool is instrumented. Never raises: an answer that asks for one that was not told of is not given."""
        with suppress(_UntoldError):
            self._say(Declared(name))

    def _say(self, message: Message) -> Noted:
        if self._is_gone and not self._replays:
            raise _UntoldError("stepfork does not listen any more")
        try:
            noted = self._client.say(message)
        except ClientError as error:
            self._is_gone = error.is_gone
            raise _UntoldError(str(error)) from None
        except Exception as error:  # a value that is no JSON after all, no memory
            raise _UntoldError(f"telling of it raised {type(error).__name__}") from None
        self._count = max(self._count, noted.count)
        return noted

    def _warn(self, name: str, error: Exception) -> None:
        if self._has_warned:
            return
        self._has_warned = True
        with suppress(Exception):  # where warnings are errors
            warnings.warn(f"stepfork did not record a call of {name!r}, nor may it others: {error}", stacklevel=5)


class Told:
    """A call that was told of, or could not be, as `stepfork.instrument.session.Opened`."""

    def __init__(self, session: RemoteSession | None, number: int, answer: Outcome | None = None) -> None:
        self.number = number
        self.answer = answer
        self._session = session

    def end(self, outcome: Outcome) -> None:
        """The body has ended."""
        if self._session is not None:
            self._session.end(self.number, outcome)


class _UntoldError(Exception):
    """Why the listener was not told, or gave no word."""


def _started_at() -> Origin:
    text = starting_place()
    if not text:
        return _NOWHERE
    try:
        return msgspec.json.decode(text, type=tuple[int | None, tuple[Fork, ...]])
    except msgspec.MsgspecError:
        return _NOWHERE


def _tell_lines_apart() -> None:
    """Lines of control are numbered by each process, and told to one listener."""
    context.number_lines_from(FIRST_OF_PROGRAMS * (1 + randbits(30)))


def _forked() -> None:
    """This process is a fork of the one that asked so far: a line of control that was started where it forked."""
    with suppress(Exception):
        _tell_lines_apart()
        if any(session.has_joined for session in _sessions.values()):  # else it is told when it makes its first call
            context.begin_anew()

"""Who hears of instrumented calls: nobody, a recording, or a replay. One session runs in a process at a time.

    Session ── begin(asked) ──► Opened ── answer: what to give back without running the body, or None: run it
                                      └── end(outcome): how the body ended

A recording never raises out of either. A replay raises out of `begin` what the call did when it was recorded, or that
the call is not the recorded one.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from stepfork.trace.call import Asked, Outcome


class Opened(Protocol):
    """A call that has begun. ``number`` identifies it within its session."""

    number: int
    answer: Outcome | None

    def end(self, outcome: Outcome) -> None:
        """The body has ended; called once, and only where there was no answer."""


class Session(Protocol):
    """What a block of code, or a captured command, is watched or answered by."""

    closed_to_strangers: bool
    """Whether a call that comes from a thread which carries no context of the session is refused (a replay) instead of
    being taken for the session's own (a recording)."""

    def count(self) -> int:
        """The number of events so far: what a fork remembers."""

    def joined(self, line: int) -> None:
        """The line of control of that number is over, and the one that started it knows. Thread-safe; never raises."""

    def begin(self, asked: Asked, *, parent: int | None, forks: tuple[tuple[int, int], ...]) -> Opened:
        """A call is made. Thread-safe."""


@runtime_checkable
class OutsideSession(Session, Protocol):
    """A session that runs in another process, which watches this one."""

    def origin(self) -> tuple[int | None, tuple[tuple[int, int], ...]]:
        """In the body of which call, and on which lines of control, the code of this process begins. Never raises."""


@runtime_checkable
class ClosedSession(Session, Protocol):
    """A session that strangers' calls are refused by: a replay."""

    def refused(self, what: str) -> object:
        """A call was refused before it came to the session, in this process or in a fork: whoever catches the error
        hides nothing. Thread-safe; never raises."""

"""The session of a block that is played back in this process, beside the listener that answers the processes which the
block starts: both ask one log."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from stepfork.errors import ReplayClosedError, ReplayExhaustedError, ReplayMismatchError
from stepfork.listener.call_log import CallLog
from stepfork.listener.call_messages import Begun, Ended, MessageError, Over, Refused
from stepfork.trace.call import Asked, Fork, Outcome


def refusal(refused: Refused) -> ReplayMismatchError | ReplayExhaustedError:
    """What a program is given in place of an answer."""
    kind = ReplayMismatchError if refused.kind == "mismatch" else ReplayExhaustedError
    return kind(refused.text)


class LoggedSession:
    """A `stepfork.instrument.session.ClosedSession` that decides as its log does. `on_refused` is told of calls that
    did not come as far as the log."""

    closed_to_strangers = True

    def __init__(self, log: CallLog, on_refused: Callable[[str], object]) -> None:
        self._log = log
        self._on_refused = on_refused
        self._process = os.getpid()

    def count(self) -> int:
        """The number of events so far."""
        return self._log.count

    def joined(self, line: int) -> None:
        """A line of control was waited for."""
        self._log.hear(Over(line), time.time_ns())

    def begin(self, asked: Asked, *, parent: int | None, forks: tuple[Fork, ...]) -> Logged:
        """A call is made. Raises ReplayMismatchError and ReplayExhaustedError for one that was not recorded."""
        try:
            noted = self._log.hear(Begun(asked, parent, forks), time.time_ns())
        except MessageError as error:
            what = f"the instrumented call of {asked.name!r} could not be answered: {error}"
            self.refused(what)
            raise ReplayClosedError(what) from None
        if noted.refused is not None:
            raise refusal(noted.refused)
        return Logged(self._log, noted.number, noted.answer)

    def refused(self, what: str) -> None:
        """See `ClosedSession`. A fork's word does not come here."""
        if os.getpid() == self._process:
            self._on_refused(what)


class Logged:
    """A call that has begun."""

    def __init__(self, log: CallLog, number: int, answer: Outcome | None) -> None:
        self.number = number
        self.answer = answer
        self._log = log

    def end(self, outcome: Outcome) -> None:
        """The body has ended."""
        self._log.hear(Ended(self.number, outcome), time.time_ns())

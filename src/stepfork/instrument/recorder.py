"""The session of a recording: it numbers calls and events, keeps them, and has each journalled as it happens."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from stepfork.instrument.journal import Journal
from stepfork.listener.call_log import CallLog
from stepfork.listener.call_messages import Begun as Begin
from stepfork.listener.call_messages import Ended, Over
from stepfork.trace.call import Asked, Call, Fork, Outcome


class Recorder:
    """A `stepfork.instrument.session.Session` that lets every call run. Thread-safe; the cost of an event does not grow
    with their number; nothing that goes wrong here reaches the recorded program.

    Calls and events are counted in the order in which they come in. An event is in the journal before `begin`, or
    `end`, returns: what the program has seen is on record, however it ends. `log` is where the calls of other processes
    are noted, too. ``lost`` counts calls and ends that could not be taken in: the recording lacks them.
    """

    closed_to_strangers = False

    def __init__(self, journal: Journal | None = None, log: CallLog | None = None) -> None:
        self._journal = journal
        self._log = log or CallLog()
        # A finalizer or a signal handler may end a call while another one is being counted by the same thread.
        self._lock = threading.RLock()
        self._is_open = True
        self.lost = 0

    def count(self) -> int:
        """The number of events so far."""
        return self._log.count

    def joined(self, line: int) -> None:
        """A line of control was waited for."""
        with suppress(Exception), self._lock:
            if self._is_open:
                self._log.hear(Over(line), time.time_ns())
        with suppress(Exception):
            if self._journal is not None:
                self._journal.over(line, self._log.waited_for(line))

    def begin(self, asked: Asked, *, parent: int | None, forks: tuple[Fork, ...]) -> Begun:
        """A call is made; it is to run."""
        number = -1
        try:
            with self._lock:
                if self._is_open:
                    above = None if parent is None or parent < 0 else parent
                    number = self._log.hear(Begin(asked, above, forks), time.time_ns()).number
        except Exception:
            self.lost += 1
        with suppress(Exception):
            if number >= 0 and self._journal is not None:
                self._journal.begun(self._log.call(number))
        return Begun(self, number)

    def calls(self) -> tuple[Call, ...]:
        """Every call so far, in order of their beginning: also those that others noted in the log."""
        return self._log.calls()

    def close(self) -> tuple[Call, ...]:
        """All calls. What begins or ends from now on is not recorded any more."""
        with self._lock:
            self._is_open = False
            return self.calls()

    def ended(self, number: int, outcome: Outcome) -> None:
        """A call of this recording has ended. For `Begun`."""
        try:
            with self._lock:
                if number < 0 or self._log.call(number).outcome is not None or not self._is_open:
                    return
                self._log.hear(Ended(number, outcome), time.time_ns())
        except Exception:
            self.lost += 1
        with suppress(Exception):
            if self._journal is not None:
                self._journal.ended(self._log.call(number))


class Begun:
    """A call that runs, as `stepfork.instrument.session.Opened`."""

    answer: Outcome | None = None

    def __init__(self, recorder: Recorder, number: int) -> None:
        self.number = number
        self._recorder = recorder

    def end(self, outcome: Outcome) -> None:
        """The body has ended."""
        self._recorder.ended(self.number, outcome)

"""The instrumented side of a recorded block: its session, the journal of that, and the folder which holds it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

import msgspec

from stepfork.errors import StepforkError, UsageError
from stepfork.instrument.journal import Journal
from stepfork.instrument.journal_form import VERSION, Header
from stepfork.instrument.recorder import Recorder
from stepfork.listener.call_log import CallLog
from stepfork.listener.problem import Problem
from stepfork.listener.watch import Recording
from stepfork.providers.lines import clean_line
from stepfork.redact.redactor import redact_command, redact_text
from stepfork.redact.secrets import Secrets
from stepfork.store.claim import Claim, claim
from stepfork.store.drafts import claim_draft
from stepfork.store.store import Store
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Call
from stepfork.trace.fixture import Source
from stepfork.workflows.fixture_request import FixtureRequest


class Journalling:
    """From `begin_journal` to `end`, or to `abandon`. `recorder` is the session; `journal` what a listener tells of its
    calls; `claim` the folder that becomes the bundle, or goes, once the fixture is written: None where the run has no
    journal."""

    def __init__(self, claimed: Claim | None, journal: Journal | None, notices: tuple[str, ...], log: CallLog) -> None:
        self.claim = claimed
        self.journal = journal
        self.recorder = Recorder(journal, log)
        self._notices = notices
        self._process = os.getpid()

    def input(self, value: JsonValue) -> None:
        """The program said what the run's input is."""
        if self.journal is not None:
            self.journal.input(value)

    def output(self, value: JsonValue) -> None:
        """The program said what the run's output is."""
        if self.journal is not None:
            self.journal.output(value)

    def end(self, recording: Recording) -> Recording:
        """`recording` with the instrumented calls of the block; the journal is closed."""
        calls = self.recorder.close()
        problems = (*recording.problems, *_unended(calls), *_lost(self.recorder.lost))
        return self.end_watched(msgspec.structs.replace(recording, calls=calls, problems=problems))

    def end_watched(self, recording: Recording) -> Recording:
        """`recording`, of a command, with what is to be said of its journal, which is closed."""
        if self.journal is not None:
            self.journal.close()
            if self.journal.notice is not None:
                self._notices += (self.journal.notice,)
        return msgspec.structs.replace(recording, notices=(*recording.notices, *self._notices))

    def break_off(self) -> None:
        """Something unforeseen ends the recording: what the journal has of it stays."""
        if self.journal is None or self.journal.is_empty or self.claim is None:
            self.abandon()
        else:
            self.journal.close()
            self.claim.give_back()

    def abandon(self) -> None:
        """There is nothing to keep. A process that was forked inside the block leaves all as it is."""
        if os.getpid() != self._process:
            return
        self.recorder.close()
        if self.journal is not None:
            self.journal.close()
        if self.claim is not None:
            self.claim.remove()


def begin_journal(
    request: FixtureRequest,
    store: Store,
    secrets: Callable[[], Secrets],
    log: CallLog,
    *,
    agent: str | None = None,
    source: Source | None = None,
) -> Journalling:
    """Take the folder of the journal, where others find that it is taken, and begin the journal. `log` is where calls
    are noted, those of child processes too. `source` is a command that is watched.

    Raises UsageError where the folder of a block's bundle cannot be had. Elsewhere the fixture does not depend on it: a
    run goes without a journal then, which is a notice.
    """
    in_bundle = request.output if source is None else None
    try:
        claimed = claim(in_bundle) if in_bundle is not None else claim_draft(store, request.name)
    except UsageError as error:
        if in_bundle is not None:
            raise
        return Journalling(None, None, (_without(error),), log)
    try:
        journal = Journal(claimed.journal, _header(request.name, agent, source, secrets()), secrets)
    except StepforkError as error:
        return Journalling(claimed, None, (_without(error),), log)
    except BaseException:
        with suppress(OSError):
            claimed.remove()
        raise
    return Journalling(claimed, journal, (), log)


def _header(name: str, agent: str | None, source: Source | None, known: Secrets) -> Header:
    header = Header(VERSION, redact_text(name, known), agent=None if agent is None else redact_text(agent, known))
    if source is None:
        return header
    return msgspec.structs.replace(
        header, kind="command", command=redact_command(source.command, known), cwd=redact_text(source.cwd, known)
    )


def _without(error: StepforkError) -> str:
    return f"the run was recorded without a journal: {error}"


def _unended(calls: tuple[Call, ...]) -> tuple[Problem, ...]:
    """A call without an end is half a call: nothing could be answered with it."""
    names = dict.fromkeys(clean_line(call.asked.name) for call in calls if call.outcome is None)
    return tuple(
        Problem("unfinished", f"the block was left while {name} was running; wait for its end inside the block")
        for name in names
    )


def _lost(count: int) -> tuple[Problem, ...]:
    """A program that has all but used up its stack, say, goes on; its recording is not whole."""
    return (Problem("internal", f"{count} events of instrumented calls could not be recorded"),) if count else ()

"""What a recording that did not end has left, as the draft of a fixture."""

from __future__ import annotations

from pathlib import Path

import msgspec

from stepfork.instrument.journal_form import Journalled, read_journal
from stepfork.listener.watch import Recording
from stepfork.store.claim import is_held
from stepfork.store.drafts import CAUSES
from stepfork.store.files import read_plain
from stepfork.store.layout import JOURNAL
from stepfork.trace.fixture import Fixture, Source
from stepfork.trace.step import StepError
from stepfork.workflows.fixture_request import FixtureRequest, Told
from stepfork.workflows.make_fixture import assembled
from stepfork.workflows.surroundings import surroundings

UNFINISHED = StepError("unfinished", "the recording ended before the run did")
"""The error of a run that had not said its output."""
NOT_ENDED = "the recording did not end"
RUNS = "the recording has not ended yet"


def journal_draft(path: Path, where: str) -> Fixture:
    """The draft of the journal in the folder `path`, as far as it goes. It is redacted as its lines are.

    Raises StoreError where there is none, or it cannot be read.
    """
    journal = read_journal(read_plain(path / JOURNAL, where), where)
    request = FixtureRequest(journal.header.name)
    recording = _recording(journal)
    header = journal.header
    source = Source(kind=header.kind, replay_capable=False, command=header.command, cwd=header.cwd)
    error = UNFINISHED if journal.output is msgspec.UNSET else None
    told = Told(agent=header.agent, input=journal.input, output=journal.output, error=error)
    context = surroundings({}, path, recording, request.settings)
    run = assembled(request, recording, source, context, told)
    causes = [RUNS if is_held(path) else NOT_ENDED, *(f"{one} had not been answered" for one in journal.open)]
    return Fixture(journal.header.name, run, extensions={CAUSES: causes})


def _recording(journal: Journalled) -> Recording:
    times = [time for call in journal.calls for time in (call.started_ns, call.ended_ns) if time is not None]
    times += [time for one in journal.recorded for time in (one.arrived_ns, one.ended_ns)]
    return Recording(
        recorded=journal.recorded,
        spans=(),
        exit_code=None,
        started_ns=min(times, default=0),
        ended_ns=max(times, default=0),
        calls=journal.calls,
    )

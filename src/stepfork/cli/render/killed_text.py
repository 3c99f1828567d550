"""What a recording that did not end had come to, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from stepfork.capture.instrumented import UNFINISHED
from stepfork.cli.console import counted
from stepfork.cli.escape import escape
from stepfork.store.drafts import draft_causes
from stepfork.trace.fixture import Fixture
from stepfork.workflows.journal_draft import RUNS


def killed_lines(fixture: Fixture, folder: str) -> Iterator[str]:
    """Lines for the end of the screen; `folder` is where the journal lies, as it is typed."""
    run, causes = fixture.run, draft_causes(fixture) or ()
    told = [step for step in run.trace.steps if step.instrumented]
    running = [step for step in told if step.error == UNFINISHED]
    models = len(run.exchanges)
    done = models + sum(step.exchange is None for step in told) - len(running)
    yield f"until then  {counted(done, 'call')} had come back"
    for step in running:
        yield f"open        {escape(step.name)}"
    for cause in causes[1:]:
        yield f"open        {escape(cause)}"
    if RUNS in causes:
        yield "next        it still runs: look again when it has ended"
        return
    if run.source.command:
        yield "next        record it again: stepfork capture, as before; one that ends well removes this draft"
    else:
        yield "next        record it again: run the program; one that ends well removes a draft below failed/"
    yield f"            or keep what there is: stepfork pack {escape(folder)} KEPT.sftrace"

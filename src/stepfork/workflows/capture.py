"""capture: run → redact → normalize → fixture → store, read top-down in `capture`."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from stepfork.capture.assemble import assemble
from stepfork.capture.check import check_trace
from stepfork.capture.record import Progress, record_command
from stepfork.capture.upstream import Upstreams
from stepfork.config.environment import read_dotenv
from stepfork.errors import StepforkError, UsageError
from stepfork.listener.watch import Recording
from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.request_key import RunKeys
from stepfork.redact.finding import Finding
from stepfork.redact.redactor import redact_run, redact_text
from stepfork.redact.secrets import Secrets
from stepfork.store.bundle import check_bundle_path, write_bundle
from stepfork.store.drafts import remove_draft, write_draft
from stepfork.store.names import check_name
from stepfork.store.store import Store
from stepfork.trace.finding import TraceFinding
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.workflows.otlp_files import read_spans
from stepfork.workflows.surroundings import surroundings


@dataclass(frozen=True)
class CaptureRequest:
    """What to capture: a command, or the OTLP files of a run that was. `output` names a bundle instead of the
    store; `stdout` is a file descriptor for what the command prints, None for this process's own;
    `replaces` is the manifest that a refresh started from, which must still be there."""

    name: str
    command: tuple[str, ...] = ()
    spans_from: tuple[Path, ...] = ()
    output: Path | None = None
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: Path = field(default_factory=Path.cwd)
    stdout: int | None = None
    replaces: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class CaptureResult:
    """What a capture found. `fixture` and `path` are None where there is none and `causes` says why; `draft` is then
    where the redacted draft lies. `notices` are hints that fail nothing. `files` and `size` (bytes) count what the
    fixture reaches, `new_files` those that were not there with these bytes; `seconds` is how long the command took;
    `signal` ended it. `store` is the folder that holds the fixture, None for a bundle."""

    name: str
    fixture: Fixture | None
    path: Path | None
    run: Run
    seconds: float
    spans: int
    redactions: tuple[Finding, ...] = ()
    findings: tuple[TraceFinding, ...] = ()
    causes: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    draft: Path | None = None
    files: int = 0
    size: int = 0
    new_files: int = 0
    store: Path | None = None
    signal: int | None = None

    @property
    def redacted(self) -> dict[str, int]:
        """How often each rule was used."""
        return dict(sorted(Counter(finding.rule for finding in self.redactions).items()))


def capture(request: CaptureRequest, store: Store, progress: Callable[[Progress], None]) -> CaptureResult:
    """Make a fixture of a run. Where the run cannot become one, the result has `causes` and a draft, and an older
    fixture of that name stays as it was. Raises UsageError or ConfigError before the command runs, never after it."""
    check_request(request, store)
    secrets = Secrets.collect(request.environ, read_dotenv(str(request.cwd)))
    recording, source = _record(request, store, progress)
    context = surroundings(request.environ, request.cwd, recording)
    keys = RunKeys([seen.exchange for seen in recording.recorded], context)
    made = assemble(recording.recorded, recording.spans, key=keys)
    run, redactions = redact_run(Run(source=source, trace=made.trace, exchanges=made.exchanges), secrets)
    run = normalize_run(run, context)
    result = CaptureResult(
        name=request.name,
        fixture=None,
        path=None,
        run=run,
        seconds=(recording.ended_ns - recording.started_ns) / 1e9,
        spans=len(recording.spans),
        redactions=redactions,
        findings=check_trace(run.trace, run.exchanges),
        causes=tuple(redact_text(cause, secrets) for cause in _causes(recording, run)),
        notices=tuple(redact_text(notice, secrets) for notice in recording.notices),
        signal=recording.interrupted,
    )
    return _keep(request, store, result)


def check_request(request: CaptureRequest, store: Store) -> None:
    """Everything that could refuse the fixture, asked before the command runs: a paid run is never lost to it."""
    check_name(request.name)
    if bool(request.command) == bool(request.spans_from):
        raise UsageError("capture takes a command after -- or spans with --from", fix="name one of the two")
    if request.output is not None:
        check_bundle_path(request.output)
    else:
        store.check_writable(request.name)


def _record(request: CaptureRequest, store: Store, progress: Callable[[Progress], None]) -> tuple[Recording, Source]:
    if request.spans_from:
        now = time.time_ns()
        spans = read_spans(request.spans_from)
        recording = Recording(recorded=(), spans=spans, exit_code=None, started_ns=now, ended_ns=now)
        return recording, Source(kind="otlp_file", replay_capable=False)
    recording = record_command(
        request.command,
        environ=request.environ,
        cwd=request.cwd,
        upstreams=Upstreams.from_environment(request.environ),
        on_progress=progress,
        stdout=request.stdout,
    )
    source = Source(
        kind="command",
        replay_capable=bool(recording.recorded),
        command=request.command,
        cwd=relative_cwd(request.cwd, store.root.parent),
        exit_code=recording.exit_code,
    )
    return recording, source


def relative_cwd(cwd: Path, start: Path) -> str:
    """`cwd` from the folder that holds the store, with forward slashes."""
    return Path(os.path.relpath(cwd.resolve(), start.resolve())).as_posix()


def _causes(recording: Recording, run: Run) -> tuple[str, ...]:
    causes = [problem.text for problem in recording.problems]
    if recording.interrupted is not None:
        name = signal.Signals(recording.interrupted).name
        causes.append(f"the run was interrupted ({name}) and is only its beginning; capture it again")
    if not recording.spans and not run.exchanges:
        if recording.exit_code and recording.interrupted is None:
            causes.append(f"the command ended with exit code {recording.exit_code} before any model call")
        causes.append(
            "no spans were received and no model calls reached the proxy; build the model client from OPENAI_BASE_URL "
            "or ANTHROPIC_BASE_URL, and flush the tracer provider before the command exits"
        )
    return tuple(causes)


def _keep(request: CaptureRequest, store: Store, result: CaptureResult) -> CaptureResult:
    if result.causes:
        return replace(result, draft=write_draft(store, request.name, result.run, result.causes))
    fixture = Fixture(name=request.name, run=result.run)
    try:
        if request.output is not None:
            written = write_bundle(request.output, fixture)
        else:
            written = store.write(fixture, expected=request.replaces)
    except StepforkError as error:  # what could be written before the run cannot any more
        return _keep(request, store, replace(result, causes=(str(error),)))
    if request.output is None:
        remove_draft(store, request.name)
    return replace(
        result,
        fixture=fixture,
        path=written.path,
        files=written.files,
        size=written.bytes,
        new_files=written.new_objects + written.new_manifest,
        store=None if request.output is not None else store.root,
    )

"""A finished recording becomes a fixture: redact → normalize → check → store, read top-down in `make_fixture` and
`keep_fixture`. A watched command, a block of code in this process and an OTLP file all come through here."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from stepfork.capture.assemble import assemble
from stepfork.capture.check import check_trace
from stepfork.errors import StepforkError
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
from stepfork.trace.body import JsonValue
from stepfork.trace.finding import TraceFinding
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import StepError, Trace
from stepfork.workflows.surroundings import surroundings


@dataclass(frozen=True)
class FixtureRequest:
    """What is to become of a run. `environ` and `cwd` are where it runs: their secrets and folders are taken out of it.
    `output` names a bundle instead of the store; `replaces` is the manifest that a refresh started from, which must
    still be there."""

    name: str
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: Path = field(default_factory=Path.cwd)
    output: Path | None = None
    expect_fail: bool = False
    replaces: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Told:
    """What a program said itself of its run: it wins over what was seen of it. With an `error` there is no output."""

    agent: str | None = None
    output: JsonValue | msgspec.UnsetType = msgspec.UNSET
    error: StepError | None = None


@dataclass(frozen=True)
class CaptureResult:
    """What a capture found. `fixture` is None where the run cannot be one and `causes` says why; `path` is where it
    was kept, None before that, and `draft` where the redacted draft lies. `notices` are hints that fail nothing.
    `files` and `size` (bytes) count what the fixture reaches, `new_files` those that were not there with these bytes;
    `seconds` is how long the run took; `signal` ended it. `store` is the folder that holds the fixture, None for a
    bundle."""

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


def check_request(request: FixtureRequest, store: Store) -> None:
    """Everything that could refuse the fixture, asked before anything runs: a paid run is never lost to it.

    Raises UsageError or StoreError."""
    check_name(request.name)
    if request.output is not None:
        check_bundle_path(request.output)
    else:
        store.check_writable(request.name)


def make_fixture(
    request: FixtureRequest, recording: Recording, source: Source, secrets: Secrets, told: Told | None = None
) -> CaptureResult:
    """What a recording becomes: a fixture, or the causes why it is none. Nothing is written (`keep_fixture` does).

    `secrets` are collected by the caller: the `.env` file is read before the run, which must not be lost to it."""
    context = surroundings(request.environ, request.cwd, recording)
    keys = RunKeys([seen.exchange for seen in recording.recorded], context)
    made = assemble(recording.recorded, recording.spans, key=keys)
    run = Run(source=source, trace=_retold(made.trace, told or Told()), exchanges=made.exchanges)
    run, redactions = redact_run(run, secrets)
    run = normalize_run(run, context)
    causes = tuple(redact_text(cause, secrets) for cause in _causes(recording, run))
    return CaptureResult(
        name=request.name,
        fixture=None if causes else Fixture(name=request.name, run=run),
        path=None,
        run=run,
        seconds=(recording.ended_ns - recording.started_ns) / 1e9,
        spans=len(recording.spans),
        redactions=redactions,
        findings=check_trace(run.trace, run.exchanges),
        causes=causes,
        notices=tuple(redact_text(notice, secrets) for notice in recording.notices),
        signal=recording.interrupted,
    )


def keep_fixture(request: FixtureRequest, store: Store, made: CaptureResult) -> CaptureResult:
    """Write what was made: the fixture, or the draft of a run that is none. An older fixture of that name stays as it
    was then, and also where the new one cannot be written any more, which is a cause too."""
    if made.fixture is None:
        return replace(made, draft=write_draft(store, request.name, made.run, made.causes))
    try:
        if request.output is not None:
            written = write_bundle(request.output, made.fixture)
        else:
            written = store.write(made.fixture, expected=request.replaces)
    except StepforkError as error:  # what could be written before the run cannot any more
        return keep_fixture(request, store, replace(made, fixture=None, causes=(str(error),)))
    if request.output is None:
        remove_draft(store, request.name)
    return replace(
        made,
        path=written.path,
        files=written.files,
        size=written.bytes,
        new_files=written.new_objects + written.new_manifest,
        store=None if request.output is not None else store.root,
    )


def _retold(trace: Trace, told: Told) -> Trace:
    trace = msgspec.structs.replace(trace, agent=told.agent or trace.agent)
    if told.error is not None:
        return msgspec.structs.replace(trace, status="error", error=told.error, output=msgspec.UNSET)
    return trace if told.output is msgspec.UNSET else msgspec.structs.replace(trace, output=told.output)


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

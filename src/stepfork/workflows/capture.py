"""capture: watch a command, or read the spans of a run that was, and make a fixture of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from stepfork.capture.record import Progress, record_command
from stepfork.capture.upstream import Upstreams
from stepfork.config.environment import read_dotenv
from stepfork.config.routes import listener_routes
from stepfork.errors import StepforkError, UsageError
from stepfork.listener.call_log import CallLog
from stepfork.listener.watch import Recording
from stepfork.redact.secrets import Secrets
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture, Source
from stepfork.workflows.capture_result import CaptureResult
from stepfork.workflows.fixture_request import FixtureRequest, as_of_now, check_request
from stepfork.workflows.journalling import Journalling, begin_journal
from stepfork.workflows.make_fixture import keep_fixture, make_fixture
from stepfork.workflows.otlp_files import read_spans, recording_of_spans
from stepfork.workflows.surroundings import surroundings


@dataclass(frozen=True)
class CaptureRequest(FixtureRequest):
    """What to capture: a command, or the OTLP files of a run that was. `stdout` is a file descriptor for what the
    command prints, None for this process's own. `reuse` is a fixture that answers calls as far as it goes."""

    command: tuple[str, ...] = ()
    spans_from: tuple[Path, ...] = ()
    stdout: int | None = None
    reuse: Fixture | None = field(default=None, repr=False)


def capture(request: CaptureRequest, store: Store, progress: Callable[[Progress], None]) -> CaptureResult:
    """Make a fixture of a run and keep it. Where the run cannot become one, the result has `problems` and a draft, and
    an older fixture of that name stays as it was, as does one that another writer made meanwhile. While the command
    runs what comes in is on disk, below ``failed/``. Raises UsageError or ConfigError before the command runs, never
    after it."""
    _check(request, store)
    request = as_of_now(request, store)
    secrets = _secrets(request)
    if not request.command:
        return keep_fixture(request, store, make_fixture(request, *_read(request.spans_from), secrets))
    source = _source(request, store)
    journalling = begin_journal(request, store, lambda: secrets, CallLog(), source=source)
    try:
        made = _made(request, store, progress, secrets, journalling)
    except StepforkError:  # nothing has run
        journalling.abandon()
        raise
    except BaseException:
        journalling.break_off()
        raise
    return keep_fixture(request, store, made, journalling.claim)


def rehearse(request: CaptureRequest, store: Store, progress: Callable[[Progress], None]) -> CaptureResult:
    """As `capture`, but nothing is written."""
    _check(request, store)
    secrets = _secrets(request)
    if not request.command:
        return make_fixture(request, *_read(request.spans_from), secrets)
    return _made(request, store, progress, secrets)


def _check(request: CaptureRequest, store: Store) -> None:
    if bool(request.command) == bool(request.spans_from):
        raise UsageError("capture takes a command after -- or spans with --from", fix="name one of the two")
    check_request(request, store)


def _secrets(request: CaptureRequest) -> Secrets:
    return Secrets.collect(request.environ, read_dotenv(str(request.cwd)), request.settings.redact)


def _source(request: CaptureRequest, store: Store) -> Source:
    cwd = relative_cwd(request.cwd, store.root.parent)
    return Source(kind="command", replay_capable=False, command=request.command, cwd=cwd)


def _made(
    request: CaptureRequest,
    store: Store,
    progress: Callable[[Progress], None],
    secrets: Secrets,
    journalling: Journalling | None = None,
) -> CaptureResult:
    source = _source(request, store)
    reuse = None
    if request.reuse is not None:
        from stepfork.workflows.reuse import Reuse  # a player of recordings, which few captures need

        here = surroundings(request.environ, request.cwd, None, request.settings)
        reuse = Reuse(request.reuse, context=here, secrets=secrets, rules=request.settings.key_rules)
    recording = record_command(
        request.command,
        environ=request.environ,
        cwd=request.cwd,
        upstreams=Upstreams.from_environment(request.environ, request.settings.routes),
        routes=listener_routes(request.settings.routes),
        on_progress=progress,
        stdout=request.stdout,
        before=reuse,
        witness=None if journalling is None else journalling.journal,
    )
    if journalling is not None:
        recording = journalling.end_watched(recording)
    is_whole = bool(recording.recorded or recording.calls)
    source = msgspec.structs.replace(source, replay_capable=is_whole, exit_code=recording.exit_code)
    made = make_fixture(request, recording, source, secrets)
    return made if reuse is None else replace(made, reused=reuse.reused)


def _read(files: tuple[Path, ...]) -> tuple[Recording, Source]:
    return recording_of_spans(read_spans(files)), Source(kind="otlp_file", replay_capable=False)


def relative_cwd(cwd: Path, start: Path) -> str:
    """`cwd` from the folder that holds the store, with forward slashes. Raises UsageError where no path leads from one
    to the other."""
    try:
        return Path(os.path.relpath(cwd.resolve(), start.resolve())).as_posix()
    except ValueError:  # Windows: on another drive
        raise UsageError(
            "is on another drive than the store", where=str(cwd), fix="name a store with --store"
        ) from None

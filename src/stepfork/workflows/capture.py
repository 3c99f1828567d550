"""capture: watch a command, or read the spans of a run that was, and make a fixture of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stepfork.capture.record import Progress, record_command
from stepfork.capture.upstream import Upstreams
from stepfork.config.environment import read_dotenv
from stepfork.errors import UsageError
from stepfork.listener.watch import Recording
from stepfork.redact.secrets import Secrets
from stepfork.store.store import Store
from stepfork.trace.fixture import Source
from stepfork.workflows.make_fixture import CaptureResult, FixtureRequest, check_request, keep_fixture, make_fixture
from stepfork.workflows.otlp_files import read_spans


@dataclass(frozen=True)
class CaptureRequest(FixtureRequest):
    """What to capture: a command, or the OTLP files of a run that was. `stdout` is a file descriptor for what the
    command prints, None for this process's own."""

    command: tuple[str, ...] = ()
    spans_from: tuple[Path, ...] = ()
    stdout: int | None = None


def capture(request: CaptureRequest, store: Store, progress: Callable[[Progress], None]) -> CaptureResult:
    """Make a fixture of a run. Where the run cannot become one, the result has `causes` and a draft, and an older
    fixture of that name stays as it was. Raises UsageError or ConfigError before the command runs, never after it."""
    if bool(request.command) == bool(request.spans_from):
        raise UsageError("capture takes a command after -- or spans with --from", fix="name one of the two")
    check_request(request, store)
    secrets = Secrets.collect(request.environ, read_dotenv(str(request.cwd)))
    recording, source = record(request, store, progress)
    return keep_fixture(request, store, make_fixture(request, recording, source, secrets))


def record(request: CaptureRequest, store: Store, progress: Callable[[Progress], None]) -> tuple[Recording, Source]:
    """The recording of the command's run, or of the files' spans, and where it came from."""
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

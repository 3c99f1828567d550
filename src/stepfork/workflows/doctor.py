"""doctor: what stands in the way of a recording, and with a command what differs between two runs of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec

from stepfork.capture.record import Progress, record_command
from stepfork.capture.upstream import Upstreams
from stepfork.config.environment import read_dotenv
from stepfork.config.process import may_record
from stepfork.config.project import Settings
from stepfork.config.routes import listener_routes
from stepfork.diff.compare_runs import compare_runs
from stepfork.diff.unstable import Unstable
from stepfork.errors import UsageError
from stepfork.redact.redactor import redact_command, redact_text
from stepfork.redact.secrets import Secrets
from stepfork.trace.finding import TraceFinding
from stepfork.trace.fixture import Source
from stepfork.workflows.capture_result import CaptureResult
from stepfork.workflows.fixture_request import FixtureRequest
from stepfork.workflows.health import Check, check_environment
from stepfork.workflows.health_store import check_git, check_killed, check_store, check_watch, settings_of, store_here
from stepfork.workflows.make_fixture import make_fixture


@dataclass(frozen=True)
class DoctorRequest:
    """What to look at: an environment, a folder, and a `command` to run twice, none where it is empty.

    `store` overrides the store that is found from the folder. `allow_capture`: in CI too. `stdout` is a file
    descriptor for what the command prints.
    """

    environ: Mapping[str, str] = field(repr=False)
    cwd: Path
    command: tuple[str, ...] = ()
    store: str | None = None
    allow_capture: bool = False
    stdout: int | None = None


@dataclass(frozen=True)
class Ran:
    """One of the two runs: what it made, in figures. `problems` say why no fixture could be made of it."""

    calls: int
    spans: int
    steps: int
    exit_code: int | None
    seconds: float
    problems: tuple[str, ...] = ()
    findings: tuple[TraceFinding, ...] = ()


@dataclass(frozen=True)
class Twice:
    """The runs of the command (one alone where no fixture could be made of it) and what differs between them, redacted.

    `parted` is the index of the exchange after which nothing was compared. `rules` are the pointers, by tool, that
    leave out all of the noise, with those that the project's rule for the tool has already. `signal` ended a run.
    """

    command: tuple[str, ...]
    runs: tuple[Ran, ...]
    differences: tuple[Unstable, ...] = ()
    parted: int | None = None
    rules: dict[str, tuple[str, ...]] = field(default_factory=dict)
    signal: int | None = None

    @property
    def well(self) -> bool:
        """Whether both runs could become fixtures, and nothing differs that the project's rules do not know of."""
        return not any(run.problems for run in self.runs) and all(item.accepted for item in self.differences)


@dataclass(frozen=True)
class Diagnosis:
    """What was found; `twice` is None without a command."""

    checks: tuple[Check, ...]
    twice: Twice | None = None

    @property
    def problems(self) -> int:
        """How many checks found a problem."""
        return sum(check.state == "problem" for check in self.checks)

    @property
    def well(self) -> bool:
        """Whether there is nothing to mend."""
        return not self.problems and (self.twice is None or self.twice.well)


def diagnose(request: DoctorRequest, progress: Callable[[int, Progress], None]) -> Diagnosis:
    """Look at everything; with a command run it twice, for real, and write nothing. `progress` is told which of the
    runs (1, 2) goes on.

    Raises UsageError where the command cannot be run: in CI without leave, without an upstream, not found.
    """
    if request.command and not request.allow_capture and not may_record():
        raise UsageError(
            "nothing goes live in CI without --allow-capture", fix="run it on your machine, or without a command"
        )
    store, missing = store_here(request.cwd, request.store)
    settings, of_settings = settings_of(store)
    checks = [
        *check_environment(request.environ, str(request.cwd), settings),
        *([missing] if missing else []),
        *([check_store(store)] if store is not None else []),
        *([of_killed] if store is not None and (of_killed := check_killed(store)) else []),
        *([of_settings] if of_settings else []),
        *check_git(request.cwd, store, request.environ),
        *(check_watch(store, settings, request.environ) if store is not None else ()),
    ]
    twice = _run_twice(request, settings, progress) if request.command else None
    return Diagnosis(tuple(checks), twice)


def _run_twice(request: DoctorRequest, settings: Settings, progress: Callable[[int, Progress], None]) -> Twice:
    secrets = Secrets.collect(request.environ, read_dotenv(str(request.cwd)), settings.redact)
    command = redact_command(request.command, secrets)
    made = []
    for number in (1, 2):
        made.append(_run(request, settings, secrets, partial(progress, number)))
        if made[-1].fixture is None:
            return Twice(command, tuple(map(_ran, made)), signal=made[-1].signal)
    one, two = (result.run for result in made)
    found = compare_runs(one, two, settings.key_rules)
    differences = tuple(
        msgspec.structs.replace(item, old=redact_text(item.old, secrets), new=redact_text(item.new, secrets))
        for item in found.differences
    )
    return Twice(command, tuple(map(_ran, made)), differences, found.parted, _rules(found.differences, settings))


def _rules(differences: Sequence[Unstable], settings: Settings) -> dict[str, tuple[str, ...]]:
    wanted: dict[str, list[str]] = {}
    for item in differences:
        if item.rule is not None:
            wanted.setdefault(item.rule.tool, []).append(item.rule.pointer)
    return {
        tool: tuple(dict.fromkeys((*settings.volatile.get(tool, ()), *pointers))) for tool, pointers in wanted.items()
    }


def _run(
    request: DoctorRequest, settings: Settings, secrets: Secrets, progress: Callable[[Progress], None]
) -> CaptureResult:
    recording = record_command(
        request.command,
        environ=request.environ,
        cwd=request.cwd,
        upstreams=Upstreams.from_environment(request.environ, settings.routes),
        routes=listener_routes(settings.routes),
        on_progress=progress,
        stdout=request.stdout,
    )
    source = Source("command", bool(recording.recorded), request.command, exit_code=recording.exit_code)
    asked = FixtureRequest("doctor", environ=request.environ, cwd=request.cwd, settings=settings, draft_test=False)
    return make_fixture(asked, recording, source, secrets)


def _ran(result: CaptureResult) -> Ran:
    return Ran(
        calls=len(result.run.exchanges),
        spans=result.spans,
        steps=len(result.run.trace.steps),
        exit_code=result.run.source.exit_code,
        seconds=result.seconds,
        problems=result.problems,
        findings=result.findings,
    )

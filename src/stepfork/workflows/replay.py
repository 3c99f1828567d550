"""replay: a command runs again, and its model calls are answered from a fixture. Read top-down in `replay`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from stepfork.capture.assemble import assemble
from stepfork.config.environment import read_dotenv
from stepfork.config.project import Settings
from stepfork.config.routes import listener_routes
from stepfork.errors import UsageError
from stepfork.listener.routes import Route
from stepfork.listener.tape import Progress
from stepfork.listener.watch import Recording, watch
from stepfork.normalize.optional import is_optional
from stepfork.normalize.request_key import RunKeys
from stepfork.providers.calls import bare_tool
from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from stepfork.replay.answerable import answerable, answered_tools
from stepfork.replay.environment import replay_environment
from stepfork.replay.executes import executed_tools, recorded_tools, unlisted_tools
from stepfork.replay.forwarder import ReplayForwarder
from stepfork.replay.instrumented import InstrumentedCalls
from stepfork.replay.keys import PLACEHOLDER_KEY
from stepfork.replay.permitted import Permitted
from stepfork.replay.player import Player
from stepfork.replay.report import ReplayReport
from stepfork.store.drafts import draft_causes
from stepfork.trace.fixture import Fixture
from stepfork.trace.step import Trace
from stepfork.workflows.replay_causes import Replayed, causes_of, gaps_of, notices_of
from stepfork.workflows.served_tools import served_tools
from stepfork.workflows.surroundings import surroundings


@dataclass(frozen=True)
class ReplayRequest:
    """What to replay: `command`, as its caller wrote it and never as the fixture has it, in `cwd`.

    `executes` are the tools that may run. `stdout` is a file descriptor for what the command prints, None for this
    process's own.
    """

    fixture: Fixture
    command: tuple[str, ...]
    cwd: Path
    environ: Mapping[str, str] = field(repr=False)
    settings: Settings = field(default_factory=Settings, repr=False)
    executes: tuple[str, ...] = ()
    block_egress: bool = False
    stdout: int | None = None


@dataclass(frozen=True)
class ReplayResult:
    """How a replay went. `passed` is True exactly where there are no `causes`, one line each, redacted.

    `trace` is the new run's, whole and not redacted: it is for contracts, and is shown or kept by nobody. `gaps` are
    what it lacks that the recorded one has, so that contracts may hold of it that the run broke. `executed` counts the
    tools that ran, `served_tools` those whose calls a route answered; `notices` fail nothing. `exit_code` is the
    command's (128 + N where signal N ended it), `recorded_exit_code` None where the recording has none. `signal`
    interrupted the replay. `seconds` is how long the command took.
    """

    name: str
    report: ReplayReport
    trace: Trace = field(repr=False)
    exit_code: int
    recorded_exit_code: int | None
    executed: dict[str, int]
    causes: tuple[str, ...]
    passed: bool
    seconds: float
    notices: tuple[str, ...] = ()
    served_tools: dict[str, int] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()
    signal: int | None = None
    unlisted: tuple[str, ...] = ()


def replay(request: ReplayRequest, *, progress: Callable[[Progress], None] | None = None) -> ReplayResult:
    """Run the command with its model calls answered from the fixture, and compare. Nothing is asked of any upstream.

    Raises UsageError, before the command runs, where the fixture cannot be replayed or would run a tool that is not
    listed, ConfigError for a ``.env`` that cannot be read, CaptureError where no loopback port can be had.
    """
    stage = set_stage(request)
    recording = watch(
        request.command,
        environment=stage.environment,
        cwd=request.cwd,
        forwarder=ReplayForwarder(stage.player),
        routes=stage.routes,
        on_progress=progress,
        stdout=request.stdout,
        answers=stage.calls,
    )
    return compare(request, stage, recording)


@dataclass(frozen=True)
class Stage:
    """What a program finds in place of the world while it is replayed: who answers its requests (`player`) and its
    instrumented `calls`, on which routes, and which variables lead there (`environment`, of the listener's base URL).
    `secrets` keep what is said of it clean."""

    player: Player
    calls: InstrumentedCalls
    routes: tuple[Route, ...]
    environment: Callable[[str], Mapping[str, str]] = field(repr=False)
    secrets: Secrets = field(repr=False)


def set_stage(request: ReplayRequest, permitted: Permitted | None = None) -> Stage:
    """What replays a fixture. `permitted` are the tools that its answers may ask for; where nothing else is said, those
    that are listed and those that the command declares.

    Raises UsageError where it cannot be replayed, ConfigError for a ``.env`` that cannot be read.
    """
    check_replayable(request.fixture, request.settings, request.executes)
    dotenv = read_dotenv(str(request.cwd))
    secrets = Secrets.collect(
        {**request.environ, "STEPFORK_REPLAY_KEY": PLACEHOLDER_KEY}, dotenv, request.settings.redact
    )
    here = surroundings(request.environ, request.cwd, None, request.settings)
    served = served_tools(request.settings)
    if permitted is None:
        permitted = Permitted((*request.executes, *served))
    rules = request.settings.key_rules
    player = Player(request.fixture, context=here, secrets=secrets, rules=rules, permitted=permitted)
    routes = listener_routes(request.settings.routes)

    def environment(base_url: str) -> Mapping[str, str]:
        address, _, token = base_url.removeprefix("http://").partition("/")
        player.listens_at(address, token)
        return replay_environment(request.environ, base_url, routes, dotenv=dotenv, block_egress=request.block_egress)

    calls = InstrumentedCalls(
        request.fixture, player, secrets, may_run=request.executes, served=served, permitted=permitted
    )
    return Stage(player, calls, routes, environment, secrets)


def check_replayable(fixture: Fixture, settings: Settings, executes: tuple[str, ...] = ()) -> None:
    """Everything that speaks against a replay, asked before anything runs. Raises UsageError."""
    name, run = fixture.name, fixture.run
    if draft_causes(fixture) is not None:
        raise UsageError(f"{name!r} is the draft of a failed capture", fix="capture the run again")
    if not run.source.replay_capable or (all(map(is_optional, run.exchanges)) and not answerable(run)):
        raise UsageError(
            f"fixture {name!r} holds no model calls to answer from", fix="capture the run from its command"
        )
    for index, exchange in enumerate(run.exchanges):
        if exchange.in_process:
            continue
        if exchange.response.ending != "complete" or not 200 <= exchange.response.status <= 999:
            raise UsageError(
                f"exchange {index} of {name!r} holds no answer that could be given", fix="capture the run again"
            )
    known = {route.name for route in listener_routes(settings.routes)}
    missing = sorted({exchange.provider for exchange in run.exchanges if not exchange.in_process} - known)
    if missing:
        raise UsageError(
            f"fixture {name!r} has calls of a route that is not configured: {', '.join(missing)}",
            fix=f"add [routes.{missing[0]}] to config.toml as it was when the run was captured",
        )
    unlisted = unlisted_tools(run, executes, served_tools(settings))
    if unlisted:
        options = " ".join(f"--executes {shlex.quote(tool)}" for tool in unlisted)
        raise UsageError(
            f"a replay of {name!r} really runs tools that are not listed: {', '.join(unlisted)}",
            fix=f"read what they do, then add {options} (in a test: to EXECUTES)",
        )


def compare(request: ReplayRequest, stage: Stage, recording: Recording, *, gaps_fail: bool = True) -> ReplayResult:
    """How the run that was just seen went, against the one that was recorded."""
    context = surroundings(request.environ, request.cwd, recording, request.settings)
    keys = RunKeys([seen.exchange for seen in recording.recorded], context, request.settings.key_rules)
    made = assemble(recording.recorded, recording.spans, recording.calls, key=keys)
    report = stage.calls.report()
    called = {
        tool: count - report.calls.answered.get(tool, 0)
        for tool, count in executed_tools(made.trace).items()
        if count > report.calls.answered.get(tool, 0)
    }
    served = served_tools(request.settings)
    executed = {tool: count for tool, count in called.items() if tool not in served}
    unasked = answered_tools(request.fixture.run) - {*map(bare_tool, request.executes)}
    replayed = Replayed(request.fixture.run, recording, made, report, tuple(unasked.intersection(executed)))
    allowed = {*recorded_tools(replayed.old), *map(bare_tool, request.executes)}
    clean = partial(redact_text, secrets=stage.secrets)
    gaps = tuple(map(clean, gaps_of(replayed)))
    causes = tuple(map(clean, causes_of(replayed, gaps if gaps_fail else ())))
    return ReplayResult(
        name=request.fixture.name,
        report=replayed.report,
        trace=made.trace,
        exit_code=recording.exit_code or 0,
        recorded_exit_code=replayed.old.source.exit_code,
        executed=executed,
        causes=causes,
        passed=not causes,
        seconds=(recording.ended_ns - recording.started_ns) / 1e9,
        notices=tuple(map(clean, notices_of(replayed, executed, allowed))),
        served_tools={tool: count for tool, count in called.items() if tool in served},
        gaps=gaps,
        signal=recording.interrupted,
        unlisted=tuple(clean(tool) for tool in executed if tool not in allowed),
    )

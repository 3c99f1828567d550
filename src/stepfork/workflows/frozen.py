"""frozen replay: a callable runs in this process, its instrumented calls answered from a fixture. Read top-down in
`frozen_replay`."""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from stepfork.config.environment import read_dotenv
from stepfork.config.process import environment_turned
from stepfork.config.project import Settings
from stepfork.config.routes import listener_routes
from stepfork.errors import EntrypointError, RecordedDependencyError, ReplayError, UsageError
from stepfork.instrument import context
from stepfork.instrument.declared import declared
from stepfork.instrument.elsewhere import REFUSALS
from stepfork.instrument.forking import inherited
from stepfork.instrument.plain import message_of, plain
from stepfork.instrument.shut import Address, shut
from stepfork.instrument.tagged import decode
from stepfork.listener.environment import CALLS_VARIABLE
from stepfork.normalize.optional import is_optional
from stepfork.providers.lines import clean_line
from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from stepfork.replay.answerable import answered_tools
from stepfork.replay.executes import recorded_tools
from stepfork.replay.frozen import FrozenReplay, ReplayStoppedError
from stepfork.replay.frozen_calls import RecordedCall, answered_exchanges, recorded_calls
from stepfork.replay.frozen_faults import Fault, shown
from stepfork.replay.frozen_matching import Matching
from stepfork.replay.permitted import Permitted
from stepfork.store.drafts import draft_causes
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Fixture, Run
from stepfork.trace.step import StepError, StepType
from stepfork.workflows.entrypoint import call_with_input
from stepfork.workflows.model_addresses import upstreams
from stepfork.workflows.one_block import refuse_second
from stepfork.workflows.running import wait_for_threads
from stepfork.workflows.served_tools import served_tools
from stepfork.workflows.surroundings import surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.replay.report import ReplayReport
    from stepfork.workflows.answered_http import AnsweredHttp

Mode = Literal["frozen", "live"]


@dataclass(frozen=True)
class FrozenRequest:
    """What to run, and from which fixture it is answered. `allow_live` are the names of instrumented calls that run
    for real in mode ``live``; in mode ``frozen`` none does."""

    fixture: Fixture
    entrypoint: Callable[..., Any]
    settings: Settings = field(repr=False)
    environ: Mapping[str, str] = field(repr=False)
    cwd: Path
    mode: Mode = "frozen"
    allow_live: tuple[str, ...] = ()

    def running(self, entrypoint: Callable[..., Any]) -> FrozenRequest:
        """The same request with another entrypoint."""
        return replace(self, entrypoint=entrypoint)


class MadeCall(msgspec.Struct, frozen=True):
    """A call that the entrypoint made and that was answered, or ran. ``arguments`` are those of this run, in the plain
    form that expectations are written in, and not redacted. ``failed``: it raised, now or when it was recorded."""

    name: str
    type: StepType
    arguments: JsonValue
    failed: bool


@dataclass(frozen=True)
class FrozenResult:
    """How a frozen replay went.

    `value` is what the entrypoint returned, `error` what it raised: neither is redacted. `calls` are in order of their
    beginning. `causes` say what diverged, one line each, redacted: empty where every recorded call was made, as it was
    recorded, and no other. `ending` says how the end differs from the recorded one, None where it ended alike;
    `passed` is True where there are neither. `faults` are the refused calls, `left` the recorded calls that were not
    made. `substituted` and `ran` count calls by name. `model` is what was asked over HTTP, None where nothing of it was
    recorded. `same_output` is None where no output was recorded or none came.
    """

    name: str
    mode: Mode
    value: Any = field(repr=False)
    error: BaseException | None = field(repr=False)
    calls: tuple[MadeCall, ...] = field(repr=False)
    causes: tuple[str, ...]
    substituted: dict[str, int]
    ran: dict[str, int]
    recorded: int
    passed: bool
    ending: str | None = None
    faults: tuple[Fault, ...] = ()
    left: tuple[RecordedCall, ...] = field(default=(), repr=False)
    model: ReplayReport | None = None
    same_output: bool | None = None
    seconds: float = 0.0
    matching: Matching | None = field(default=None, repr=False)


def frozen_replay(request: FrozenRequest) -> FrozenResult:
    """Run the entrypoint with its instrumented calls answered from the fixture, and compare.

    Raises UsageError, before anything runs, where the fixture or the mode cannot be replayed, EntrypointError where
    the entrypoint cannot be called with the recorded input, ConfigError for a ``.env`` that cannot be read,
    CaptureError where a recording or a replay runs in this process already. A KeyboardInterrupt goes on.
    """
    run = request.fixture.run
    check_fixture(request)
    refuse_second()
    over_http = _over_http(run)
    secrets = Secrets.collect(request.environ, read_dotenv(str(request.cwd)), request.settings.redact)
    here = surroundings(request.environ, request.cwd, None, request.settings)
    matching = Matching(request.fixture.name, here, secrets, _values(run))
    with tempfile.TemporaryDirectory(prefix="stepfork-replay-") as folder:
        refusals = Path(folder, "refusals")
        calls, claimed = recorded_calls(run), _permitted(request, only=answered_tools(run))
        session = FrozenReplay(calls, matching, live=request.allow_live, refusals=refusals, permitted=claimed)
        given = matching.given(run.trace.input)
        started = time.monotonic()
        with ExitStack() as stack:
            http = _Http(request, over_http, stack, refusals)
            stack.enter_context(context.listening(session))
            stack.enter_context(inherited())
            value, error = _outcome(partial(call_with_input, request.entrypoint, given), session)
        session.end()
        seconds = time.monotonic() - started
    return _result(request, session, http, matching, _Ended(value, error, seconds, secrets))


def check_fixture(request: FrozenRequest) -> None:
    """Everything that speaks against it but the entrypoint, asked before anything is imported or runs. Raises
    UsageError."""
    name = request.fixture.name
    calls, over_http = recorded_calls(request.fixture.run), _over_http(request.fixture.run)
    if draft_causes(request.fixture) is not None:
        raise UsageError(f"{name!r} is the draft of a failed capture", fix="record the run again")
    if not calls and over_http is None:
        raise UsageError(
            f"{name!r} holds no calls to answer from", fix="record a run whose tools are decorated with trace_tool"
        )
    open_call = next((call for call in calls if not call.can_answer), None)
    if open_call is not None:
        raise UsageError(
            f"call {open_call.number + 1} of {name!r} ({clean_line(open_call.name)}) has no recorded end",
            fix="record the run again",
        )
    if request.mode not in ("frozen", "live"):
        raise UsageError(f"there is no mode {clean_line(str(request.mode), 40)}", fix="write frozen or live")
    if request.mode == "frozen" and request.allow_live:
        raise UsageError("mode frozen runs no tool", fix="write --mode live to let the named ones run")
    if request.mode == "live" and not request.allow_live:
        raise UsageError("mode live names no tool that may run", fix="add --allow-live-tool NAME for each")
    known = {call.name: call.type for call in calls}
    asked = recorded_tools(over_http) if over_http is not None else ()
    for wanted in request.allow_live:
        if wanted not in known and wanted not in asked:
            raise UsageError(
                f"{name!r} has no instrumented call {clean_line(wanted)!r}", fix=f"it has {_list(sorted(known))}"
            )
        if known.get(wanted) == "llm_call" and over_http is not None:
            raise UsageError(
                f"{clean_line(wanted)!r} is a model call, and the model calls of {name!r} are answered over HTTP",
                fix="allow tools alone",
            )


def _list(names: list[str]) -> str:
    shown_names = ", ".join(clean_line(name) for name in names[:8])
    return f"{shown_names}, …" if len(names) > 8 else shown_names or "none"


def _over_http(run: Run) -> Run | None:
    """The part of a run that no instrumented call answers: its other model calls. None where it made none."""
    answered = answered_exchanges(run)
    rest = tuple(exchange for index, exchange in enumerate(run.exchanges) if index not in answered)
    if all(map(is_optional, rest)):
        return None
    source = msgspec.structs.replace(run.source, replay_capable=True)
    return Run(source, msgspec.structs.replace(run.trace, steps=()), rest)


def _values(run: Run) -> Iterator[JsonValue]:
    yield from (run.trace.input, run.trace.output)
    for call in recorded_calls(run):
        yield from (call.arguments, call.result, call.raised)


def _permitted(request: FrozenRequest, only: Collection[str] | None = None) -> Permitted:
    """What a recorded answer may ask for. One in place of a model call of this process may moreover ask for what the
    recording has no calls of (`only` are the others): that is how models give structured answers."""
    how = "write --mode live and --allow-live-tool for it if it may run"
    return Permitted((*request.allow_live, *served_tools(request.settings)), declared, how, only)


class _Http:
    """How model calls over HTTP are kept from the network: answered where any were recorded, else refused; in mode live
    a tool that runs may make them where none was."""

    def __init__(self, request: FrozenRequest, recorded: Run | None, stack: ExitStack, refusals: Path) -> None:
        self._answered: AnsweredHttp | None = None
        self._tried: list[Address] = []
        variables = {REFUSALS: str(refusals), CALLS_VARIABLE: ""}  # the calls of processes that it starts are refused
        routes = listener_routes(request.settings.routes)
        if recorded is None:
            stack.enter_context(environment_turned({**request.environ, **variables}))
        else:
            from stepfork.workflows.answered_http import AnsweredHttp  # a listener: most recordings need none
            from stepfork.workflows.replay import ReplayRequest

            replayed = ReplayRequest(
                fixture=msgspec.structs.replace(request.fixture, run=recorded),
                command=(),
                cwd=request.cwd,
                environ=request.environ,
                settings=request.settings,
                executes=recorded_tools(recorded),
            )
            self._answered = AnsweredHttp(replayed, _permitted(request), variables, stack)
            routes = self._answered.routes
        if recorded is not None or request.mode == "frozen":
            self._tried = stack.enter_context(shut(upstreams(request.environ, request.settings, routes)))

    @property
    def report(self) -> ReplayReport | None:
        """What was answered and what was not."""
        return None if self._answered is None else self._answered.report

    def causes(self) -> Iterator[str]:
        """What diverged."""
        for host, port in self._tried:
            yield f"a model that is not recorded was asked: {host}:{port}"
        if self._answered is not None:
            yield from self._answered.causes()


def _outcome(call: Callable[[], Any], session: FrozenReplay) -> tuple[Any, BaseException | None]:
    """What the entrypoint returned or raised, when its threads have ended too."""
    before = set(threading.enumerate())
    value, raised = None, None
    try:
        value = call()
    except (KeyboardInterrupt, EntrypointError):
        raise
    except BaseException as error:  # SystemExit too, and what test runners raise: it is how the run ended
        raised = error
    wait_for_threads(before, lambda: session.is_whole)
    return value, raised


@dataclass(frozen=True)
class _Ended:
    value: Any
    error: BaseException | None
    seconds: float
    secrets: Secrets = field(repr=False)


def _result(
    request: FrozenRequest, session: FrozenReplay, http: _Http, matching: Matching, ended: _Ended
) -> FrozenResult:
    clean = partial(redact_text, secrets=ended.secrets)
    left = () if session.faults else tuple(session.left())
    causes = [*_fault_lines(session), *http.causes(), *(_left_line(matching, call) for call in left)]
    ending = None if session.faults else _ending(request.fixture.run, ended.error)
    made = tuple(MadeCall(call.name, call.type, _plain(call.arguments), bool(call.failed)) for call in session.made)
    return FrozenResult(
        name=request.fixture.name,
        mode=request.mode,
        value=ended.value,
        error=ended.error,
        calls=made,
        causes=tuple(map(clean, causes)),
        substituted=dict(Counter(call.name for call in session.made if not call.ran)),
        ran=dict(Counter(call.name for call in session.made if call.ran)),
        recorded=len(recorded_calls(request.fixture.run)),
        passed=not causes and ending is None,
        ending=None if ending is None else clean(ending),
        faults=tuple(session.faults),
        left=left,
        model=http.report,
        same_output=_same_output(request.fixture.run, matching, ended),
        seconds=ended.seconds,
        matching=matching,
    )


def _fault_lines(session: FrozenReplay) -> Iterator[str]:
    return (fault.text for fault in session.faults)


def _left_line(matching: Matching, call: RecordedCall) -> str:
    given = shown(matching.redacted(call.arguments))
    return f"call {call.number + 1} was recorded and not made: {clean_line(call.name)} {given}"


def _ending(run: Run, error: BaseException | None) -> str | None:
    """How the end differs from the recorded one."""
    recorded = run.trace.error if run.trace.status == "error" else None
    if error is None:
        return (
            None if run.trace.status != "error" else f"the recorded run ended with {_told(recorded)}, this one did not"
        )
    if isinstance(error, ReplayError | ReplayStoppedError):
        return f"the run ended with {type(error).__name__}: {message_of(error)}"
    if run.trace.status == "error" and _is_alike(recorded, error):
        return None
    said = StepError(type(error).__name__, message_of(error))
    before = (
        f", the recorded one with {_told(recorded)}"
        if run.trace.status == "error"
        else ", the recorded one did not fail"
    )
    return f"the run ended with {_told(said)}{before}"


def _is_alike(recorded: StepError | None, error: BaseException) -> bool:
    if recorded is None or recorded.type == type(error).__name__:
        return True
    return isinstance(error, RecordedDependencyError) and recorded.type in error.what


def _told(error: StepError | None) -> str:
    if error is None:
        return "an error"
    return clean_line(f"{error.type}: {error.message}" if error.message else error.type, 200)


def _plain(arguments: JsonValue) -> JsonValue:
    return plain(decode(arguments))


def _same_output(run: Run, matching: Matching, ended: _Ended) -> bool | None:
    if run.trace.output is msgspec.UNSET or ended.error is not None:
        return None
    live = matching.reading(plain(ended.value))
    return not hasattr(matching.compare(matching.redacted(run.trace.output), live), "recorded")

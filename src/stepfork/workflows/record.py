"""record: a block of code of this process becomes a fixture, as a command does in `capture`."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, Self, TypeVar

import msgspec

from stepfork.capture.upstream import UpstreamForwarder, Upstreams
from stepfork.config.environment import environ, environ_mark, read_dotenv, store_override
from stepfork.config.process import from_here, may_record
from stepfork.config.project import read_settings
from stepfork.config.routes import listener_routes
from stepfork.contracts.verification import Outcome
from stepfork.errors import CaptureError, NotFoundError, StepforkError, UsageError
from stepfork.instrument import context
from stepfork.instrument.children import telling_children
from stepfork.instrument.forking import inherited
from stepfork.instrument.plain import message_of, plain
from stepfork.instrument.run_input import input_of
from stepfork.listener.environment import child_environment
from stepfork.listener.tape import Progress
from stepfork.listener.watch import Recording
from stepfork.providers.lines import clean_line
from stepfork.redact.known import secrets_of
from stepfork.redact.rules import Rules
from stepfork.redact.secrets import Secrets
from stepfork.store.layout import STORE_NAME
from stepfork.store.store import Store, find_store
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Source
from stepfork.trace.step import StepError
from stepfork.workflows.capture_result import CaptureResult
from stepfork.workflows.closed_streams import with_closed_streams
from stepfork.workflows.fixture_request import FixtureRequest, Told, as_of_now, check_request
from stepfork.workflows.in_process import Block, BlockContext
from stepfork.workflows.journalling import Journalling, begin_journal
from stepfork.workflows.make_fixture import keep_fixture, make_fixture
from stepfork.workflows.one_block import refuse_second

_P = ParamSpec("_P")
_R = TypeVar("_R")

_INTERRUPTIONS = (KeyboardInterrupt, GeneratorExit, asyncio.CancelledError)
"""What ends a block from outside: no failing run, but the beginning of one."""


@dataclass(frozen=True)
class RecordResult:
    """What became of a block.

    `fixture` is the manifest, or the bundle where `output` named one; None where the run could not become one, and then
    `draft` is where what there is of it lies. `verified` is True for the outcome ``verified`` only; `causes` are the
    reasons why a run is not, `notices` hints that fail nothing. `test` is the drafted test that goes with the fixture,
    None where there is none. `expected_failures` are the ids of contracts that an incident fails.
    """

    name: str
    fixture: Path | None
    outcome: Outcome
    verified: bool
    test: Path | None = None
    causes: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    expected_failures: tuple[str, ...] = ()
    draft: Path | None = None


def record(
    name: str,
    *,
    output: str | os.PathLike[str] | None = None,
    expect_fail: bool = False,
    agent_id: str | None = None,
    emit_test: bool = True,
    store: str | os.PathLike[str] | None = None,
    allow_capture: bool = False,
) -> Capture:
    """Record what a block of code does as the fixture `name`: ``with record("refund") as capture:``, or ``async with``.

    For as long as the block runs, the variables by which model clients and exporters find their servers lead to a
    listener of stepfork, in the whole process; clients that are made inside the block are recorded. Afterwards the
    variables are what they were. Tools and models that are instrumented (`trace_tool`, `llm_request`, adapters) are
    recorded as they are called, whoever calls them, and each call is on disk before its result is given back: what a
    process that is killed leaves behind `stepfork show` reads.

    `output` is a bundle (``….sftrace``) to write instead of the store's fixture; `expect_fail` says that the run is an
    incident, which fails some contract; `agent_id` names the agent in the trace; without `emit_test` no test is
    drafted. `store` is the store to use instead of the nearest ``.stepfork``. Where `CI` is set nothing is recorded
    unless `allow_capture`, or the variable STEPFORK_ALLOW_CAPTURE, says so.

    Entering raises, before anything runs, what speaks against the capture: UsageError, NotFoundError, ConfigError,
    StoreError, and CaptureError where another block runs in this process. Leaving raises CaptureError for a run that is
    not verified (its fixture is written) or could not become a fixture. A block that raises is no run: nothing is
    written and its exception goes on, unless `output` is given, where a run that failed is kept with its error.
    """
    return Capture(
        name,
        output=output,
        expect_fail=expect_fail,
        agent_id=agent_id,
        emit_test=emit_test,
        store=store,
        allow_capture=allow_capture,
    )


class Capture(BlockContext):
    """What `record` gives: a context, to be entered once, for ``with`` and ``async with``.

    `result` is None while the block runs, and stays None where it was abandoned.
    """

    def __init__(
        self,
        name: str,
        *,
        output: str | os.PathLike[str] | None,
        expect_fail: bool,
        agent_id: str | None,
        emit_test: bool,
        store: str | os.PathLike[str] | None,
        allow_capture: bool,
    ) -> None:
        self.result: RecordResult | None = None
        self._name = name
        self._output = None if output is None else Path(output)
        self._expect_fail = expect_fail
        self._emit_test = emit_test
        self._named_store = None if store is None else os.fspath(store)
        self._allow_capture = allow_capture
        self._agent = agent_id
        self._input: JsonValue | msgspec.UnsetType = msgspec.UNSET
        self._said: JsonValue | msgspec.UnsetType = msgspec.UNSET
        self._raised: StepError | None = None
        self._opened: _Opened | None = None

    @property
    def env(self) -> dict[str, str]:
        """The variables that lead to the listener, for a subprocess that is started with an environment of its own.
        Child processes that inherit this process's environment have them already. Empty before the block begins."""
        return {} if self._opened is None else dict(self._opened.block.env)

    def set_input(self, value: Any) -> None:
        """Say what the run's input is: any value, of which a copy is taken now. The last one counts."""
        self._take_input((value,), {})

    def set_output(self, value: Any) -> None:
        """Say what the run's output is: any value, of which a readable copy is taken now. The last one counts."""
        self._said, self._raised = plain(value), None
        if self._opened is not None:
            self._opened.journalling.output(self._said)

    def run(self, function: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call the agent, with its arguments as the run's input and what it returns, which is given back, as the
        output. Raises what it raises, and UsageError, before it runs, for what has to be awaited."""
        if inspect.iscoroutinefunction(function):
            raise UsageError("a coroutine function is awaited", fix="write await capture.arun(…)")
        self._take_input(args, kwargs)
        with self._watched():
            result = function(*args, **kwargs)
        self.set_output(result)
        return result

    async def arun(self, function: Callable[_P, Awaitable[_R]], /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """As `run`, for a coroutine function."""
        self._take_input(args, kwargs)
        with self._watched():
            result = await function(*args, **kwargs)
        self.set_output(result)
        return result

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """What the agent raises is how its run ended, also where the block goes on after it: the last model's answer is
        not its output then. A later run, or an output that is said, takes its place."""
        self._raised = None
        try:
            yield
        except BaseException as error:
            if not _ended_well(error):
                self._raised = StepError(type(error).__name__, message_of(error))
            raise

    def _take_input(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._input = input_of(args, kwargs)
        if self._opened is not None:
            self._opened.journalling.input(self._input)

    def __enter__(self) -> Self:
        if self._opened is not None:
            raise CaptureError("a capture is entered once", fix="call record() for each block")
        refuse_second()
        opened = self._open()
        try:
            opened.block.open()
            try:
                opened.block.hold(context.listening(opened.journalling.recorder))
                opened.block.hold(inherited())
                opened.block.hold(telling_children())
            except BaseException:
                opened.block.close()
                raise
        except BaseException:
            opened.journalling.abandon()
            raise
        self._opened = opened
        return self

    def _block(self) -> Block:
        return self._entered().block

    def _is_run(self, error: BaseException | None) -> bool:
        """Whether what the block did is a run. A program that ends with ``sys.exit(0)`` has ended well."""
        if error is None or _ended_well(error):
            return True
        return self._output is not None and not isinstance(error, _INTERRUPTIONS)

    def _entered(self) -> _Opened:
        assert self._opened is not None, "a capture is left without having been entered"
        return self._opened

    def _open(self) -> _Opened:
        """All that could refuse the fixture, asked now: a paid run is never lost to it."""
        cwd, variables = Path.cwd(), environ()
        store = self._find_store(cwd)
        settings = read_settings(store.root)
        request = FixtureRequest(
            name=self._name,
            environ=variables,
            cwd=cwd,
            output=None if self._output is None else cwd / self._output,
            expect_fail=self._expect_fail,
            settings=settings,
            draft_test=self._emit_test,
        )
        check_request(request, store)
        if not self._allow_capture and not may_record():
            path = self._output or store.shown(store.manifest_path(self._name))
            raise UsageError(
                "nothing is recorded in CI",
                where=str(path),
                fix="run this on your machine and commit what it writes, or pass allow_capture=True",
            )
        routes = listener_routes(settings.routes)
        seen = _Variables(variables, read_dotenv(str(cwd)), settings.redact)
        upstreams = Upstreams.from_environment(variables, settings.routes)
        block = Block(
            UpstreamForwarder(upstreams),
            partial(child_environment, variables, routes=routes),
            routes,
            seen.look,
        )
        request = as_of_now(request, store)
        journalling = begin_journal(request, store, seen.secrets, block.log, agent=self._agent)
        block.tell(journalling.journal)
        return _Opened(block, request, store, seen, upstreams.notices, journalling)

    def _find_store(self, cwd: Path) -> Store:
        try:
            return find_store(cwd, self._named_store or store_override())
        except NotFoundError:
            if self._output is None or self._named_store:
                raise
            return Store(cwd / STORE_NAME)  # where a draft would be kept; a bundle needs no store

    def _finish(self, recording: Recording | None, error: BaseException | None) -> None:
        journalling = self._entered().journalling
        if recording is None:
            return  # a fork's copy: the journal is its parent's
        if not self._is_run(error):
            journalling.abandon()
            return
        recording = journalling.end(recording)
        failed = None if error is None or _ended_well(error) else StepError(type(error).__name__, message_of(error))
        if failed is not None:
            with suppress(StepforkError):  # the block's own exception is the one that goes on
                self.result = _result(self._keep(recording, failed))
            return
        captured = self._keep(recording, None)
        self.result = _result(captured)
        if captured.outcome == "not_verified":
            raise _not_verified(captured)

    def _keep(self, recording: Recording, failed: StepError | None) -> CaptureResult:
        opened = self._entered()
        recording = msgspec.structs.replace(recording, notices=(*recording.notices, *opened.notices))
        recording = with_closed_streams(recording)
        # Of a run that failed the last call may be half a call.
        is_whole = bool(recording.recorded or recording.calls) and not recording.problems
        source = Source(kind="in_process", replay_capable=is_whole)
        went_on = failed is None and self._raised is not None
        error = self._raised if went_on else failed
        told = Told(agent=self._agent, input=self._input, output=self._said, error=error, went_on=went_on)
        made = make_fixture(opened.request, recording, source, opened.seen.secrets(), told)
        return keep_fixture(opened.request, opened.store, made, opened.journalling.claim)


@dataclass(frozen=True)
class _Opened:
    block: Block
    request: FixtureRequest
    store: Store
    seen: _Variables
    notices: tuple[str, ...]
    journalling: Journalling


class _Variables:
    """The secrets of the environment as it was before the block, at each of its calls, and after it: a block may load
    its keys itself, and put them away again."""

    def __init__(self, environ: Mapping[str, str], dotenv: Mapping[str, str], rules: Rules) -> None:
        self._rules = rules
        self._values = secrets_of(dotenv, rules) | secrets_of(environ, rules)
        self._known = set(environ.items())
        self._secrets = Secrets(self._values, rules)
        self._lock = threading.RLock()
        self._mark: object = None

    def look(self, _progress: Progress | None = None) -> None:
        """Take in what the environment has by now. Cheap where it has nothing new."""
        mark = environ_mark()
        if mark == self._mark:
            return
        with self._lock:
            self._mark = mark
            new = environ().items() - self._known
            self._known |= new
            values = dict(self._values)
            for name, value in new:  # a name may have had several values
                values.update(secrets_of({name: value}, self._rules))
            if values != self._values:
                self._values, self._secrets = values, Secrets(values, self._rules)

    def secrets(self) -> Secrets:
        """All of them, with what there is now; the same object for as long as there is nothing new."""
        self.look()
        return self._secrets


def _ended_well(error: BaseException) -> bool:
    return isinstance(error, SystemExit) and error.code in (None, 0)


def _result(captured: CaptureResult) -> RecordResult:
    return RecordResult(
        name=captured.name,
        fixture=captured.path,
        outcome=captured.outcome,
        verified=captured.outcome == "verified",
        test=None if captured.test is None else captured.test.path,
        causes=captured.causes,
        notices=captured.all_notices,
        expected_failures=captured.expected_failures,
        draft=captured.draft,
    )


def _not_verified(captured: CaptureResult) -> CaptureError:
    what = "is not verified" if captured.fixture is not None else "became no fixture"
    causes = "; ".join(clean_line(cause, 400) for cause in captured.causes)
    where = captured.path or captured.draft
    return CaptureError(
        f"the capture of {clean_line(captured.name)!r} {what}: {causes}",
        where=None if where is None else from_here(where),
    )

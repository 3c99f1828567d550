"""playback: a block of code runs in this process, its model calls answered from a fixture, as in `replay`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Self

import msgspec

from stepfork.config.environment import environ, store_override
from stepfork.errors import ReplayError
from stepfork.instrument import context
from stepfork.instrument.children import telling_children
from stepfork.instrument.declared import declared
from stepfork.instrument.forking import inherited
from stepfork.instrument.logged import LoggedSession
from stepfork.instrument.shut import Address, shut
from stepfork.listener.watch import Recording
from stepfork.providers.lines import clean_line
from stepfork.redact.redactor import redact_text
from stepfork.replay.executes import recorded_tools
from stepfork.replay.first_difference import first_difference
from stepfork.replay.forwarder import ReplayForwarder
from stepfork.replay.permitted import Permitted
from stepfork.replay.report import ReplayReport
from stepfork.trace.step import Trace
from stepfork.workflows.in_process import Block, BlockContext
from stepfork.workflows.model_addresses import upstreams
from stepfork.workflows.one_block import refuse_second
from stepfork.workflows.open_fixture import open_fixture
from stepfork.workflows.replay import ReplayRequest, ReplayResult, Stage, compare, set_stage
from stepfork.workflows.served_tools import served_tools


def playback(
    fixture: str | os.PathLike[str],
    *,
    executes: Sequence[str] | None = None,
    store: str | os.PathLike[str] | None = None,
) -> Playback:
    """Answer the model calls of a block of code from `fixture`: ``with playback("refund"):``, or ``async with``.

    `fixture` is a name in the nearest store, or the path of a manifest or a bundle; `store` is the store to use instead
    of the nearest. The block's variables lead to a listener of stepfork and its keys are placeholders, so that clients
    made inside it reach no model; clients that were made before it are refused where they look for theirs. Instrumented
    calls are answered from the fixture and their bodies do not run; tools of the block that are not instrumented do.
    With `executes`, only a fixture whose recorded tools are all listed there (or served by a route, or instrumented in
    the block) is played back.

    Entering raises UsageError for a fixture that cannot be replayed, what reading it raises, and CaptureError where
    another block runs in this process. Leaving raises ReplayError, naming each miss and each recorded call that was
    left over, with the first difference as notes of the exception; a block that raises goes on with its own exception,
    unless a call missed: who expects the exception would take it for the one that was recorded.
    """
    return Playback(fixture, executes=executes, store=store)


class Playback(BlockContext):
    """What `playback` gives: a context, to be entered once, for ``with`` and ``async with``.

    `result` says how it went, whatever it was: None before the block has ended.
    """

    def __init__(
        self,
        fixture: str | os.PathLike[str],
        *,
        executes: Sequence[str] | None,
        store: str | os.PathLike[str] | None,
    ) -> None:
        self.result: ReplayResult | None = None
        self._fixture = fixture if isinstance(fixture, str) else Path(fixture)
        self._executes = executes
        self._store = None if store is None else os.fspath(store)
        self._opened: tuple[ReplayRequest, Stage, Block] | None = None
        self._tried: list[Address] = []

    @property
    def report(self) -> ReplayReport:
        """What was answered so far, and what was not. Empty before the block begins."""
        return ReplayReport(0) if self._opened is None else self._opened[1].player.report()

    @property
    def env(self) -> dict[str, str]:
        """The variables that lead to the listener, for a subprocess that is started with an environment of its own."""
        return {} if self._opened is None else dict(self._opened[2].env)

    @property
    def trace(self) -> Trace:
        """The trace of this run, for contracts: not redacted. Raises ReplayError before the block has ended, and where
        the recorded run exported more than this one, so that contracts might hold of it that the block broke."""
        if self.result is None:
            raise ReplayError("a playback has a trace when its block has ended")
        if self.result.gaps:
            raise ReplayError("; ".join(clean_line(gap, 400) for gap in self.result.gaps))
        return self.result.trace

    def __enter__(self) -> Self:
        if self._opened is not None:
            raise ReplayError("a playback is entered once", fix="call playback() for each block")
        refuse_second()
        opened = self._open()
        request, stage, block = opened
        block.open()
        try:
            block.hold(context.listening(LoggedSession(block.log, stage.calls.refuse)))
            block.hold(inherited())
            block.hold(telling_children())
        except BaseException:
            block.close()
            raise
        self._opened = opened
        self._tried = block.hold(shut(upstreams(request.environ, request.settings, stage.routes)))
        return self

    def _block(self) -> Block:
        assert self._opened is not None, "a playback is left without having been entered"
        return self._opened[2]

    def _is_run(self, error: BaseException | None) -> bool:
        return error is None

    def _open(self) -> tuple[ReplayRequest, Stage, Block]:
        cwd, variables = Path.cwd(), environ()
        opened = open_fixture(self._fixture, near=cwd, override=self._store or store_override())
        tools = recorded_tools(opened.fixture.run) if self._executes is None else tuple(self._executes)
        request = ReplayRequest(
            fixture=opened.fixture,
            command=(),
            cwd=cwd,
            environ=variables,
            settings=opened.settings,
            executes=tools,
        )
        listed = (*tools, *served_tools(opened.settings))
        stage = set_stage(request, Permitted(listed, declared, "name it in executes= if it may run"))
        return (
            request,
            stage,
            Block(ReplayForwarder(stage.player), stage.environment, stage.routes, answers=stage.calls),
        )

    def _finish(self, recording: Recording | None, error: BaseException | None) -> None:
        if recording is None:
            return
        assert self._opened is not None
        request, stage, _ = self._opened
        # A block has no exit code; one that got here has ended as the recorded command is expected to.
        ended = msgspec.structs.replace(recording, exit_code=request.fixture.run.source.exit_code or 0)
        result = compare(request, stage, ended, gaps_fail=False)
        past = tuple(f"a client that was made outside of the block asked {host}:{port}" for host, port in self._tried)
        self.result = replace(result, causes=(*past, *result.causes), passed=result.passed and not past)
        if error is None and not self.result.passed:
            raise _not_as_recorded(self.result, stage)
        if isinstance(error, Exception) and (past or result.report.has_misses):
            raise _not_as_recorded(self.result, stage) from error


def _not_as_recorded(result: ReplayResult, stage: Stage) -> ReplayError:
    """What it says is one line, as of any error; tracebacks and pytest show the first difference below it."""
    causes = "; ".join(clean_line(cause, 400) for cause in result.causes)
    error = ReplayError(f"the playback of {clean_line(result.name)!r} is not as recorded: {causes}")
    for miss in result.report.misses[:1]:
        for line in first_difference(miss, partial(redact_text, secrets=stage.secrets)):
            error.add_note(f"  {line}")
    return error

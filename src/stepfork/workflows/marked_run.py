"""A test whose model calls are played back from a fixture, or recorded as one: what a mark on it asks for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from stepfork.config.environment import store_override
from stepfork.errors import CaptureError, NotFoundError, ReplayError, StepforkError, UsageError
from stepfork.store.store import Store, find_store
from stepfork.trace.fixture import Fixture
from stepfork.workflows.playback import Playback, playback
from stepfork.workflows.record import Capture, record
from stepfork.workflows.replay import ReplayResult

Mode = Literal["none", "once", "all"]
"""Which fixtures are recorded: none, those that there are not yet, or all."""


@dataclass(frozen=True)
class Mark:
    """``@pytest.mark.stepfork("refund", executes=[…], expect_fail=False, agent_id=None)``: the last two are for when it
    is recorded, `executes` is for when it is played back, as `playback` has it."""

    name: str
    executes: tuple[str, ...] | None = None
    expect_fail: bool = False
    agent_id: str | None = None


@dataclass(frozen=True)
class Left:
    """How a marked test's block ended. `fault` fails the test; `replay` is how the playback of `fixture` went, where it
    did not go as recorded and may be why the test failed; `recorded` is the name of the fixture written."""

    fault: StepforkError | None = None
    replay: ReplayResult | None = None
    fixture: Fixture | None = None
    recorded: str | None = None


def read_mark(arguments: tuple[object, ...], keywords: dict[str, object]) -> Mark:
    """The mark that a test wrote. Raises UsageError for one that says something else than a name and known options."""
    known = set(Mark.__dataclass_fields__) - {"name"}
    name = arguments[0] if len(arguments) == 1 else None
    if not isinstance(name, str) or not keywords.keys() <= known:
        raise UsageError(
            "the mark stepfork takes the name of a fixture", fix=f"and these options: {', '.join(sorted(known))}"
        )
    executes, agent = keywords.get("executes"), keywords.get("agent_id")
    if not (executes is None or (isinstance(executes, list | tuple) and all(isinstance(one, str) for one in executes))):
        raise UsageError("executes of the mark stepfork is a list of tools")
    return Mark(
        name=name,
        executes=None if executes is None else tuple(executes),
        expect_fail=bool(keywords.get("expect_fail", False)),
        agent_id=None if agent is None else str(agent),
    )


class MarkedRun:
    """One marked test. Its store is the nearest one above the file of the test (or STEPFORK_DIR), wherever the tests
    were started. `how` is what one types to record the test, `shared` whether other tests have the same mark."""

    def __init__(self, mark: Mark, *, near: Path, mode: Mode, how: str, shared: bool = False) -> None:
        self._mark = mark
        self._near = near
        self._mode = mode
        self._how = how
        self._shared = shared
        self._store: Store | None = None
        self.block: Capture | Playback | None = None

    def enter(self) -> None:
        """Begin. Raises NotFoundError where there is no fixture to play back, naming it and how it is made, UsageError
        where it must not be recorded, and what `record` and `playback` raise."""
        store = self._store = find_store(self._near, store_override())
        path = store.manifest_path(self._mark.name)
        there = os.path.lexists(path)
        if self._mode == "all" or (self._mode == "once" and not there):
            self._check_recordable(store, there=there)
            self.block = record(
                self._mark.name,
                expect_fail=self._mark.expect_fail,
                agent_id=self._mark.agent_id,
                emit_test=False,  # the marked test is the test
                store=store.root,
            )
        elif there:
            self.block = playback(self._mark.name, executes=self._mark.executes, store=store.root)
        else:
            raise NotFoundError(
                "there is no such fixture",
                where=store.shown(path),
                fix=f"record it on your machine and commit it: {self._how}",
            )
        self.block.__enter__()

    def leave(self, error: BaseException | None) -> Left:
        """End, with what the test raised. A test that failed is not recorded."""
        assert self.block is not None
        try:
            self.block.__exit__(None if error is None else type(error), error, None)
        except (CaptureError, ReplayError) as fault:
            return self._left(fault, error)
        return self._left(None, error)

    def _left(self, fault: StepforkError | None, error: BaseException | None) -> Left:
        if isinstance(self.block, Capture):
            recorded = self.block.result is not None and self.block.result.fixture is not None
            return Left(fault, recorded=self._mark.name if recorded and error is None else None)
        assert self.block is not None
        assert self._store is not None
        result = self.block.result
        # A test that failed for a reason of its own leaves recorded calls over: only a miss may be that reason.
        if result is None or result.passed or (error is not None and not result.report.has_misses):
            return Left(fault)
        return Left(fault, replay=result, fixture=self._store.read(self._mark.name))

    def _check_recordable(self, store: Store, *, there: bool) -> None:
        name = self._mark.name
        if self._shared and self._mode == "all":
            raise UsageError(
                f"several tests are marked {name!r}, and each would replace what another recorded",
                fix="give each a fixture of its own, or record them one by one",
            )
        if not there:
            return
        try:
            kind = store.read(name).run.source.kind
        except StepforkError:  # damaged, say: a new recording is what mends it
            return
        if kind != "in_process":
            raise UsageError(
                f"fixture {name!r} was not recorded by a test, and a test would replace it by something else",
                fix=f"stepfork capture --refresh {name} records a command's anew",
            )

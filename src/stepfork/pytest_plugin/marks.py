"""Tests that are marked ``stepfork``: their model calls are played back from a fixture, or recorded as one."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from stepfork.pytest_plugin.verdicts import fail_without_verdict

if TYPE_CHECKING:
    from stepfork.workflows.marked_run import MarkedRun, Mode

T = TypeVar("T")
RUN: pytest.StashKey[MarkedRun] = pytest.StashKey()
"""The block of a marked test, while it runs."""
MISSED = pytest.StashKey[str]()
"""What a playback that did not go as recorded shows."""
_NAME = pytest.StashKey[str]()
"""The fixture that a marked test recorded."""
_WANTED = "if the change is wanted:"
"""How the line of a miss begins that says what one types."""
_RECORDED = "stepfork_recorded"
"""The attribute of a report that has the name of a fixture that the test recorded."""


class MarkedTests:
    """Runs each test that is marked ``stepfork`` inside a playback of its fixture, or a recording that becomes it.

    The block begins before the test's fixtures are set up, so that clients that they make are turned to it, and ends
    with the test's call, so that a miss fails the test itself.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._asked: Mode = config.getoption("stepfork_record")
        self._mode: Mode = "none" if self._asked == "none" or not _may_record() else self._asked
        self._marked: Counter[str] = Counter()
        self._parts: set[str] = set()

    def pytest_report_header(self) -> str | None:
        """What is recorded, and what is not though it was asked for."""
        if self._asked == "none":
            return None
        told = (
            f"records {self._mode}"
            if self._mode == self._asked
            else f"--stepfork-record={self._asked} is ignored in CI"
        )
        return f"stepfork: {told}"

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count the tests of each fixture."""
        marks = [item.get_closest_marker("stepfork") for item in session.items]
        names = [mark.args[0] for mark in marks if mark is not None and mark.args]
        self._marked = Counter(name for name in names if isinstance(name, str))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin the block of a marked test: after it could be skipped, before its fixtures are set up."""
        self._parts.discard(item.nodeid)
        mark = item.get_closest_marker("stepfork")
        fault = "" if mark is None else self._enter(item, mark)
        if fault:
            fail_without_verdict(fault)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, T, T]:
        """End it with what the test raised."""
        try:
            result = yield
        except BaseException as error:
            _leave(item, error)
            raise
        _leave(item, self._untold(item))
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a part of a test that failed, or was skipped, while the test goes on (a subtest)."""
        if report.when == "call" and not report.passed:
            self._parts.add(report.nodeid)

    def _untold(self, item: pytest.Item) -> BaseException | None:
        """Why a test failed whose call raised nothing: unittest's tests keep that to themselves, and subtests report
        it on their own."""
        kept = getattr(item, "_excinfo", None)
        if kept:
            error: BaseException = kept[0].value
            return error
        return pytest.fail.Exception("a part of it failed") if item.nodeid in self._parts else None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, T, T]:
        """End the block of a test whose set-up failed, or that was never called."""
        _leave(item, pytest.skip.Exception("never called"))
        return (yield)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say which fixtures were written."""
        reports = [one for many in terminalreporter.stats.values() for one in many]
        names = sorted({getattr(report, _RECORDED, "") for report in reports} - {""})
        if names:
            terminalreporter.write_line(f"stepfork recorded: {', '.join(names)}; look at them, then: git add .stepfork")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let the report tell of a recording: it may be printed by another process."""
        report = yield
        if report.when == "call" and _NAME in item.stash:
            vars(report)[_RECORDED] = item.stash[_NAME]
        return report

    def _enter(self, item: pytest.Item, mark: pytest.Mark) -> str:
        """Why the block of a marked test cannot begin, empty where it has."""
        from stepfork.errors import StepforkError
        from stepfork.workflows.marked_run import MarkedRun, read_mark

        try:
            run = MarkedRun(
                read_mark(mark.args, dict(mark.kwargs)),
                near=item.path.parent,
                mode=self._mode,
                how=_recording(item, "once"),
                shared=self._marked[mark.args[0]] > 1,
            )
            run.enter()
        except StepforkError as error:
            return _escaped(str(error))
        item.stash[RUN] = run
        return ""


def _may_record() -> bool:
    from stepfork.config.process import may_record

    return may_record()


def _leave(item: pytest.Item, error: BaseException | None) -> None:
    """End the block of a test, if it has one that runs. Fails a test that passed where the block did not."""
    __tracebackhide__ = True
    run = item.stash.get(RUN, None)
    if run is None:
        return
    del item.stash[RUN]
    left = run.leave(error)
    if left.recorded is not None:
        item.stash[_NAME] = left.recorded
    if left.replay is not None and left.fixture is not None:
        from stepfork.cli.render.failures import replay_failure
        from stepfork.config.environment import environ

        told = replay_failure(left.replay, left.fixture, environ(), Path.cwd(), stored=True)
        if left.fixture.run.source.kind == "in_process":  # it is this test that records it
            wanted = f"if the change is wanted: {_recording(item, 'all')}"
            told = "\n".join(wanted if line.startswith(_WANTED) else line for line in told.split("\n"))
        item.stash[MISSED] = told
        if error is not None:
            item.add_report_section("call", "stepfork", item.stash[MISSED])
    if error is None and left.fault is not None:
        pytest.fail(item.stash.get(MISSED, "") or _escaped(str(left.fault)), pytrace=False)


def _recording(item: pytest.Item, mode: Mode) -> str:
    """What one types to record one test."""
    return f"pytest --stepfork-record={mode} {shlex.quote(item.nodeid)}"


def _escaped(text: str) -> str:
    from stepfork.cli.escape import escape

    return escape(text)

"""The pytest plugin: chains that were never evaluated fail, tests marked ``stepfork`` are played back or recorded.

pytest loads this at every start of every project that has stepfork installed, so what is heavy is imported where it is
used. What each part does for users is in ``docs/reference/testing.md``.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from stepfork.contracts.unevaluated import Built, watching

if TYPE_CHECKING:
    from stepfork.testing import StepforkFixture

T = TypeVar("T")
_FIXTURES = pytest.StashKey[list[tuple[Built, bool]]]()
"""What the fixtures of one test built, each with whether the fixture has code left to run when the test has ended."""


_VERDICT = "stepfork_verdict"
"""The attribute of a report that has the text of a miss or of failed contracts."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, in a group of their own."""
    group = parser.getgroup("stepfork", "recorded runs (stepfork)")
    group.addoption(
        "--stepfork-record",
        choices=("none", "once", "all"),
        default="none",
        help="for tests marked stepfork: play fixtures back and record nothing (none, the default, and always in CI), "
        "record the fixtures that there are not yet (once), or record all anew (all)",
    )
    group.addoption(
        "--stepfork-format",
        choices=("text", "github"),
        default="text",
        help="github: also print annotations of a pull request for misses and failed contracts",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and the parts."""
    config.addinivalue_line(
        "markers",
        "stepfork(name): answer the model calls of the test from the fixture NAME, or record it (--stepfork-record)",
    )
    config.pluginmanager.register(ChainWatch(), "stepfork-chains")
    if config.getoption("stepfork_format") == "github":
        config.pluginmanager.register(Annotations(), "stepfork-annotations")


@pytest.fixture
def stepfork() -> StepforkFixture:
    """`evaluate` of stepfork.testing, for tests that import nothing."""
    from stepfork.testing import StepforkFixture

    return StepforkFixture()


class ChainWatch:
    """Fails what builds a chain of contracts and never evaluates it: an expectation that nobody checked is not met.

    A chain belongs to what built it. A test has until its end; a fixture of one test that returns has that long too;
    one that yields, or lives longer than a test, has until its own end. On import nothing can be evaluated.
    """

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self,
        collector: pytest.Collector,  # noqa: ARG002
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Collecting: importing a module builds no chain."""
        built = Built()
        with watching(built):
            report = yield
        lines = built.unevaluated()
        if report.passed and lines:
            report.outcome = "failed"
            report.longrepr = _told(lines, "build it in a test or a fixture instead of on import")
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """The set-up of a fixture of any scope."""
        built = Built()
        # Before the fixture adds its own finalizers, so that it runs after them.
        fixturedef.addfinalizer(lambda: _check([built]))
        try:
            with watching(built):
                result = yield
        except BaseException:
            built.forget()
            raise
        if fixturedef.scope == "function":
            goes_on = inspect.isgeneratorfunction(fixturedef.func) or inspect.isasyncgenfunction(fixturedef.func)
            request.node.stash.setdefault(_FIXTURES, []).append((built, goes_on))
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, T, T]:
        """The test itself. One that failed before it came to evaluate has said enough."""
        built = Built()
        fixtures = item.stash.get(_FIXTURES, [])
        try:
            with watching(built):
                result = yield
        except BaseException:
            for one, _ in fixtures:
                one.forget()
            raise
        _check([built, *(one for one, goes_on in fixtures if not goes_on)])
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, T, T]:  # noqa: ARG002
        """What fixtures build after their yield."""
        built = Built()
        with watching(built):
            result = yield
        _check([built])
        return result


def _check(parts: Sequence[Built]) -> None:
    __tracebackhide__ = True
    lines = [line for built in parts for line in built.unevaluated()]
    if lines:
        for built in parts:
            built.forget()
        pytest.fail(_told(lines, "pass it to evaluate()"), pytrace=False)


def _told(lines: Sequence[str], fix: str) -> str:
    head = (
        "a chain of contracts was built and never evaluated"
        if len(lines) == 1
        else (f"{len(lines)} chains of contracts were built and never evaluated")
    )
    return "\n".join([f"{head}; {fix}", *(f"  {line}" for line in lines)])


class Annotations:
    """Annotations of a pull request for misses and failed contracts. A worker of xdist finds them, and they travel with
    its report to the process that prints."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self,
        item: pytest.Item,  # noqa: ARG002
        call: pytest.CallInfo[None],
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Mark the report of a verdict of ours."""
        report = yield
        testing = sys.modules.get("stepfork.testing")  # where it was never imported, nothing of it was raised
        if report.failed and call.excinfo is not None and testing is not None:
            error = call.excinfo.value
            if isinstance(error, testing.ContractsFailed | testing.ReplayFailed):
                vars(report)[_VERDICT] = str(error)
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """Print them all, each at the line of its test."""
        from stepfork.cli.render.github import annotation

        for report in (*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")):
            verdict = getattr(report, _VERDICT, None)
            if isinstance(verdict, str):
                path, line, _ = report.location
                title, _, rest = verdict.partition("\n")
                file = _from_repository(config.rootpath, path)
                terminalreporter.ensure_newline()
                shown = annotation(
                    "error", rest or title, file=file, title=" ".join(title.split()), line=(line or 0) + 1
                )
                terminalreporter.write_line(shown)


def _from_repository(root: Path, path: str) -> str:
    """A path below pytest's root as the repository around that has it."""
    place = (root / path).resolve()
    for folder in place.parents:
        if (folder / ".git").exists():
            return place.relative_to(folder).as_posix()
    return path.replace(os.sep, "/")

"""Chains of contracts that were built and never evaluated fail what built them."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Sequence
from typing import Any, TypeVar

import pytest

from stepfork.contracts.unevaluated import Built, watching
from stepfork.pytest_plugin.verdicts import fail_without_verdict

T = TypeVar("T")
_FIXTURES = pytest.StashKey[list[tuple[Built, bool]]]()
"""What the fixtures of one test built, each with whether the fixture has code left to run when the test has ended."""


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
        fail_without_verdict(_told(lines, "pass it to evaluate()"))


def _told(lines: Sequence[str], fix: str) -> str:
    head = (
        "a chain of contracts was built and never evaluated"
        if len(lines) == 1
        else (f"{len(lines)} chains of contracts were built and never evaluated")
    )
    return "\n".join([f"{head}; {fix}", *(f"  {line}" for line in lines)])

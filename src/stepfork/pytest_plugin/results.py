"""What became of each test, told to `stepfork run` through a file: loaded by it alone, with ``-p``.

An exit status says too little (skipped tests are 0, too) and can be set by whatever runs in the process. So each report
is told with what was raised, as it came out of the test and before anybody else's hook has changed the report; and the
file, written at the very end, is whole or not there: a process that ends early has told nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

_OPTION = "--stepfork-results"
_LONGEST = 2_000
"""Characters of a message that are told."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The file, in which nothing is written before the end."""
    parser.getgroup("stepfork").addoption(_OPTION, metavar="FILE", help="for stepfork run: where results are told")


def pytest_configure(config: pytest.Config) -> None:
    """Tell results where somebody asked for them."""
    path = config.getoption("stepfork_results")
    if path:
        config.pluginmanager.register(Results(Path(path)), "stepfork-run-results")


class Results:
    """Collects what is told."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = os.getpid()
        self._collected: dict[str, None] = {}
        self._deselected = 0
        self._reports: list[dict[str, Any]] = []
        self._collecting: list[dict[str, Any]] = []

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Before anything is deselected, or taken out of the list of tests."""
        self._collected[item.nodeid] = None

    @pytest.hookimpl(wrapper=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> Generator[None, object, object]:
        """One file of tests runs in this process, where all is seen, also where the project hands tests to workers."""
        for name, none in (("numprocesses", None), ("dist", "no"), ("tx", [])):
            if hasattr(config.option, name):
                setattr(config.option, name, none)
        return (yield)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Tests that an option left out."""
        self._deselected += len(items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that could not be imported, or skipped itself."""
        if report.outcome != "passed":
            self._collecting.append({"outcome": report.outcome, "message": _last_line(str(report.longrepr))})

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add what was raised to the report."""
        report = yield
        vars(report)["stepfork_raised"] = {} if call.excinfo is None else _told(call.excinfo.value)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One phase of one test."""
        self._reports.append(
            {
                "test": report.nodeid,
                "when": report.when,
                "outcome": report.outcome,
                "xfail": hasattr(report, "wasxfail"),
                "raised": getattr(report, "stepfork_raised", None),
            }
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """Write the file, when everybody else has finished; a process that was forked from this one writes none."""
        yield
        if os.getpid() != self._process:
            return
        document = {
            "exit_status": int(session.exitstatus),
            "collected": [*self._collected],
            "deselected": self._deselected,
            "collecting": self._collecting,
            "reports": self._reports,
        }
        beside = self._path.with_suffix(".part")
        beside.write_text(json.dumps(document), encoding="ascii")
        beside.replace(self._path)


def _told(error: BaseException) -> dict[str, Any]:
    """The class of what was raised; of our own errors, which hold no payload, also what they say."""
    from stepfork.errors import StepforkError

    told: dict[str, Any] = {"type": type(error).__name__, "difference": _is_difference(error)}
    if isinstance(error, StepforkError) and not isinstance(error, AssertionError):
        told["classes"] = [kind.__name__ for kind in type(error).__mro__ if issubclass(kind, StepforkError)]
        told["message"] = str(error)[:_LONGEST]
    return told


def _is_difference(error: BaseException) -> bool:
    """Whether that is how a test says no: anything else is a test that broke before it had an answer."""
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
        elif isinstance(one, AssertionError | pytest.fail.Exception):
            return True
    return False


def _last_line(text: str) -> str:
    """Of a traceback the line that says what was raised."""
    lines = [line.removeprefix("E").strip() for line in text.splitlines() if line.startswith("E ")]
    return (lines or text.strip().splitlines() or [""])[-1][:_LONGEST]

"""Verdicts that would be lost: of threads that nobody hears, and of tests that are expected to fail."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

import pytest

T = TypeVar("T")


_NO_VERDICT = "stepfork_no_verdict"
"""The attribute of a failure of a test that came to no verdict at all."""


def fail_without_verdict(text: str) -> NoReturn:
    """Fail a test that could not be asked, also where it is expected to fail: it would go on to be expected to when
    what it is about was mended, or never ran."""
    __tracebackhide__ = True
    failed = pytest.fail.Exception(text, pytrace=False)
    vars(failed)[_NO_VERDICT] = True
    raise failed


class Verdicts:
    """Fails a test in whose threads contracts failed, and one that came to no verdict though it is marked xfail."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, T, T]:
        """The test itself: an exception that ends a thread ends nothing else."""
        with _heard() as said:
            result = yield
        if said:
            pytest.fail("\n".join(["in a thread:", *said]), pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """What could not be evaluated is no expected failure."""
        report = yield
        expected = report.skipped and hasattr(report, "wasxfail")
        if expected and call.excinfo is not None and _is_no_verdict(call.excinfo.value):
            report.outcome = "failed"
            del report.wasxfail
        return report


@contextmanager
def _heard() -> Iterator[list[str]]:
    """The texts of our verdicts that end threads inside."""
    said: list[str] = []
    before = threading.excepthook

    def hear(ended: Any) -> None:
        testing = sys.modules.get("stepfork.testing")  # where it was never imported, nothing of it was raised
        if testing is not None and isinstance(ended.exc_value, testing.ContractsFailed | testing.ReplayFailed):
            said.append(str(ended.exc_value))
        before(ended)

    threading.excepthook = hear
    try:
        yield said
    finally:
        if threading.excepthook is hear:
            threading.excepthook = before


def _is_no_verdict(error: BaseException) -> bool:
    """Whether a test ended because it could not be asked: a chain was not evaluated, a fixture is not there."""
    errors = sys.modules.get("stepfork.errors")
    refused = errors is not None and isinstance(error, errors.StepforkError) and error.exit_code != 1
    return refused or hasattr(error, _NO_VERDICT)

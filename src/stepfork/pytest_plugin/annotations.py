"""What missed and which contracts failed, as annotations of a pull request."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from stepfork.pytest_plugin.marks import MISSED

_VERDICT = "stepfork_verdict"
"""The attribute of a report that has the text of a miss or of failed contracts."""


class Annotations:
    """Annotations of a pull request for misses and failed contracts. A worker of xdist finds them, and they travel with
    its report to the process that prints."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self,
        item: pytest.Item,
        call: pytest.CallInfo[None],
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Mark the report of a verdict of ours."""
        report = yield
        if not report.failed or call.excinfo is None:
            return report
        if item.stash.get(MISSED, ""):
            vars(report)[_VERDICT] = item.stash[MISSED]
        testing = sys.modules.get("stepfork.testing")  # where it was never imported, nothing of it was raised
        error = call.excinfo.value
        if testing is not None and isinstance(error, testing.ContractsFailed | testing.ReplayFailed):
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
                    "error", rest or title, file=file, title=title.partition("  ")[0], line=(line or 0) + 1
                )
                terminalreporter.write_line(shown)


def _from_repository(root: Path, path: str) -> str:
    """A path below pytest's root as the repository around that has it."""
    place = (root / path).resolve()
    for folder in place.parents:
        if (folder / ".git").exists():
            return place.relative_to(folder).as_posix()
    return path.replace(os.sep, "/")

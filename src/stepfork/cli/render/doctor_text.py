"""What doctor found, as people read it: one fact a line, problems by that word, what to do below each.

1 problem
  openai        OPENAI_BASE_URL not set → api.openai.com, OPENAI_API_KEY set
  spans         PROBLEM  OTEL_SDK_DISABLED is true: no span is made
                unset it
two runs of python agent.py: 1 value differs                     0.6 s and 0.5 s, exit 0
  exchange 2    result of lookup_order /at
                "10:02" → "10:03"
if this is noise, in .stepfork/config.toml:
[normalize.tool.lookup_order]
volatile = ["/at"]
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stepfork.cli.console import counted
from stepfork.cli.escape import escape
from stepfork.cli.render.columns import INDENT, WIDTH, headline, row
from stepfork.config.normalize import volatile_lines
from stepfork.trace.exit_code import told_exit_code

if TYPE_CHECKING:
    from stepfork.diff.unstable import Unstable
    from stepfork.workflows.doctor import Diagnosis, Ran, Twice
    from stepfork.workflows.health import Check

SHOWN = 20
"""Differences that are shown; the JSON document has all."""


def doctor_lines(found: Diagnosis) -> Iterator[str]:
    """The lines of the screen."""
    yield _headline(found)
    for check in found.checks:
        yield from _check(check)
    if found.twice is not None:
        yield from _twice(found.twice)


def _headline(found: Diagnosis) -> str:
    told = counted(found.problems, "problem") if found.problems else "no problem found"
    if found.twice is None or found.twice.well:
        return told
    failed = any(run.problems for run in found.twice.runs)
    said = "no fixture can be made of the run" if failed else "two runs are not the same"
    return f"{told if found.problems else 'no problem before the run'}; {said}, see below"


def _check(check: Check) -> Iterator[str]:
    word = "PROBLEM  " if check.state == "problem" else ""
    yield from _row(check.name, f"{word}{escape(check.text)}")
    yield from row("", escape(check.fix))


def _row(name: str, text: str) -> Iterator[str]:
    """A fact, on two lines where its name is long."""
    if len(name) >= WIDTH:
        yield f"{' ' * INDENT}{escape(name)}"
        name = ""
    yield from row(escape(name), text)


def _twice(twice: Twice) -> Iterator[str]:
    failed = any(run.problems for run in twice.runs)
    open_ = [item for item in twice.differences if not item.accepted]
    verdict = _verdict(twice, len(open_), failed=failed)
    yield headline(f"two runs of {escape(shlex.join(twice.command))}: {verdict}", _ran(twice.runs))
    for number, run in enumerate(twice.runs, 1):
        for problem in run.problems:
            yield from row(f"run {number}", f"PROBLEM  {escape(problem)}")
    if failed:
        return
    first = twice.runs[0]
    yield from row(
        "recorded", f"{counted(first.calls, 'call')}, {counted(first.spans, 'span')}, {counted(first.steps, 'step')}"
    )
    for finding in first.findings:
        yield from row("", escape(finding.text))
    for item in [*open_, *(item for item in twice.differences if item.accepted)][:SHOWN]:
        yield from _difference(item)
    if len(twice.differences) > SHOWN:
        yield from row("", f"… {len(twice.differences) - SHOWN:,} more (--json has them)")
    if twice.parted is not None:
        yield from row("", f"the runs part at exchange {twice.parted}; what comes after it was not compared")
    if twice.rules:
        yield "if a tool's values above are noise, in .stepfork/config.toml:"
        yield from map(escape, volatile_lines(twice.rules))


def _verdict(twice: Twice, count: int, *, failed: bool) -> str:
    if failed:
        return "no fixture can be made"
    if not twice.differences:
        return "the same, byte for byte"
    if not count:
        return "the same but for what is named as volatile"
    return f"{counted(count, 'value')} {'differs' if count == 1 else 'differ'}"


def _ran(runs: tuple[Ran, ...]) -> str:
    times = " and ".join(f"{run.seconds:.1f} s" for run in runs)
    codes = dict.fromkeys(run.exit_code for run in runs)
    return f"{times}, exit {' and '.join(map(told_exit_code, codes))}"


def _difference(item: Unstable) -> Iterator[str]:
    yield from row("" if item.exchange is None else f"exchange {item.exchange}", escape(item.place))
    yield from row("", f"{escape(item.old)} → {escape(item.new)}")
    yield from row("", escape("named as volatile in config.toml" if item.accepted else item.advice))

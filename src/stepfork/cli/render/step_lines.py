"""The steps of a run as a person reads them: what called what, what ran at once, what came of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from stepfork.cli.escape import escape
from stepfork.trace.plain_form import plain_step
from stepfork.trace.step import Step

WIDE = 100
"""Characters of a value that are shown whole."""
DEEPEST = 12
"""Levels of calls that are indented; deeper ones stand as far to the right."""
AT_ONCE = "1| ran at once"
"""What the marks of groups mean."""


def step_lines(steps: Sequence[Step]) -> Iterator[str]:
    """A line a step, each below what it was called by; those of one concurrency group begin with its number, ``1|``."""
    depths: list[int] = []
    for index, step in enumerate(steps):
        above = step.parent
        depths.append(depths[above] + 1 if above is not None and 0 <= above < index else 0)
        indent = "  " * min(depths[-1], DEEPEST)
        mark = "" if step.group is None else f"{step.group}| "
        yield f"  {index:>3}  {step.type.ljust(10)}  {indent}{mark}{escape(_step(step))}"


def _step(step: Step) -> str:
    step = plain_step(step)
    shown = step.name
    if step.arguments is not msgspec.UNSET:
        shown += f" {_short(step.arguments)}"
    if step.error is not None:
        return f"{shown} → {step.error.type}: {_short(step.error.message)}"
    return f"{shown} → {_short(step.result)}" if step.result is not msgspec.UNSET else shown


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= WIDE else f"{text[:WIDE]}…"

"""What exported tests import, for ever: ``run_regression_case``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from stepfork.export.verbosity import tells_all

if TYPE_CHECKING:
    from stepfork.workflows.frozen import Mode

__all__ = ["run_regression_case"]


def run_regression_case(
    *,
    trace_path: str | os.PathLike[str],
    entrypoint: str,
    expectation: Any = None,
    has_expectation: bool = True,
    trajectory: Any = None,
    root: str | os.PathLike[str] | None = None,
    mode: str = "frozen",
    allow_live_tools: Sequence[str] = (),
) -> None:
    """Replay `entrypoint` (``package.module:function``, imported from `root`) from the recording at `trace_path`, check
    that every recorded call was made as it was recorded, and compare.

    What it returns is compared with `expectation`, or without `has_expectation` with the recorded output; the calls
    that it made with `trajectory`. In mode ``live`` the named tools really run.

    Raises AssertionError for any divergence or difference: the first in full, and how many more there are; under
    ``pytest -v`` all of them. What cannot be executed (a recording that is missing or damaged, an entrypoint that
    cannot be imported) raises a StepforkError, which is no verdict about the code; so does a fault of stepfork's own,
    as RuntimeError.
    """
    __tracebackhide__ = True
    from stepfork.errors import StepforkError
    from stepfork.workflows.regression import RegressionCase, run_regression

    case = RegressionCase(
        trace_path=Path(trace_path),
        entrypoint=entrypoint,
        root=Path.cwd() if root is None else Path(root),
        expectation=expectation,
        has_expectation=has_expectation,
        trajectory=trajectory,
        mode=cast("Mode", mode),  # another one is refused before anything runs
        allow_live_tools=tuple(allow_live_tools),
    )
    try:
        result = run_regression(case)
    except StepforkError as error:
        raise error.with_traceback(None)  # noqa: B904 - the same error, without the way that it took inside of stepfork
    except AssertionError as error:  # what the tested code asserts comes back as a problem: this one is ours
        raise RuntimeError("stepfork itself failed while it replayed: please report it") from error
    if result.problems:
        told = _told(result.problems)
        raise AssertionError(f"{told}\n{result.advice}" if result.advice else told) from result.raised


def _told(problems: Sequence[str]) -> str:
    first, rest = problems[0], problems[1:]
    if not rest:
        return first
    return "\n".join(problems) if tells_all() else f"{first}\nand {len(rest)} more (pytest -v lists them)"

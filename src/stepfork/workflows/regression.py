"""The regression test of a recorded run: replay the entrypoint, then hold what it came to against what it should.

What cannot be executed raises a StepforkError and is no verdict. What was executed and is not as it should be comes
back as lines; whatever was not evaluated is not passed.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from stepfork.config.environment import environ, store_override
from stepfork.config.project import Settings, read_settings
from stepfork.contracts.expectation import mismatch
from stepfork.contracts.trajectory_expectation import failures, read_trajectory
from stepfork.errors import NotFoundError, UsageError
from stepfork.instrument.plain import message_of
from stepfork.providers.lines import clean_line
from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from stepfork.replay.frozen_faults import WANTED
from stepfork.store.store import find_store
from stepfork.trace.body import JsonValue
from stepfork.trace.step import Trace
from stepfork.workflows.entrypoint import resolve_entrypoint
from stepfork.workflows.frozen import FrozenRequest, FrozenResult, Mode, frozen_replay
from stepfork.workflows.recorded_run import read_recorded_run
from stepfork.workflows.regression_output import output_differences


@dataclass(frozen=True)
class RegressionCase:
    """What an exported test says. ``trajectory`` is the JSON of its expectation, None without one; an `expectation`
    counts where `has_expectation` says so, else the recorded output does."""

    trace_path: Path
    entrypoint: str
    root: Path
    expectation: JsonValue
    has_expectation: bool
    trajectory: JsonValue
    mode: Mode
    allow_live_tools: tuple[str, ...]


@dataclass(frozen=True)
class RegressionResult:
    """`problems` are the lines that say why the test fails, redacted; none where it passes. `raised` is what the
    entrypoint raised, where that is why and it says no secret. `advice` is one line on what to do, where it is
    not the code alone that may be wrong."""

    problems: tuple[str, ...]
    raised: BaseException | None = None
    advice: str | None = None


def run_regression(case: RegressionCase) -> RegressionResult:
    """Replay and compare. Raises StoreError where the recording is not there or not whole, EntrypointError where the
    entrypoint cannot be had or called, UsageError where the test asserts nothing or cannot be replayed."""
    fixture = read_recorded_run(case.trace_path).fixture
    trajectory = None if case.trajectory is None else read_trajectory(case.trajectory)
    trace = fixture.run.trace
    if not case.has_expectation and trajectory is None and trace.output is msgspec.UNSET:
        raise UsageError(
            "the test asserts nothing: it has no expectation, and the recorded run has no output",
            where=case.trace_path.as_posix(),
            fix="export it again with --expect-output",
        )
    variables = environ()
    settings = _settings(case.root)
    result = frozen_replay(
        FrozenRequest(
            fixture=fixture,
            entrypoint=resolve_entrypoint(case.entrypoint, case.root),
            settings=settings,
            environ=variables,
            cwd=Path.cwd(),
            mode=case.mode,
            allow_live=case.allow_live_tools,
        )
    )
    if result.causes:
        return RegressionResult(result.causes, advice=WANTED)
    if result.error is not None:
        secrets = Secrets.collect(variables, {}, settings.redact)
        clean = redact_text(message_of(result.error), secrets)
        said = clean_line(f"{type(result.error).__name__}: {clean}".removesuffix(": "), 400)
        return RegressionResult((f"the entrypoint raised {said}",), _without_secrets(result.error, secrets))
    problems = _output(case, trace, result)
    made = [] if trajectory is None else failures(trajectory, result.calls)
    assert result.matching is not None, "a replay that ended has compared its calls"
    return RegressionResult(tuple(map(result.matching.redacted_text, (*problems, *made))))


def _output(case: RegressionCase, trace: Trace, result: FrozenResult) -> Iterator[str]:
    expected = case.expectation if case.has_expectation else trace.output
    if expected is not msgspec.UNSET and result.matching is not None:
        for found in output_differences(expected, result.value, trace.output, result.matching):
            yield mismatch(found)


def _without_secrets(error: BaseException, secrets: Secrets) -> BaseException | None:
    """The exception, whose traceback a test shows as it is; None where that would show a secret."""
    told = "".join(traceback.TracebackException.from_exception(error).format())
    return error if redact_text(told, secrets) == told else None


def _settings(root: Path) -> Settings:
    """What the project around the test sets; a bundle travels without a store."""
    try:
        return read_settings(find_store(root, store_override()).root)
    except NotFoundError:
        return Settings()

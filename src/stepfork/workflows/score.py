"""score: is what a generated test expects a claim, or a copy of the run that it was written from?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from stepfork.config.process import from_here
from stepfork.errors import UsageError
from stepfork.score.battery import ExpectationScore, Verdict, recorded_output, score_expectation
from stepfork.score.testfile import read_test
from stepfork.score.trajectory import TrajectoryScore, never_met, score_trajectory
from stepfork.workflows.recorded_run import read_recorded_run
from stepfork.workflows.reviewed_json import read_reviewed


@dataclass(frozen=True)
class ScoreRequest:
    """`expect_output` is a JSON file that stands in for the test's expectation, `bundle` a recording that stands in for
    the one that it names."""

    test: Path
    expect_output: Path | None = None
    bundle: Path | None = None


@dataclass(frozen=True)
class Score:
    """The verdict on the test as a whole, and on each thing that it expects; `bundle` is the name of the recording.
    `never_met` is what of the trajectory no frozen replay that passes can keep, a line each."""

    verdict: Verdict
    bundle: str
    expectation: ExpectationScore | None
    trajectory: TrajectoryScore | None
    never_met: tuple[str, ...] = ()


def score(request: ScoreRequest) -> Score:
    """Judge a test by derivation: nothing of it, nor of what it tests, is run or imported.

    A test is claim-pinned where anything that it expects rejects the recorded run, for then the test fails on the code
    that produced it. Raises StepforkError (exit 2) where the test, the expectation or the recording cannot be read
    whole, and where there is nothing to score.
    """
    test = read_test(request.test, bundle=request.bundle)
    expected = test.expectation if request.expect_output is None else read_reviewed(request.expect_output)[0]
    if expected is msgspec.UNSET and test.trajectory is msgspec.UNSET:
        raise UsageError(
            "there is no expectation to score: the test asserts the recorded output",
            where=request.test.as_posix(),
            fix="export it with --expect-output, or name a file with --expect-output",
        )
    run = read_recorded_run(test.trace_path, from_here(test.trace_path)).fixture
    output = None if expected is msgspec.UNSET else score_expectation(expected, recorded_output(run.run.trace))
    calls = None if test.trajectory is msgspec.UNSET else score_trajectory(test.trajectory, run.run)
    frozen = test.trajectory is not msgspec.UNSET and test.mode == "frozen"
    never = never_met(test.trajectory, run.run) if frozen else ()
    verdict = _together(*(one.verdict for one in (output, calls) if one is not None))
    return Score(verdict, run.name, output, calls, never)


def _together(*verdicts: Verdict) -> Verdict:
    """One rejection is enough; without any, one that is not known leaves the whole unknown."""
    wanted: tuple[Verdict, ...] = ("claim-pinned", "undetermined", "run-pinned")
    return next(verdict for verdict in wanted if verdict in verdicts)

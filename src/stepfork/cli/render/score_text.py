"""What a score says to people.

claim-pinned: rejected 7/7 mutants
pins: 1 live (selected_flight); 2 leaf(s) reproduce the run (destination, plan)
trajectory: accepts the recorded calls
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from stepfork.canonical.places import dotted
from stepfork.cli.escape import escape
from stepfork.cli.render.diff_clean import Clean

if TYPE_CHECKING:
    from stepfork.score.battery import ExpectationScore, Pins
    from stepfork.score.leaves import Path
    from stepfork.score.trajectory import TrajectoryScore
    from stepfork.workflows.score import Score

SHOWN = 20
"""Places, and failures of a trajectory, that are named; the JSON document has all."""


def score_lines(score: Score, clean: Clean) -> Iterator[str]:
    """The verdict on the whole test first, then what each part of it says."""
    for line in _lines(score):
        yield escape(clean(line))


def _lines(score: Score) -> Iterator[str]:
    output, calls = score.expectation, score.trajectory
    if output is not None:
        if output.verdict != score.verdict and calls is not None:
            yield f"{score.verdict}: {_says(calls)}"
            yield f"expectation: {output.summary()}"
            yield from _expectation(output)
            return
        yield output.summary()
        yield from _expectation(output)
    if calls is not None:
        yield f"{'trajectory' if output is not None else score.verdict}: {_says(calls)}"
        yield from (f"  {line}" for line in _folded(calls.failures[1:]))


def _expectation(output: ExpectationScore) -> Iterator[str]:
    if output.verdict != "undetermined" or output.pins.live or output.pins.reproduced or output.pins.hidden:
        yield _pins(output.pins)
    if output.pins.unnamed:
        yield f"unnamed: {_counted(output.pins.unnamed, 'place(s) that only the run has')}"


def _pins(pins: Pins) -> str:
    told = [_counted(pins.live, "live"), _counted(pins.reproduced, "leaf(s) reproduce the run")]
    if pins.hidden:
        told.append(_counted(pins.hidden, "leaf(s) that the recording has a placeholder for"))
    return f"pins: {'; '.join(told)}"


def _counted(places: Sequence[Path], what: str) -> str:
    """Such as ``2 leaf(s) reproduce the run (destination, plan)``."""
    named = ", ".join(_folded([dotted(place) for place in places[: SHOWN + 1]], len(places)))
    return f"{len(places)} {what} ({named})" if places else f"0 {what}"


def _says(calls: TrajectoryScore) -> str:
    if calls.reason:
        return f"{calls.verdict}, {calls.reason}"
    if not calls.failures:
        return "the trajectory accepts the recorded calls"
    return f"the trajectory rejects the recorded calls ({calls.failures[0]})"


def _folded(lines: Sequence[str], count: int | None = None) -> list[str]:
    left = (len(lines) if count is None else count) - SHOWN
    return [*lines[:SHOWN], *([f"… and {left} more"] if left > 0 else [])]

"""A score as one JSON document; its schema is ``stepfork/schemas/score.schema.json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stepfork.canonical.encode import dumps
from stepfork.canonical.places import dotted
from stepfork.cli.render.diff_clean import Clean

if TYPE_CHECKING:
    from stepfork.score.battery import ExpectationScore
    from stepfork.score.trajectory import TrajectoryScore
    from stepfork.workflows.score import Score


def score_document(score: Score, test: str, clean: Clean) -> bytes:
    """Canonical JSON, with every place; strings are redacted, and whole."""

    def sound(text: str) -> str:
        return clean(text).encode("utf-8", "surrogatepass").decode("utf-8", "replace")

    return dumps(
        {
            "test": sound(test),
            "fixture": score.bundle,
            "verdict": score.verdict,
            "expectation": None if score.expectation is None else _expectation(score.expectation, sound),
            "trajectory": None if score.trajectory is None else _trajectory(score.trajectory, sound),
        }
    )


def _expectation(output: ExpectationScore, sound: Clean) -> dict[str, Any]:
    pins = output.pins
    return {
        "verdict": output.verdict,
        "summary": sound(output.summary()),
        "reason": output.reason or None,
        "mutants": output.mutants,
        "rejected": output.rejected,
        "foreign": output.foreign,
        "pins": {
            name: [sound(dotted(place)) for place in places]
            for name, places in (
                ("live", pins.live),
                ("reproduced", pins.reproduced),
                ("hidden", pins.hidden),
                ("unnamed", pins.unnamed),
            )
        },
    }


def _trajectory(calls: TrajectoryScore, sound: Clean) -> dict[str, Any]:
    return {
        "verdict": calls.verdict,
        "reason": calls.reason or None,
        "failures": [sound(line) for line in calls.failures],
    }

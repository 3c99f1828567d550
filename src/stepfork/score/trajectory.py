"""Does an expectation of calls reject those that the recorded run made itself?

There is one row, the claim-drawn one: the recorded calls, as a replay makes them again. A call that was made in the
body of another is none of them, since the outer one is answered and its body does not run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from stepfork.contracts.trajectory_expectation import failures, read_trajectory
from stepfork.instrument.plain import plain
from stepfork.instrument.tagged import decode
from stepfork.redact.marker import MARKER
from stepfork.replay.frozen_calls import recorded_calls
from stepfork.score.battery import Verdict
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Run


@dataclass(frozen=True)
class TrajectoryScore:
    """The verdict, and what of the expectation the recorded calls do not keep, a line each."""

    verdict: Verdict
    failures: tuple[str, ...]
    reason: str = ""


class Made(NamedTuple):
    """A call of the recorded run, with readable arguments."""

    name: str
    type: str
    arguments: JsonValue | msgspec.UnsetType


def score_trajectory(expectation: JsonValue, run: Run) -> TrajectoryScore:
    """The verdict on a trajectory expectation. Raises UsageError for one that no test could have.

    A run that did not complete has calls all the same, and they are what a replay of it makes. Where the recording has
    no call that a replay could answer, there is nothing to reject.
    """
    wanted = read_trajectory(expectation)
    calls = made_calls(run)
    if not calls:
        return TrajectoryScore("undetermined", (), "the recording has no calls that a replay could answer")
    found = tuple(failures(wanted, calls))
    return TrajectoryScore("claim-pinned" if found else "run-pinned", found)


def never_met(expectation: JsonValue, run: Run) -> tuple[str, ...]:
    """What of a trajectory expectation no frozen replay that passes can keep, a line each: such a one makes the
    recorded calls, with the recorded inputs, and no others. Nothing is said of what may differ from run to run: the
    order of calls that ran at once, and inputs that have placeholders."""
    wanted, calls = read_trajectory(expectation), made_calls(run)
    if not calls:
        return ()
    if any(call.group is not None for call in recorded_calls(run)):
        wanted = msgspec.structs.replace(wanted, order=(), sequence=None)
    varying = {call.name for call in calls if _varies(call.arguments)}
    wanted = msgspec.structs.replace(
        wanted, arguments=tuple(one for one in wanted.arguments if one.name not in varying)
    )
    return tuple(failures(wanted, calls))


def _varies(arguments: JsonValue | msgspec.UnsetType) -> bool:
    if arguments is msgspec.UNSET:
        return True
    text = msgspec.json.encode(arguments).decode()
    return "{{" in text or MARKER in text


def made_calls(run: Run) -> list[Made]:
    """The calls that a replay of the recorded code makes, in stored order."""
    return [
        Made(call.name, call.type, _readable(call.arguments)) for call in recorded_calls(run) if call.parent is None
    ]


def _readable(arguments: Any) -> JsonValue:
    return plain(decode(arguments))

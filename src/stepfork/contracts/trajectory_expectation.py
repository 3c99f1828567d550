"""What calls a run is expected to make: read from reviewed JSON, and held against the calls that were made.

    {"called": ["search_flights"], "not_called": ["charge_card"], "counts": {"search_flights": 1},
     "arguments": [{"name": "search_flights", "value": {"city": "Paris"}, "occurrence": 1}],
     "order": [["search_flights", "book_flight"]], "sequence": ["search_flights", "book_flight"],
     "strict_sequence": true, "max_steps": 4}

Every member but ``max_steps`` speaks of tools, a call that failed counts, and no member has to be there. What each
means is in ``docs/reference/export.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Protocol

import msgspec

from stepfork.canonical.places import quoted
from stepfork.contracts.expectation import Difference, differences, mismatch
from stepfork.contracts.trajectory_contradictions import contradiction
from stepfork.contracts.trajectory_members import ArgumentsExpectation, TrajectoryExpectation, read_members
from stepfork.errors import UsageError
from stepfork.trace.body import JsonValue

__all__ = ["ArgumentsExpectation", "CallMade", "TrajectoryExpectation", "failures", "read_trajectory"]


class CallMade(Protocol):
    """A call of a run. ``type`` is a step's; ``arguments`` are readable values (no tags), UNSET where unknown."""

    @property
    def name(self) -> str:
        """The tool's, or the model call's."""

    @property
    def type(self) -> str:
        """``tool_call``, ``llm_call`` or another type of step."""

    @property
    def arguments(self) -> JsonValue | msgspec.UnsetType:
        """The arguments by the names of their parameters."""


def read_trajectory(document: JsonValue) -> TrajectoryExpectation:
    """The expectation that a JSON document has. Raises UsageError, naming the member, for one that is unknown or of
    another type, for an expectation that contradicts itself, and for one that expects nothing."""
    made = read_members(document)
    found = contradiction(made)
    if found is not None:
        raise UsageError(found, fix="no run can do both")
    return made


def failures(expectation: TrajectoryExpectation, calls: Sequence[CallMade]) -> list[str]:
    """What of the expectation the calls, in the order in which they were made, do not keep: one line each."""
    tools = [call for call in calls if call.type == "tool_call"]
    return [
        *_presence(expectation, Counter(call.name for call in tools)),
        *(line for one in expectation.arguments for line in _arguments(one, tools)),
        *_order(expectation, [call.name for call in tools]),
        *_steps(expectation, calls),
    ]


def _presence(expectation: TrajectoryExpectation, made: Counter[str]) -> Iterator[str]:
    for name in dict.fromkeys(expectation.called):
        if not made[name]:
            yield _says("called", f"{_word(name)} was not called")
    for name in dict.fromkeys(expectation.not_called):
        if made[name]:
            yield _says("not_called", f"{_word(name)} was called {_times(made[name])}")
    for name, count in expectation.counts.items():
        if made[name] != count:
            yield _says("counts", f"expected {_calls(count)} of {_word(name)}, got {made[name]}")


def _arguments(expected: ArgumentsExpectation, tools: Sequence[CallMade]) -> Iterator[str]:
    own = [call for call in tools if call.name == expected.name]
    name, number = _word(expected.name), expected.occurrence
    if number is not None and len(own) < number:
        yield _says("arguments", f"{name} has no call {number}: it was called {_times(len(own))}")
        return
    looked_at = own if number is None else [own[number - 1]]
    found = [_first_difference(expected.value, call) for call in looked_at]
    if None in found:
        return
    if not found:
        yield _says("arguments", f"{name} was not called")
    elif len(found) == 1 and found[0] is not None:
        yield _says("arguments", f"call {number or 1} of {name}: {found[0]}")
    else:
        yield _says("arguments", f"none of {_calls(len(found))} of {name} has them; the first: {found[0]}")


def _first_difference(expected: JsonValue, call: CallMade) -> str | None:
    if call.arguments is msgspec.UNSET:
        return "its arguments are not known"
    found: Difference | None = next(differences(expected, call.arguments), None)
    return None if found is None else mismatch(found).removeprefix("behavior mismatch ")


def _order(expectation: TrajectoryExpectation, names: Sequence[str]) -> Iterator[str]:
    first: dict[str, int] = {}
    for at, name in enumerate(names):
        first.setdefault(name, at)
    for order in expectation.order:
        missing = next((name for name in order if name not in first), None)
        if missing is not None:
            yield _says("order", f"{_word(missing)} was not called")
            continue
        wrong = next((pair for pair in pairwise(order) if first[pair[0]] > first[pair[1]]), None)
        if wrong is not None:
            yield _says("order", f"{_word(wrong[1])} was called before {_word(wrong[0])}")
    if expectation.sequence is not None:
        differs = _exactly if expectation.strict_sequence else _as_subsequence
        line = differs(expectation.sequence, names)
        if line is not None:
            yield _says("sequence", line)


def _exactly(expected: Sequence[str], names: Sequence[str]) -> str | None:
    for at, name in enumerate(expected):
        if at >= len(names):
            return f"expected {_word(name)} as call {at + 1}, got no call more"
        if names[at] != name:
            return f"expected {_word(name)} as call {at + 1}, got {_word(names[at])}"
    if len(names) > len(expected):
        return f"expected no call after {len(expected)}, got {_word(names[len(expected)])}"
    return None


def _as_subsequence(expected: Sequence[str], names: Sequence[str]) -> str | None:
    left = iter(names)
    for at, name in enumerate(expected):
        if not any(one == name for one in left):
            return f"{_word(name)} (number {at + 1} of the sequence) was not called after the ones before it"
    return None


def _steps(expectation: TrajectoryExpectation, calls: Sequence[Any]) -> Iterator[str]:
    if expectation.max_steps is not None and len(calls) > expectation.max_steps:
        yield _says("max_steps", f"expected at most {_calls(expectation.max_steps)}, got {len(calls)}")


def _says(member: str, what: str) -> str:
    return f"trajectory mismatch at '{member}': {what}"


def _word(name: str) -> str:
    return quoted(name)


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _calls(count: int) -> str:
    return f"{count:,} call{'' if count == 1 else 's'}"

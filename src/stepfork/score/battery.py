"""Outputs that a wrong program could come to, and whether an expectation rejects each.

The *claim-drawn* row is the output of the recorded run, whole: the most plausible output of a wrong implementation,
since one did produce it. An expectation that accepts it is pinned to the run, not to a claim about what is right, and
the test would pass on the code that produced the recording. It is never cut down to what the expectation names: the
test compares whole values, so an expectation that names less than the run has rejects it.

The *controls* are the expectation with one leaf changed. Any expectation rejects those, so they carry no verdict; they
show that the comparison is at work. One that would put the run's own value in its place is left out.

A control differs from the expectation in one leaf and shares everything else with it, so the two are equal in canonical
form exactly where the two leaves are: canonical form is composed of the forms of the members, each in its own place. So
a row is judged by its leaf alone, and a battery takes time in proportion to the expectation. The tests hold this
against the comparison of whole values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec

from stepfork.contracts.expectation import MISSING, differences, equal
from stepfork.score.hidden import may_have_been
from stepfork.score.leaves import Path, leaves, perturbed
from stepfork.trace.body import JsonValue
from stepfork.trace.step import Trace

Verdict = Literal["claim-pinned", "run-pinned", "undetermined"]


@dataclass(frozen=True)
class Mutant:
    """A row. ``value`` stands at ``path`` (the whole output of a claim-drawn row, whose path is empty) instead of
    ``expected``; everywhere else the row is the expectation."""

    kind: Literal["claim", "control"]
    path: Path
    value: JsonValue
    expected: JsonValue

    @property
    def rejected(self) -> bool:
        """Whether the expectation rejects an output that is this row."""
        return not equal(self.expected, self.value)


@dataclass(frozen=True)
class Pins:
    """Places of the expectation whose value the run did not produce (``live``), whose value it did (``reproduced``),
    and of which the recording does not tell (``hidden``); ``unnamed`` are places that only the run has."""

    live: tuple[Path, ...] = ()
    reproduced: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    unnamed: tuple[Path, ...] = ()


@dataclass(frozen=True)
class ExpectationScore:
    """How many rows there are, how many are rejected, and what that says.

    ``reason`` is why it says nothing. ``foreign``: no place of the expectation is one of the recorded output, so it may
    have been written for another recording.
    """

    verdict: Verdict
    mutants: int
    rejected: int
    pins: Pins
    reason: str = ""
    foreign: bool = False

    def summary(self) -> str:
        """One line that begins with the verdict."""
        counted = f"{self.verdict}: rejected {self.rejected}/{self.mutants} mutants"
        if self.verdict == "run-pinned":
            return f"{counted} and accepts the recorded run: it passes on the code that produced the recording"
        if self.verdict == "undetermined":
            return f"{counted}, which cannot separate a claim from a copy: {self.reason}"
        return counted


def recorded_output(trace: Trace) -> JsonValue | msgspec.UnsetType:
    """What the recorded run came to; UNSET where it did not complete, or nobody told."""
    return trace.output if trace.status == "completed" else msgspec.UNSET


def derive_battery(expectation: JsonValue, recorded: JsonValue | msgspec.UnsetType) -> Iterator[Mutant]:
    """The rows: the claim-drawn one first, where there is a recorded output, then the controls in the order of the
    expectation."""
    if recorded is not msgspec.UNSET:
        yield Mutant("claim", (), recorded, expectation)
    for leaf in leaves(expectation, MISSING if recorded is msgspec.UNSET else recorded):
        for value in perturbed(leaf.expected):
            if leaf.recorded is MISSING or not equal(value, leaf.recorded):
                yield Mutant("control", leaf.path, value, leaf.expected)


def pin_coverage(expectation: JsonValue, recorded: JsonValue | msgspec.UnsetType) -> Pins:
    """Which places hold the expectation apart from the run, in its order. Without a recorded output, none is known."""
    if recorded is msgspec.UNSET:
        return Pins()
    kinds: dict[str, list[Path]] = {"live": [], "reproduced": [], "hidden": []}
    for leaf in leaves(expectation, recorded):
        hidden = may_have_been(leaf.expected, leaf.recorded)
        kinds["reproduced" if leaf.reproduces_run else "hidden" if hidden else "live"].append(leaf.path)
    unnamed = tuple(_unnamed(expectation, recorded))
    return Pins(tuple(kinds["live"]), tuple(kinds["reproduced"]), tuple(kinds["hidden"]), unnamed)


def score_expectation(expectation: JsonValue, recorded: JsonValue | msgspec.UnsetType) -> ExpectationScore:
    """The verdict on an expectation, by the claim-drawn row alone.

    Where the recording has placeholders in all places in which the two differ, the run may have had just the expected
    values there, so the row is left out and there is no verdict.
    """
    claim = recorded
    reason = "the recorded run has no output"
    if recorded is not msgspec.UNSET and _only_hidden(expectation, recorded):
        claim, reason = msgspec.UNSET, "where they differ, the recording has placeholders"
    verdict: Verdict = "undetermined"
    mutants = rejected = 0
    for mutant in derive_battery(expectation, recorded):
        if mutant.kind == "claim" and claim is msgspec.UNSET:
            continue
        mutants += 1
        rejected += mutant.rejected
        if mutant.kind == "claim":
            verdict, reason = "claim-pinned" if mutant.rejected else "run-pinned", ""
    pins = pin_coverage(expectation, recorded)
    return ExpectationScore(verdict, mutants, rejected, pins, reason, _is_foreign(expectation, recorded))


def _only_hidden(expectation: JsonValue, recorded: JsonValue) -> bool:
    found = [may_have_been(one.expected, one.actual) for one in differences(expectation, recorded)]
    return bool(found) and all(found)


def _is_foreign(expectation: JsonValue, recorded: JsonValue | msgspec.UnsetType) -> bool:
    if recorded is msgspec.UNSET:
        return False
    return all(
        leaf.recorded is MISSING or (not leaf.path and type(leaf.recorded) is not type(leaf.expected))
        for leaf in leaves(expectation, recorded)
    )


def _unnamed(expectation: JsonValue, recorded: JsonValue) -> Iterator[Path]:
    for found in differences(expectation, recorded):
        if found.expected is MISSING:
            yield found.path
        elif isinstance(found.expected, list | tuple) and isinstance(found.actual, list | tuple):
            yield from ((*found.path, at) for at in range(len(found.expected), len(found.actual)))

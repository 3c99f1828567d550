"""What no run can keep: members of a trajectory expectation that contradict each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import chain, pairwise

from stepfork.canonical.places import quoted
from stepfork.contracts.expectation import equal
from stepfork.contracts.trajectory_members import TrajectoryExpectation


def contradiction(expectation: TrajectoryExpectation) -> str | None:
    """The first contradiction, in words that name the members; None where there is none."""
    return next(chain(_counted(expectation), _arguments(expectation), _orders(expectation)), None)


def _counted(expectation: TrajectoryExpectation) -> Iterator[str]:
    """A tool that must be called more often than it may."""
    least, most = _least(expectation), _most(expectation)
    for name, (count, why) in least.items():
        allowed, bound = most.get(name, (None, ""))
        if allowed is None and expectation.sequence is not None and expectation.strict_sequence:
            allowed, bound = 0, "sequence"
        if allowed is not None and count > allowed:
            yield f"{why} and {bound} contradict each other about {quoted(name)}"
    needed = sum(count for count, _ in least.values())
    if expectation.max_steps is not None and needed > expectation.max_steps:
        yield f"max_steps is {expectation.max_steps}, and the other members need {needed} calls"


def _least(expectation: TrajectoryExpectation) -> dict[str, tuple[int, str]]:
    """How often each tool must be called, and the member that says so."""
    made: dict[str, tuple[int, str]] = {}
    for name, count, why in chain(
        ((name, 1, "called") for name in expectation.called),
        ((name, count, "counts") for name, count in expectation.counts.items() if count),
        ((one.name, one.occurrence or 1, "arguments") for one in expectation.arguments),
        ((name, 1, "order") for names in expectation.order for name in names),
        ((name, count, "sequence") for name, count in Counter(expectation.sequence or ()).items()),
    ):
        if count > made.get(name, (0, ""))[0]:
            made[name] = count, why
    return made


def _most(expectation: TrajectoryExpectation) -> dict[str, tuple[int, str]]:
    """How often each tool may be called, and the member that says so."""
    made = dict.fromkeys(expectation.not_called, (0, "not_called"))
    exact = Counter(expectation.sequence or ()).items() if expectation.strict_sequence else ()
    for name, count, why in chain(
        ((name, count, "counts") for name, count in expectation.counts.items()),
        ((name, count, "sequence") for name, count in exact),
    ):
        if name not in made or count < made[name][0]:
            made[name] = count, why
    return made


def _arguments(expectation: TrajectoryExpectation) -> Iterator[str]:
    """A call with two sets of arguments."""
    numbered = [one for one in expectation.arguments if one.occurrence is not None]
    first = {(one.name, one.occurrence): one for one in reversed(numbered)}
    for one in numbered:
        if not equal(first[one.name, one.occurrence].value, one.value):
            yield f"arguments has two values for call {one.occurrence} of {quoted(one.name)}"


def _orders(expectation: TrajectoryExpectation) -> Iterator[str]:
    """A tool that comes before itself, by first calls; and an exact sequence with another order."""
    after: dict[str, set[str]] = {}
    for names in expectation.order:
        if len(set(names)) < len(names):
            name = next(name for name, count in Counter(names).items() if count > 1)
            yield f"order names {quoted(name)} twice in one list; it is by first calls, so use sequence"
        for before, name in pairwise(names):
            after.setdefault(name, set()).add(before)
    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        yield f"order contradicts itself about {quoted(error.args[1][0])}"
    if expectation.sequence is not None and expectation.strict_sequence:
        at = {name: place for place, name in reversed([*enumerate(expectation.sequence)])}
        for name, earlier in after.items():
            for before in sorted(earlier):
                if at.get(before, -1) > at.get(name, -1):
                    yield f"order and sequence contradict each other about {quoted(name)}"

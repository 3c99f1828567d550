"""Which recorded exchange a request comes nearest to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import msgspec

from stepfork.diff.keys import canonical_text
from stepfork.diff.lcs import common
from stepfork.diff.renaming import masked
from stepfork.diff.units import RequestForm


class Outline(msgspec.Struct, frozen=True, dict=True):
    """A request by its parts, blind to ids, addresses and clocks; equal texts for equal parts."""

    form: RequestForm

    @cached_property
    def params(self) -> dict[str, str]:
        """Model, parameters and what else stands beside prompt and tools."""
        head = self.form.head
        parts = {"/model": head.model, **head.params, **{f"/{name}": value for name, value in head.other.items()}}
        return {name: _masked(value) for name, value in parts.items()}

    @cached_property
    def tools(self) -> dict[str, str]:
        """Tools by name."""
        return {name: _masked(tool) for name, tool in self.form.head.tools.items()}

    @cached_property
    def system(self) -> tuple[str, ...]:
        """The texts of the system prompt."""
        return tuple(map(masked, self.form.head.system))

    @cached_property
    def messages(self) -> list[tuple[str, ...]]:
        """Messages and tool results."""
        return [unit.masked for unit in self.form.units]


def differences(old: Outline, new: Outline) -> int:
    """How many parts differ; of messages how many would have to be edited, added or removed."""
    return (
        _members(old.params, new.params)
        + _members(old.tools, new.tools)
        + (old.system != new.system)
        + _edits(old.messages, new.messages)
    )


def nearest(candidates: Sequence[tuple[int, Outline]], live: Outline, used: Sequence[bool], expected: int) -> int:
    """The index of the candidate that differs least; of several one that has answered nothing yet, and then the one
    that stands nearest to `expected`."""
    ranked = ((differences(old, live), used[index], abs(index - expected), index) for index, old in candidates)
    return min(ranked)[-1]


def _members(old: dict[str, str], new: dict[str, str]) -> int:
    return sum(old.get(name) != new.get(name) for name in old.keys() | new.keys())


def _edits(old: Sequence[tuple[str, ...]], new: Sequence[tuple[str, ...]]) -> int:
    count = left = right = 0
    for a, b in [*common(old, new), (len(old), len(new))]:
        count += max(a - left, b - right)
        left, right = a + 1, b + 1
    return count


def _masked(value: object) -> str:
    return masked(canonical_text(value))

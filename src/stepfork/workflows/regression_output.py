"""What a replayed entrypoint returned against what it should: where a recording has placeholders, so may the values
that stand for them differ from run to run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from stepfork.contracts.comparable import comparable
from stepfork.contracts.expectation import MISSING, Difference, differences
from stepfork.redact.marker import MARKER
from stepfork.replay.frozen_matching import Matching
from stepfork.replay.frozen_values import Unlike
from stepfork.trace.body import JsonValue


def output_differences(
    expected: JsonValue, value: Any, recorded: JsonValue | msgspec.UnsetType, matching: Matching
) -> Iterator[Difference]:
    """Where `value`, which the entrypoint returned, is not the `expected` one, in canonical JSON.

    A text with placeholders, or with the mark of a redaction, is met by what they stand for in this replay; so is any
    other scalar that is the `recorded` output's own at its place, where normalisation had changed that.
    """
    for found in differences(expected, comparable(value)):
        if not _may_be_met(found, recorded) or not _is_met(found, matching):
            yield found


def _may_be_met(found: Difference, recorded: JsonValue | msgspec.UnsetType) -> bool:
    if found.expected is MISSING or found.actual is MISSING:
        return False
    if not _is_scalar(found.expected) or not _is_scalar(found.actual):
        return False
    if isinstance(found.expected, str) and ("{{" in found.expected or MARKER in found.expected):
        return True
    before = _at(recorded, found.path)
    return type(before) is type(found.expected) and before == found.expected


def _is_scalar(value: Any) -> bool:
    """Whether it is one that JSON carries, and holds no others."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str) or (isinstance(value, int) and value.bit_length() <= 64)


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return value


def _is_met(found: Difference, matching: Matching) -> bool:
    """Whether this run's value is what the recorded one stands for, under the names that lead to it: normalisation and
    redaction go by those."""
    expected, actual = _under(found.path, found.expected), _under(found.path, found.actual)
    alike = matching.compare(matching.redacted(expected), matching.reading(actual))
    if isinstance(alike, Unlike) or not matching.bindings.agree(pair for _, pair in alike.pairs):
        return False  # no call follows in which the run could show another value for what was made up
    matching.settle(alike)
    return True


def _under(path: tuple[str | int, ...], leaf: Any) -> Any:
    for step in reversed(path):
        leaf = {step: leaf} if isinstance(step, str) else [leaf]
    return leaf

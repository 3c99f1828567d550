"""What a run was called with, as its trace says it: the input itself, or a call's arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stepfork.instrument.tagged import encode
from stepfork.trace.body import JsonValue

TAG = "$py"
"""The member that makes an object a tagged value (``docs/reference/format.md``)."""


def input_of(args: Sequence[Any], kwargs: Mapping[str, Any]) -> JsonValue:
    """The one positional argument, where it is all there is and JSON through and through; else ``{"$py": "call",
    "args": […], "kwargs": {…}}`` with tagged values. A copy, which later changes do not reach."""
    values = [encode(value) for value in args]
    if len(values) == 1 and not kwargs and not _is_tagged(values[0]):
        return values[0]
    return {TAG: "call", "args": values, "kwargs": {name: encode(value) for name, value in kwargs.items()}}


def _is_tagged(value: JsonValue) -> bool:
    """Whether any part of it stands for what is no JSON value."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if TAG in one:
                return True
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return False

"""Two values that differ, each on one short line: never two lines that look the same."""

from __future__ import annotations

import json
import math
from typing import Any

from stepfork.canonical.places import quoted
from stepfork.contracts.comparable import Uncomparable
from stepfork.diff.twins import told_apart

IN_FULL = 200
"""Characters of a value that is shown whole."""

ABSENT = "(absent)"

Side = tuple[Any] | None
"""A value, or None where there is none."""


def shown_pair(expected: Side, actual: Side) -> tuple[str, str]:
    """What either side of a difference has."""
    if expected is not None and actual is not None:
        one, other = expected[0], actual[0]
        if isinstance(one, str) and isinstance(other, str):
            return told_apart(one, other, IN_FULL)
        if isinstance(one, list | tuple) and isinstance(other, list | tuple):
            return f"a list of {len(one)}", f"a list of {len(other)}"
    return _shown(expected), _shown(actual)


def shown(value: Any) -> str:
    """`value` as JSON on one line; a long one is cut, a long list or object told by its size."""
    if isinstance(value, str):
        return quoted(value) if len(value) <= IN_FULL else f"{quoted(value[:IN_FULL])}… ({len(value):,} characters)"
    if isinstance(value, dict | list | tuple):
        text = _json(value) if _is_small(value) else ""
        if text and len(text) <= IN_FULL:
            return text
        return f"an object of {len(value)}" if isinstance(value, dict) else f"a list of {len(value)}"
    return _json(value)


def _shown(side: Side) -> str:
    return ABSENT if side is None else shown(side[0])


def _is_small(value: Any) -> bool:
    """Whether a container holds so little that it may be worth writing out."""
    left = IN_FULL // 2
    waiting = [value]
    while waiting:
        node = waiting.pop()
        left -= 1
        if left < 0 or (isinstance(node, str) and len(node) > IN_FULL):
            return False
        if isinstance(node, dict):
            if len(node) > left or any(len(name) > IN_FULL for name in node):
                return False
            waiting += node.values()
        elif isinstance(node, list | tuple):
            if len(node) > left:
                return False
            waiting += node
    return True


def _json(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(name)}: {_json(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_json, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and value.bit_length() > 64:
        return f"an integer of {value.bit_length():,} bits"
    return _json(value.form) if isinstance(value, Uncomparable) else json.dumps(value)

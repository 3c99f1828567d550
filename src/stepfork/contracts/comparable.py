"""What a run came to, in the plain form that expectations are written in."""

from __future__ import annotations

from typing import Any

from stepfork.instrument.plain import plain
from stepfork.instrument.tagged import encode
from stepfork.trace.body import JsonValue

_PLAIN_LIMIT = 2**63
"""Where `plain` begins to write integers as text. Canonical JSON has those up to 2**64."""


class Uncomparable:
    """A value that holds a number which JSON cannot carry: it equals nothing that a person could have written."""

    def __init__(self, form: JsonValue) -> None:
        self.form = form


def comparable(value: Any) -> Any:
    """`value` as `plain` reads it, but for numbers that JSON cannot carry (not finite, or past 64 bits), which stay
    what they are: as the text that `plain` makes of them they would equal that text."""
    if not _has_odd_number(encode(value)):
        return plain(value)
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: comparable(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return [comparable(item) for item in value]
    return value if type(value) in (int, float) else Uncomparable(plain(value))


def _has_odd_number(tagged: JsonValue) -> bool:
    waiting = [tagged]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if node.get("$py") in ("float", "int"):
                return True
            waiting += node.values()
        elif type(node) is int and node >= _PLAIN_LIMIT:
            return True
        elif isinstance(node, list):
            waiting += node
    return False

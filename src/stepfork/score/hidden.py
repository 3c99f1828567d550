"""What a recording does not tell: values for which it keeps a placeholder, or the mark of a redacted secret.

The run had a value in that place, and nobody can say any more which. An expected text that it may have been neither
reproduces the run for certain nor is held apart from it.
"""

from __future__ import annotations

from typing import Any

from stepfork.normalize.placeholders import parse
from stepfork.redact.marker import MARKER
from stepfork.trace.body import JsonValue


def may_have_been(expected: JsonValue, recorded: Any) -> bool:
    """Whether the run may have had `expected` where the recording has `recorded`, which is not the same.

    An expected text may have placeholders as well: a replay takes any value for one that it has not met yet.
    """
    return _stands_for(recorded, expected) or _stands_for(expected, recorded)


def _stands_for(hiding: Any, value: Any) -> bool:
    if not isinstance(hiding, str) or ("{{" not in hiding and MARKER not in hiding):
        return False
    first, *others = _literals(hiding)
    if isinstance(value, int) and not isinstance(value, bool):
        return bool(others) and not first and not any(others)
    if not isinstance(value, str):
        return False
    if not others or not value.startswith(first):
        return value == first
    *inner, last = others
    at = len(first)
    for text in inner:
        at = value.find(text, at + 1) + len(text)
        if at < len(text):
            return False
    return value.endswith(last) and len(value) - len(last) > at


def _literals(text: str) -> list[str]:
    """The texts before, between and after what is hidden; a text without any is one."""
    made = [""]
    for piece in parse(text):
        if not isinstance(piece, str):
            made.append("")
            continue
        first, *others = piece.split(MARKER)
        made[-1] += first
        made += others
    return made

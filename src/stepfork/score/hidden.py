"""What a recording does not tell: values for which it keeps a placeholder, or the mark of a redacted secret.

The run had a value in that place, and nobody can say any more which. An expected text that it may have been neither
reproduces the run for certain nor is held apart from it.
"""

from __future__ import annotations

from typing import Any

from stepfork.normalize.placeholders import parse
from stepfork.redact.marker import MARKER


def may_have_been(expected: Any, recorded: Any) -> bool:
    """Whether the run may have had `expected` where the recording has `recorded`, which is not the same."""
    if not isinstance(recorded, str) or ("{{" not in recorded and MARKER not in recorded):
        return False
    if not isinstance(expected, str):
        return isinstance(expected, int) and not isinstance(expected, bool) and _is_all_hidden(recorded)
    first, *others = _literals(recorded)
    if not others or not expected.startswith(first):
        return expected == first
    *inner, last = others
    at = len(first)
    for text in inner:
        at = expected.find(text, at + 1) + len(text)
        if at < len(text):
            return False
    return expected.endswith(last) and len(expected) - len(last) > at


def _is_all_hidden(recorded: str) -> bool:
    return not any(_literals(recorded))


def _literals(recorded: str) -> list[str]:
    """The texts before, between and after what is hidden; a text without any is one."""
    made = [""]
    for piece in parse(recorded):
        if not isinstance(piece, str):
            made.append("")
            continue
        first, *others = piece.split(MARKER)
        made[-1] += first
        made += others
    return made

"""How a place inside a JSON value is called for people: ``trip.legs[0]["from.to"]``. Standard library only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

WHOLE = "$"
"""The whole value."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def dotted(steps: Iterable[str | int]) -> str:
    """The place that `steps` (names of members, indices of items) lead to; ``$`` where there are none.

    A name that is no plain word stands in brackets and quotation marks, so that no two places are called alike.
    """
    made = "".join(_step(step) for step in steps)
    return made.removeprefix(".") or WHOLE


def quoted(text: str, *, ascii_only: bool = False) -> str:
    """`text` as a JSON string on one line, with whatever does not print spelled out; with `ascii_only`, whatever is
    not ASCII."""
    made = json.dumps(text, ensure_ascii=ascii_only)
    return made if made.isprintable() else "".join(char if char.isprintable() else _escape(char) for char in made)


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN.fullmatch(step) else f"[{quoted(step)}]"


def _escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))

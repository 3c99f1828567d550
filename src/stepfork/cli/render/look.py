"""What the eye sees of a text: two that look alike and differ are spelled out by whoever shows them."""

from __future__ import annotations

from stepfork.cli.escape import escape
from stepfork.diff.twins import twinless


def look(text: str) -> str:
    """Equal for texts that look the same."""
    return twinless(escape(text))


def look_alike(one: str, other: str) -> bool:
    """Whether two texts look the same but for blanks."""
    return look(one).split() == look(other).split()

"""What the eye sees of a text that prints: letters that look alike are one letter, and two texts are told apart."""

from __future__ import annotations

import unicodedata

from stepfork.canonical.places import quoted

_BEFORE = 24
"""Characters of a long text that are shown before the first one that differs."""

# Letters of other scripts that look like Latin ones, and the hyphen that is none of ASCII.
_TWINS = str.maketrans(
    "аеорсухіѕјАВЕКМНОРСТХІЅЈαονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ‐",  # noqa: RUF001
    "aeopcyxisjABEKMHOPCTXISJaovABEZHIKMNOPTYX-",
)


def twinless(text: str) -> str:
    """Equal for texts whose characters look the same."""
    return unicodedata.normalize("NFKC", text).translate(_TWINS)


def told_apart(one: str, other: str, longest: int) -> tuple[str, str]:
    """Two texts that differ, quoted so that they never look the same: whole where both have at most `longest`
    characters, else so many from a little before the first that differs."""
    first = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    at = min(len(one), len(other)) if first is None else first
    start = max(0, at - _BEFORE) if max(len(one), len(other)) > longest else 0
    windows = [text[start : start + longest] for text in (one, other)]
    alike = twinless(windows[0]).split() == twinless(windows[1]).split()
    made = [
        f"{'…' if start else ''}{quoted(window, ascii_only=alike)}{'…' if start + longest < len(text) else ''}"
        for window, text in zip(windows, (one, other), strict=True)
    ]
    return made[0], made[1]

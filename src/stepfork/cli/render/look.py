"""What the eye sees of a text: two that look alike and differ are spelled out by whoever shows them."""

from __future__ import annotations

import unicodedata

from stepfork.cli.escape import escape

# Letters of other scripts that look like Latin ones, and the hyphen that is none of ASCII.
_TWINS = str.maketrans(
    "аеорсухіѕјАВЕКМНОРСТХІЅЈαονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ‐",  # noqa: RUF001
    "aeopcyxisjABEKMHOPCTXISJaovABEZHIKMNOPTYX-",
)


def look(text: str) -> str:
    """Equal for texts that look the same."""
    return unicodedata.normalize("NFKC", escape(text)).translate(_TWINS)


def look_alike(one: str, other: str) -> bool:
    """Whether two texts look the same but for blanks."""
    return look(one).split() == look(other).split()

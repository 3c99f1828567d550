"""Texts compared line by line, and a long line cut down to what surrounds its changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stepfork.diff.lcs import common
from stepfork.diff.values import Line

CONTEXT = 24
"""Characters shown on each side of a change within a long line."""
MAX_WINDOWS = 4
"""Places shown of one long line; how many more there are is said."""
COMPARED = 20_000
"""Characters between the common start and end of two lines that are compared word by word; more is one change."""
_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
Spans = list[tuple[int, int]]


def changed_lines(old: str, new: str) -> tuple[Line, ...]:
    """The lines that only one side has, in order, removed ones before the added ones that stand for them.

    Empty exactly where the texts are equal: lines end at ``\\n`` alone, and a last line without one differs from a
    last line with one by the empty line after it.
    """
    return tuple(line for hunk in changed_hunks(old, new) for line in hunk)


def changed_hunks(old: str, new: str) -> Iterator[tuple[Line, ...]]:
    """The same, the lines that replace one another together."""
    if old == new:
        return
    before, after = old.split("\n"), new.split("\n")
    left = right = 0
    for a, b in [*common(before, after), (len(before), len(after))]:
        if a > left or b > right:
            yield (*(Line("-", text) for text in before[left:a]), *(Line("+", text) for text in after[right:b]))
        left, right = a + 1, b + 1


def all_lines(op: str, text: str) -> tuple[Line, ...]:
    """Every line of a text that only one side has."""
    return tuple(Line("-" if op == "-" else "+", line) for line in text.split("\n"))


def hunks_of(lines: Sequence[Line]) -> Iterator[tuple[list[str], list[str]]]:
    """Lines as they were put together: removed ones, then the added ones that stand for them."""
    gone: list[str] = []
    come: list[str] = []
    for line in lines:
        if line.op == "-" and come:
            yield gone, come
            gone, come = [], []
        (gone if line.op == "-" else come).append(line.text)
    if gone or come:
        yield gone, come


def windows(old: str, new: str, width: int) -> tuple[str, str]:
    """Both lines, each cut to CONTEXT characters around each change where it is longer than `width`.

    Two different lines never become the same: a change itself is shown, its head and tail where it is long.
    """
    if len(old) <= width and len(new) <= width:
        return old, new
    old_spans, new_spans = _changed_spans(old, new)
    shown = _around(old, old_spans, width), _around(new, new_spans, width)
    return (old, new) if shown[0] == shown[1] else shown


def _changed_spans(old: str, new: str) -> tuple[Spans, Spans]:
    """Character ranges of both sides that have no counterpart; an empty range marks where the other side has more."""
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(middle_old), len(middle_new)) > COMPARED:
        return [(start, len(old) - end)], [(start, len(new) - end)]
    before, after = _PIECE.findall(middle_old), _PIECE.findall(middle_new)
    old_spans: Spans = []
    new_spans: Spans = []
    left = right = 0
    at_old = at_new = start
    for a, b in [*common(before, after), (len(before), len(after))]:
        to_old = at_old + sum(map(len, before[left:a]))
        to_new = at_new + sum(map(len, after[right:b]))
        if a > left or b > right:
            old_spans.append((at_old, to_old))
            new_spans.append((at_new, to_new))
        if a < len(before):
            at_old, at_new = to_old + len(before[a]), to_new + len(after[b])
        left, right = a + 1, b + 1
    return old_spans, new_spans


def _shared(old: str, new: str) -> int:
    """Characters at the start that are the same."""
    pairs = zip(old, new, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))


def _around(text: str, spans: Spans, width: int) -> str:
    if len(text) <= width:
        return text
    kept: Spans = []
    for start, end in spans:
        first, last = max(0, start - CONTEXT), min(len(text), end + CONTEXT)
        pieces = [(first, last)]
        if last - first > width:
            pieces = [(first, first + width // 2), (last - width // 2, last)]
        for piece in pieces:
            if kept and piece[0] <= kept[-1][1]:
                kept[-1] = kept[-1][0], max(piece[1], kept[-1][1])
            else:
                kept.append(piece)
    shown = " … ".join(text[first:last] for first, last in kept[:MAX_WINDOWS])
    head = "…" if not kept or kept[0][0] > 0 else ""
    tail = "…" if kept and kept[-1][1] < len(text) else ""
    more = f" ({len(kept) - MAX_WINDOWS} more places in this line)" if len(kept) > MAX_WINDOWS else ""
    return f"{head}{shown}{tail}{more}"

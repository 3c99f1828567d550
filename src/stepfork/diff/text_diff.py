"""Texts compared line by line, and a long line cut down to what surrounds its changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stepfork.diff.lcs import common
from stepfork.diff.values import Line

CONTEXT = 24
"""Characters shown on each side of a change within a long line."""
MAX_WINDOWS = 4
"""Places shown of one long line; how many more there are is said."""
COMPARED = 20_000
"""Characters between the common start and end of two lines that are compared word by word; more is one change."""
WORD = 40
"""Characters of a word that is told apart as a whole; of a longer one (base64, say) those that differ."""
AKIN = 3
"""Two lines are akin where the words that both have are at least one part in so many of the longer one."""
_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
Spans = list[tuple[int, int]]


class Piece(NamedTuple):
    """A stretch of a line; `changed` where the other line has no counterpart of it."""

    text: str
    changed: bool


class LinePair(NamedTuple):
    """Two lines that stand for one another, in pieces. `akin`: they have words in common, so what changed can be
    pointed out; else one took the place of the other."""

    old: tuple[Piece, ...]
    new: tuple[Piece, ...]
    akin: bool


def joined(pieces: Sequence[Piece]) -> str:
    """The text of pieces."""
    return "".join(piece.text for piece in pieces)


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
    pair = word_diff(old, new, width)
    return joined(pair.old), joined(pair.new)


def word_diff(old: str, new: str, width: int) -> LinePair:
    """Both lines in pieces, cut as `windows` cuts them; a change is of whole words."""
    spans = _changed_spans(old, new)
    kept = max(_kept(old, spans[0]), _kept(new, spans[1]))
    akin = kept * AKIN >= max(len("".join(old.split())), len("".join(new.split())), 1)
    cut = [_around(line, its, width) for line, its in zip((old, new), spans, strict=True)]
    if old != new and joined(cut[0]) == joined(cut[1]):
        cut = [tuple(_pieces(line, its, 0, len(line))) for line, its in zip((old, new), spans, strict=True)]
    return LinePair(cut[0], cut[1], akin)


def _kept(text: str, spans: Spans) -> int:
    """Characters of words that both lines have."""
    left = 0
    kept = 0
    for start, end in [*spans, (len(text), len(text))]:
        kept += sum(map(len, re.findall(r"\w+", text[left:start])))
        left = end
    return kept


def _changed_spans(old: str, new: str) -> tuple[Spans, Spans]:
    """Character ranges of both sides that have no counterpart; an empty range marks where the other side has more."""
    if old == new:
        return [], []
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    start -= _into_word(old[:start], (old[start : start + 1], new[start : start + 1]))
    end -= _into_word(old[len(old) - end :][::-1], (old[: len(old) - end][-1:], new[: len(new) - end][-1:]))
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


def _into_word(shared: str, next_ones: tuple[str, str]) -> int:
    """How many of the last characters that two lines share are the start of a word that goes on differently."""
    if not any(re.match(r"\w", char) for char in next_ones):
        return 0
    found = re.search(r"\w*\Z", shared[-WORD:])
    length = len(found[0]) if found else 0
    return length if length < WORD else 0


def _shared(old: str, new: str) -> int:
    """Characters at the start that are the same."""
    pairs = zip(old, new, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))


def _around(text: str, spans: Spans, width: int) -> tuple[Piece, ...]:
    if len(text) <= width:
        return tuple(_pieces(text, spans, 0, len(text)))
    kept: Spans = []
    for start, end in spans:
        first, last = max(0, start - CONTEXT), min(len(text), end + CONTEXT)
        parts = [(first, last)]
        if last - first > width:
            parts = [(first, first + width // 2), (last - width // 2, last)]
        for part in parts:
            if kept and part[0] <= kept[-1][1]:
                kept[-1] = kept[-1][0], max(part[1], kept[-1][1])
            else:
                kept.append(part)
    made: list[Piece] = [Piece("…", changed=False)] if not kept or kept[0][0] > 0 else []
    for number, (first, last) in enumerate(kept[:MAX_WINDOWS]):
        if number:
            made.append(Piece(" … ", changed=False))
        made += _pieces(text, spans, first, last)
    if kept and kept[-1][1] < len(text):
        made.append(Piece("…", changed=False))
    if len(kept) > MAX_WINDOWS:
        made.append(Piece(f" ({len(kept) - MAX_WINDOWS} more places in this line)", changed=False))
    return tuple(made)


def _pieces(text: str, spans: Spans, first: int, last: int) -> Iterator[Piece]:
    """``text[first:last]``, what lies in `spans` apart."""
    at = first
    for start, end in spans:
        begin, stop = max(start, at), min(end, last)
        if begin >= stop:
            continue
        if begin > at:
            yield Piece(text[at:begin], changed=False)
        yield Piece(text[begin:stop], changed=True)
        at = stop
    if at < last:
        yield Piece(text[at:last], changed=False)

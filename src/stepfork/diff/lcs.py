"""The longest common subsequence of two key sequences, exact for any length that a body can have.

Keys that only one side has cannot be in it and are dropped first, so two sides with nothing in common cost nothing.
The rest is done with one machine word for 64 items (Hyyrö's bit-parallel recurrence on Python integers): 2,000 × 2,000
items take milliseconds, where a quadratic table takes seconds and an edit graph takes as long as the sides differ.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

Pairs = list[tuple[int, int]]

DIRECT_BITS = 1 << 27
"""Up to this many cells all rows are kept for the way back (16 MB); beyond it the problem is halved."""
EXACT_BITS = 1 << 34
"""Beyond this many cells (130,000 × 130,000 lines) items that stand once on each side cut the problem first."""


def common(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    """Index pairs ``(old, new)`` of a longest common subsequence, increasing on both sides.

    Longest up to EXACT_BITS cells of what both sides have between their common start and end.
    """
    start = 0
    most = min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old_has, new_has = set(old[start : len(old) - end]), set(new[start : len(new) - end])
    both = old_has & new_has
    left = [index for index in range(start, len(old) - end) if old[index] in both]
    right = [index for index in range(start, len(new) - end) if new[index] in both]
    inner = _between([old[index] for index in left], [new[index] for index in right]) if both else []
    pairs = [(index, index) for index in range(start)]
    pairs += [(left[a], right[b]) for a, b in inner]
    pairs += [(len(old) - index, len(new) - index) for index in range(end, 0, -1)]
    return pairs


def _between(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    cells = len(old) * len(new)
    if cells <= DIRECT_BITS:
        return _direct(old, new)
    if cells <= EXACT_BITS:
        return _halved(old, new)
    return _anchored(old, new)


def _rows(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[int]:
    """One row an item of `new`: bit i is 0 where old[:i+1] has a longer common subsequence with it than old[:i]."""
    places: dict[Hashable, int] = {}
    for index, key in enumerate(old):
        places[key] = places.get(key, 0) | (1 << index)
    full = (1 << len(old)) - 1
    row = full
    for key in new:
        hit = row & places.get(key, 0)
        row = ((row + hit) | (row - hit)) & full
        yield row


def _direct(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    rows = list(_rows(old, new))
    pairs: Pairs = []
    left, right = len(old), len(new)
    while left and right:
        if rows[right - 1] >> (left - 1) & 1:
            left -= 1
            continue
        right -= 1
        if not right or rows[right - 1] >> (left - 1) & 1:
            left -= 1
            pairs.append((left, right))
    pairs.reverse()
    return pairs


def _halved(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    """Hirschberg's way: find where an optimal path crosses the middle of `new`, then do both halves alone."""
    half = len(new) // 2
    before = _lengths(old, new[:half])
    after = _lengths(old[::-1], new[half:][::-1])
    cut = max(range(len(old) + 1), key=lambda at: before[at] + after[len(old) - at])
    first = common(old[:cut], new[:half])
    second = common(old[cut:], new[half:])
    return first + [(a + cut, b + half) for a, b in second]


def _lengths(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[int]:
    """Length of the longest common subsequence of each ``old[:i]`` with `new`."""
    last = (1 << len(old)) - 1
    for last in _rows(old, new):  # noqa: B007
        pass
    lengths = [0]
    for bit in reversed(f"{last:0{len(old)}b}" if old else ""):
        lengths.append(lengths[-1] + (bit == "0"))
    return lengths


def _anchored(old: Sequence[Hashable], new: Sequence[Hashable]) -> Pairs:
    """Patience: keys that stand once on each side, in the longest run that rises on both, cut the rest into gaps.

    A gap that is still too large counts as replaced: time and memory stay bounded, and the result stays right.
    """
    old_counts, new_counts = Counter(old), Counter(new)
    at = {key: index for index, key in enumerate(new) if new_counts[key] == 1}
    once = [(index, at[key]) for index, key in enumerate(old) if old_counts[key] == 1 and key in at]
    pairs: Pairs = []
    left = right = 0
    for a, b in [*_rising(once), (len(old), len(new))]:
        if (a - left) * (b - right) <= EXACT_BITS:
            pairs += [(left + x, right + y) for x, y in common(old[left:a], new[right:b])]
        if a < len(old):
            pairs.append((a, b))
        left, right = a + 1, b + 1
    return pairs


def _rising(pairs: Pairs) -> Pairs:
    """The longest part of `pairs` (rising on the left) that rises on the right too."""
    tails: list[int] = []
    ends: list[int] = []
    back: list[int] = []
    for index, (_, right) in enumerate(pairs):
        at = bisect_left(tails, right)
        back.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [right]
        ends[at : at + 1] = [index]
    found: Pairs = []
    index = ends[-1] if ends else -1
    while index >= 0:
        found.append(pairs[index])
        index = back[index]
    found.reverse()
    return found

"""Which added line of a hunk stands for which removed one: by their words, in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from stepfork.diff.text_diff import AKIN

LIMIT = 900
"""Combinations of removed and added lines that are weighed; in a larger hunk lines pair by position."""
_WORD = re.compile(r"\w+")


def paired(gone: Sequence[str], come: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of indices, both rising. As many lines on both sides pair one by one; else those that are akin do, so
    that together they share as many characters of words as they can."""
    if len(gone) == len(come) or len(gone) * len(come) > LIMIT:
        return [(at, at) for at in range(min(len(gone), len(come)))]
    words = [[Counter(_WORD.findall(line)) for line in side] for side in (gone, come)]
    shared = [[_shared(old, new) for new in words[1]] for old in words[0]]
    best = [[0] * (len(come) + 1) for _ in range(len(gone) + 1)]
    for at in reversed(range(len(gone))):
        for to in reversed(range(len(come))):
            both = shared[at][to] + best[at + 1][to + 1] if shared[at][to] else 0
            best[at][to] = max(both, best[at + 1][to], best[at][to + 1])
    pairs: list[tuple[int, int]] = []
    at = to = 0
    while at < len(gone) and to < len(come):
        if shared[at][to] and best[at][to] == shared[at][to] + best[at + 1][to + 1]:
            pairs.append((at, to))
            at, to = at + 1, to + 1
        elif best[at][to] == best[at + 1][to]:
            at += 1
        else:
            to += 1
    return pairs


def _shared(old: Counter[str], new: Counter[str]) -> int:
    """Characters of the words that both lines have; 0 where these are too few to call the lines akin."""
    both = sum(len(word) * count for word, count in (old & new).items())
    longer = max(sum(len(word) * count for word, count in side.items()) for side in (old, new))
    return both if both * AKIN >= longer else 0

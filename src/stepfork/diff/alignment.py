"""Two sequences, item by item: what stayed, was edited, moved, came or went.

Items are paired by content in order, never by index, so that an insertion is one change and what follows it is none.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Literal

import msgspec

from stepfork.diff.lcs import Pairs, common

Kind = Literal["same", "changed", "moved", "removed", "added"]

COMPARED_CELLS = 10_000
"""Gaps of up to this many combinations are compared pair by pair; in larger ones items pair in order by kind."""
WORDS = 400
"""Words of an item that similarity looks at: those of the lowest checksums, so that the choice is always the same."""
LOOKED_AT = 20_000
"""Characters of a text that similarity looks at."""
PAIRED = 0.1
"""What pairing two unlike items of a kind is worth beside their similarity: one edit reads better than two ops."""

_WORD = re.compile(r"\w+")


class Item(msgspec.Struct, frozen=True, dict=True):
    """``keys`` from strict to loose: equal first keys are the same item, an equal later key is the same one edited.
    Only items of one ``kind`` (a role, a label) are ever paired as edited; ``texts`` are what similarity looks at, each
    counting the same."""

    keys: tuple[Hashable, ...]
    kind: Hashable = None
    texts: tuple[str, ...] = ()

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """Of each text, the words that similarity looks at."""
        return tuple(_sample(frozenset(_WORD.findall(text[:LOOKED_AT]))) for text in self.texts)


class Op(msgspec.Struct, frozen=True):
    """One step from the old sequence to the new one; an index is None where that side has no item."""

    kind: Kind
    old: int | None
    new: int | None


Roots = Callable[[int, int], tuple[int, int]]
"""Of two items that are a pair, those that both go back to: an item of each side."""


def align(
    old: Sequence[Item], new: Sequence[Item], *, move_levels: int = 1, least: float = 0.0, roots: Roots | None = None
) -> list[Op]:
    """Ops in the order of `new`, each removed item after the op of the item that stood before it.

    Every index of both sides stands in exactly one op, and the ops that are not ``same`` are at most
    ``len(old) + len(new) - 2 * LCS`` of the first keys. An item that stands elsewhere is ``moved`` where one of its
    first `move_levels` keys says that it is the same item. Items whose likeness (0 to 1) is below `least` are not
    paired as edited, but where they are the `roots` of a pair.
    """
    pairs, moved, gaps = _by_keys(old, new, move_levels)
    for left, right in gaps:
        pairs += [(left[a], right[b]) for a, b in _similar([old[i] for i in left], [new[i] for i in right], least)]
    if roots is not None:
        found = _rooted([*pairs, *moved], roots)
        pairs += [pair for pair in found if _keeps_order(pair, pairs)]
        moved += [pair for pair in found if pair not in pairs]
    kinds: dict[int, Op] = {b: Op("moved", a, b) for a, b in moved}
    for a, b in pairs:
        kinds[b] = Op("same" if old[a].keys[0] == new[b].keys[0] else "changed", a, b)
    return list(_in_order(kinds, len(old), len(new)))


Gap = tuple[Sequence[int], Sequence[int]]
"""Indices of both sides that no pair crosses and that are in none."""


def _by_keys(old: Sequence[Item], new: Sequence[Item], move_levels: int) -> tuple[Pairs, Pairs, list[Gap]]:
    """Pairs by equal keys in order and those that moved, the strict keys first; and the gaps that are left.

    What moved by one key is found before a looser one is looked at: an item is rather itself elsewhere than another.
    """
    pairs: Pairs = []
    moved: Pairs = []
    gaps: list[Gap] = [(range(len(old)), range(len(new)))]
    levels = max((len(item.keys) for item in (*old[:1], *new[:1])), default=0)
    for level in range(levels):
        left_over: list[Gap] = []
        for before, after in gaps:
            left, right = ([side[i].keys[level] for i in part] for side, part in ((old, before), (new, after)))
            anchors = list(_earliest(common(left, right), left, right))
            pairs += [(before[a], after[b]) for a, b in anchors]
            left_over += _gaps(anchors, before, after)
        gaps = left_over
        if level < move_levels and (found := _moves(old, new, gaps, level)):
            moved += found
            gone, come = {a for a, _ in found}, {b for _, b in found}
            gaps = [([i for i in left if i not in gone], [i for i in right if i not in come]) for left, right in gaps]
    return pairs, moved, gaps


def _earliest(pairs: Pairs, old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """The same pairs, each as far to the front as it goes: of two equal items the second is the new one."""
    left = right = 0
    for a, b in pairs:
        first, second = old.index(old[a], left), new.index(new[b], right)
        yield first, second
        left, right = first + 1, second + 1


def _gaps(anchors: Pairs, before: Sequence[int], after: Sequence[int]) -> Iterator[Gap]:
    left, right = 0, 0
    for a, b in [*anchors, (len(before), len(after))]:
        if a > left or b > right:
            yield before[left:a], after[right:b]
        left, right = a + 1, b + 1


def _moves(old: Sequence[Item], new: Sequence[Item], gaps: Sequence[Gap], level: int) -> Pairs:
    """Items of one key among those that are left, the first with the first."""
    places: dict[Hashable, list[int]] = {}
    for index in sorted((index for left, _ in gaps for index in left), reverse=True):
        places.setdefault(old[index].keys[level], []).append(index)
    come = sorted(index for _, right in gaps for index in right)
    return [(found.pop(), index) for index in come if (found := places.get(new[index].keys[level]))]


def _similar(old: Sequence[Item], new: Sequence[Item], least: float) -> Pairs:
    """Pairs of one kind, in order, of the greatest similarity in sum."""
    if not old or not new:
        return []
    if len(old) * len(new) > COMPARED_CELLS:
        return common([item.kind for item in old], [item.kind for item in new])
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    gain = [[0.0] * len(new) for _ in old]
    for a in range(len(old) - 1, -1, -1):
        for b in range(len(new) - 1, -1, -1):
            if old[a].kind == new[b].kind:
                alike = _likeness(old[a].words, new[b].words)
                gain[a][b] = PAIRED + alike if alike >= least else 0.0
            paired = gain[a][b] + best[a + 1][b + 1] if gain[a][b] else 0.0
            best[a][b] = max(paired, best[a + 1][b], best[a][b + 1])
    pairs: Pairs = []
    a = b = 0
    while a < len(old) and b < len(new):
        if gain[a][b] and best[a][b] == gain[a][b] + best[a + 1][b + 1]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        elif best[a][b] == best[a][b + 1]:
            b += 1
        else:
            a += 1
    return pairs


def _rooted(pairs: Pairs, roots: Roots) -> Pairs:
    """The roots of pairs that are no pair yet, each item once."""
    found: Pairs = []
    gone, come = {a for a, _ in pairs}, {b for _, b in pairs}
    for a, b in (roots(*pair) for pair in pairs):
        if a not in gone and b not in come:
            found.append((a, b))
            gone.add(a)
            come.add(b)
    return found


def _keeps_order(pair: tuple[int, int], pairs: Pairs) -> bool:
    return all((pair[0] < a) == (pair[1] < b) for a, b in pairs)


def _sample(words: frozenset[str]) -> frozenset[str]:
    if len(words) <= WORDS:
        return words
    return frozenset(sorted(words, key=lambda word: zlib.crc32(word.encode("utf-8", "surrogatepass")))[:WORDS])


@lru_cache(maxsize=2 * COMPARED_CELLS)  # each exchange of a conversation carries the items of the last one
def _likeness(old: tuple[frozenset[str], ...], new: tuple[frozenset[str], ...]) -> float:
    """0 for no word in common to 1 for the same words, on average over the texts."""
    total = 0.0
    for before, after in zip(old, new, strict=True):
        shared = len(before & after)
        total += shared / (len(before) + len(after) - shared) if shared else float(before == after)
    return total / len(old) if old else 0.0


def _in_order(kinds: dict[int, Op], old_count: int, new_count: int) -> Iterator[Op]:
    kept = {op.old for op in kinds.values()}
    # A moved item does not say where its old neighbours stood, so only the others give the order away.
    follows: dict[int | None, list[int]] = {}
    in_place = {op.old: op.new for op in kinds.values() if op.kind != "moved"}
    before: int | None = None
    for index in range(old_count):
        if index in in_place:
            before = in_place[index]
        elif index not in kept:
            follows.setdefault(before, []).append(index)
    for index in follows.get(None, []):
        yield Op("removed", index, None)
    for place in range(new_count):
        yield kinds.get(place) or Op("added", None, place)
        for index in follows.get(place, []):
            yield Op("removed", index, None)

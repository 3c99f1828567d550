"""The longest common subsequence, by each of its ways."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from stepfork.diff import lcs
from stepfork.diff.lcs import common


def table(old: list[int], new: list[int]) -> int:
    """The length, the slow and obvious way."""
    rows = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, a in enumerate(old):
        for j, b in enumerate(new):
            rows[i + 1][j + 1] = rows[i][j] + 1 if a == b else max(rows[i][j + 1], rows[i + 1][j])
    return rows[-1][-1]


def check(old: list[int], new: list[int], pairs: list[tuple[int, int]]) -> None:
    assert all(old[a] == new[b] for a, b in pairs)
    assert all(first[0] < second[0] and first[1] < second[1] for first, second in pairwise(pairs))


@pytest.mark.parametrize("limit", ["direct", "halved", "anchored"])
def test_common_is_longest_whichever_way_it_is_found(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if limit != "direct":
        monkeypatch.setattr(lcs, "DIRECT_BITS", 6)
    if limit == "anchored":
        monkeypatch.setattr(lcs, "EXACT_BITS", 20)
    chance = random.Random(7)
    for _ in range(400):
        keys = chance.choice([1, 2, 3, 6, 20])
        old = [chance.randrange(keys) for _ in range(chance.randrange(14))]
        new = [chance.randrange(keys) for _ in range(chance.randrange(14))]
        pairs = common(old, new)
        check(old, new, pairs)
        if limit != "anchored":
            assert len(pairs) == table(old, new)


def test_items_that_stand_once_cut_what_is_too_large_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lcs, "DIRECT_BITS", 4)
    monkeypatch.setattr(lcs, "EXACT_BITS", 40)
    old = [0, 1, 0, 0, 100, 0, 1, 1, 101, 0, 1, 0]
    new = [1, 0, 1, 0, 100, 1, 0, 1, 101, 1, 1, 0]
    pairs = common(old, new)
    check(old, new, pairs)
    assert {(4, 4), (8, 8)} <= set(pairs)


def test_two_thousand_items_with_nothing_in_common_need_no_table() -> None:
    assert common(range(2_000), range(2_000, 4_000)) == []


def test_a_long_rotation_is_found_whole() -> None:
    old = list(range(3_000))
    assert len(common(old, [*old[1_000:], *old[:1_000]])) == 2_000

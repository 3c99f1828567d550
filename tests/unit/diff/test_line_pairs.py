"""Which lines of a hunk stand for one another."""

from __future__ import annotations

from stepfork.diff.line_pairs import LIMIT, paired

RULE = "You refund an order once."


def test_an_edited_line_is_found_among_added_ones() -> None:
    come = ["Be kind to everybody.", "Never lie.", RULE.replace("once", "twice"), "Answer in Danish."]
    assert paired([RULE], come) == [(0, 2)]
    assert paired(come, [RULE]) == [(2, 0)]


def test_lines_without_words_in_common_stand_for_nothing() -> None:
    assert paired([RULE], ["Be kind.", "Never lie."]) == []
    assert paired([], [RULE]) == []


def test_as_many_lines_pair_one_by_one_and_so_do_too_many() -> None:
    assert paired(["a", "b"], ["c", "d"]) == [(0, 0), (1, 1)]
    many = [str(number) for number in range(LIMIT)]
    assert paired(many, many[:2]) == [(0, 0), (1, 1)]


def test_pairs_keep_their_order() -> None:
    old, new = ["pay the order", "ask the customer"], ["ask the customer", "pay the order", "stop"]
    assert len(paired(old, new)) == 1

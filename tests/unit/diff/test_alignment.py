"""Which item is paired with which."""

from __future__ import annotations

from stepfork.diff.alignment import Item, Op, align


def items(*texts: str, kind: str = "") -> list[Item]:
    return [Item((text,), kind, (text,)) for text in texts]


def told(old: list[Item], new: list[Item]) -> list[tuple[str, int | None, int | None]]:
    return [(op.kind, op.old, op.new) for op in align(old, new) if op.kind != "same"]


def test_an_insertion_at_the_front_is_one_op() -> None:
    rest = [f"message {number}" for number in range(30)]
    assert told(items(*rest), items("first of all", *rest)) == [("added", None, 0)]


def test_a_deletion_in_the_middle_is_one_op() -> None:
    assert told(items("a", "b", "c"), items("a", "c")) == [("removed", 1, None)]


def test_an_edited_item_is_found_beside_an_inserted_one() -> None:
    old = items("one", "refund the order once and be kind", "two")
    new = items("one", "something else entirely", "refund the order twice and be kind", "two")
    assert told(old, new) == [("added", None, 1), ("changed", 1, 2)]


def test_an_edit_is_found_by_a_looser_key_when_nothing_else_is_alike() -> None:
    old = [Item(("a1", "a"), texts=("x",)), Item(("b1", "b"), texts=("y",))]
    new = [Item(("n1", "n"), texts=("y",)), Item(("a2", "a"), texts=("z",)), Item(("b2", "b"), texts=("w",))]
    assert told(old, new) == [("added", None, 0), ("changed", 0, 1), ("changed", 1, 2)]


def test_items_of_two_kinds_are_never_one_edited_item() -> None:
    old, new = items("refund it", kind="user"), items("refund it now", kind="assistant")
    assert told(old, new) == [("removed", 0, None), ("added", None, 0)]


def test_an_item_that_stands_elsewhere_has_moved() -> None:
    assert told(items("a", "b", "c", "d"), items("d", "a", "b", "c")) == [("moved", 3, 0)]


def test_a_repeated_item_that_is_gone_once_is_one_removal() -> None:
    assert told(items("same", "same", "end"), items("same", "end")) == [("removed", 1, None)]


def test_unlike_items_are_two_ops_where_a_likeness_is_asked_for() -> None:
    old, new = items("apples and pears"), items("bolts with nuts")
    assert [op.kind for op in align(old, new)] == ["changed"]
    assert [op.kind for op in align(old, new, least=0.2)] == ["removed", "added"]


def test_large_gaps_pair_in_order_by_kind() -> None:
    old = items(*(f"old {number}" for number in range(2_000)), kind="user")
    new = items(*(f"new {number}" for number in range(2_000)), kind="user")
    assert align(old, new) == [Op("changed", number, number) for number in range(2_000)]


def test_removed_items_come_after_what_stood_before_them() -> None:
    old = items("keep", "drop one", "keep too", "drop two")
    assert [(op.kind, op.old) for op in align(old, items("keep", "keep too"))] == [
        ("same", 0),
        ("removed", 1),
        ("same", 2),
        ("removed", 3),
    ]


def test_of_two_equal_items_the_second_is_the_new_one() -> None:
    assert told(items("ask", "result"), items("ask twice", "result", "result"))[-1] == ("added", None, 2)
    assert told(items("a", "x", "b"), items("a", "x", "c", "x", "b")) == [("added", None, 2), ("added", None, 3)]


def test_an_item_elsewhere_is_itself_rather_than_the_neighbour_that_took_its_place() -> None:
    def items(text: str) -> list[Item]:
        return [Item((name, name[0])) for name in text.split()]

    ops = align(items("p a1 q a2"), items("p a2 q a1"), move_levels=2)
    assert {op.kind for op in ops} == {"same", "moved"}

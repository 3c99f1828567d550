"""Differences of JSON values, held against deepdiff where both see alike."""

from __future__ import annotations

from typing import Any

import pytest

from stepfork.diff.json_diff import json_diff
from stepfork.diff.values import FieldChange


def paths(old: Any, new: Any) -> list[tuple[str, str]]:
    return [(change.change, change.path) for change in json_diff(old, new)]


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ([True], [1], "/0"),
        ([2], [2.0], "/0"),
        (1, 1.0, ""),
        (0, False, ""),
        ({"enum": [0, 1]}, {"enum": [False, 1]}, "/enum/0"),
        ([[1]], [[1.0]], "/0/0"),
        ({"a": [{"b": 1}]}, {"a": [{"b": True}]}, "/a/0/b"),
        ("1", 1, ""),
        (None, False, ""),
        ([], {}, ""),
        (0.0, -0.0, ""),
    ],
)
def test_c066_type_changes_inside_lists_are_seen(old: Any, new: Any, path: str) -> None:
    assert paths(old, new) == [("changed", path)]


def test_c067_keys_that_start_with_two_underscores_are_seen() -> None:
    assert paths({"__typename": "Order"}, {"__typename": "Refund"}) == [("changed", "/__typename")]
    assert paths({"a": {"__x__": 1}}, {"a": {}}) == [("removed", "/a/__x__")]


def test_c068_each_key_of_a_large_change_is_listed() -> None:
    old = {"temperature": 0.2, "top_p": 1, "seed": 7, "stop": ["x"]}
    assert json_diff(old, {"temperature": 0.9}) == (
        FieldChange("/seed", "removed", old=7),
        FieldChange("/stop", "removed", old=["x"]),
        FieldChange("/temperature", "changed", 0.2, 0.9),
        FieldChange("/top_p", "removed", old=1),
    )


def test_null_is_not_absent() -> None:
    assert json_diff({"a": None}, {}) == (FieldChange("/a", "removed", old=None),)
    assert json_diff({}, {"a": None}) == (FieldChange("/a", "added", new=None),)


def test_paths_are_unambiguous_pointers() -> None:
    assert paths({"a.b": 1, "a": {"b": 1}}, {"a.b": 2, "a": {"b": 1}}) == [("changed", "/a.b")]
    assert paths({"a/b~c": 1, "": 1}, {"a/b~c": 2, "": 2}) == [("changed", "/"), ("changed", "/a~1b~0c")]


def test_an_inserted_list_item_is_one_change() -> None:
    old = [{"name": f"field {n}", "type": "string"} for n in range(600)]
    assert paths(old, [{"name": "new", "type": "string"}, *old]) == [("added", "/0")]


def test_an_item_that_changed_behind_an_inserted_one_says_both_places() -> None:
    old = {"anyOf": [{"name": "a", "v": 1}, {"name": "b", "v": 1}]}
    new = {"anyOf": [{"name": "z", "v": 9}, {"name": "a", "v": 1}, {"name": "b", "v": 2}]}
    assert json_diff(old, new) == (
        FieldChange("/anyOf/0", "added", new={"name": "z", "v": 9}),
        FieldChange("/anyOf/2/v", "changed", 1, 2, "/anyOf/1/v"),
    )


def test_an_item_that_changed_places_has_moved() -> None:
    assert json_diff(["a", "b", "c"], ["c", "a", "b"]) == (FieldChange("/0", "moved", "c", "c", "/2"),)


def test_the_order_of_members_is_no_change() -> None:
    assert json_diff({"a": 1, "b": [{"c": 1, "d": 2}]}, {"b": [{"d": 2, "c": 1}], "a": 1}) == ()


@pytest.mark.parametrize("step", ["object", "list", "both"])
def test_depth_200_is_walked(step: str) -> None:
    old: Any = 1
    new: Any = 2
    for level in range(200):
        as_list = step == "list" or (step == "both" and level % 2)
        old, new = ([old], [new]) if as_list else ({"k": old}, {"k": new})
    [change] = json_diff(old, new)
    assert (change.old, change.new, change.path.count("/")) == (1, 2, 200)


def test_what_canonical_json_refuses_is_still_compared() -> None:
    assert paths({"a": "\ud800"}, {"a": "\ud801"}) == [("changed", "/a")]
    assert paths({"a": 10**30}, {"a": 10**30 + 1}) == [("changed", "/a")]
    assert json_diff({"a": float("nan")}, {"a": float("nan")}) == ()


def test_the_same_paths_as_deepdiff_where_it_sees_all() -> None:
    from deepdiff import DeepDiff

    old = {"type": "object", "properties": {"a": {"type": "string", "max": 3}, "b": {"deep": {"x": 1, "y": [1, 2]}}}}
    new = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"deep": {"x": 2, "y": [1, 3]}}, "c": {}}}
    tree = DeepDiff(old, new, view="tree", threshold_to_diff_deeper=0)
    theirs = {
        "".join(f"/{step}" for step in item.path(output_format="list")) for found in tree.values() for item in found
    }
    assert {path for _, path in paths(old, new)} == theirs

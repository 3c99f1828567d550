"""Edits in JSON text and values land in place, at any depth, and nothing else moves."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest

from stepfork.rewrite.place import Edit, Place, Rewriter, apply_edits
from stepfork.rewrite.text import rewrite_text
from stepfork.rewrite.value import rewrite_value

HERE = Place(("trace",))


class Upper(Rewriter):
    """`word` becomes `<"W">` in text, `key` becomes `K` in names, 7 becomes 0; remembers where it was."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, tuple[str | int, ...]]] = []

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        self.seen.append((text, place.path))
        return [Edit(m.start(), m.end(), '<"W">') for m in re.finditer("word", text)]

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        return [Edit(m.start(), m.end(), "K") for m in re.finditer("key.?", text)]

    def number(self, value: int | float, place: Place) -> Any:
        return 0 if value == 7 else value


def nest(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = json.dumps(value)
    return value


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_a_word_is_replaced_at_every_depth_of_json_text(depth: int) -> None:
    made = rewrite_text(nest({"a": ["word é \n word", 7, 8]}, depth), HERE, Upper())
    for _ in range(depth):
        made = json.loads(made)
    assert made == {"a": ['<"W"> é \n <"W">', 0, 8]}


def test_what_was_not_touched_keeps_its_spelling() -> None:
    text = '{ "a":"\\u00e9\\/word\\/", "n": 1.0e1 ,"b" : [ ] }'
    assert rewrite_text(text, HERE, Upper()) == '{ "a":"\\u00e9\\/<\\"W\\">\\/", "n": 1.0e1 ,"b" : [ ] }'


def test_a_surrogate_pair_counts_as_one_character() -> None:
    text = '{"a": "\\ud83d\\ude00 word"}'
    assert json.loads(rewrite_text(text, HERE, Upper())) == {"a": '😀 <"W">'}
    assert "\\ud83d\\ude00" in rewrite_text(text, HERE, Upper())


def test_text_that_only_looks_like_json_is_text() -> None:
    assert rewrite_text('{"a": word', HERE, Upper()) == '{"a": <"W">'
    assert rewrite_text("[" * 100_000, HERE, Upper()) == "[" * 100_000


def test_the_path_goes_on_inside_json_text() -> None:
    rewriter = Upper()
    rewrite_value({"outer": json.dumps([{"x": "one"}, "two"])}, HERE, rewriter)
    assert rewriter.seen == [("one", ("outer", 0, "x")), ("two", ("outer", 1))]


def test_members_are_visited_in_sorted_order_and_keep_their_own() -> None:
    rewriter = Upper()
    made = rewrite_value({"b": "word", "a": "x", "c": "y"}, HERE, rewriter)
    assert [text for text, _ in rewriter.seen] == ["x", "word", "y"]
    assert list(made) == ["b", "a", "c"]


@pytest.mark.parametrize("wrap", [lambda v: v, json.dumps])
def test_two_names_that_become_one_stay_two(wrap: Any) -> None:
    made = rewrite_value(wrap({"key1": 1, "key2": 2, "K": 3}), HERE, Upper())
    made = json.loads(made) if isinstance(made, str) else made
    assert sorted(made) == ["K", "K#2", "K#3"]
    assert sorted(made.values()) == [1, 2, 3]


def test_an_untouched_value_is_the_same_object() -> None:
    value = {"a": [1, {"b": "x"}], "c": None, "d": True}
    assert rewrite_value(value, HERE, Upper()) is value


def test_overlapping_edits_take_all_that_either_covers() -> None:
    assert apply_edits("abcdef", [Edit(1, 4, "X"), Edit(3, 5, "Y")]) == "aXf"
    assert apply_edits("abcdef", [Edit(3, 5, "Y"), Edit(1, 2, "X")]) == "aXcYf"


def test_the_key_of_a_place_is_the_nearest_name_above() -> None:
    assert Place(("trace",), ("a", 3)).key == "a"
    assert Place(("trace",), (3,)).key is None


def test_a_place_and_an_edit_do_not_print_what_they_hold() -> None:
    assert "secret" not in repr(Edit(0, 1, "secret"))

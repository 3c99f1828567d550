"""Changed lines, and windows of long ones."""

from __future__ import annotations

import pytest

from stepfork.diff.text_diff import CONTEXT, MAX_WINDOWS, changed_lines, hunks_of, joined, windows, word_diff
from stepfork.diff.values import Line


def test_only_the_changed_line_is_said() -> None:
    old = "You are an agent.\nYou refund once.\nBe kind."
    assert changed_lines(old, old.replace("once", "twice")) == (
        Line("-", "You refund once."),
        Line("+", "You refund twice."),
    )


def test_an_inserted_line_is_one_line() -> None:
    rest = "\n".join(f"line {number}" for number in range(30))
    assert changed_lines(rest, f"first\n{rest}") == (Line("+", "first"),)


@pytest.mark.parametrize(
    ("old", "new"),
    [("a", "a\n"), ("", "\n"), ("a\r\nb", "a\nb"), ("a b", "a  b"), ("é", "e\u0301"), ("a\u2028b", "a b"), ("", " ")],
)
def test_texts_that_differ_always_have_a_line(old: str, new: str) -> None:
    lines = changed_lines(old, new)
    assert lines
    assert [line.text for line in lines if line.op == "-"] != [line.text for line in lines if line.op == "+"]


def test_lines_fall_into_the_hunks_that_they_came_from() -> None:
    lines = changed_lines("a\nkeep\nb", "A\nkeep\nB\nC")
    assert list(hunks_of(lines)) == [(["a"], ["A"]), (["b"], ["B", "C"])]


def test_a_long_line_is_cut_to_what_surrounds_its_change() -> None:
    old, new = windows("x " * 500 + "once" + " y" * 500, "x " * 500 + "twice" + " y" * 500, 100)
    assert "once" in old
    assert "twice" in new
    assert old.startswith("…")
    assert old.endswith("…")
    assert len(old) <= 2 * CONTEXT + len("once") + 2


def test_lines_that_differ_only_at_their_ends_are_not_shown_alike() -> None:
    old, new = windows("same " * 400 + "end", "same " * 400 + "END", 100)
    assert (old[-3:], new[-3:]) == ("end", "END")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a" * 5_000, "a" * 5_001),
        ("a" * 5_000, "b" * 5_000),
        ("a" * 5_000, ""),
        ("x" * 300 + "1" * 300 + "y" * 300, "x" * 300 + "1" * 301 + "y" * 300),
        ("".join(f"w{n} " for n in range(9_000)), "".join(f"v{n} " for n in range(9_000))),
    ],
)
def test_two_lines_never_become_the_same(old: str, new: str) -> None:
    first, second = windows(old, new, 100)
    assert first != second


def test_many_changes_in_one_line_are_counted_instead_of_shown() -> None:
    old = " ".join(f"{'pad ' * 30}{n}" for n in range(40))
    shown, _ = windows(old, old.replace("pad 2", "pad x"), 100)
    assert "more places in this line" in shown
    assert shown.count(" … ") == MAX_WINDOWS - 1


@pytest.mark.parametrize(
    ("old", "new", "gone", "come"),
    [
        ("You refund once.", "You refund twice.", ["once"], ["twice"]),
        ("Ask before you pay.", "Ask before you pay twice.", [], [" twice"]),
        ("a b c", "a  b c", [], [" "]),
        ("pay 10 now", "pay 100 now", ["10"], ["100"]),
        ("x" * 300 + "1", "x" * 300 + "2", ["1"], ["2"]),
    ],
)
def test_what_changed_in_a_line_is_whole_words(old: str, new: str, gone: list[str], come: list[str]) -> None:
    pair = word_diff(old, new, 1_000)
    assert pair.akin
    assert [piece.text for piece in pair.old if piece.changed] == gone
    assert [piece.text for piece in pair.new if piece.changed] == come
    assert (joined(pair.old), joined(pair.new)) == (old, new)


def test_lines_that_have_only_blanks_and_stops_in_common_are_not_akin() -> None:
    assert not word_diff("Never tell a lie.", "Refund what they ask.", 100).akin
    assert not word_diff("", "Refund what they ask.", 100).akin

"""The report as a comment on a pull request: what is open, what unfolds, and that it fits."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stepfork.cli.render.diff_markdown import LIMIT, MARK, markdown_report
from stepfork.cli.render.diff_words import BLOCK
from stepfork.cli.render.markdown import size
from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.diff.values import Change, Line, Usage
from tests.unit.diff.conversations import SYSTEM, TURNS, asks, conversation, fixture

TWICE = [TURNS[0], [*TURNS[1], *TURNS[1]], *TURNS[2:]]
GONE = Change("tools", "removed", "authored", "refund", "- refund", grade="breaking", breaks="tool refund is gone")


def report(*diffs: FixtureDiff, **how: Any) -> str:
    return "\n".join(markdown_report(diffs, **how))


def edited(**how: Any) -> FixtureDiff:
    new = fixture(conversation(TWICE, system=SYSTEM.replace("once", "twice"), final="All done."))
    return diff_fixtures(fixture(conversation()), new, DiffOptions(**how))


def test_a_change_is_a_headline_and_what_unfolds() -> None:
    diff = msgspec.structs.replace(edited(), usage=(Usage(3914, 212), Usage(4020, 240)))
    assert report(diff) == (
        "<!-- stepfork diff -->\n"
        "### stepfork diff: 1 changed\n"
        "\n"
        "**`refund`** 1 authored change, 3 consequences, 5 exchanges\n"
        "- `tokens 3,914 → 4,020 in (+106), 212 → 240 out (+28)`\n"
        "\n"
        "<details open><summary>authored changes (1)</summary>\n"
        "\n"
        "`system` exchanges 0–4\n"
        "```diff\n"
        "- You refund once.\n"
        "+ You refund twice.\n"
        "```\n"
        "\n"
        "</details>\n"
        "\n"
        "<details><summary>consequences (3)</summary>\n"
        "\n"
        "```\n"
        "exchange 1      assistant asks issue_refund twice, was once\n"
        'exchanges 2–4   + tool result issue_refund [5] {"ok": true}\n'
        "exchange 4      final answer reworded\n"
        "```\n"
        "\n"
        "</details>\n"
    )


def test_what_breaks_is_open_and_first() -> None:
    calm = msgspec.structs.replace(edited(), name="a")
    grave = msgspec.structs.replace(edited(), name="z", changes=(*edited().changes, GONE))
    text = report(calm, grave)
    assert text.splitlines()[1] == "### stepfork diff: 2 changed; 1 breaking"
    assert text.index("**`z`**") < text.index("- **BREAKING** `tool refund is gone`") < text.index("**`a`**")
    assert text.count("<details open>") == 1
    assert "<details open><summary>breaking changes (1)</summary>" in text


def test_consequences_are_whole_in_full() -> None:
    text = report(edited(), full=True)
    assert "- Done.\n+ All done." in text


def test_nothing_that_differs_is_said_so_that_a_comment_can_be_updated() -> None:
    assert report() == f"{MARK}\n### stepfork diff: no fixture differs\n"
    one = fixture(conversation())
    assert report(diff_fixtures(one, one)) == (
        f"{MARK}\n### stepfork diff: 1 without semantic change\n\nWithout semantic change: `refund`\n"
    )


def test_what_could_not_be_compared_is_never_calm() -> None:
    text = report(unread=["inc: object 3f is `damaged`"])
    assert text.splitlines()[1:] == [
        "### stepfork diff: nothing compared; 1 not compared",
        "",
        "- **not compared** `` inc: object 3f is `damaged` ``",
    ]
    assert "1 changed; 1 not compared" in report(edited(), unread=["x: y"])
    path = f".stepfork/objects/3f/{'0' * 62}.json"
    whole = (
        f"inc: {path}: the object is missing; needed by inc: stepfork fsck --restore takes it back from git, or else"
    )
    assert whole in report(unread=[whole])


def test_a_block_holds_twenty_lines_and_says_how_many_more() -> None:
    old, new = (fixture([asks("\n".join(f"{side} line {n}" for n in range(100)))]) for side in ("old", "new"))
    text = report(diff_fixtures(old, new))
    assert sum(line[:2] in ("- ", "+ ") for line in text.splitlines()) == BLOCK - 1
    assert "… 181 more changed lines (`--full` shows them)" in text


def huge(count: int, lines: int = 60, name: str = "refund", width: int = 100) -> FixtureDiff:
    made = tuple(Line("+", f"{number} {'🦀' * width}") for number in range(lines))
    change = Change("messages", "added", "authored", "user", "+ user", (0,), made)
    changes = tuple(msgspec.structs.replace(change, subject=f"user [{number}]") for number in range(count))
    return FixtureDiff(name, "changed", 1, 1, changes=changes)


def test_a_comment_holds_what_github_takes_and_says_what_is_left_out() -> None:
    lines = list(markdown_report([huge(50)], full=True))
    assert size(lines) <= LIMIT
    assert size(lines) > LIMIT // 2
    assert lines[-1].startswith("Left out, since a comment holds 65,536 characters: the details of ")
    assert lines.count("```diff") + int(lines[-1].split("the details of ")[1].split()[0]) == 50


@pytest.mark.parametrize("count", [300, 3_000])
def test_every_fixture_is_named_before_any_has_details(count: int) -> None:
    many = [huge(1, lines=3, name=f"fixture-{number:04}", width=10) for number in range(count)]
    lines = list(markdown_report(many))
    named = sum(line.startswith("**`fixture-") for line in lines)
    assert size(lines) <= LIMIT
    assert named == count or f"{count - named:,} fixtures" in lines[-1]
    assert named == (count if count == 300 else named)
    assert lines.count("```diff") > 100 or named < count


def test_one_change_that_is_too_large_is_left_out_and_said() -> None:
    lines = list(markdown_report([huge(1, lines=2, width=LIMIT)], full=True))
    assert size(lines) <= LIMIT
    assert lines[-1].startswith("Left out, since a comment holds 65,536 characters: the details of 1 change.")
    assert not any("<details" in line for line in lines)


def test_strings_are_redacted_whole_before_they_are_cut() -> None:
    word = "hunter" + "2" * 6
    change = Change("tools", "added", "authored", word, f"{'pad ' * 40}{word}", lines=(Line("+", f"{'x' * 90}{word}"),))
    grave = msgspec.structs.replace(change, grade="breaking", breaks=f"{'pad ' * 48}{word}")
    after = msgspec.structs.replace(change, cause="consequence", section="answer")
    diff = FixtureDiff(word, "changed", 1, 1, changes=(change, grave, after))
    for full in (False, True):
        text = report(diff, full=full, clean=lambda text: text.replace(word, "[redacted]"), unread=[word])
        assert "hunter" not in text
        assert "[redacted]" in text


def test_the_same_report_has_the_same_bytes() -> None:
    calm = msgspec.structs.replace(edited(), name="a")
    assert report(calm, edited()) == report(edited(), calm)

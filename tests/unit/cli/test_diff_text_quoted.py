"""What a fixture says cannot be taken for a line of the report."""

from __future__ import annotations

import pytest

from stepfork.cli.render.diff_clean import clean_value
from stepfork.cli.render.diff_text import render_report
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.diff.values import Change


def report(name: str = "refund", **told: str) -> list[str]:
    subject, breaks = told.get("subject", "refund"), told.get("breaks", "")
    grade = "breaking" if breaks else "changed"
    change = Change("system", "changed", "authored", subject, "s", (0,), grade=grade, breaks=breaks)  # type: ignore[arg-type]
    return list(render_report([FixtureDiff(name, "changed", 1, 1, changes=(change,))]))


@pytest.mark.parametrize("sign", ["-", "+", "~", " "])
def test_a_subject_that_begins_like_a_line_of_a_difference_is_quoted(sign: str) -> None:
    assert report(subject=f"{sign} gone")[2] == f'    "{sign} gone"   exchange 0'


@pytest.mark.parametrize("name", ["a: no semantic change", "  authored", "-x", "a\u202eb"])
def test_a_name_that_no_store_gives_is_quoted(name: str) -> None:
    assert report(name)[0].startswith('"')
    assert report("mail/notify-v2.1")[0].startswith("mail/notify-v2.1: ")


def test_what_breaks_stands_on_one_line_and_moves_no_cursor() -> None:
    assert report(breaks="a\x1b[2J is\ngone")[-1] == r"  BREAKING   a\x1b[2J is gone"


def test_keys_that_are_equal_once_they_are_redacted_stay_apart() -> None:
    assert clean_value({"one": 1, "two": 2}, lambda _: "[redacted]") == {"[redacted]": 1, "[redacted]'": 2}

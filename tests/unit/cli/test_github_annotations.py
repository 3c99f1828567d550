"""What a GitHub Actions runner is told, escaped by its own rules."""

from __future__ import annotations

from stepfork.cli.render.github import LIMIT, annotation


def test_properties_stand_before_the_message() -> None:
    made = annotation("error", "miss at call 3", file=".stepfork/fixtures/refund.json", title="replay refund", line=7)
    assert made == "::error file=.stepfork/fixtures/refund.json,line=7,title=replay refund::miss at call 3"
    assert annotation("warning", "hm") == "::warning::hm"


def test_what_the_runner_would_read_is_escaped() -> None:
    made = annotation("error", "100% of\na: b, c\r", title="a: b, 1%\n::set", file="a,b:c.json")
    assert made == "::error file=a%2Cb%3Ac.json,title=a%3A b%2C 1%25\\n%3A%3Aset::100%25 of%0Aa: b, c\\r"


def test_no_text_begins_a_command_or_moves_a_cursor() -> None:
    made = annotation("error", "x\n::add-mask::y\x1b[2J", title="\x1b]8;;http://x\x07")
    assert "\n" not in made
    assert "\x1b" not in made


def test_a_long_message_is_cut() -> None:
    assert len(annotation("error", "x" * 10_000)) == len("::error::") + LIMIT

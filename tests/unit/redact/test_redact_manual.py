"""The manual names every rule: its page is made from the rules, and this is what would be forgotten there."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepfork.redact import command, cookies, programs, query, tokens, values
from stepfork.redact.table import SHAPES
from stepfork.redact.vocabulary import KEYS, NO_TOKENS, SERVICES, TOKENS, WEAK_KEYS

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "redaction.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "rule",
    [
        *(values.RULE, query.RULE, command.FLAG, command.VARIABLE, programs.RULE, cookies.RULE, tokens.RULE),
        *("bearer token", "basic credentials", "password in a URL", "value of NAME"),
    ],
)
def test_rules_are_named(rule: str) -> None:
    assert f"`{rule}`" in " ".join(PAGE.split())


def test_every_shape_word_and_program_is_listed() -> None:
    assert [shape.name for shape in SHAPES if f"\n| {shape.name} | {shape.service} |" not in PAGE] == []
    assert [word for word in KEYS | WEAK_KEYS | TOKENS | NO_TOKENS | SERVICES if f"`{word}`" not in PAGE] == []
    assert [name for name in programs.PROGRAMS if f"`{name}" not in PAGE] == []

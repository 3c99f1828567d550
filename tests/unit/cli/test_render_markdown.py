"""Any string inside Markdown: one span or one block, whatever it holds."""

from __future__ import annotations

import re

import pytest

from stepfork.cli.render.markdown import code, fence, size


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("plain", "`plain`"),
        ("a `b` c", "``a `b` c``"),
        ("`", "`` ` ``"),
        ("a ``", "``` a `` ```"),
        (" a", "`  a `"),
        ("", "(empty)"),
        ("   ", "(empty)"),
        ("a\n\x1b[2J", r"`a\n\x1b[2J`"),
        ("::error::x", r"`\x3a:error::x`"),
        ("a ##[error]x", r"`a ##\x5berror]x`"),
    ],
)
def test_a_string_is_one_code_span(text: str, span: str) -> None:
    assert code(text) == span


@pytest.mark.parametrize(
    "line", ["```", "~~~", "`" * 9, "a ```` b", "```diff", "\n```\n# heading", "::error::x", "##[group]x"]
)
def test_no_line_ends_its_block_or_begins_another(line: str) -> None:
    opening, *inside, closing = fence(["- a", line], "diff")
    assert opening == f"{closing}diff"
    assert len(inside) == 2
    assert len(closing) > max(map(len, re.findall("`+", "".join(inside))), default=2)
    assert not any(re.search(r"^\s*::|##\w*\[|\n", one) for one in inside)


def test_size_is_counted_as_github_counts_a_comment() -> None:
    assert size(["abc", "🦀", ""]) == 4 + 3 + 1

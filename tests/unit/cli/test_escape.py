"""What a terminal must never get from a recording."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from stepfork.cli.escape import escape, escape_fully, fit, pieces

ATTACKS = [
    "\x1b[2J\x1b[1;1Hrefund: no semantic change",
    "\x1b]52;c;ZXhhbXBsZQ==\x07",
    "\x1b]8;;https://example.invalid\x1b\\link\x1b]8;;\x1b\\",
    "\x9b31m red by a C1 control",
    "one\ntwo\rthree\tfour",
    "abc\u202edcba\u202c",
    "\u2066isolated\u2069",
    "zero\u200bwidth\ufeff",
    "line\u2028paragraph\u2029",
    "tag\U000e0041\U000e007f",
    "back\x08space\x7f",
    "lone \ud83d surrogate",
    "soft\u00adhyphen, variation\ufe0f",
]


@pytest.mark.parametrize("text", ATTACKS)
def test_c114_nothing_reaches_the_terminal_that_it_would_act_on(text: str) -> None:
    for shown in (escape(text), escape_fully(text)):
        assert not re.search("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]", shown)
        shown.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("Grüße, 日本語, 🤖", "Grüße, 日本語, 🤖"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u202e", "\\u202e"),
        ("\U000e0041", "\\U000e0041"),
        ("C:\\temp [/nope] [link]", "C:\\temp [/nope] [link]"),
    ],
)
def test_what_is_visible_stays_and_the_rest_is_spelled_out(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_strings_that_look_alike_can_be_told_apart() -> None:
    alike = ["é", "e\u0301", "\u0430", "a", "x y", "x  y", " x", "x ", "x\u00a0y", "\x1b", "\\x1b", "\\\\x1b"]
    assert len({escape_fully(text) for text in alike}) == len(alike)
    assert escape_fully("a b  c ") == "a b\\x20\\x20c\\x20"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "no-such-encoding", None])
def test_any_encoding_of_the_output_can_carry_it(encoding: str | None) -> None:
    text = fit("3 → 4 … 0–2 ×2 Grüße 日本 🤖", encoding)
    text.encode(encoding if encoding not in (None, "no-such-encoding") else "ascii")
    assert "->" in text or "→" in text


def test_an_output_that_can_carry_it_gets_it_unchanged() -> None:
    assert fit("3 → 4 … 日本 🤖", "utf-8") == "3 → 4 … 日本 🤖"
    assert fit("plain", "ascii") == "plain"


def test_it_costs_no_import() -> None:
    code = "import sys, stepfork.cli.escape; print(sorted({'rich', 'msgspec', 'orjson', 'typer'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("text", [*ATTACKS, "", "plain", "\t\t", "a\\tb\tc"])
def test_pieces_are_what_escape_makes_and_say_what_is_spelled_out(text: str) -> None:
    made = list(pieces(text))
    assert "".join(piece for piece, _ in made) == escape(text)
    assert "".join(piece for piece, spelled in made if not spelled) == "".join(
        char for char in text if escape(char) == char
    )

"""Facts in columns: the first line keeps its distance, folded text stands below the text above it."""

from __future__ import annotations

import io
import os
import shutil

import pytest

from stepfork.cli.render.columns import fold, headline


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((80, 24)))


@pytest.mark.parametrize("ran", ["1.3 s, exit 0", "10.9 s, exit 130", "1 exchange"])
def test_a_first_line_fits_the_terminal_where_its_words_leave_room(ran: str) -> None:
    assert len(headline("refund: consistent with the recording", ran)) <= 80
    assert headline("refund: not captured", "1.3 s, exit 0").index("1.3 s") == 65


def test_a_long_name_keeps_its_distance() -> None:
    assert headline("x" * 90, "1.3 s, exit 0") == "x" * 90 + "  1.3 s, exit 0"
    assert headline("made of spans", "") == "made of spans"


@pytest.mark.parametrize(
    ("first", "column"),
    [
        ("  cause         ", 16),
        ("  nearest recorded   ", 21),
        ("                ", 16),
        ("    FAIL  ", 10),
        ("next: ", 2),
    ],
)
def test_folded_text_stands_below_the_text_of_its_fact(first: str, column: int) -> None:
    folded = fold(first + "some words " * 12, Terminal()).split("\n")
    assert folded[0].startswith(first)
    assert len(folded) > 1
    for line in folded[1:]:
        assert len(line) - len(line.lstrip()) == column
    assert all(len(line) <= 80 for line in folded)


def test_a_pipe_gets_whole_lines() -> None:
    line = "  cause         " + "some words " * 12
    assert fold(line, io.StringIO()) == line
    assert fold(line, None) == line

"""What a new user reads first: every verb's help fits a terminal, and says how the verb is typed."""

from __future__ import annotations

import re

import pytest
import typer

from stepfork.cli.main import main


def shown(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(list(words)) == code
    told = capsys.readouterr()
    return told.out + told.err


def verbs(text: str) -> list[str]:
    return re.findall(r"^  ([a-z][a-z-]+)  ", text.partition("Commands:")[2], re.MULTILINE)


def test_the_list_of_commands_begins_with_the_everyday_ones_and_cuts_none_short(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = shown(capsys, "--help")
    assert verbs(text)[:4] == ["init", "capture", "replay", "diff"]
    assert "..." not in text.partition("Commands:")[2]
    assert "..." not in shown(capsys, "trace", "--help").partition("Commands:")[2]


def test_each_verb_says_how_it_is_typed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = [[verb] for verb in verbs(shown(capsys, "--help"))] + [["trace", "check"], ["trace", "convert"]]
    assert len(words) > 15
    for each in words:
        text = shown(capsys, *each, "--help")
        assert text.startswith(f"Usage: stepfork {' '.join(each)}")
        assert "-- COMMAND... <" not in text
        assert all(len(line) <= 80 for line in text.splitlines()), each
    text = shown(capsys, "capture", "--help")
    assert (
        "Usage: stepfork capture --name NAME [OPTIONS] -- COMMAND...\n       stepfork capture --name NAME --from"
        in text
    )
    assert "Exit codes: 0 verified" in text


@pytest.mark.parametrize(
    ("words", "ends"),
    [
        (["trace", "check"], "; see stepfork trace check --help"),
        (["trace", "bogus"], "; see stepfork trace --help"),
        (["show"], "; see stepfork show --help"),
        (["bogus"], "; see stepfork --help"),
        (["captur"], " Did you mean 'capture'? See stepfork --help"),
    ],
)
def test_an_error_of_usage_names_the_help_that_says_more(
    words: list[str], ends: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (line,) = shown(capsys, *words, code=2).splitlines()
    assert line.endswith(ends)


def test_signatures_are_read_once_for_all_command_lines_of_a_process(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = shown(capsys, "ls", "--help")
    monkeypatch.setattr(typer.main, "get_command", None)
    assert shown(capsys, "ls", "--help") == first
    assert "No such option: --nowhere" in shown(capsys, "ls", "--nowhere", code=2)

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable

import pytest

from stepfork.cli.console import err, out, out_json, wants_color


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_any_text_can_be_written_in_any_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    out("→ 発注 ✓")
    written = raw.getvalue().decode(encoding)
    assert written.endswith("\n")
    assert written == ("→ 発注 ✓\n" if encoding == "utf-8" else "-> \\u767a\\u6ce8 \\u2713\n")


def test_messages_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    err("note")
    out("result")
    assert capsys.readouterr() == ("result\n", "note\n")


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    assert wants_color("auto", Terminal())
    assert not wants_color("auto", io.StringIO())
    assert wants_color("always", io.StringIO())
    assert not wants_color("never", Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_color("auto", Terminal())


@pytest.mark.parametrize("say", [out, err])
@pytest.mark.parametrize("name", ["##vso[task.setvariable variable=x]y", "a: ##[error]x", "##teamcity[x]"])
def test_no_line_is_a_command_to_a_build(
    say: Callable[[str], None], name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    say(name)
    told = "".join(capfd.readouterr())
    assert told == name.replace("[", "\\x5b") + "\n"


@pytest.mark.parametrize("text", ["\x9b31m", "\u202eabc", "\u200b", "\U000e0041", "\ufeff", "\u2028", "\x7f", "発注 é"])
def test_a_document_shows_what_a_terminal_would_act_on_as_json_spells_it(
    text: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    out_json(json.dumps({"name": text}, indent=2, ensure_ascii=False).encode())
    told = capfdbinary.readouterr().out
    assert json.loads(told) == {"name": text}
    assert (text.encode() in told) == text.startswith("発")

from __future__ import annotations

import io
import sys

import pytest

from stepfork.cli.console import err, out, wants_color


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

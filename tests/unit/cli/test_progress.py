"""The line that counts calls: there while a model is waited for, gone before the command may print."""

from __future__ import annotations

import io
import os
import shutil

import pytest

from stepfork.capture.record import Progress
from stepfork.cli import progress
from stepfork.cli.progress import CallCounter


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr(progress, "err", lambda text: made.write(f"{text}\n"))
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((80, 24)))
    return made


def screen(written: str) -> list[str]:
    """What a terminal shows of it, line by line, the cursor's line last."""
    lines = [""]
    for line in written.split("\n"):
        lines[-1] = ""
        for text in line.split("\r"):
            lines[-1] = text + lines[-1][len(text) :]
        lines[-1] = lines[-1].rstrip()
        lines.append("")
    return lines[:-1]


def test_a_count_stands_while_a_model_is_waited_for(terminal: Terminal) -> None:
    with CallCounter("refund", terminal, quiet=False) as counter:
        counter.update(Progress(0, 0, "openai → api.openai.com"))
        first = "recording refund   openai → api.openai.com   spans → listener"
        counter.update(Progress(9, 0, "", 1))
        assert screen(terminal.getvalue()) == [first, "  9 model calls, 0 spans"]
        counter.update(Progress(10, 120, "", 2))
        assert screen(terminal.getvalue()) == [first, "  10 model calls, 120 spans"]
        counter.update(Progress(10, 120, "", 0))
        terminal.write("ok\n")
        assert screen(terminal.getvalue()) == [first, "ok", ""]
        counter.update(Progress(11, 120, "", 1))
    assert screen(terminal.getvalue()) == [first, "ok", ""]


def test_many_routes_stand_below_one_another(terminal: Terminal) -> None:
    routes = "openai → api.openai.com   anthropic → api.anthropic.com"
    with CallCounter("refund", terminal, quiet=False) as counter:
        counter.update(Progress(0, 0, routes))
    assert screen(terminal.getvalue())[:3] == [
        "recording refund   openai → api.openai.com",
        "                   anthropic → api.anthropic.com",
        "                   spans → listener",
    ]


def test_a_pipe_gets_one_line_and_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(progress, "err", lambda text: pipe.write(f"{text}\n"))
    with CallCounter("refund", pipe, quiet=False) as counter:
        for waiting in (0, 1, 0):
            counter.update(Progress(waiting, 0, "openai → api.openai.com   anthropic → api.anthropic.com", waiting))
    assert pipe.getvalue() == (
        "recording refund   openai → api.openai.com   anthropic → api.anthropic.com   spans → listener\n"
    )

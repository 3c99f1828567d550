"""Processes that a replay starts: an instrumented call in one of them is refused, and the replay is told by a file."""

from __future__ import annotations

import os
from pathlib import Path

from stepfork.config.environment import refusals

REFUSALS = "STEPFORK_REFUSALS"
"""The variable that a replay in this process's ancestor has set: the file where it looks for what was refused."""


class _Started:
    """What this process was started with. A replay that runs in it turns the variable for the processes that it starts:
    a forked one finds that when it begins, and asking anew at each call would cost more than all else that a call does
    where nobody listens."""

    def __init__(self) -> None:
        self.file: Path | None = None
        self.look()

    def look(self) -> None:
        named = refusals()
        self.file = Path(named) if named else None


_started = _Started()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_started.look)


def refusals_file() -> Path | None:
    """The file of a replay that this process was started in, None where there is none."""
    return _started.file


def tell_refusal(what: str, file: Path | None) -> None:
    """Leave word of a refused call. Never raises: the call is refused in any case."""
    if file is None:
        return
    try:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(what + "\n")
    except OSError:
        pass


def told_refusals(file: Path) -> list[str]:
    """What was refused in other processes, each once."""
    try:
        return list(dict.fromkeys(file.read_text(encoding="utf-8", errors="replace").splitlines()))
    except OSError:
        return []

"""Processes that a replay starts: an instrumented call in one of them is refused, and the replay is told by a file."""

from __future__ import annotations

from pathlib import Path

from stepfork.config.environment import refusals

REFUSALS = "STEPFORK_REFUSALS"
"""The variable that a replay in this process's ancestor has set: the file where it looks for what was refused."""


def refusals_file() -> Path | None:
    """The file of a replay that this process was started in, None where there is none."""
    named = refusals()
    return Path(named) if named else None


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

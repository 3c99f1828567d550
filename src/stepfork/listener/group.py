"""What is left of a process group when its leader has ended (POSIX)."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

_TOLD_SECONDS = 2.0  # for a group that was interrupted, to do what it does about that
_GRACE_SECONDS = 0.5  # between SIGTERM and SIGKILL


def end_group(group: int, *, told: bool) -> None:
    """Ends every process of `group`: it is asked to, unless it was `told` already and is on its way, then made to."""
    steps = ((0, _TOLD_SECONDS), (signal.SIGTERM, _GRACE_SECONDS)) if told else ((signal.SIGTERM, _GRACE_SECONDS),)
    for number, seconds in steps:
        if not _lives(group):
            return
        _tell(group, number)
        deadline = time.monotonic() + seconds
        while _lives(group) and time.monotonic() < deadline:
            time.sleep(0.01)
    _tell(group, signal.SIGKILL)


def _tell(group: int, number: int) -> None:
    with contextlib.suppress(OSError):  # it is gone, which is what is wanted
        os.killpg(group, number)


def _lives(group: int) -> bool:
    """Whether a process of `group` still runs."""
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    # Whoever adopts an orphan may never read its exit status (in a container without an init); such a zombie keeps the
    # group's name, and runs no more. Only Linux tells.
    states = [state for state in map(_state, Path("/proc").glob("[0-9]*/stat")) if state[1] == group]
    return any(name not in "ZX" for name, _ in states) or not states


def _state(stat: Path) -> tuple[str, int]:
    """State and group of a process, from its line in /proc."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        words = stat.read_text(errors="replace").rpartition(")")[2].split()
        return words[0], int(words[2])
    return "X", -1

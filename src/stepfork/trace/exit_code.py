"""An exit code in words."""

from __future__ import annotations

import signal

_SIGNALLED = 128


def told_exit_code(code: int | None) -> str:
    """``1``, or ``137 (ended by SIGKILL)`` for 128 + N, which says that signal N ended the command (or, as shells pass
    it on, a command that it ran)."""
    try:
        name = signal.Signals((code or 0) - _SIGNALLED).name
    except ValueError:
        return str(code)
    return f"{code} (ended by {name})"

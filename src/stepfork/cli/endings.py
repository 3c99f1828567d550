"""How a command ends that nobody foresaw: in one line, with an exit code that is no verdict."""

from __future__ import annotations

import sys

from stepfork.cli.console import err
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, INTERRUPTED


def interrupted(command: str) -> int:
    """Say that the user stopped the command; the exit code."""
    if sys.stderr is not None and sys.stderr.isatty():
        err("")  # the line that the question or the ^C stands on
    err(f"{escape(command)}: interrupted")
    return INTERRUPTED


def failed_inside(command: str, error: Exception) -> int:
    """Say where it failed; a traceback would show values, and its exit 1 would be read as a verdict."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{last.filename.rpartition('stepfork/')[2]}:{last.lineno}"
    err(f"{escape(command)}: internal error, {type(error).__name__} at {where}; please report it")
    return BAD_INPUT

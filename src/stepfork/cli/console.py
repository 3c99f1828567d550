"""Results to stdout, messages to stderr, in whatever encoding the other side reads. Standard library only."""

from __future__ import annotations

import sys

from stepfork.config.environment import environ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def out(text: str) -> None:
    """One result line (or several) on stdout."""
    _write(sys.stdout, text + "\n")


def err(text: str) -> None:
    """One message line (or several) on stderr."""
    _write(sys.stderr, text + "\n")


def _write(stream: TextIO, text: str) -> None:
    """Write what the stream's encoding has, and something near it for what it has not."""
    if not text.isascii():
        from stepfork.cli.escape import fit

        text = fit(text, stream.encoding)
    stream.write(text)
    stream.flush()


def counted(number: int, thing: str) -> str:
    """Such as ``1 file`` and ``2 files``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def wants_color(choice: str, stream: TextIO) -> bool:
    """Whether to colour: `always`, `never`, or `auto` (a terminal, and `NO_COLOR` not set)."""
    if choice != "auto":
        return choice == "always"
    variables = environ()
    return stream.isatty() and not variables.get("NO_COLOR") and variables.get("TERM") != "dumb"

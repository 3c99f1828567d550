"""Results to stdout, messages to stderr, in whatever encoding the other side reads. Standard library only."""

from __future__ import annotations

import os
import sys

from stepfork.config.environment import environ
from stepfork.errors import StepforkError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def out(text: str) -> None:
    """One result line (or several) on stdout. Raises StepforkError where nobody can ever read it."""
    _write(sys.stdout, _no_command(text) + "\n", needed=True)


def err(text: str) -> None:
    """One message line (or several) on stderr."""
    _write(sys.stderr, _no_command(text) + "\n", needed=False)


def out_json(document: bytes) -> None:
    """A JSON document on stdout, in UTF-8; what a terminal acts on or does not show is spelled ``\\u202e``."""
    if not document.isascii() or b"\x7f" in document:
        from stepfork.cli.escape import json_escapes

        document = json_escapes(document.decode("utf-8", "surrogatepass")).encode()
    out_bytes(document)


def out_bytes(data: bytes) -> None:
    """Bytes on stdout as they are, whatever encoding it has: JSON documents are UTF-8, paths are what they are."""
    stream: TextIO | None = sys.stdout
    buffer = getattr(stream, "buffer", None)
    if stream is None or buffer is None:  # closed, or a stand-in without bytes underneath
        _write(stream, data.decode("utf-8", "replace"), needed=True)
        return
    try:
        stream.flush()
        buffer.write(data)
        buffer.flush()
    except OSError as error:
        _failed(stream, error, needed=True)


def _no_command(text: str) -> str:
    """No path, branch or name that a line tells is a command to a build that reads it."""
    if "##" not in text:
        return text
    from stepfork.cli.escape import no_mark

    return no_mark(text)


def _write(stream: TextIO | None, text: str, *, needed: bool) -> None:
    """Write what the stream's encoding has, and something near it for what it has not."""
    if stream is None:  # closed before this program began
        if needed:
            raise StepforkError("is closed", where="stdout")
        return
    if not text.isascii():
        from stepfork.cli.escape import fit

        text = fit(text, stream.encoding)
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        _failed(stream, error, needed=needed)


def _failed(stream: TextIO, error: OSError, *, needed: bool) -> None:
    """Send the rest nowhere, the flush at exit included. A reader who has seen enough (`| head`) is no failure."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    if needed and not isinstance(error, BrokenPipeError):
        raise StepforkError(f"cannot be written ({error.strerror})", where="stdout") from error


def counted(number: int, thing: str) -> str:
    """Such as ``1 file`` and ``2 files``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def wants_color(choice: str, stream: TextIO | None) -> bool:
    """Whether to colour: `always`, `never`, or `auto` (a terminal, and `NO_COLOR` not set)."""
    if choice != "auto":
        return choice == "always"
    variables = environ()
    return stream is not None and stream.isatty() and not variables.get("NO_COLOR") and variables.get("TERM") != "dumb"

"""Where a result goes beside the lines for people: --json, --format github, --result-file."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from stepfork.cli.console import err
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, OK
from stepfork.errors import UsageError
from stepfork.store.files import write_atomic


def check_form(form: str, *, as_json: bool) -> None:
    """Raise UsageError for a --format that there is not, or that wants the stdout which --json has."""
    if form not in ("text", "github"):
        raise UsageError("--format is text or github")
    if form == "github" and as_json:
        raise UsageError("--json and --format github both want stdout", fix="use --result-file for the document")


def check_result_file(path: Path | None) -> None:
    """Raise UsageError, before anything runs, for what cannot be written afterwards, and take an older document away:
    what refuses to run leaves none, and a later step would take that one for its result."""
    if path is None:
        return
    try:
        ends = path.resolve()
        fits = not path.is_dir() and path.parent.is_dir() and ends.parent.is_dir()
    except (OSError, RuntimeError, ValueError):  # links that lead in a circle, a name that is no path
        fits = False
    if not fits:
        raise UsageError("cannot be written", where=path.as_posix(), fix="name a file in a folder that is there")
    with suppress(OSError):
        if path.is_file() and path.read_bytes()[:1] == b"{":
            path.resolve().unlink()


def write_result_file(verb: str, path: Path, document: bytes) -> int:
    """Write it whole; a pipe or a device is written to, not replaced. The exit code of a failure, which is told on
    stderr: the run is over by then, and everything else about it is told all the same."""
    try:
        if path.exists() and not path.is_file():
            _write_on(path, document)
        else:
            write_atomic(path.resolve(), document)
    except OSError as error:
        err(f"stepfork {verb}: {escape(path.as_posix())}: cannot be written ({error.strerror})")
        return BAD_INPUT
    return OK


def _write_on(path: Path, document: bytes) -> None:
    """Raises OSError, also for a pipe that nobody reads: to wait for a reader would be to wait for ever."""
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "wb") as file:
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
        file.write(document)

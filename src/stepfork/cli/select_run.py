"""``stepfork select --run -- COMMAND``: the command with the selected tests as further words, and never with none."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from stepfork.cli.exit_codes import OK
from stepfork.config.environment import environ
from stepfork.errors import UsageError
from stepfork.listener.child import Child, find_program

_LONG = 100_000
"""Bytes of words on one command line; systems take about ten times as much, with the environment."""


class CommandRun:
    """A command to which tests are appended. Raises `UsageError` for a program that is not there, whatever will be
    selected: a wrong word in a CI file must not look well until the first test is selected."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._here = Path.cwd()
        find_program(command, environ(), self._here)

    def run(self, ids: Sequence[str], root: str, *, as_file: bool) -> int:
        """The command's exit code, 128 + N where signal N ended it; nothing is run for no test at all.

        ``ids`` are relative to ``root``; the command gets them relative to the working directory, where it runs. With
        ``as_file`` a long list is handed over as ``@FILE``, which pytest reads and others do not.
        """
        if not ids:
            return OK
        words = [from_folder(one, root, self._here) for one in ids]
        with (
            _handed_over(words) if as_file else contextlib.nullcontext(words) as last,
            Child([*self._command, *last], environ=environ(), cwd=self._here) as child,
        ):
            return child.wait()


def from_folder(identity: str, root: str, folder: Path) -> str:
    """A node id that is relative to ``root``, relative to ``folder``. Raises `UsageError` where that is no node id."""
    path, colons, node = identity.partition("::")
    place = os.path.normpath(Path(root, path))
    inner = os.path.relpath(place, os.path.realpath(folder)).replace(os.sep, "/")
    if os.path.relpath(place, root) == inner.replace("/", os.sep):
        return identity
    if "[" in inner or "::" in inner:
        raise UsageError("pytest would not read the way to the tests as a path", where=inner, fix=f"run it in {root}")
    return ("./" if inner[0] in "-@" else "") + inner + colons + node


@contextlib.contextmanager
def _handed_over(words: Sequence[str]) -> Iterator[list[str]]:
    """The words, or the name of a file with one a line where they are many. A word of several lines has no place
    in such a file."""
    data = "".join(word + "\n" for word in words)
    if len(data) < _LONG or data.splitlines() != list(words):
        yield list(words)
        return
    with tempfile.TemporaryDirectory(prefix="stepfork-") as folder:
        place = Path(folder, "selected.txt")
        place.write_bytes(data.encode("utf-8", "surrogateescape"))
        yield [f"@{place}"]

"""Where an exported test goes, and what it may take the place of: nothing but another exported test, when told so."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from stepfork.config.process import from_here
from stepfork.drafting.file_names import module_fault
from stepfork.errors import StepforkError, UsageError
from stepfork.score.testfile import read_test

_TOPS = (".git", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", ".stepfork")


@dataclass(frozen=True)
class Place:
    """A test's file. ``replaces`` says that one is there, which may go; ``notes`` say what is lost with it."""

    path: Path
    replaces: bool = False
    notes: tuple[str, ...] = ()


def check_place(path: Path, trace: Path, *, overwrite: bool, may_be_another: bool) -> Place:
    """The place of the test of `trace` at `path`. Raises UsageError where it cannot be written there: a name that
    pytest could not import, a symbolic link, a file that is there. With `overwrite` an exported test may be replaced,
    one of another trace only if it `may_be_another`: where the caller named the file."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow the last link
    where = from_here(path)
    fault = module_fault(path.name)
    if fault is not None:
        raise UsageError(fault, where=where, fix="name another file with --output")
    folder = next((each for each in path.parents if os.path.lexists(each)), path.parent)
    if not folder.is_dir():
        raise UsageError("is not a folder", where=from_here(folder), fix="name another file with --output")
    try:
        mode = path.lstat().st_mode
    except OSError:
        return Place(path)
    if stat.S_ISLNK(mode):
        raise UsageError("is a symbolic link, which is not followed", where=where, fix="name the file itself")
    if not stat.S_ISREG(mode):
        raise UsageError("is not a file", where=where, fix="name another file with --output")
    if not overwrite:
        raise UsageError("is there already", where=where, fix="pass --overwrite, or name another file with --output")
    other = _trace_of(path, where)
    if other == os.path.realpath(trace):
        return Place(path, replaces=True)
    if not may_be_another:
        raise UsageError(
            f"is the test of {from_here(other)}, not of this trace", where=where, fix="name another file with --output"
        )
    return Place(path, replaces=True, notes=(f"it took the place of the test of {from_here(other)}",))


def top_of(folder: Path) -> Path:
    """The project around `folder`: the repository, else the nearest folder with a configuration, else itself."""
    above = (folder.resolve(), *folder.resolve().parents)
    return next((each for mark in _TOPS for each in above if (each / mark).exists()), above[0])


def _trace_of(path: Path, where: str) -> str:
    """The recording that the exported test at `path` names."""
    try:
        return os.path.realpath(read_test(path, shown=where).trace_path)
    except StepforkError:
        raise UsageError(
            "is no test that stepfork exported, so it is not replaced",
            where=where,
            fix="name another file with --output, or remove that one yourself",
        ) from None

"""A folder that a recording has taken for as long as it runs: others are told, and a kill leaves what there is of it.

mkdir (one of several gets it) ─► lock ─► journal ─┬─► manifest beside it, journal removed: a bundle
                                                   ├─► folder removed: there is nothing to keep
                                                   └─► killed: a journal that nobody holds
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

from stepfork.errors import StoreError, UsageError
from stepfork.store.layout import BUNDLE, JOURNAL, MANIFEST
from stepfork.store.lock import LOCK_FILE, locked


def has_journal(path: Path) -> bool:
    """Whether there is a folder at `path` that holds the journal of a recording and no bundle yet."""
    return (path / JOURNAL).is_file() and not (path / MANIFEST).exists()


def is_held(path: Path) -> bool:
    """Whether a recording that still runs has taken the folder: the system gives its lock back when it dies."""
    try:
        with locked(path, exclusive=True, wait=False) as free:
            return not free
    except (OSError, StoreError):
        return False


def left_journal(path: Path) -> Path | None:
    """The journal that is still in the folder of a bundle: its recording was killed while it removed it."""
    journal = path / JOURNAL
    return journal if journal.is_file() and (path / MANIFEST).exists() and not is_held(path) else None


def clear_left(path: Path) -> Path | None:
    """Remove it; where it was. None where there is none, or it cannot be removed."""
    journal = left_journal(path)
    if journal is None:
        return None
    try:
        journal.unlink(missing_ok=True)
    except OSError:
        return None
    return journal


def taken(path: Path) -> UsageError:
    """What is said of a destination where something is already."""
    if not has_journal(path):
        return UsageError("there is something already", where=str(path), fix="choose another name")
    if is_held(path):
        return UsageError("another recording writes there", where=str(path), fix="choose another name")
    return UsageError(
        "a recording that did not end has left its journal there",
        where=str(path),
        fix="stepfork show reads it; remove the folder, or choose another name",
    )


class Claim:
    """A folder that this process has taken. `path` is the folder, `journal` where its journal goes."""

    def __init__(self, path: Path, made: tuple[Path, ...], lock: ExitStack) -> None:
        self.path = path
        self.journal = path / JOURNAL
        self._made = made
        self._lock = lock

    def give_back(self) -> None:
        """Let others have the folder, as it is."""
        self._lock.close()
        with suppress(OSError):
            (self.path / LOCK_FILE).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the folder, unless it has become a bundle, and the folders above it that were made for it."""
        self.give_back()
        if (self.path / MANIFEST).exists():
            return
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):
            for folder in self._made:
                folder.rmdir()


def claim(path: Path) -> Claim:
    """Take the folder `path`, which must not exist. Raises UsageError where something is there by now, or it cannot be
    made: of several that ask, one has it."""
    absent = tuple(each for each in path.absolute().parents if not each.exists())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir()
    except FileExistsError:
        raise taken(path) from None
    except OSError as error:
        raise UsageError(f"cannot be made ({error.strerror})", where=str(path), fix="name another folder") from None
    lock = ExitStack()
    with suppress(OSError, StoreError):  # a file system without locks; a sweep that took the empty folder
        lock.enter_context(locked(path, exclusive=True, wait=False))
    return Claim(path, absent, lock)


def claim_one_of(paths: Iterator[Path]) -> Claim:
    """Take the first of `paths` that is free. Raises UsageError where none can be had."""
    for path in paths:
        if os.path.lexists(path):
            continue
        try:
            return claim(path)
        except UsageError:
            if not os.path.lexists(path):
                raise
    raise UsageError("no folder for a journal can be had")


def spare_names(path: Path) -> Iterator[Path]:
    """`path`, a bundle's, and names beside it that no fixture has: ``refund.sftrace``, ``refund~2.sftrace``, …"""
    yield path
    for number in range(2, 10_000):
        yield path.with_name(f"{path.name.removesuffix(BUNDLE)}~{number}{BUNDLE}")

"""Plain files, read without following links and written so that a kill leaves the old bytes or the new."""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from stepfork.errors import DamagedError, NotFoundError, StoreError

TEMPORARY = ".tmp"
"""How the name of a temporary file ends. It begins with a dot, which no name of ours does."""

MAX_BYTES = 2 << 30
"""Of a file that is read: no run is as large, and what is larger would take the memory of the machine."""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_count = itertools.count()
_OWN = os.urandom(4).hex()
"""Tells processes apart that have the same number, on two machines or one after the other."""


def read_plain(path: Path, shown: str) -> bytes:
    """The bytes of a regular file. Raises NotFoundError, and DamagedError for a symbolic link, for what is no file,
    and for one past `MAX_BYTES`."""
    try:
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode):
            raise DamagedError("is a symbolic link, which a store never holds", where=shown)
        if not stat.S_ISREG(found.st_mode):
            raise DamagedError("is not a regular file", where=shown)
        if found.st_size > MAX_BYTES:
            raise DamagedError(f"is larger than {MAX_BYTES >> 30} GiB", where=shown)
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError("there is no such file", where=shown) from None
    except OSError as error:
        raise StoreError(f"cannot be read ({error.strerror})", where=shown) from None


def check_folder(path: Path, shown: str) -> None:
    """Raise DamagedError where a folder of a store is a symbolic link or no folder; an absent one is none."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if stat.S_ISLNK(mode):
        raise DamagedError("is a symbolic link, which a store never holds", where=shown)
    if not stat.S_ISDIR(mode):
        raise DamagedError("is a file where a folder should be", where=shown)


def temporary_name() -> str:
    """A name that no other writer uses and no reader takes for a file of ours."""
    return f".{os.getpid():x}-{_OWN}-{next(_count):x}{TEMPORARY}"


def temporary_beside(path: Path) -> Path:
    """A `temporary_name` in the folder of `path`."""
    return path.parent / temporary_name()


def write_new(path: Path | str, data: bytes, mode: int = 0o644) -> None:
    """Write `data` to a file that must not exist, whole but not yet durable."""
    descriptor = os.open(path, _NEW, mode)
    try:
        written = os.write(descriptor, data)
        while written < len(data):
            written += os.write(descriptor, memoryview(data)[written:])
    finally:
        os.close(descriptor)


def replace_file(temporary: Path | str, path: Path | str) -> None:
    """Put a finished temporary file in place, over a read-only one too (Windows refuses that without help)."""
    try:
        os.replace(temporary, path)  # noqa: PTH105 - paths are text where this is called for each object
    except PermissionError:
        with contextlib.suppress(OSError):
            os.chmod(path, 0o644)  # noqa: PTH101
        os.replace(temporary, path)  # noqa: PTH105


def write_atomic(path: Path, data: bytes) -> None:
    """Replace the file at `path`, durably. Raises OSError."""
    temporary = temporary_beside(path)
    try:
        write_new(temporary, data)
        sync_file(temporary)
        replace_file(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folders([path.parent])


def remove_file(path: Path) -> bool:
    """Remove a file, a read-only one too. False where there was none."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except PermissionError:
        path.chmod(0o644)
        path.unlink()
    return True


def remove_empty(folder: Path, above: Path) -> None:
    """Remove `folder` and the folders it stands in, below `above`, as far as they are empty."""
    while folder != above and above in folder.parents:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def sync_file(path: Path) -> None:
    """Wait until the bytes of a file are on the disk."""
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folders(folders: Iterable[Path]) -> None:
    """Wait until the entries of the folders are on the disk (Windows has no such call and needs none)."""
    if os.name == "nt":
        return
    for folder in folders:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError:  # some network file systems refuse this for folders
            continue
        finally:
            os.close(descriptor)

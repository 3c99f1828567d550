"""The store's lock: writers share it from their first look-up to the manifest's rename, deletion has it alone.

POSIX locks the folder itself, so that no lock file stays behind; Windows locks a byte of an ignored file. The system
gives a lock back when its process dies, however that happens.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stepfork.errors import StoreError

LOCK_FILE = ".lock"
"""The file in the locked folder that Windows needs."""


@contextmanager
def locked(folder: Path, *, exclusive: bool, wait: bool = True) -> Iterator[bool]:
    """Hold the lock of `folder`; yields whether it is held, which is always so with `wait`.

    The lock is not re-entrant: a holder that asks for it exclusively would wait for itself. Raises StoreError where the
    file system has no locks.
    """
    descriptor = _open(folder)
    try:
        held = _take(descriptor, folder, exclusive=exclusive, wait=wait)
        try:
            yield held
        finally:
            if held:
                _give_back(descriptor)
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt
    import time

    def _open(folder: Path) -> int:
        return os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT)

    def _take(descriptor: int, folder: Path, *, exclusive: bool, wait: bool) -> bool:  # noqa: ARG001
        # The byte-range lock of msvcrt knows no sharing, so writers go one after another here.
        while True:
            try:
                os.lseek(descriptor, 0, os.SEEK_SET)
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except OSError:
                if not wait:
                    return False
                time.sleep(0.005)
            else:
                return True

    def _give_back(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _open(folder: Path) -> int:
        return os.open(folder, os.O_RDONLY)

    def _take(descriptor: int, folder: Path, *, exclusive: bool, wait: bool) -> bool:
        how = (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB)
        try:
            fcntl.flock(descriptor, how)
        except BlockingIOError:
            return False
        except OSError as error:
            raise StoreError(f"cannot be locked ({error.strerror})", where=str(folder)) from None
        return True

    def _give_back(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)

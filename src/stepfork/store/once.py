"""A new file that is there whole or not at all, and never takes another's place."""

from __future__ import annotations

import os
from pathlib import Path

from stepfork.store.files import replace_file, sync_file, temporary_beside, write_new


def write_once(path: Path, data: bytes) -> bool:
    """Put a file in place where there is none, with the folders above it. False where there is one by now: of several
    that write, one does. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_beside(path)
    try:
        write_new(temporary, data)
        sync_file(temporary)
        return _put(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _put(temporary: Path, path: Path) -> bool:
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            return False
        replace_file(temporary, path)
    return True

"""--result-file: the document that --json prints, in a file."""

from __future__ import annotations

from pathlib import Path

from stepfork.errors import UsageError
from stepfork.store.files import write_atomic


def check_result_file(path: Path | None) -> None:
    """Raise UsageError, before anything runs, for what cannot be written afterwards."""
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise UsageError("cannot be written", where=path.as_posix(), fix="name a file in a folder that is there")


def write_result_file(path: Path, document: bytes) -> None:
    """Write it whole; a pipe or a device is written to, not replaced. Raises OSError."""
    if path.exists() and not path.is_file():
        path.write_bytes(document)
    else:
        write_atomic(path.resolve(), document)

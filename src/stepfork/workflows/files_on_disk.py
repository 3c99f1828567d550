"""Files and folders of the disk, read for a check; what cannot be read is said and never passed over.

Hooks pay for what is imported here each time.
"""

# Without pathlib, which takes longer to load than a clean file to scan.
# ruff: noqa: PTH114, PTH116, PTH118, PTH123

from __future__ import annotations

import os
import stat

from stepfork.redact.decoding import MAX_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from stepfork.workflows.checked import Checked

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def check_path(path: str, checked: Checked) -> None:
    """Scan a file, or the files of a folder. A path that names nothing to scan is a problem, never clean."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        checked.fail(path, _reason(path, error))
        return
    if stat.S_ISDIR(mode):
        before = checked.scanned + len(checked.problems)
        check_folder(path, checked)
        if checked.scanned + len(checked.problems) == before:
            checked.fail(path, "is a folder with no file to scan")
    else:
        _check_file(path, checked)


def check_folder(path: str, checked: Checked) -> None:
    """Scan the files of a folder."""
    for name in _files_below(path, checked):
        _check_file(name, checked)


def _files_below(top: str, checked: Checked) -> Iterator[str]:
    """Files in the order of their names; git's own folder and links to folders are not entered."""

    def say(error: OSError) -> None:
        checked.fail(str(error.filename), _reason(str(error.filename), error))

    for folder, folders, files in os.walk(top, onerror=say):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(files):
            if name != ".git":
                yield os.path.normpath(os.path.join(folder, name))


def _check_file(path: str, checked: Checked) -> None:
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            kind = next((word for test, word in _KINDS if test(found.st_mode)), "no regular file")
            checked.fail(path, f"is {kind} and was not scanned")
            return
        if found.st_size > MAX_BYTES:
            checked.fail(path, f"is larger than {MAX_BYTES >> 20} MiB and was not scanned")
            return
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError, MemoryError) as error:
        checked.fail(path, _reason(path, error))
        return
    checked.add(path, data)


def _reason(path: str, error: Exception) -> str:
    """Why a path cannot be read, in words that hold nothing of what is in it."""
    if not isinstance(error, OSError):
        return "cannot be read and was not scanned"
    if isinstance(error, FileNotFoundError):
        return "is a link to nothing" if os.path.islink(path) else "is no file or folder"
    if os.path.islink(path):
        return "is a link that leads round in a circle or nowhere"
    return f"cannot be read ({error.strerror}) and was not scanned"

"""check-redaction: which files are read, from the disk or from the index that git is committing, and what is found.

Hooks pay for what is imported here each time: only the standard library, and of that little, until git is asked.
"""

# Without pathlib, which takes longer to load than a clean file to scan.
# ruff: noqa: PTH100, PTH112, PTH114, PTH116, PTH118, PTH120, PTH123

from __future__ import annotations

import os
import stat

from stepfork.errors import ScanError, UsageError
from stepfork.redact.decoding import MAX_BYTES, binary_kind
from stepfork.redact.scan import scan_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from stepfork.redact.finding import Finding
    from stepfork.redact.secrets import Secrets

STORE = ".stepfork"
_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Checked:
    """What one check saw: `scanned` files, the `findings` in them, `problems` (file and reason) with files that could
    not be scanned, `notes` (file and remark) on files that are no text, and where the bytes came from."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.scanned = 0
        self.findings: list[Finding] = []
        self.problems: list[tuple[str, str]] = []
        self.notes: list[tuple[str, str]] = []

    def add(self, name: str, data: bytes, secrets: Secrets) -> None:
        """Scan the bytes of the file called `name`."""
        try:
            self.findings += scan_bytes(data, secrets, name)
        except ScanError as error:
            self.problems.append((name, error.what if error.fix is None else f"{error.what}; {error.fix}"))
            return
        self.scanned += 1
        kind = binary_kind(data) if data else "an empty file"
        if kind:
            self.notes.append((name, kind))

    def fail(self, name: str, reason: str) -> None:
        """Say that the file called `name` could not be scanned."""
        self.problems.append((name, reason))


def check_paths(paths: Sequence[str], secrets: Secrets) -> Checked:
    """Scan files and folders on the disk. A path that names nothing to scan is a problem, never clean."""
    checked = Checked("disk")
    for path in paths:
        _check_path(path, checked, secrets)
    return checked


def check_store(folder: str, override: str | None, secrets: Secrets) -> Checked:
    """Scan the store at or above `folder` (or the one that `override` names). Raises UsageError where there is none."""
    root = os.path.join(folder, override) if override else _find_store(folder)
    if root is None or not os.path.isdir(root):
        raise UsageError("there is no .stepfork here or above", fix="name files or folders to check")
    checked = Checked("store")
    _check_folder(os.path.relpath(root, folder), checked, secrets)
    return checked


def check_staged(folder: str, paths: Sequence[str], environ: Mapping[str, str], secrets: Secrets) -> Checked:
    """Scan the bytes that the next commit would add or change, below `paths` where there are any."""
    from stepfork.git.index import staged_entries

    inside = _inside(folder, paths, environ)
    entries = staged_entries(folder, inside, environ=environ, changed_only=True)
    checked = Checked("staged")
    _check_blobs(folder, entries, environ, checked, secrets)
    return checked


def check_in_hook(folder: str, paths: Sequence[str], environ: Mapping[str, str], secrets: Secrets) -> Checked:
    """Scan paths as the commit being made has them: the index's bytes of what it holds, the disk's of the rest."""
    from stepfork.git.index import staged_entries

    checked = Checked("index")
    for path, inside in zip(paths, _inside(folder, paths, environ), strict=True):
        entries = staged_entries(folder, (inside,) if inside else (), environ=environ)
        if entries:
            _check_blobs(folder, entries, environ, checked, secrets)
        else:
            _check_path(path, checked, secrets)
    return checked


def _inside(folder: str, paths: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    """The paths from the root of the work tree, with forward slashes; empty for the root itself."""
    from stepfork.git.checkout import open_checkout

    root = open_checkout(folder, environ).root
    found = []
    for path in paths:
        full = os.path.join(folder, path)
        parent, base = os.path.split(os.path.abspath(full))
        inside = os.path.relpath(os.path.join(os.path.realpath(parent), base), root).replace(os.sep, "/")
        if inside == ".." or inside.startswith("../"):
            raise UsageError("is outside the repository that is being committed", where=path)
        found.append("" if inside == "." else inside)
    return found


def _check_blobs(
    folder: str, entries: Mapping[str, str], environ: Mapping[str, str], checked: Checked, secrets: Secrets
) -> None:
    from stepfork.git.index import read_blobs

    blobs = read_blobs(folder, entries.values(), environ=environ)
    for path in sorted(entries):
        checked.add(path, blobs[entries[path]], secrets)


def _check_path(path: str, checked: Checked, secrets: Secrets) -> None:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        checked.fail(path, _reason(path, error))
        return
    if stat.S_ISDIR(mode):
        before = checked.scanned + len(checked.problems)
        _check_folder(path, checked, secrets)
        if checked.scanned + len(checked.problems) == before:
            checked.fail(path, "is a folder with no file to scan")
    else:
        _check_file(path, checked, secrets)


def _check_folder(path: str, checked: Checked, secrets: Secrets) -> None:
    for name in _files_below(path, checked):
        _check_file(name, checked, secrets)


def _files_below(top: str, checked: Checked) -> Iterator[str]:
    """Files in the order of their names; git's own folder and links to folders are not entered."""

    def say(error: OSError) -> None:
        checked.fail(str(error.filename), _reason(str(error.filename), error))

    for folder, folders, files in os.walk(top, onerror=say):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(files):
            if name != ".git":
                yield os.path.normpath(os.path.join(folder, name))


def _check_file(path: str, checked: Checked, secrets: Secrets) -> None:
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
    checked.add(path, data, secrets)


def _reason(path: str, error: Exception) -> str:
    """Why a path cannot be read, in words that hold nothing of what is in it."""
    if not isinstance(error, OSError):
        return "cannot be read and was not scanned"
    if isinstance(error, FileNotFoundError):
        return "is a link to nothing" if os.path.islink(path) else "is no file or folder"
    if os.path.islink(path):
        return "is a link that leads round in a circle or nowhere"
    return f"cannot be read ({error.strerror}) and was not scanned"


def _find_store(folder: str) -> str | None:
    here = os.path.abspath(folder)
    while True:
        root = os.path.join(here, STORE)
        if os.path.isdir(root):
            return root
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above

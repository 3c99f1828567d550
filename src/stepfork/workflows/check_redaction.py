"""check-redaction: which files are read, from the disk or from the index that git is committing, and what is found.

Hooks pay for what is imported here each time: only the standard library, and of that little, until git is asked.
"""

# Without pathlib, which takes longer to load than a clean file to scan.
# ruff: noqa: PTH100, PTH118

from __future__ import annotations

import os

from stepfork.config.redaction import store_root
from stepfork.errors import UsageError
from stepfork.workflows.checked import DELETED, SUBMODULE, Checked
from stepfork.workflows.files_on_disk import check_folder, check_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stepfork.git.checkout import Checkout
    from stepfork.redact.secrets import Secrets

_FEW = 50
"""Paths that git is asked for by name; with more of them the whole index is quicker, and no command line too long."""


def check_paths(paths: Sequence[str], secrets: Secrets) -> Checked:
    """Scan files and folders on the disk. A path that names nothing to scan is a problem, never clean."""
    checked = Checked("disk", secrets)
    for path in paths:
        check_path(path, checked)
    return checked


def check_store(folder: str, override: str | None, secrets: Secrets) -> Checked:
    """Scan the store at or above `folder` (or the one that `override` names). Raises UsageError where there is none."""
    root = store_root(folder, override)
    if root is None:
        raise UsageError("there is no .stepfork here or above", fix="name files or folders to check")
    checked = Checked("store", secrets)
    check_folder(os.path.relpath(root, folder), checked)
    return checked


def check_staged(folder: str, paths: Sequence[str], environ: Mapping[str, str], secrets: Secrets) -> Checked:
    """Scan the bytes that the next commit would add or change, below `paths` where there are any. A path that neither
    git nor the disk knows is a problem."""
    from stepfork.git.checkout import open_checkout
    from stepfork.git.index import staged_entries

    checkout = open_checkout(folder, environ, committing=True)
    inside = _inside(folder, paths, checkout)
    entries = staged_entries(checkout, inside, changed_only=True)
    checked = Checked("staged", secrets)
    _check_blobs(checkout, entries, checked)
    for path, place in zip(paths, inside, strict=True):
        if not os.path.lexists(os.path.join(folder, path)) and not _is_known(checkout, place):
            checked.fail(path, "is no file or folder")
    return checked


def check_in_hook(folder: str, paths: Sequence[str], environ: Mapping[str, str], secrets: Secrets) -> Checked:
    """Scan paths as the commit being made has them: the index's bytes of what it holds, the disk's of what git does not
    know. What the commit deletes is not looked at, wherever else it lies."""
    from stepfork.git.changes import within
    from stepfork.git.checkout import open_checkout
    from stepfork.git.index import staged_entries

    checkout = open_checkout(folder, environ, committing=True)
    inside = _inside(folder, paths, checkout)
    known = staged_entries(checkout, () if "" in inside or len(inside) > _FEW else inside)
    checked = Checked("index", secrets)
    wanted: dict[str, str] = {}
    for path, place in zip(paths, inside, strict=True):
        found = (place,) if place in known else [name for name in known if within(name, (place,))]
        wanted.update((name, known[name]) for name in found)
        if not found:
            _check_unknown(path, place, checkout, checked)
    _check_blobs(checkout, wanted, checked)
    return checked


def _check_unknown(path: str, place: str, checkout: Checkout, checked: Checked) -> None:
    """A path of which the index has no file."""
    from stepfork.git.index import has_submodule, read_named

    if has_submodule(checkout, place):
        checked.notes.append((path, SUBMODULE))
    elif place and read_named(checkout, [f"HEAD:{place}"])[0] is not None:
        checked.notes.append((path, DELETED))
    else:
        check_path(path, checked)


def _inside(folder: str, paths: Sequence[str], checkout: Checkout) -> list[str]:
    """The paths from the root of the work tree, with forward slashes; empty for the root itself."""
    root = checkout.root
    found = []
    for path in paths:
        full = os.path.join(folder, path)
        parent, base = os.path.split(os.path.abspath(full))
        inside = os.path.relpath(os.path.join(os.path.realpath(parent), base), root).replace(os.sep, "/")
        if inside == ".." or inside.startswith("../"):
            raise UsageError("is outside the repository that is being committed", where=path)
        found.append("" if inside == "." else inside)
    return found


def _is_known(checkout: Checkout, path: str) -> bool:
    """Whether the index or the last commit has `path`."""
    from stepfork.git.index import read_named, staged_entries

    return bool(staged_entries(checkout, (path,))) or read_named(checkout, [f"HEAD:{path}"])[0] is not None


def _check_blobs(checkout: Checkout, entries: Mapping[str, str], checked: Checked) -> None:
    from stepfork.git.index import each_blob

    paths = sorted(entries)
    for path, (_, data) in zip(paths, each_blob(checkout, [entries[path] for path in paths]), strict=True):
        checked.add(path, data)

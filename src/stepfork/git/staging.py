"""Writing to the index that git names: blobs, and which of them stand where."""

from __future__ import annotations

import os

from stepfork.errors import GitError
from stepfork.git.checkout import Checkout, find_checkout
from stepfork.git.command import GitProgram, split_nul, to_bytes, to_text
from stepfork.git.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LINK = "120000"
FILE = "100644"
_OF_PATHS = "next-index-"
"""How the index is called in which ``git commit -- PATH`` keeps what it commits, beside the one that stays."""


class Entry(Record):
    """A file in the index: its mode, and the id of its blob."""

    mode: str
    blob: str


def entries_of(checkout: Checkout, paths: Sequence[str]) -> dict[str, Entry]:
    """The entry of each path (from the root) that the index has; one that a merge left open has none."""
    wanted = set(paths)
    found: dict[str, Entry] = {}
    limits = [f":(top,literal){path}" for path in paths] if len(wanted) < 50 else []
    for line in checkout.git.run("ls-files", "-z", "--stage", "--full-name", "--", *limits).out.split(b"\0")[:-1]:
        head, _, path = line.partition(b"\t")
        mode, blob, stage = to_text(head).split(" ")
        if stage == "0" and to_text(path) in wanted:
            found[to_text(path)] = Entry(mode, blob)
    return found


def write_blob(checkout: Checkout, data: bytes) -> str:
    """Put bytes into the repository as they are; the id of the blob."""
    return to_text(checkout.git.run("hash-object", "-w", "--stdin", data=data).out.strip())


def blob_of(checkout: Checkout, path: str, data: bytes) -> str:
    """The id of the blob that git would make of a file at `path` with these bytes: line endings and filters count."""
    return to_text(checkout.git.run("hash-object", f"--path={path}", "--stdin", data=data).out.strip())


def stage(checkout: Checkout, changes: Mapping[str, Entry | None]) -> None:
    """Put entries into the index, and take out those that are None, all in one go.

    While ``git commit -- PATH`` runs there are two indexes: the one that it commits, and the one that it leaves behind.
    An entry that stands in both changes in both.
    """
    if not changes:
        return
    beside = _index_beside(checkout)
    if beside is not None:
        old, others = entries_of(checkout, list(changes)), entries_of(beside, list(changes))
        _stage(beside, {path: entry for path, entry in changes.items() if others.get(path) == old.get(path)})
    _stage(checkout, changes)


def ignored(folder: str, paths: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    """Those of some paths that git ignores (files of the index it does not); none without git or a repository."""
    try:
        checkout = find_checkout(folder, environ)
        if checkout is None or not paths:
            return []
        full = {os.path.realpath(os.path.join(folder, path)): path for path in paths}
        inside = [path for path in full if path.startswith(checkout.root + os.sep)]
        data = b"".join(to_bytes(path) + b"\0" for path in inside)
        answer = checkout.git.run("check-ignore", "-z", "--stdin", data=data, codes=(0, 1, 128))
    except GitError:
        return []
    return [full[path] for path in split_nul(answer.out) if path in full]


def _stage(checkout: Checkout, changes: Mapping[str, Entry | None]) -> None:
    nothing = "0" * len(checkout.empty_tree())
    lines = []
    for path, entry in changes.items():
        head = f"0 {nothing}" if entry is None else f"{entry.mode} {entry.blob}"
        lines.append(to_bytes(head) + b"\t" + to_bytes(path) + b"\0")
    checkout.git.run("update-index", "-z", "--index-info", data=b"".join(lines))


def _index_beside(checkout: Checkout) -> Checkout | None:
    environment = checkout.git.environment or {}
    folder, name = os.path.split(environment.get("GIT_INDEX_FILE", ""))
    other = os.path.join(folder, "index.lock")
    if not name.startswith(_OF_PATHS) or not os.path.isfile(other):
        return None
    git = GitProgram(checkout.git.folder, {**environment, "GIT_INDEX_FILE": other})
    return Checkout(checkout.root, checkout.prefix, git, checkout.shallow)

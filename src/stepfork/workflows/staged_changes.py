"""Changes of the index, gathered first and made in one go, and of the work tree that go with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stepfork.git.checkout import open_checkout
from stepfork.git.index import read_blobs, staged_entries
from stepfork.git.staging import FILE, Entry, stage, write_blob
from stepfork.workflows.fix_on_disk import DiskFix
from stepfork.workflows.fix_task import FixTask

DIFFERS = "the file differs from what was staged, and stays as it is"


class StagedChanges:
    """`fixtures` are the manifests of fixtures that are staged anew; `disk` changes the work tree."""

    def __init__(self, task: FixTask, disk: DiskFix) -> None:
        self.task = task
        self.disk = disk
        self.checkout = open_checkout(task.folder, task.environ, committing=True)
        self.fixtures: list[str] = []
        self._changes: dict[str, Entry | None] = {}

    def make(self) -> None:
        """Stage everything that was gathered."""
        stage(self.checkout, self._changes)

    def put(self, path: str, data: bytes, mode: str = FILE) -> Entry:
        """Have these bytes staged at a path from the root."""
        entry = Entry(mode, write_blob(self.checkout, data))
        self._changes[path] = entry
        return entry

    def drop(self, path: str) -> None:
        """Have a path taken out of the index."""
        self._changes[path] = None
        self.disk.stores.removed.add(str(self.full(path)))

    def tell(self, *told: tuple[str, str]) -> None:
        """Say why files stay as they are."""
        self.disk.told += told

    def full(self, path: str) -> Path:
        """Where a path from the root is in the work tree."""
        return Path(self.checkout.root) / path

    def read(self, blobs: Mapping[str, str]) -> dict[str, bytes]:
        """The bytes of each path's blob."""
        found = read_blobs(self.checkout, blobs.values())
        return {path: found[blob] for path, blob in blobs.items()}

    def staged(self, root: str) -> dict[str, str]:
        """Path and blob of each file below a folder."""
        return staged_entries(self.checkout, (root,))

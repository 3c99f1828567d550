"""What is staged without its secrets: blobs are redacted and staged again, in the index that git names.

The work tree follows where it has the same; what a user changed there and did not stage stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from stepfork.errors import ScanError
from stepfork.git.index import conflicts
from stepfork.git.staging import LINK, Entry, blob_of, entries_of
from stepfork.redact.fix import fixed
from stepfork.workflows.checked import Checked
from stepfork.workflows.fix_fixtures import Member, member_at
from stepfork.workflows.fix_on_disk import DiskFix
from stepfork.workflows.fix_staged_fixtures import StagedFixtures
from stepfork.workflows.fix_task import FixTask
from stepfork.workflows.staged_changes import DIFFERS, StagedChanges


class IndexFix:
    """Prepares changes of the index, and has `disk` prepare those of the work tree that go with them."""

    def __init__(self, task: FixTask, disk: DiskFix) -> None:
        self._task = task
        self._changes = StagedChanges(task, disk)
        self._checkout = self._changes.checkout
        store = task.store_path
        self._store = Path(os.path.relpath(store, self._checkout.root)).as_posix() if store else ""

    @property
    def fixtures(self) -> list[str]:
        """The manifests of fixtures that are staged anew."""
        return self._changes.fixtures

    def prepare(self, paths: Sequence[str]) -> list[str]:
        """Redact the blobs of paths from the root; those that the index does not know are returned."""
        entries = entries_of(self._checkout, paths)
        open_ = conflicts(self._checkout)
        roots: dict[tuple[str, bool], list[Member]] = {}
        for path, entry in entries.items():
            member = member_at(path, self._store)
            if member is None:
                self._prepare_file(path, entry)
            else:
                roots.setdefault((member.root, member.is_bundle), []).append(member)
        for (root, _), members in roots.items():
            StagedFixtures(self._changes, root, members).prepare()
        self._changes.tell(*((path, "is in conflict: resolve it first") for path in paths if path in open_))
        return [path for path in paths if path not in entries and path not in open_]

    def in_work_tree(self, paths: Sequence[str]) -> list[str]:
        """Where paths from the root are, told from here."""
        return [os.path.relpath(self._changes.full(path), self._task.folder) for path in paths]

    def write(self) -> None:
        """Stage everything that was prepared, in one go."""
        self._changes.make()

    def _prepare_file(self, path: str, entry: Entry) -> None:
        if entry.mode == LINK:
            self._changes.tell((path, "is a symbolic link, whose target cannot be redacted"))
            return
        old = self._changes.read({path: entry.blob})[path]
        try:
            new = fixed(old, self._task.wanted, path)
        except ScanError as error:
            self._changes.tell((path, str(error)))
            return
        if new != old:
            self._follow(path, old, entry, new, self._changes.put(path, new, entry.mode))

    def _follow(self, path: str, old: bytes, entry: Entry, new: bytes, made: Entry) -> None:
        """Have the file in the work tree redacted too, if it is what was staged."""
        full = self._changes.full(path)
        if full.is_symlink() or not full.is_file():
            return
        data = full.read_bytes()
        if data == old:
            self._changes.disk.files.prepare(path, data, new, full)
            return
        if blob_of(self._checkout, path, data) == entry.blob:  # line endings and filters apart
            try:
                redacted = fixed(data, self._task.wanted, path)
            except ScanError:  # what a filter makes of it, encrypted say
                redacted = data
            if blob_of(self._checkout, path, redacted) == made.blob:
                self._changes.disk.files.prepare(path, data, redacted, full)
                return
        checked = Checked("disk", self._task.wanted)
        checked.add(path, data)
        if checked.findings:
            self._changes.tell((path, f"{DIFFERS}: it holds a secret too"))

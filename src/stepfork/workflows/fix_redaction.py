"""check-redaction --fix: redact what a check found, and check again: what is left is said by the second check."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from stepfork.redact.finding import Finding
from stepfork.redact.scan import FILE_NAME
from stepfork.workflows.check_redaction import check_in_hook, check_paths, check_staged, check_store
from stepfork.workflows.checked import Checked
from stepfork.workflows.fix_on_disk import DiskFix
from stepfork.workflows.fix_task import FixTask

_FRAMEWORK = "PRE_COMMIT"
"""What pre-commit tells its hooks."""
Check = Callable[[Sequence[str]], Checked]


@dataclass
class Fix:
    """What a fix did. `before` and `after` are what checks saw; `told` are files that stay as they are, each with the
    reason, `fixtures` those that were written anew, `waiting` what was redacted in the work tree and not staged."""

    before: Checked
    after: Checked
    told: list[tuple[str, str]] = field(default_factory=list)
    fixtures: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)

    @property
    def fixed(self) -> list[Finding]:
        """The findings that are gone."""
        left = set(self.after.places)
        return [item for item in self.before.places if item not in left]


def fix_paths(task: FixTask, paths: Sequence[str]) -> Fix:
    """Redact files and folders of the disk."""
    return _on_disk(task, paths, lambda named: check_paths(named, task.wanted))


def fix_store(task: FixTask) -> Fix:
    """Redact the store. Raises UsageError where there is none."""
    return _on_disk(task, (), lambda _: check_store(task.folder, task.store, task.wanted))


def fix_staged(task: FixTask, paths: Sequence[str]) -> Fix:
    """Redact what the next commit adds or changes, in the index, and in the work tree where that is the same."""
    return _in_index(task, paths, lambda named: check_staged(task.folder, named, task.environ, task.wanted))


def fix_in_hook(task: FixTask, paths: Sequence[str]) -> Fix:
    """Redact paths as the commit being made has them."""
    return _in_index(task, paths, lambda named: check_in_hook(task.folder, named, task.environ, task.wanted))


def _on_disk(task: FixTask, paths: Sequence[str], check: Check) -> Fix:
    before = check(paths)
    if not before.findings:
        return Fix(before, before)
    disk = DiskFix(task, paths)
    try:
        disk.prepare(_files(before))
        disk.write()
    finally:
        disk.files.discard()
    return _done(before, check(_named(paths, disk)), disk, disk.stores.fixtures)


def _in_index(task: FixTask, paths: Sequence[str], check: Check) -> Fix:
    from stepfork.workflows.fix_in_index import IndexFix

    before = check(paths)
    if not before.findings:
        return Fix(before, before)
    disk = DiskFix(task, paths)
    index = IndexFix(task, disk)
    if task.environ.get(_FRAMEWORK):
        return _in_work_tree(task, before, index.in_work_tree(_files(before)), lambda: check(paths))
    try:
        disk.prepare(index.prepare(_files(before)))
        index.write()
        disk.write()
    finally:
        disk.files.discard()
    return _done(before, check(_named(paths, disk)), disk, index.fixtures)


def _in_work_tree(task: FixTask, before: Checked, files: Sequence[str], check: Callable[[], Checked]) -> Fix:
    """Redact files and leave the index: the framework puts unstaged edits aside, and could not bring them back."""
    disk = DiskFix(task, files)
    try:
        disk.prepare(files)
        disk.write()
    finally:
        disk.files.discard()
    return Fix(before, check(), disk.told, waiting=[*disk.files.written, *disk.stores.fixtures, *disk.stores.folders])


def _done(before: Checked, after: Checked, disk: DiskFix, fixtures: list[str]) -> Fix:
    left = {item.where: item.path for item in after.findings}
    kept = [(name, reason) for name, reason in disk.kept.items() if name in left]
    named = [(name, "has a secret in its name, which is for you to change") for name in left if left[name] == FILE_NAME]
    return Fix(before, after, [*disk.told, *kept, *named], fixtures)


def _files(checked: Checked) -> list[str]:
    return list(dict.fromkeys(item.where for item in checked.findings))


def _named(paths: Sequence[str], disk: DiskFix) -> list[str]:
    """The paths that are still there, and the fixtures that took the place of those that are not."""
    left = [path for path in paths if os.path.abspath(path) not in disk.stores.removed]  # noqa: PTH100 (links are not followed)
    return left if len(left) == len(paths) else [*left, *disk.stores.written]

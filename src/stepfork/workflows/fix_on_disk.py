"""What is on the disk without its secrets: files, and fixtures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from stepfork.errors import ScanError
from stepfork.git.staging import ignored
from stepfork.redact.fix import fixed
from stepfork.workflows.fix_files import FileFix
from stepfork.workflows.fix_fixtures import Member, member_at
from stepfork.workflows.fix_stores import StoreFix
from stepfork.workflows.fix_task import FixTask


class DiskFix:
    """Redacts in memory, then writes. `told` are files and what is to be said of them, `kept` files in folders that
    nobody meant to be changed, each with the reason: who means them can name them."""

    def __init__(self, task: FixTask, named: Sequence[str]) -> None:
        self.told: list[tuple[str, str]] = []
        self.kept: dict[str, str] = {}
        self.files = FileFix(self.told)
        self.stores = StoreFix(task, self.told)
        self._task = task
        self._named = {os.path.normpath(path) for path in named}

    def prepare(self, paths: Sequence[str]) -> None:
        """Redact files, and the fixtures that any of them belongs to."""
        members = {path: self._member(path) for path in paths}
        self._keep([path for path in paths if members[path] is None and os.path.normpath(path) not in self._named])
        for path, member in members.items():
            if member is not None:
                self.stores.add(path, member)
            elif path not in self.kept:
                self._prepare_file(path)
        self.stores.prepare()

    def write(self) -> None:
        """Put everything in place."""
        self.files.write()
        self.stores.write()

    def _member(self, path: str) -> Member | None:
        full = os.path.abspath(path)  # noqa: PTH100 (links are not followed)
        return member_at(Path(full).as_posix(), self._task.store_path)

    def _keep(self, paths: Sequence[str]) -> None:
        of_git = ignored(self._task.folder, paths, self._task.environ)
        self.kept = dict.fromkeys(of_git, "is ignored by git: name it to redact it")
        own = os.path.realpath(Path(self._task.folder) / ".env")
        for path in paths:
            if os.path.realpath(path) == own:
                self.kept[path] = "is where secrets are kept: name it to redact it"
            elif Path(path).is_symlink():
                self.kept[path] = "is a symbolic link: name it to redact what it leads to"

    def _prepare_file(self, path: str) -> None:
        try:
            old = Path(path).read_bytes()
            new = fixed(old, self._task.wanted, path)
        except ScanError as error:
            self.told.append((path, str(error)))
        except OSError as error:
            self.told.append((path, f"cannot be read ({error.strerror})"))
        else:
            if new != old:
                self.files.prepare(path, old, new)

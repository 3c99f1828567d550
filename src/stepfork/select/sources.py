"""The test files of a project as git sees them: in the work tree, untracked ones included, or at HEAD."""

from __future__ import annotations

import os
import re

from stepfork.git.command import split_nul, to_bytes
from stepfork.git.index import read_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stepfork.git.changes import Changes
    from stepfork.git.checkout import Checkout
    from stepfork.select.layout import Layout

_STORE = ".stepfork"


class _GitSources:
    """What both states share. ``store`` is the store's path from the top; ``old`` a commit compared with, or None."""

    def __init__(self, checkout: Checkout, layout: Layout, store: str, old: str | None) -> None:
        self._checkout = checkout
        self._layout = layout
        self._store = store
        self._old = old
        self._owners: dict[str, bool] = {}
        self._named: dict[str, bytes | None] = {}
        self._pathspecs = layout.pathspecs()

    def read_old(self, path: str) -> bytes | None:
        """The bytes that a file had in the state compared with."""
        return self._read_at(self._old, [path])[0] if self._old else None

    def read_ahead(self, changed: Iterable[str]) -> None:
        """Read at once what will be asked for one by one: of modules and data beside the tests, the old state."""
        beside = sorted(path for path in changed if self._layout.is_support(path) or self._layout.is_data(path))
        if beside and self._old:
            self._read_at(self._old, beside)

    def _read_at(self, commit: str, paths: Sequence[str]) -> list[bytes | None]:
        """The bytes of files in a commit; those not read yet are read in one run of git."""
        names = [f"{commit}:{path}" for path in paths]
        absent = [name for name in names if name not in self._named]
        if absent:
            self._named.update(zip(absent, read_named(self._checkout, absent), strict=True))
        return [self._named[name] for name in names]

    def _ours(self, paths: Iterable[str]) -> list[str]:
        return [
            path
            for path in paths
            if (self._layout.is_test(path) or self._layout.is_support(path)) and self._is_ours(path.rpartition("/")[0])
        ]

    def _is_ours(self, folder: str) -> bool:
        """Whether no other project's store stands nearer to a folder than ours."""
        if folder not in self._owners:
            own = self._store.rpartition("/")[0]
            if folder in ("", own, self._layout.root):
                self._owners[folder] = True
            elif os.path.isdir(os.path.join(self._checkout.root, folder, _STORE)):
                self._owners[folder] = False
            else:
                self._owners[folder] = self._is_ours(folder.rpartition("/")[0])
        return self._owners[folder]

    def _our_data(self, paths: Iterable[str]) -> list[str]:
        return sorted(path for path in paths if self._layout.is_data(path) and self._is_ours(path.rpartition("/")[0]))

    def _grep(self, patterns: Sequence[str], *where: str, data: bool = False) -> list[str]:
        pathspecs = self._layout.data_pathspecs() if data else self._pathspecs
        if not pathspecs:  # no test file is tracked; without a limit git would search everything
            return []
        # One thread more than git takes by itself: each waits for files now and then.
        threads = f"grep.threads={(os.cpu_count() or 1) + 1}"
        # Several patterns instead of one with alternatives: each is looked for by the character it begins with.
        # Perl's engine is the faster one; a git built without it says so, and has the other.
        for engine in ("-P", "-E"):
            answer = self._checkout.git.run(
                *("-c", threads, "grep", "-a", "-l", "-z", engine, "--no-color", "--no-recurse-submodules", "-f", "-"),
                *where,
                "--",
                *pathspecs,
                data=to_bytes("\n".join(patterns)) + b"\n",
                codes=(0, 1, 128) if engine == "-P" else (0, 1),
            )
            if answer.code != 128:
                break
        return split_nul(answer.out)

    def _names_at(self, commit: str) -> list[str]:
        start = f"{self._store}/fixtures/"
        answer = self._checkout.git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", start)
        return [_name(path, start) for path in split_nul(answer.out) if path.endswith(".json")]


class WorkTreeSources(_GitSources):
    """The files as they lie in the work tree; ``pathspecs`` are those of the tracked test files."""

    def __init__(
        self,
        checkout: Checkout,
        layout: Layout,
        store: str,
        old: str | None,
        *,
        changes: Changes,
        pathspecs: list[str],
    ) -> None:
        super().__init__(checkout, layout, store, old)
        self._pathspecs = pathspecs
        self._untracked = sorted(changes.untracked)

    def search(self, *patterns: str) -> Sequence[str]:
        """The files with a line that matches a pattern; tracked ones are searched by git, the others here."""
        found = set(self._grep(patterns))
        expression = to_bytes("|".join(patterns))
        for path in self._ours(self._untracked):
            if re.search(expression, self.read(path) or b"", re.MULTILINE):
                found.add(path)
        return sorted(self._ours(found))

    def search_data(self, *patterns: str) -> Sequence[str]:
        """The files of data beside the tests with a line that matches a pattern."""
        found = set(self._grep(patterns, data=True))
        expression = to_bytes("|".join(patterns))
        for path in self._our_data(self._untracked):
            if re.search(expression, self.read(path) or b"", re.MULTILINE):
                found.add(path)
        return self._our_data(found)

    def under(self, folder: str) -> Sequence[str]:
        """All test files and modules beside them below a folder."""
        listed = self._checkout.git.run("ls-files", "-z", "--", *self._pathspecs).out if self._pathspecs else b""
        tracked = split_nul(listed)
        there = (path for path in {*tracked, *self._untracked} if not folder or path.startswith(folder + "/"))
        return sorted(path for path in self._ours(there) if os.path.isfile(self._place(path)))

    def read(self, path: str) -> bytes | None:
        """The bytes of a file."""
        try:
            with open(self._place(path), "rb") as file:
                return file.read()
        except OSError:
            return None

    def manifests(self) -> list[str]:
        """The paths of all manifests of the store, from the top of the repository."""
        top = self._place(f"{self._store}/fixtures")
        found: list[str] = []
        for folder, _, names in os.walk(top):
            inner = os.path.relpath(folder, top).replace(os.sep, "/")
            start = f"{self._store}/fixtures/" + ("" if inner == "." else inner + "/")
            found.extend(start + name for name in names if name.endswith(".json"))
        return sorted(found)

    def fixture_names(self) -> Iterable[str]:
        """Every fixture there is, was at HEAD, or was in the state compared with."""
        start = f"{self._store}/fixtures/"
        names = {_name(path, start) for path in self.manifests()}
        return names.union(self._names_at(self._old)) if self._old else names

    def _place(self, path: str) -> str:
        return os.path.join(self._checkout.root, path)


class CommitSources(_GitSources):
    """The files as they stand at HEAD, whatever lies in the work tree."""

    def read_ahead(self, changed: Iterable[str]) -> None:
        """Read at once what will be asked for one by one: beside the old state, the changed files at HEAD."""
        paths = sorted(changed)
        super().read_ahead(paths)
        layout = self._layout
        self._fetched(path for path in paths if layout.is_test(path) or layout.is_support(path) or layout.is_data(path))

    def search(self, *patterns: str) -> Sequence[str]:
        """The files with a line that matches a pattern; they are read at once, in one run of git."""
        return self._fetched(self._ours(path.removeprefix("HEAD:") for path in self._grep(patterns, "HEAD")))

    def search_data(self, *patterns: str) -> Sequence[str]:
        """The files of data beside the tests with a line that matches a pattern."""
        found = self._grep(patterns, "HEAD", data=True)
        return self._fetched(self._our_data(path.removeprefix("HEAD:") for path in found))

    def _fetched(self, paths: Iterable[str]) -> list[str]:
        """Paths in order, whose bytes are then at hand."""
        found = sorted(paths)
        self._read_at("HEAD", found)
        return found

    def under(self, folder: str) -> Sequence[str]:
        """All test files and modules beside them below a folder."""
        listed = split_nul(self._checkout.git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD").out)
        return sorted(self._ours(path for path in listed if not folder or path.startswith(folder + "/")))

    def read(self, path: str) -> bytes | None:
        """The bytes of a file."""
        return self._read_at("HEAD", [path])[0]

    def manifests(self) -> list[str]:
        """The paths of all manifests of the store, from the top of the repository."""
        start = f"{self._store}/fixtures/"
        return [f"{start}{name}.json" for name in self._names_at("HEAD")]

    def fixture_names(self) -> Iterable[str]:
        """Every fixture that is at HEAD or was in the state compared with."""
        names = set(self._names_at("HEAD"))
        return names.union(self._names_at(self._old)) if self._old else names


def _name(path: str, start: str) -> str:
    return path.removeprefix(start).removesuffix(".json")

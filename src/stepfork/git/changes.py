"""Which paths differ between an old state and the work tree, or between two commits: end states, not commits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stepfork.git.command import split_nul

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepfork.git.checkout import Checkout
    from stepfork.git.command import Running

_RAW = ("--raw", "-z", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-relative", "--no-color")


@dataclass(frozen=True, slots=True)
class Changes:
    """Paths from the root of the repository, with forward slashes.

    ``renamed`` maps an old path to its new one and is empty unless renames were asked for; without, a rename is one
    path deleted and one added. ``untracked`` are the added ones that git does not know yet.
    """

    added: frozenset[str] = frozenset()
    modified: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()
    renamed: dict[str, str] = field(default_factory=dict)
    untracked: frozenset[str] = frozenset()

    @property
    def paths(self) -> frozenset[str]:
        """Every path touched, the old and the new name of each rename included."""
        return self.added | self.modified | self.deleted | self.renamed.keys() | set(self.renamed.values())


class ChangesUnderWay:
    """A comparison that git works on while the caller does something else."""

    def __init__(self, tracked: Running, untracked: Running | None) -> None:
        self._tracked = tracked
        self._untracked = untracked

    def wait(self) -> Changes:
        """The result; `GitError` where git failed."""
        raw = self._tracked.answer().out
        new = split_nul(self._untracked.answer().out) if self._untracked is not None else []
        return _merge(_read_raw(raw), frozenset(path for path in new if not path.endswith("/")))


def changed_paths(
    checkout: Checkout, base: str, *, committed: bool, paths: Sequence[str] = (), renames: bool = False
) -> Changes:
    """What differs between ``base`` (a commit or tree) and the work tree or, with ``committed``, HEAD.

    The work tree counts with its index, its unstaged edits and the untracked files that no ignore rule names; git
    itself decides what is an edit, line-ending settings included. ``paths`` limits the answer to these folders and
    files from the root. ``renames`` pairs similar files, for which git may have to read them.
    """
    return start_changes(checkout, base, committed=committed, paths=paths, renames=renames).wait()


def start_changes(
    checkout: Checkout, base: str, *, committed: bool, paths: Sequence[str] = (), renames: bool = False
) -> ChangesUnderWay:
    """`changed_paths`, started: the two walks over the work tree run beside one another."""
    rename = "-M" if renames else "--no-renames"
    limits = ["--", *(f":(top,literal){path}" for path in paths)] if paths else []
    git = checkout.git
    if committed:
        return ChangesUnderWay(git.start("diff-tree", "-r", *_RAW, rename, base, "HEAD", *limits), None)
    # Only the files that git does not know are limited by git itself: a tree compared with an index under a pathspec
    # takes time in the square of the entries that it skips (seconds on 50,000 files, git 2.39).
    tracked = git.start(
        *("-c", "diff.autoRefreshIndex=true", "diff", *_RAW, "--ignore-submodules=dirty", rename, base, "--")
    )
    untracked = git.start("ls-files", "-z", "--others", "--exclude-standard", "--full-name", *limits)
    return _Limited(tracked, untracked, tuple(paths))


class _Limited(ChangesUnderWay):
    def __init__(self, tracked: Running, untracked: Running, paths: tuple[str, ...]) -> None:
        super().__init__(tracked, untracked)
        self._paths = paths

    def wait(self) -> Changes:
        found = super().wait()
        if not self._paths:
            return found
        return Changes(
            added=self._within(found.added),
            modified=self._within(found.modified),
            deleted=self._within(found.deleted),
            renamed={old: new for old, new in found.renamed.items() if self._within((old, new))},
            untracked=self._within(found.untracked),
        )

    def _within(self, paths: frozenset[str] | tuple[str, ...]) -> frozenset[str]:
        return frozenset(path for path in paths if within(path, self._paths))


def within(path: str, limits: Sequence[str]) -> bool:
    """Whether ``path`` is one of the files or stands below one of the folders of ``limits``; no limit: always."""
    return not limits or any(path == top or path.startswith(top.rstrip("/") + "/") or top == "" for top in limits)


def _read_raw(data: bytes) -> Changes:
    """git's raw form: ``:mode mode id id STATUS`` and one path, or two for a rename, each ended by NUL."""
    fields = iter(split_nul(data))
    added: set[str] = set()
    modified: set[str] = set()
    deleted: set[str] = set()
    renamed: dict[str, str] = {}
    for head in fields:
        status = head.rsplit(" ", 1)[-1][:1]
        path = next(fields, "")
        if status == "R":
            renamed[path] = next(fields, "")
        elif status == "C":
            added.add(next(fields, ""))
        elif status == "A":
            added.add(path)
        elif status == "D":
            deleted.add(path)
        else:  # M modified, T type changed, U unmerged
            modified.add(path)
    # An unmerged path is listed twice; whatever else it is, it is an edit.
    return Changes(frozenset(added - modified), frozenset(modified), frozenset(deleted - modified - added), renamed)


def _merge(known: Changes, untracked: frozenset[str]) -> Changes:
    # Removed from the index but still there: neither gone nor new.
    back = untracked & known.deleted
    return Changes(
        known.added | (untracked - back),
        known.modified | back,
        known.deleted - back,
        known.renamed,
        untracked,
    )

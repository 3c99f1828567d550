"""Which paths differ between an old state and the work tree, or between two commits: end states, not commits."""

from __future__ import annotations

from types import MappingProxyType

from stepfork.git.ahead import LISTING, UNTRACKED
from stepfork.git.command import split_nul, to_bytes, to_text
from stepfork.git.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stepfork.git.ahead import Ahead
    from stepfork.git.checkout import Checkout
    from stepfork.git.command import Running

_RAW = ("--raw", "-z", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-relative", "--no-color")
#: `git diff` reads a file whose times changed and drops it where its content did not; this setting makes it.
_DIFF = ("-c", "diff.autoRefreshIndex=true", "diff", *_RAW, "--ignore-submodules=dirty")


class Changes(Record):
    """Paths from the root of the repository, with forward slashes.

    ``untracked`` are the added ones that git does not know yet. ``renamed`` maps an old path to its new one and is
    empty unless renames were asked for; without, a rename is one path deleted and one added.
    """

    added: frozenset[str] = frozenset()
    modified: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()
    untracked: frozenset[str] = frozenset()
    renamed: Mapping[str, str] = MappingProxyType({})

    @property
    def paths(self) -> frozenset[str]:
        """Every path touched, the old and the new name of each rename included."""
        return self.added | self.modified | self.deleted | self.renamed.keys() | set(self.renamed.values())


def changed_paths(
    checkout: Checkout, base: str, *, committed: bool, paths: Sequence[str] = (), renames: bool = False
) -> Changes:
    """What differs between ``base`` (a commit or tree) and the work tree or, with ``committed``, HEAD.

    The work tree counts with its index, its unstaged edits and the untracked files that no ignore rule names; git
    itself decides what is an edit, line-ending settings included. ``paths`` limits the answer to these folders and
    files from the root. ``renames`` pairs similar files, for which git may have to read them.
    """
    rename = "-M" if renames else "--no-renames"
    if committed:
        return _within(_changes(committed_raw(checkout, base, rename)), paths)
    others = checkout.git.start(*UNTRACKED)
    # No pathspec: a tree compared with an index under one takes time in the square of the entries that it skips
    # (seconds on 50,000 files, git 2.39).
    known = _changes(_read_raw(checkout.git.run(*_DIFF, rename, base).out))
    return _within(_with_untracked(known, _files(others.answer().out)), paths)


class Entry(Record):
    """One difference: ``status`` as git has it (A, M, D, R, T, U), the ``old`` blob, the ``target`` of a rename."""

    status: str
    old: str
    target: str = ""


def committed_raw(checkout: Checkout, base: str, rename: str = "--no-renames") -> dict[str, Entry]:
    """What differs between two commits, from tree entries alone."""
    return _read_raw(checkout.git.run("diff-tree", "-r", *_RAW, rename, base, "HEAD").out)


class WorkTreeWalk:
    """`changed_paths` of the work tree, in steps that git takes while the caller does something else.

    The untracked files take longest and need nothing else to be known: the search for them begins at once, as does the
    listing of the index (``ahead``: they were begun before, and stopping those is the caller's). What is committed or
    staged is found everywhere; edits that are not staged are looked for under the pathspecs given to `look` alone,
    since looking at every file is what takes the time.
    """

    def __init__(self, checkout: Checkout, ahead: tuple[Ahead, Ahead] | None = None) -> None:
        self._checkout = checkout
        self._ahead = ahead
        self._untracked: Running | None = None if ahead else checkout.git.start(*UNTRACKED)
        self._listing: Running | None = None if ahead else checkout.git.start(*LISTING)
        self._staged: Running | None = None
        self._edited: list[Running] = []

    def compare(self, base: str) -> None:
        """Begin to compare the index with a commit or tree."""
        # No pathspec: see `changed_paths`.
        self._staged = self._checkout.git.start("diff", "--cached", *_RAW, "--no-renames", base, "--")

    def listing(self) -> bytes:
        """Every path of the index, as fields ended by NUL."""
        return self._output(1, self._listing, LISTING)

    def look(self, pathspecs: Sequence[str]) -> None:
        """Begin to look for edits that are not staged; no pathspec: everywhere. More may be looked at in turn."""
        self._edited.append(self._checkout.git.start(*_DIFF, "--no-renames", "--", *pathspecs))

    def changes(self) -> Changes:
        """All of it, after `compare` and `look`."""
        assert self._staged is not None, "compare comes first"
        assert self._edited, "look comes first"
        staged = _read_raw(self._staged.answer().out)
        edited = {path: entry for one in self._edited for path, entry in _read_raw(one.answer().out).items()}
        both = [path for path, entry in edited.items() if entry.status == "M" and path in staged]
        back = _back_at(self._checkout, {path: staged[path].old for path in both if staged[path].status == "M"})
        merged = dict(staged)
        for path, entry in edited.items():
            status = staged[path].status if path in staged else ""
            if path in back or (entry.status == "D" and status == "A"):
                del merged[path]
            elif not (entry.status == "M" and status == "A"):
                merged[path] = entry
        return _with_untracked(_changes(merged), _files(self._output(0, self._untracked, UNTRACKED)))

    def _output(self, which: int, running: Running | None, arguments: tuple[str, ...]) -> bytes:
        found = self._ahead[which].output() if self._ahead is not None else None
        if found is not None:
            return found
        return (running or self._checkout.git.start(*arguments)).answer().out

    def stop(self) -> None:
        """End what still runs."""
        for running in (self._untracked, self._listing, self._staged, *self._edited):
            if running is not None:
                running.stop()


def untracked_files(checkout: Checkout) -> frozenset[str]:
    """The files that git does not know and no ignore rule names."""
    return _files(checkout.git.run(*UNTRACKED).out)


def _files(output: bytes) -> frozenset[str]:
    """Untracked files; nested repositories, which git gives as folders, are left out."""
    return frozenset(path for path in split_nul(output) if not path.endswith("/"))


def _back_at(checkout: Checkout, old: Mapping[str, str]) -> set[str]:
    """The files that a staged edit changed and an unstaged one changed back: as they are, they are the old blob."""
    wanted = [path for path in old if "\n" not in path]
    if not wanted:
        return set()
    feed = b"".join(to_bytes(path) + b"\n" for path in wanted)
    answer = checkout.git.run("hash-object", "--stdin-paths", data=feed, codes=(0, 128))
    hashes = to_text(answer.out).split("\n")
    return {path for path, blob in zip(wanted, hashes, strict=False) if blob == old[path]} if not answer.code else set()


def _read_raw(data: bytes) -> dict[str, Entry]:
    """git's raw form: ``:mode mode id id STATUS`` and one path, or two for a rename, each ended by NUL."""
    fields = iter(split_nul(data))
    found: dict[str, Entry] = {}
    for head in fields:
        words = head.split(" ")
        status, old = words[-1][:1], words[2]
        path = next(fields, "")
        if status == "R":
            found[path] = Entry("R", old, next(fields, ""))
        elif status == "C":
            found[next(fields, "")] = Entry("A", old)
        elif path in found:  # an unmerged path is listed twice; whatever else it is, it is an edit
            found[path] = Entry("U", old)
        else:
            found[path] = Entry(status, old)
    return found


def _changes(entries: Mapping[str, Entry]) -> Changes:
    by_status: dict[str, set[str]] = {}
    for path, entry in entries.items():
        by_status.setdefault(entry.status, set()).add(path)
    added, deleted = by_status.pop("A", set()), by_status.pop("D", set())
    renamed = {path: entries[path].target for path in by_status.pop("R", ())}
    modified = frozenset[str]().union(*by_status.values())
    return Changes(frozenset(added), modified, frozenset(deleted), renamed=renamed)


def _with_untracked(known: Changes, untracked: frozenset[str]) -> Changes:
    # Removed from the index but still there: neither gone nor new.
    back = untracked & known.deleted
    return Changes(
        known.added | (untracked - back), known.modified | back, known.deleted - back, untracked, known.renamed
    )


def _within(found: Changes, paths: Sequence[str]) -> Changes:
    if not paths:
        return found
    added, modified, deleted, untracked = (
        frozenset(path for path in part if within(path, paths))
        for part in (found.added, found.modified, found.deleted, found.untracked)
    )
    renamed = {old: new for old, new in found.renamed.items() if within(old, paths) or within(new, paths)}
    return Changes(added, modified, deleted, untracked, renamed)


def within(path: str, limits: Sequence[str]) -> bool:
    """Whether ``path`` is one of the files or stands below one of the folders of ``limits``; no limit: always."""
    return not limits or any(path == top or path.startswith(top.rstrip("/") + "/") or top == "" for top in limits)

"""Revisions of the repository around a store, read in process and without a checkout."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepfork.errors import GitError
from stepfork.git.checkout import Checkout, find_checkout
from stepfork.git.command import to_bytes, to_text
from stepfork.git.objects import SUBMODULE_MODE, TREE_MODE, Objects, parse_tree, tree_of_commit

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from dulwich.repo import Repo

    from stepfork.git.staged_tree import StagedTree


class RevisionTree:
    """The files of one commit. Paths are relative to the root of the repository, with forward slashes."""

    def __init__(self, commit: str, tree: str, objects: Objects) -> None:
        self.commit = commit
        self._root = tree
        self._objects = objects
        self._trees: dict[str, dict[bytes, tuple[int, str]]] = {}

    def read(self, path: str) -> bytes | None:
        """The bytes of the file at ``path`` as git stores them; None where the commit has no such file.

        A blob that a partial clone lacks is fetched by git; `GitError` where that fails.
        """
        entry = self._find(path)
        if entry is None or entry[0] in (TREE_MODE, SUBMODULE_MODE):
            return None
        return self._objects.get(entry[1])

    def read_many(self, paths: Sequence[str]) -> dict[str, bytes]:
        """`read` for several files, with one fetch for those that a partial clone lacks; absent ones are left out."""
        entries = {path: entry for path in paths if (entry := self._find(path)) is not None}
        blobs = {path: one for path, (mode, one) in entries.items() if mode not in (TREE_MODE, SUBMODULE_MODE)}
        content = self._objects.get_many(list(blobs.values()))
        return {path: content[one] for path, one in blobs.items()}

    def list(self, prefix: str = "") -> dict[str, str]:
        """Path → blob id for every file below the folder ``prefix`` (or that one file), from tree entries alone."""
        top = prefix.strip("/")
        entry = self._find(top) if top else (TREE_MODE, self._root)
        found: dict[str, str] = {}
        pending = [(top, entry)] if entry is not None else []
        while pending:
            path, (mode, one) = pending.pop()
            if mode == TREE_MODE:
                start = f"{path}/" if path else ""
                pending.extend((start + to_text(name), child) for name, child in self._entries(one).items())
            elif mode != SUBMODULE_MODE:
                found[path] = one
        return dict(sorted(found.items()))

    def _find(self, path: str) -> tuple[int, str] | None:
        mode, one = TREE_MODE, self._root
        for part in path.strip("/").split("/"):
            if mode != TREE_MODE:
                return None
            entry = self._entries(one).get(to_bytes(part))
            if entry is None:
                return None
            mode, one = entry
        return mode, one

    def _entries(self, tree: str) -> dict[bytes, tuple[int, str]]:
        if tree not in self._trees:
            self._trees[tree] = parse_tree(self._objects.get(tree), len(tree) // 2)
        return self._trees[tree]


class Repository:
    """The repository of a work tree; ``root`` is the top of that work tree, absolute.

    Revisions, which have a language of their own, are resolved by the git program; objects are read by dulwich in
    process. Each stands in for the other: without the git program plain revisions (branches, tags, ids, ``HEAD~3``)
    still work; where dulwich cannot open the repository or has not an object, git reads it.
    """

    def __init__(self, root: Path, checkout: Checkout | None, repo: Repo | None) -> None:
        self.root = root
        self._checkout = checkout
        self._repo = repo
        self._objects = Objects(repo, checkout)

    @classmethod
    def find(cls, path: str | os.PathLike[str], environ: Mapping[str, str] | None = None) -> Repository | None:
        """The repository whose work tree holds ``path``, or None; ``environ`` as for `open_checkout`."""
        try:
            checkout = find_checkout(path, environ)
        except GitError as error:
            if not isinstance(error.__cause__, FileNotFoundError):  # only a missing program has this cause
                raise
            return cls._without_program(path)
        if checkout is None:
            return None
        return cls(Path(checkout.root), checkout, _open(checkout.root))

    @classmethod
    def _without_program(cls, path: str | os.PathLike[str]) -> Repository | None:
        start = Path(path).resolve()
        top = next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), None)
        repo = _open(str(top)) if top is not None else None
        return cls(top, None, repo) if top is not None and repo is not None else None

    def resolve(self, revision: str) -> str:
        """The full id of the commit that ``revision`` names; `GitError` where it names none."""
        wrong = GitError(f"no such revision: {ascii(revision)[1:-1]}")
        if not revision or revision.startswith("-") or "\0" in revision:
            raise wrong
        if self._checkout is None:
            return self._resolve_in_process(revision, wrong)
        answer = self._checkout.git.run(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", codes=(0, 1, 128)
        )
        found = answer.out.decode("ascii", "replace").strip()
        if answer.code or not found:
            raise wrong
        return found

    def merge_base(self, old: str, new: str) -> str:
        """The best common ancestor of two revisions; `GitError` where no history joins them."""
        one, other = self.resolve(old), self.resolve(new)
        found = self._checkout.merge_base(one, other) if self._checkout else self._base_in_process(one, other)
        if found is None:
            shallow = self._checkout is not None and self._checkout.shallow
            raise GitError(
                f"no common history of {ascii(old)[1:-1]} and {ascii(new)[1:-1]}",
                fix="git fetch --unshallow" if shallow else None,
            )
        return found

    def tree(self, revision: str) -> RevisionTree:
        """The files of ``revision``; `GitError` where it names no commit."""
        commit = self.resolve(revision)
        return RevisionTree(commit, tree_of_commit(self._objects.get(commit)), self._objects)

    def staged(self) -> StagedTree:
        """The files that are staged."""
        from stepfork.git.staged_tree import StagedTree

        return StagedTree(self._program())

    def skipped(self, folder: str) -> frozenset[str]:
        """The files below ``folder`` that a sparse checkout leaves out of the work tree."""
        from stepfork.git.sparse import skipped_paths

        return frozenset() if self._checkout is None else skipped_paths(self._checkout, folder)

    def _program(self) -> Checkout:
        if self._checkout is None:
            raise GitError("the index is read by the git program, which was not found")
        return self._checkout

    def _resolve_in_process(self, revision: str, wrong: GitError) -> str:
        from dulwich.objectspec import parse_commit, parse_object

        repo = self._need()
        try:
            # The second knows ~ and ^, the first peels tags.
            return _hex(parse_commit(repo, parse_object(repo, to_bytes(revision)).id).id)
        except MemoryError:
            raise
        except Exception:
            raise wrong from None

    def _base_in_process(self, one: str, other: str) -> str | None:
        from dulwich.graph import find_merge_base
        from dulwich.objects import ObjectID

        with suppress(KeyError):  # a shallow clone's missing parent
            found = find_merge_base(self._need(), [ObjectID(one.encode()), ObjectID(other.encode())])
            return _hex(found[0]) if found else None
        return None

    def _need(self) -> Repo:
        if self._repo is None:
            raise GitError("this repository can be read by the git program alone, which was not found")
        return self._repo


def _open(root: str) -> Repo | None:
    """dulwich's view of a repository; None for a form that it does not know (the git program then reads it all)."""
    from dulwich.repo import Repo as Opened

    try:
        return Opened(root)
    except MemoryError:
        raise
    except Exception:
        return None


def _hex(object_id: Any) -> str:
    return bytes(object_id).decode("ascii")

"""A store as the git repository around it sees it: the index, open conflicts, the commits being merged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

from stepfork.canonical.names import name_of
from stepfork.errors import GitError, NotFoundError, StoreError, UsageError
from stepfork.git.checkout import open_checkout
from stepfork.git.history import MOST_PATHS, historic_blobs
from stepfork.git.index import conflicts, read_blobs, read_named, read_objects, staged_entries
from stepfork.store.layout import FIXTURES, OBJECTS, manifest_file, object_file
from stepfork.store.store import Store

Side = Literal["ours", "theirs"]

_COMMITS = {
    "ours": ("HEAD",),
    "theirs": ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "REVERT_HEAD", "refs/stash"),
}
"""Where the two sides of a merge, a cherry-pick, a rebase, a revert or a stash have their files."""


_RECENT = ("HEAD", "HEAD^1", "HEAD^2", *_COMMITS["theirs"])
"""Where an object that a merge dropped is most likely: the merge's own sides."""


class StoreInGit:
    """Raises GitError where there is no git program, or no repository around the store."""

    def __init__(self, store: Store, environ: Mapping[str, str]) -> None:
        self._store = store
        self._checkout = open_checkout(store.root.parent, environ)
        try:
            inside = store.root.resolve().relative_to(Path(self._checkout.root)).as_posix()
        except ValueError:
            raise GitError("the store is outside the repository", where=str(store.root)) from None
        self._prefix = f"{inside}/"
        self._trees: dict[str, dict[str, str]] = {}

    def path(self, below: str) -> str:
        """The path from the repository's root of what stands at `below` in the store."""
        return self._prefix + below

    def shown(self, path: str) -> str:
        """A path from the repository's root as messages of the store call it."""
        return f"{self._store.root.name}/{path.removeprefix(self._prefix)}"

    def is_manifest(self, path: str) -> bool:
        """Whether a path from the repository's root is that of a manifest."""
        return path.startswith(self.path(f"{FIXTURES}/")) and path.endswith(".json")

    def fixture(self, path: str) -> str:
        """The name of the fixture whose manifest has that path from the repository's root."""
        return path.removeprefix(self.path(f"{FIXTURES}/")).removesuffix(".json")

    def staged(self, *, changed_only: bool = False) -> dict[str, str]:
        """Path and blob of each of the store's files in the index; `changed_only`: that HEAD has not, or otherwise."""
        return staged_entries(self._checkout, [self._prefix], changed_only=changed_only)

    def bytes_of(self, blobs: Mapping[str, str]) -> dict[str, bytes]:
        """The bytes of each path's blob."""
        read = read_blobs(self._checkout, blobs.values())
        return {path: read[blob] for path, blob in blobs.items()}

    def staged_manifests(self) -> list[bytes]:
        """The bytes of all manifests in the index, of all sides where one is in conflict."""
        blobs = {blob for path, blob in self.staged().items() if self.is_manifest(path)}
        for stages in conflicts(self._checkout, [self.path(FIXTURES)]).values():
            blobs.update(stages.values())
        return list(read_blobs(self._checkout, blobs).values())

    def manifests_of_all_refs(self) -> list[bytes]:
        """The bytes of every manifest of every commit that a ref (or HEAD) reaches."""
        limit = f":(top,literal){self.path(FIXTURES)}"
        listed = self._checkout.git.run("rev-list", "--objects", "--all", "HEAD", "--", limit, codes=(0, 128)).out
        blobs = []
        for line in listed.splitlines():
            blob, _, path = line.partition(b" ")
            if path.endswith(b".json"):
                blobs.append(blob.decode())
        return read_objects(self._checkout, blobs) if blobs else []

    def unmerged(self) -> list[str]:
        """The store's files, below the store, that git waits to be told about: a merge left them open."""
        return sorted(path.removeprefix(self._prefix) for path in conflicts(self._checkout, [self._prefix]))

    def sides(self, name: str) -> tuple[bytes | None, bytes | None]:
        """Our and their manifest of a fixture in conflict, None where a side deleted it. Raises UsageError."""
        path = self.path(manifest_file(name))
        stages = conflicts(self._checkout, [path]).get(path)
        if stages is None:
            raise UsageError("is not in conflict", where=self.shown(path), fix="git status lists what is")
        blobs = [stages.get(2), stages.get(3)]
        read = read_blobs(self._checkout, [blob for blob in blobs if blob])
        ours, theirs = (read.get(blob or "") for blob in blobs)
        return ours, theirs

    def object_of(self, name: str, side: Side) -> bytes:
        """An object from the work tree, or from that side's commit where the merge removed it. Raises NotFoundError."""
        try:
            return self._store.objects.get(name)
        except StoreError:
            path = self.path(object_file(name))
            for commit in _COMMITS[side]:
                blob = self._tree(commit).get(path)
                data = read_objects(self._checkout, [blob])[0] if blob else b""
                if name_of(data) == name:
                    return data
        where = self.shown(self.path(object_file(name)))
        raise NotFoundError(f"the object is neither in the work tree nor on {_whose(side)} side", where=where)

    def recover(self, names: Collection[str]) -> dict[str, tuple[bytes, str]]:
        """Objects by name, each with the place where git has it, verified; those that git has nowhere are left out."""
        found: dict[str, tuple[bytes, str]] = {}
        self._take(found, names, "the index", {path: [blob] for path, blob in self.staged().items()})
        for commit in _RECENT:
            if found.keys() >= set(names):
                return found
            self._take(found, names, commit, {path: [blob] for path, blob in self._tree(commit).items()})
        self._take(found, names, "an older commit or another branch", self._history(set(names) - found.keys()))
        return found

    def _take(
        self,
        found: dict[str, tuple[bytes, str]],
        names: Collection[str],
        source: str,
        blobs: Mapping[str, Collection[str]],
    ) -> None:
        """Add to `found` those of the objects that one of the blobs of its path is."""
        wanted = {(name, blob) for name in names if name not in found for blob in blobs.get(self._object(name), ())}
        read = (
            dict(zip(wanted, read_named(self._checkout, [blob for _, blob in wanted]), strict=True)) if wanted else {}
        )
        for (name, _), data in read.items():
            if data is not None and name_of(data) == name:
                found[name] = (data, source)

    def _history(self, names: Collection[str]) -> dict[str, list[str]]:
        """Path and all blobs of each of the objects' files in any commit that a ref or the reflog knows."""
        found: dict[str, list[str]] = {}
        paths = [self._object(name) for name in sorted(names)]
        limits = [f":(top,literal){path}" for path in (paths if len(paths) <= MOST_PATHS else [self.path(OBJECTS)])]
        for path, blob in historic_blobs(self._checkout.git, limits) if limits else ():
            found.setdefault(path, []).append(blob)
        return found

    def _object(self, name: str) -> str:
        return self.path(object_file(name))

    def _tree(self, commit: str) -> dict[str, str]:
        """Path and blob of the store's objects in a commit; empty where there is no such commit."""
        if commit not in self._trees:
            found: dict[str, str] = {}
            known = self._checkout.commits([commit])[0]
            if known is not None:
                limit = self.path(OBJECTS)
                answer = self._checkout.git.run("ls-tree", "-r", "-z", "--full-tree", known, "--", limit)
                for entry in answer.out.decode("utf-8", "surrogateescape").split("\0")[:-1]:
                    head, _, path = entry.partition("\t")
                    found[path] = head.split(" ")[2]
            self._trees[commit] = found
        return self._trees[commit]


def _whose(side: Side) -> str:
    return "our" if side == "ours" else "their"

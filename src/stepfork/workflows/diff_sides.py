"""All fixtures of one state: a revision, the index, the work tree.

Of a fixture that git calls unmerged the index and the work tree have one side's run, or a mixture: neither is opened.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from stepfork.errors import GitError, StoreError, UsageError
from stepfork.store.finding import Finding
from stepfork.store.layout import manifest_file
from stepfork.trace.fixture import Fixture
from stepfork.workflows.locate import Locator, Tree
from stepfork.workflows.maintenance import unmerged_files


@dataclass(frozen=True)
class Side:
    """`fingerprints` has one for each fixture, by name: equal ones are equal manifests; "" where it cannot be read.

    `open` gives a fixture, under the name of its path, and `manifest` the bytes of its manifest; None where there is
    none. Both raise StoreError and GitError.
    """

    fingerprints: Mapping[str, str]
    open: Callable[[str], Fixture | None]
    manifest: Callable[[str], bytes | None]


def revision_side(locator: Locator, revision: str) -> Side:
    """What a revision has."""
    return _tree_side(locator, locator.tree(revision), revision)


def head_side(locator: Locator, *, may_lack: bool = False) -> Side:
    """What HEAD has. Raises UsageError where there is no commit yet; with `may_lack` that is no fixture."""
    locator.need_repository()
    try:
        return revision_side(locator, "HEAD")
    except GitError as error:
        if may_lack:
            return Side({}, lambda _: None, lambda _: None)
        raise UsageError("there is no commit yet to compare with", fix="commit, or name two things") from error


def index_side(locator: Locator) -> Side:
    """What is staged."""
    return _merged(_tree_side(locator, locator.need_repository().staged(), "the index"), locator)


def check_merged(locator: Locator, name: str) -> None:
    """Raises StoreError where git calls a fixture of the store unmerged."""
    _refuse(_unmerged(locator), name)


def work_tree_side(locator: Locator) -> Side:
    """What lies on the disk, and what a sparse checkout keeps from it, as it is staged."""
    store = locator.need_store()
    names = set(store.names())
    skipped = _skipped(locator) - names
    staged = index_side(locator) if skipped else None
    blob = partial(_blob, "sha256" if _has_long_ids(locator) else "sha1")

    def fingerprint(name: str) -> str:
        try:
            return blob(store.manifest(name))
        except StoreError:  # said when it is opened
            return ""

    def open_fixture(name: str) -> Fixture | None:
        if name in names:
            return store.read(name)
        return staged.open(name) if staged is not None and name in skipped else None

    def manifest(name: str) -> bytes | None:
        if name in names:
            return store.manifest(name)
        return staged.manifest(name) if staged is not None and name in skipped else None

    known = {name: fingerprint(name) for name in names}
    known |= {} if staged is None else {name: staged.fingerprints[name] for name in skipped}
    return _merged(Side(known, open_fixture, manifest), locator)


def _merged(side: Side, locator: Locator) -> Side:
    """A side of which unmerged fixtures differ from anything, and cannot be opened."""
    unmerged = _unmerged(locator)
    if not unmerged:
        return side

    def open_fixture(name: str) -> Fixture | None:
        _refuse(unmerged, name)
        return side.open(name)

    def manifest(name: str) -> bytes | None:
        _refuse(unmerged, name)
        return side.manifest(name)

    return Side({**side.fingerprints, **dict.fromkeys(unmerged, "")}, open_fixture, manifest)


def _unmerged(locator: Locator) -> dict[str, Finding]:
    if locator.store is None or locator.repository is None:
        return {}
    return {name: finding for finding in unmerged_files(locator.store) for name in finding.fixtures}


def _refuse(unmerged: Mapping[str, Finding], name: str) -> None:
    if name in unmerged:
        finding = unmerged[name]
        raise StoreError(finding.what, where=finding.path, fix=finding.fix)


def _tree_side(locator: Locator, tree: Tree, shown: str) -> Side:
    def open_fixture(name: str) -> Fixture | None:
        loaded = locator.at(tree, name, shown)
        return None if loaded is None else loaded.fixture

    def manifest(name: str) -> bytes | None:
        return tree.read(locator.prefix() + manifest_file(name))

    return Side(locator.manifests_at(tree), open_fixture, manifest)


def _skipped(locator: Locator) -> set[str]:
    if locator.repository is None:
        return set()
    start = f"{locator.prefix()}fixtures/"
    paths = locator.repository.skipped(start)
    return {path.removeprefix(start).removesuffix(".json") for path in paths if path.endswith(".json")}


def _has_long_ids(locator: Locator) -> bool:
    try:
        return locator.repository is not None and len(locator.repository.resolve("HEAD")) > 40
    except GitError:
        return False


def _blob(kind: str, data: bytes) -> str:
    """The id that git gives these bytes, so that a manifest compares with a tree's entry unread. With line ends as git
    would store them: where it turns them on checkout, no fixture has changed."""
    data = data.replace(b"\r\n", b"\n")
    return hashlib.new(kind, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

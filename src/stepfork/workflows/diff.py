"""Fixtures compared: two of them, or all that differ between two revisions, or HEAD and the work tree."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.errors import GitError, NotFoundError, StoreError, UsageError
from stepfork.trace.fixture import Fixture
from stepfork.workflows.locate import Locator, Reading


@dataclass(frozen=True)
class DiffReport:
    """`pairs` has a diff for each fixture compared, in order of name; `several` where fixtures were looked for.

    `sides` has what each pair was made from, (old, new), None for a side that is not there. `unread` says for each
    fixture that differs and that cannot be read on a side why not, its name in front.
    """

    pairs: tuple[FixtureDiff, ...]
    several: bool
    sides: tuple[tuple[Fixture | None, Fixture | None], ...]
    unread: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether any pair differs in meaning."""
        return any(pair.changed for pair in self.pairs)


@dataclass(frozen=True)
class _Side:
    """All fixtures of a revision or of the work tree: a fingerprint each, "" where it has none, and how to open one."""

    fingerprints: dict[str, str]
    open: Callable[[str], Fixture | None]


def diff(locator: Locator, words: tuple[str, ...], options: DiffOptions) -> DiffReport:
    """What differs. No word: HEAD and the work tree; one fixture: HEAD's and the work tree's; one revision: that and
    the work tree; ``A..B`` and ``A...B``: two revisions (the second form from their merge base); two words: those."""
    if len(words) > 2:
        raise UsageError("diff compares two things at most")
    if len(words) == 1 and (ends := _range(locator, words[0])):
        return _sides(_revision(locator, ends[0]), _revision(locator, ends[1]), options)
    match _readings(locator, words):
        case []:
            return _sides(_head(locator), _work_tree(locator), options)
        case [Reading(kind="revision") as old]:
            return _sides(_revision(locator, old.revision), _work_tree(locator), options)
        case [Reading(kind="name") as one]:
            return _one(locator, one, options)
        case [Reading() as one]:
            raise UsageError(f"{one.word!r} needs something to compare with")
        case [Reading(kind="revision") as old, Reading(kind="revision") as new]:
            return _sides(_revision(locator, old.revision), _revision(locator, new.revision), options)
        case [old, new] if "revision" in (old.kind, new.kind):
            odd = old if old.kind == "revision" else new
            raise UsageError(f"{odd.word!r} is a revision and the other is a fixture", fix=f"write {odd.word}:NAME")
        case [old, new]:
            return _pair(locator.open(old), locator.open(new), options)
    raise UsageError("diff compares two things at most")


def _range(locator: Locator, word: str) -> tuple[str, str] | None:
    for dots in ("...", ".."):
        old, found, new = word.partition(dots)
        if found and not (locator.cwd / word).exists():
            old, new = old or "HEAD", new or "HEAD"
            return (locator.need_repository().merge_base(old, new) if dots == "..." else old), new
    return None


def _readings(locator: Locator, words: tuple[str, ...]) -> list[Reading]:
    """What the words name. Beside a fixture, a word that is a fixture and a revision is the fixture; a fixture that is
    gone from the work tree is the one that HEAD has."""
    gone = locator.removed(words[0]) if len(words) == 1 else None
    try:
        found = [locator.readings(word) for word in words]
    except NotFoundError:
        if gone is None:
            raise
        return [gone]
    if gone is not None and found[0][0].kind == "revision":
        found = [(gone, *found[0])]
    beside_fixture = any(len(one) == 1 and one[0].kind != "revision" for one in found)
    return [one[0] if beside_fixture else locator.only(one) for one in found]


def _one(locator: Locator, one: Reading, options: DiffOptions) -> DiffReport:
    old, new = _head(locator).open(one.name), _work_tree(locator).open(one.name)
    return _pair(old, new, options)


def _pair(old: Fixture | None, new: Fixture | None, options: DiffOptions) -> DiffReport:
    return DiffReport((diff_fixtures(old, new, options),), several=False, sides=((old, new),))


def _sides(old: _Side, new: _Side, options: DiffOptions) -> DiffReport:
    names = sorted(old.fingerprints.keys() | new.fingerprints.keys())
    differing = [name for name in names if old.fingerprints.get(name) != new.fingerprints.get(name)]
    pairs, sides, unread = [], [], []
    for name in differing:
        try:
            side = (old.open(name), new.open(name))
            pairs.append(diff_fixtures(*side, options))
            sides.append(side)
        except StoreError as error:
            unread.append(f"{name}: {error}")
    return DiffReport(tuple(pairs), several=True, sides=tuple(sides), unread=tuple(unread))


def _head(locator: Locator) -> _Side:
    locator.need_repository()
    try:
        return _revision(locator, "HEAD")
    except GitError as error:
        raise UsageError("there is no commit yet to compare with", fix="commit, or name two things") from error


def _revision(locator: Locator, revision: str) -> _Side:
    tree = locator.tree(revision)

    def open_fixture(name: str) -> Fixture | None:
        loaded = locator.at(tree, name, revision)
        return None if loaded is None else loaded.fixture

    return _Side(locator.manifests_at(tree), open_fixture)


def _work_tree(locator: Locator) -> _Side:
    store = locator.need_store()
    names = store.names()

    def fingerprint(name: str) -> str:
        try:
            return _blob(store.manifest(name))
        except StoreError:  # said when it is opened
            return ""

    fingerprints = {name: fingerprint(name) for name in names}
    return _Side(fingerprints, lambda name: store.read(name) if name in names else None)


def _blob(data: bytes) -> str:
    """The id that git gives these bytes, so that a manifest compares with a tree's entry unread."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

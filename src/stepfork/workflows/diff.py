"""Fixtures compared: two of them, or all that differ between two states: revisions, the index, the work tree."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.errors import GitError, NotFoundError, StoreError, UsageError
from stepfork.trace.fixture import Fixture
from stepfork.workflows.diff_paths import limited
from stepfork.workflows.diff_renames import renames
from stepfork.workflows.diff_sides import Side, check_merged, head_side, index_side, revision_side, work_tree_side
from stepfork.workflows.locate import Locator, Reading


@dataclass(frozen=True)
class DiffReport:
    """`pairs` has a diff for each fixture compared, in order of name; `several` where fixtures were looked for.

    `unread` says for each fixture that differs and that cannot be read on a side why not, its name in front.
    """

    pairs: tuple[FixtureDiff, ...]
    several: bool
    unread: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether any pair differs in meaning."""
        return any(pair.changed for pair in self.pairs)


@dataclass(frozen=True)
class _Question:
    """What is asked beside the two sides: the parts to compare, and the paths that limit the fixtures."""

    locator: Locator
    options: DiffOptions
    paths: tuple[str, ...]


def diff(
    locator: Locator,
    words: tuple[str, ...],
    options: DiffOptions,
    *,
    cached: bool = False,
    paths: tuple[str, ...] = (),
) -> DiffReport:
    """What differs. No word: HEAD and the work tree; one fixture: HEAD's and the work tree's; ``REV:name``: that and
    the work tree's; one revision: that and the work tree; ``A..B`` and ``A...B``: two revisions (the second form from
    their merge base); two words: those.

    With `cached` the index stands in the work tree's place. `paths` (manifests, folders, patterns) limit the fixtures
    that are looked for; one that no fixture of either side stands at or below is a UsageError.
    """
    _check_count(locator, words, alone=cached)
    question = _Question(locator, options, paths)
    if cached:
        return _cached(question, words)
    if len(words) == 1 and (ends := _range(locator, words[0])):
        return _states(question, revision_side(locator, ends[0]), revision_side(locator, ends[1]))
    match _readings(locator, words):
        case []:
            return _states(question, head_side(locator), work_tree_side(locator))
        case [one]:
            return _since(question, one)
        case [Reading(kind="revision") as old, Reading(kind="revision") as new]:
            return _states(question, revision_side(locator, old.revision), revision_side(locator, new.revision))
        case [one, _] if paths:
            raise _names_one(one.word)
        case [old, new] if "revision" in (old.kind, new.kind):
            odd = old if old.kind == "revision" else new
            raise UsageError(f"{odd.word!r} is a revision and the other is a fixture", fix=f"write {odd.word}:NAME")
        case [old, new]:
            for one in (old, new):
                if one.kind == "name":
                    check_merged(locator, one.name)
            return _pair(locator.open(old), locator.open(new), options)
    raise UsageError("diff compares two things at most")


def _since(question: _Question, one: Reading) -> DiffReport:
    """What became of one thing up to the work tree."""
    locator = question.locator
    if one.kind == "revision":
        return _states(question, revision_side(locator, one.revision), work_tree_side(locator))
    if question.paths:
        raise _names_one(one.word)
    if one.kind == "name":
        return _one(question, one.name, head_side(locator), work_tree_side(locator))
    if one.kind == "at_revision":
        return _named(question, one, revision_side(locator, one.revision), work_tree_side(locator))
    locator.open(one)  # what is no fixture at all says so
    raise UsageError(f"{one.word!r} needs something to compare with", fix="name a second fixture or bundle")


def _names_one(word: str) -> UsageError:
    return UsageError(f"paths limit what is compared, and {word!r} names a fixture", fix="leave one out")


def _cached(question: _Question, words: tuple[str, ...]) -> DiffReport:
    """The index, compared with HEAD or with a revision: all fixtures, or one of them."""
    locator = question.locator
    if len(words) > 1:
        raise UsageError("--cached compares the index with one revision, or one fixture of it with HEAD's")
    staged = index_side(locator)
    if not words:
        return _states(question, head_side(locator, may_lack=True), staged)
    word = words[0]
    head = head_side(locator, may_lack=True)
    name = locator.need_store().name_of_path(locator.cwd / word) or word
    if name not in staged.fingerprints and name not in head.fingerprints:
        one = locator.readings(word)[-1]
        if one.kind not in ("revision", "at_revision"):
            raise UsageError(f"{word!r} is neither staged nor a revision", fix="git add it, or leave --cached out")
        old = revision_side(locator, one.revision)
        return _states(question, old, staged) if one.kind == "revision" else _named(question, one, old, staged)
    if locator.is_revision(word):
        locator.only((Reading("name", word), Reading("revision", word)))
    if question.paths:
        raise _names_one(word)
    return _one(question, name, head, staged)


def _check_count(locator: Locator, words: tuple[str, ...], *, alone: bool) -> None:
    """Two things are compared: three are too many, and so is one beside a range; with `alone`, a range by itself."""
    if len(words) > 2:
        raise UsageError("diff compares two things at most", fix="paths go behind --")
    for word in words if len(words) + alone > 1 else ():
        old, dots, new = word.replace("...", "..").partition("..")
        if dots and all(locator.is_revision(end or "HEAD") for end in (old, new)) and not (locator.cwd / word).exists():
            raise UsageError(f"{word!r} is two revisions already", fix="name it alone")


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
        if gone is not None:
            return [gone]
        for word in words:
            if word and (locator.cwd / word).is_dir():
                raise UsageError(f"{word!r} is a folder", fix=f"-- {word} compares the fixtures below it") from None
        raise
    if gone is not None and found[0][0].kind == "revision":
        found = [(gone, *found[0])]
    beside_fixture = any(len(one) == 1 and one[0].kind != "revision" for one in found)
    return [one[0] if beside_fixture else locator.only(one) for one in found]


def _named(question: _Question, one: Reading, old: Side, new: Side) -> DiffReport:
    """The fixture of a ``REV:name``, there and on another side. Raises NotFoundError where that revision has none."""
    if question.paths:
        raise _names_one(one.word)
    if one.name not in old.fingerprints:
        raise NotFoundError(f"there is no fixture {one.name!r} at {one.revision}")
    return _one(question, one.name, old, new)


def _one(question: _Question, name: str, old: Side, new: Side) -> DiffReport:
    """One fixture on both sides, under another name where it was renamed."""
    before, after = name, name
    if (name in old.fingerprints) != (name in new.fingerprints):
        renamed = renames(old, new)
        before = renamed.get(name, name)
        after = next((one for one, earlier in renamed.items() if earlier == name), name)
    return _pair(old.open(before), new.open(after), question.options, renamed=before != after)


def _pair(old: Fixture | None, new: Fixture | None, options: DiffOptions, *, renamed: bool = False) -> DiffReport:
    return DiffReport((_compared(old, new, options, renamed=renamed),), several=False)


def _compared(old: Fixture | None, new: Fixture | None, options: DiffOptions, *, renamed: bool = False) -> FixtureDiff:
    made = diff_fixtures(old, new, options)
    if renamed and not made.changed:
        return msgspec.structs.replace(made, notes=(*made.notes, "renamed"))
    return made


def _names(old: Side, new: Side) -> list[tuple[str | None, str | None]]:
    """The old and the new name of each fixture, in order of the new one, or of the only one."""
    renamed = renames(old, new)
    found: list[tuple[str | None, str | None]] = [
        (name if name in old.fingerprints else renamed.get(name), name) for name in new.fingerprints
    ]
    kept = renamed.values()
    found += [(name, None) for name in old.fingerprints if name not in new.fingerprints and name not in kept]
    return sorted(found, key=lambda pair: pair[1] or pair[0] or "")


def _states(question: _Question, old: Side, new: Side) -> DiffReport:
    """All fixtures that differ between two states, those that were renamed with their counterparts."""
    pairs, unread = [], []
    for before, after in limited(question.locator, question.paths, _names(old, new)):
        if before and before == after and old.fingerprints[before] == new.fingerprints[after]:
            continue
        try:
            side = None if before is None else old.open(before), None if after is None else new.open(after)
            pairs.append(_compared(*side, question.options, renamed=before is not None and before != after))
        except (StoreError, GitError, UsageError) as error:
            unread.append(f"{after or before}: {error}")
    return DiffReport(tuple(pairs), several=True, unread=tuple(unread))

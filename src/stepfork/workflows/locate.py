"""What a word on the command line names: a fixture, a manifest, a bundle, a revision, or a fixture at a revision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from stepfork.canonical.names import name_of
from stepfork.errors import DamagedError, GitError, ManifestError, NotFoundError, UsageError
from stepfork.git.repository import Repository, RevisionTree
from stepfork.git.staged_tree import StagedTree
from stepfork.store.bundle import bundle_manifest, bundle_objects, is_bundle, read_bundle
from stepfork.store.claim import has_journal, left_journal
from stepfork.store.codec import decode_fixture, encode_fixture
from stepfork.store.layout import FIXTURES, JOURNAL, MANIFEST, manifest_file, object_file
from stepfork.store.manifest import read_manifest
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture

Tree = RevisionTree | StagedTree
"""Files of a commit or of the index."""

Kind = Literal["name", "manifest", "bundle", "revision", "at_revision"]


@dataclass(frozen=True)
class Reading:
    """A word and the one thing that it names; `revision` and `name` are set where the kind has them."""

    kind: Kind
    word: str
    name: str = ""
    revision: str = ""


@dataclass(frozen=True)
class Loaded:
    """A fixture, the bytes of its manifest, and where that stands; `get` gives the bytes of its objects. `is_journal`:
    it was made of what a recording that did not end has left; `left` is the journal that a kill left beside it."""

    fixture: Fixture
    manifest: bytes
    where: str
    get: Callable[[str], bytes]
    is_journal: bool = False
    left: str = ""

    def files(self) -> Iterator[bytes]:
        """The bytes of the manifest, then those of each object."""
        yield self.manifest
        yield from map(self.get, read_manifest(self.manifest, self.where).objects)


class Locator:
    """Reads words against a store and the repository around it; either may be absent (None)."""

    def __init__(self, store: Store | None, repository: Repository | None, cwd: Path) -> None:
        self.store = store
        self.repository = repository
        self.cwd = cwd

    def read(self, word: str) -> Reading:
        """What `word` names. Raises UsageError where it could be two things, NotFoundError where it is nothing."""
        return self.only(self.readings(word))

    def read_fixture(self, word: str) -> Reading:
        """As `read`, where nothing but a fixture can be meant."""
        readings = self.readings(word)
        return next((one for one in readings if one.kind != "revision"), readings[0])

    def only(self, readings: tuple[Reading, ...]) -> Reading:
        """The reading of a word that has but one. Raises UsageError where it has two."""
        if len(readings) > 1:
            word = readings[0].word
            shown = self.need_store().manifest_path(word)
            raise UsageError(
                f"{word!r} is a fixture and a revision",
                fix=f"write {_relative(shown, self.cwd)} for the fixture or refs/heads/{word} for the revision",
            )
        return readings[0]

    def readings(self, word: str) -> tuple[Reading, ...]:
        """All that `word` can name, a fixture before a revision. Raises NotFoundError where it is nothing."""
        path = self.cwd / word
        if path.is_dir() and (is_bundle(path) or has_journal(path)):
            return (Reading("bundle", word),)
        if path.is_file():
            stored = self.store.name_of_path(path) if self.store is not None else None
            return (Reading("manifest", word) if stored is None else Reading("name", word, name=stored),)
        found = [Reading("name", word, name=word)] if self._has(word) else []
        if self.is_revision(word):
            found.append(Reading("revision", word, revision=word))
        if found:
            return tuple(found)
        revision, colon, name = word.partition(":")
        if colon and revision and name and self.is_revision(revision):
            return (Reading("at_revision", word, name=self._name_in(name), revision=revision),)
        if self.store is None:
            raise NotFoundError(
                f"{word!r} is no bundle or revision, and there is no .stepfork here or above",
                fix="stepfork init makes one",
            )
        raise NotFoundError(
            f"{word!r} is no fixture, manifest, bundle or revision", fix="stepfork ls lists the fixtures"
        )

    def removed(self, word: str) -> Reading | None:
        """The fixture of that name, or whose manifest had that path, that HEAD has; None where it has none."""
        if self.store is None or self.repository is None:
            return None
        name = self.store.name_of_path(self.cwd / word) or word
        try:
            known = self.tree("HEAD").read(self.prefix() + manifest_file(name)) is not None
        except (GitError, UsageError):  # no commit yet, or no name of a fixture
            return None
        return Reading("name", word, name=name) if known else None

    def load(self, reading: Reading) -> Loaded:
        """The fixture that `reading` names, with its manifest; a revision alone names none."""
        match reading.kind:
            case "bundle":
                return self._load_bundle(self.cwd / reading.word)
            case "manifest":
                return self._load_manifest(self.cwd / reading.word)
            case "name":
                return self._load_name(reading.name)
            case "at_revision":
                loaded = self.at(self.tree(reading.revision), reading.name, reading.revision)
                if loaded is None:
                    raise NotFoundError(f"there is no fixture {reading.name!r} at {reading.revision}")
                return loaded
        raise UsageError(f"{reading.word!r} is a revision, not a fixture", fix=f"write {reading.word}:NAME")

    def open(self, reading: Reading) -> Fixture:
        """The fixture that `reading` names."""
        return self.load(reading).fixture

    def open_word(self, word: str) -> Fixture:
        """The fixture that `word` names."""
        return self.open(self.read_fixture(word))

    def need_store(self) -> Store:
        """The store. Raises NotFoundError where there is none."""
        if self.store is None:
            raise NotFoundError("there is no .stepfork here or above", fix="stepfork init makes one")
        return self.store

    def need_repository(self) -> Repository:
        """The repository. Raises GitError where there is none."""
        if self.repository is None:
            raise GitError("this is no git repository", fix="name two fixtures or bundles instead")
        return self.repository

    def tree(self, revision: str) -> RevisionTree:
        """The files of a revision."""
        return self.need_repository().tree(revision)

    def prefix(self) -> str:
        """The store's folder inside the repository, with forward slashes and one at the end."""
        inside = _relative(self.need_store().root.resolve(), Path(self.need_repository().root).resolve())
        return f"{inside}/"

    def at(self, tree: Tree, name: str, revision: str) -> Loaded | None:
        """The fixture `name` at a revision; None where that has none of the name."""
        prefix = self.prefix()
        manifest = tree.read(prefix + manifest_file(name))
        if manifest is None:
            return None
        where = f"{revision}:{prefix}{manifest_file(name)}"
        get = _objects_of(tree, prefix, where, _objects_in(manifest))
        fixture = decode_fixture(manifest, get, where=where, name=name)
        # The path says what it is called: a manifest that was moved still has its old name inside.
        return Loaded(msgspec.structs.replace(fixture, name=name), manifest, where, get)

    def manifests_at(self, tree: Tree) -> dict[str, str]:
        """Name and blob id of each manifest at a revision."""
        start = f"{self.prefix()}fixtures/"
        return {
            path.removeprefix(start).removesuffix(".json"): blob
            for path, blob in tree.list(start).items()
            if path.endswith(".json")
        }

    def _load_manifest(self, path: Path) -> Loaded:
        if self.store is not None and (name := self.store.name_of_path(path)) is not None:
            return self._load_name(name)
        if path.name in (MANIFEST, JOURNAL):
            return self._load_bundle(path.parent)
        other = _store_around(path)
        name = None if other is None else other.name_of_path(path)
        if other is None or name is None:
            raise UsageError("is neither a manifest of a store nor a bundle's", where=_relative(path, self.cwd))
        return Loaded(other.read(name), other.manifest(name), _relative(path, self.cwd), other.get)

    def _load_name(self, name: str) -> Loaded:
        store = self.need_store()
        where = store.shown(store.manifest_path(name))
        return Loaded(store.read(name), store.manifest(name), where, store.get)

    def _load_bundle(self, path: Path) -> Loaded:
        if has_journal(path):
            return self._load_journal(path)
        get = bundle_objects(path).get
        left = left_journal(path)
        beside = "" if left is None else _relative(left, self.cwd)
        return Loaded(read_bundle(path), bundle_manifest(path), _relative(path, self.cwd), get, left=beside)

    def _load_journal(self, path: Path) -> Loaded:
        from stepfork.workflows.journal_draft import journal_draft  # most words name what was made of a run long ago

        where = f"{_relative(path, self.cwd)}/{JOURNAL}"
        fixture = journal_draft(path, where)
        encoded = encode_fixture(fixture)
        return Loaded(fixture, encoded.manifest, where, encoded.objects.__getitem__, is_journal=True)

    def _has(self, name: str) -> bool:
        return self.store is not None and name in self.store.names()

    def _name_in(self, word: str) -> str:
        fixtures = f"{self.prefix()}fixtures/"
        return word.removeprefix(fixtures).removesuffix(".json") if word.startswith(fixtures) else word

    def is_revision(self, word: str) -> bool:
        """Whether it names a commit."""
        if self.repository is None or not word or word.startswith("-"):
            return False
        try:
            self.repository.resolve(word)
        except GitError:
            return False
        return True


def _store_around(path: Path) -> Store | None:
    """The store in which `path` would be a manifest: another project's, say."""
    for folder in path.resolve().parents:
        if folder.name == FIXTURES:
            return Store(folder.parent)
    return None


def _objects_in(manifest: bytes) -> list[str]:
    """The objects that a manifest names; none of one that cannot be read, which is said elsewhere."""
    try:
        return list(read_manifest(manifest, "").objects)
    except ManifestError:
        return []


def _objects_of(tree: Tree, prefix: str, where: str, wanted: list[str]) -> Callable[[str], bytes]:
    """Reads objects by their ids; those `wanted` together, the first time that one is: a partial clone fetches them
    at once."""
    read: dict[str, bytes] = {}

    def get(object_id: str) -> bytes:
        path = prefix + object_file(object_id)
        if not read:
            read.update(tree.read_many([prefix + object_file(one) for one in wanted]))
        data = read[path] if path in read else tree.read(path)
        if data is None:
            raise NotFoundError(f"object {object_id} is not in that revision", where=where)
        if name_of(data) != object_id:
            raise DamagedError(f"object {object_id} does not hash to its name", where=where)
        return data

    return get


def _relative(path: Path | str, start: Path) -> str:
    try:
        return Path(path).relative_to(start).as_posix()
    except ValueError:
        return Path(path).as_posix()

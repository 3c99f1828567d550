"""Is everything in a store, or a bundle, what it says it is?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError, DamagedError, NotFoundError, StoreError, UsageError
from stepfork.store.codec import decode_fixture
from stepfork.store.files import TEMPORARY, read_plain
from stepfork.store.finding import Finding, Kind
from stepfork.store.layout import CONFIG, FAILED, FIXTURES, JOURNAL, MANIFEST, OBJECTS
from stepfork.store.lock import LOCK_FILE
from stepfork.store.manifest import parse_manifest, read_manifest, seal_of
from stepfork.store.names import check_name, twin
from stepfork.store.objects import object_named, object_path
from stepfork.store.store import Store

_OWN = frozenset({CONFIG, ".gitattributes", ".gitignore"})


class Checked(msgspec.Struct, frozen=True):
    """What was looked at, and what was found: nothing found in nothing looked at is not a clean store."""

    fixtures: int
    objects: int
    findings: tuple[Finding, ...]


def fsck_store(store: Store) -> Checked:
    """Check every file of a store but the drafts. Raises NotFoundError where there is no store."""
    if not store.root.is_dir():
        raise NotFoundError("there is no such store", where=str(store.root), fix="stepfork init")
    return _Check(store.root, store.root.name, bundle=False).checked()


def fsck_bundle(path: Path) -> Checked:
    """Check every file of a bundle. Raises NotFoundError where there is none."""
    if not path.is_dir():
        raise NotFoundError("there is no such bundle", where=str(path))
    return _Check(path, str(path), bundle=True).checked()


class _Check:
    def __init__(self, root: Path, shown: str, *, bundle: bool) -> None:
        self._root = root
        self._shown = shown
        self._bundle = bundle
        self._findings: list[Finding] = []
        self._objects: dict[str, bytes] = {}
        self._broken: set[str] = set()
        self._manifests: dict[str, tuple[str, bytes]] = {}

    def checked(self) -> Checked:
        for path in sorted(self._files(self._root)):
            self._sort(path)
        for name in sorted(self._objects.keys() - self._broken):
            self._check_object(name)
        names = sorted(self._manifests)
        for name in names:
            other = twin(name, names)
            if other is not None:
                self._find("name", self._manifests[name][0], f"differs from the fixture {other} only in case", name)
            self._check_manifest(name, *self._manifests[name])
        findings = tuple(sorted(self._findings, key=lambda finding: (finding.path, finding.kind, finding.what)))
        return Checked(len(names), len(self._objects), findings)

    def _files(self, folder: Path) -> Iterator[str]:
        """The paths of all files below, relative to the root; links and folders that cannot be read are findings."""
        try:
            entries = list(os.scandir(folder))
        except OSError as error:
            self._find("unknown", self._below(folder), f"cannot be read ({error.strerror})")
            return
        for entry in entries:
            path = Path(entry.path)
            if entry.is_symlink():
                self._find("link", self._below(path), "is a symbolic link, which a store never holds")
            elif entry.is_dir():
                if entry.name.endswith(".json"):
                    self._find("unknown", self._below(path), "is a folder where a file should be")
                if self._bundle or path != self._root / FAILED:
                    yield from self._files(path)
            elif entry.name != LOCK_FILE and not (entry.name.startswith(".") and entry.name.endswith(TEMPORARY)):
                yield path.relative_to(self._root).as_posix()

    def _sort(self, path: str) -> None:
        """Read one file as what its place makes it."""
        shown = f"{self._shown}/{path}"
        folder, _, rest = path.partition("/")
        try:
            if folder == OBJECTS and (name := object_named(rest)):
                self._objects[name] = read_plain(self._root / path, shown)
            elif self._bundle and path == MANIFEST:
                self._manifests["manifest"] = (shown, read_plain(self._root / path, shown))
            elif not self._bundle and folder == FIXTURES and rest.endswith(".json"):
                name = check_name(rest.removesuffix(".json"))
                self._manifests[name] = (shown, read_plain(self._root / path, shown))
            elif self._bundle and path == JOURNAL and (self._root / MANIFEST).is_file():
                pass  # of a recording that was killed as it ended; `stepfork.store.claim.clear_left`
            elif self._bundle or path not in _OWN:
                self._find("unknown", shown, "is not part of a " + ("bundle" if self._bundle else "store"))
        except (UsageError, StoreError) as error:
            self._find("unknown", shown, error.what)

    def _check_object(self, name: str) -> None:
        data = self._objects[name]
        shown = f"{self._shown}/{OBJECTS}/{object_path(name)}"
        if name_of(data) != name:
            self._broken.add(name)
            users = self._users(name)
            self._find("hash", shown, "its bytes do not hash to its name", *users, fix=self._remedy(users))
            return
        self._check_canonical(data, shown)

    def _check_canonical(self, data: bytes, shown: str) -> None:
        try:
            if dumps(parse(data)) != data:
                self._find("noncanonical", shown, "is not written in canonical form")
        except CanonicalError as error:
            self._find("noncanonical", shown, error.what)

    def _check_manifest(self, name: str, shown: str, data: bytes) -> None:
        try:
            document = parse_manifest(data, shown, name)
            manifest = read_manifest(data, shown, name)
        except StoreError as error:
            self._find("manifest", shown, f"{error.what}; {error.fix}" if error.fix else error.what, name)
            return
        self._check_canonical(data, shown)
        if seal_of(document) != manifest.seal:
            self._find("edited", shown, "was edited: its seal does not fit", name)
        missing = [item for item in manifest.objects if item not in self._objects]
        for item in missing:
            path, users = f"{self._shown}/{OBJECTS}/{object_path(item)}", self._users(item)
            self._find("missing", path, "is missing", *users, fix=self._remedy(users))
        if self._bundle:
            for item in self._objects.keys() - set(manifest.objects):
                self._find("unknown", f"{self._shown}/{OBJECTS}/{object_path(item)}", "is not an object of the bundle")
        if not missing and not self._broken.intersection(manifest.objects):
            try:
                decode_fixture(data, self._objects.__getitem__, where=shown)
            except DamagedError as error:
                self._find("content", shown, error.what, name)

    def _users(self, object_name: str) -> list[str]:
        wanted = object_name.encode()
        return sorted(name for name, (_, data) in self._manifests.items() if wanted in data)

    def _remedy(self, users: list[str]) -> str:
        """What brings an object back; nothing where nobody needs it, or git is not told where it would be."""
        if self._bundle or not users:
            return ""
        return f"stepfork fsck --restore takes it back from git, stepfork capture --refresh {users[0]} makes a new run"

    def _below(self, path: Path) -> str:
        return f"{self._shown}/{path.relative_to(self._root).as_posix()}"

    def _find(self, kind: Kind, path: str, what: str, *fixtures: str, fix: str = "") -> None:
        finding = Finding(kind, path, what, fixtures, fix)
        if finding not in self._findings:
            self._findings.append(finding)

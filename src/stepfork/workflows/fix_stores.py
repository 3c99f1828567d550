"""Fixtures of stores and bundles on the disk written anew: each is redacted first, and then replaced as a capture
replaces one."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from stepfork.canonical.names import name_of
from stepfork.errors import GitError, StepforkError
from stepfork.store.bundle import bundle_manifest, bundle_objects, write_bundle
from stepfork.store.codec import decode_fixture, encode_fixture
from stepfork.store.encoded import Encoded
from stepfork.store.layout import BUNDLE, MANIFEST, object_file
from stepfork.store.lock import locked
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture
from stepfork.workflows.fix_fixtures import EDITED, Member, not_redacted, without_secrets
from stepfork.workflows.fix_task import FixTask
from stepfork.workflows.store_in_git import StoreInGit


class StoreFix:
    """Fixtures to be replaced; to `told` goes what stays as it is, with the reason. `fixtures` are the manifests and
    bundles that were written anew, `written` their files, `folders` those of their objects, `removed` what is gone."""

    def __init__(self, task: FixTask, told: list[tuple[str, str]]) -> None:
        self.fixtures: list[str] = []
        self.written: list[str] = []
        self.folders: dict[str, None] = {}
        self.removed: set[str] = set()
        self._task = task
        self._told = told
        self._members: dict[tuple[str, str], tuple[str, Member]] = {}
        self._fixtures: list[tuple[Store, str, bytes, Encoded]] = []
        self._bundles: list[tuple[Path, Fixture]] = []
        self._orphans: list[tuple[Store, str, str]] = []
        self._paths: dict[tuple[str, str], str] = {}

    def add(self, path: str, member: Member) -> None:
        """The file at `path` holds a secret: have the fixtures redacted that need it."""
        if member.object is not None:
            self._paths[member.root, member.object] = path
        if member.is_bundle:
            self._members[member.root, MANIFEST] = (path, member)
        else:
            self._members |= {(member.root, name): (path, member) for name in self._users(path, member)}

    def prepare(self) -> None:
        """Redact the fixtures in memory."""
        for (_, name), (path, member) in self._members.items():
            try:
                self._prepare(member, name)
            except StepforkError as error:
                self._told.append((path, not_redacted(error, path)))

    def replace(self, root: Path, fixture: Fixture, expected: bytes, encoded: Encoded) -> None:
        """Have a fixture of the store or the bundle at `root` replaced, if its manifest is still the `expected` one."""
        if root.name.endswith(BUNDLE):
            self._bundles.append((root, fixture))
        else:
            self._fixtures.append((Store(root), fixture.name, expected, encoded))

    def write(self) -> None:
        """Replace what is to be replaced, and remove the objects that no fixture needs."""
        for store, name, expected, encoded in self._fixtures:
            self._write_fixture(store, name, expected, encoded)
        for bundle, fixture in self._bundles:
            self._write_bundle(bundle, fixture)
        for store, name, shown in self._orphans:
            self._remove_orphan(store, name, shown)

    def _users(self, path: str, member: Member) -> list[str]:
        if member.object is None:
            return [member.fixture]
        store = Store(Path(member.root))
        users = store.users(member.object)
        if not users:
            self._orphans.append((store, member.object, path))
        return users

    def _prepare(self, member: Member, name: str) -> None:
        root = Path(member.root)
        manifest = bundle_manifest(root) if member.is_bundle else Store(root).manifest(name)
        made = without_secrets(self._read(member, name, manifest), self._task.secrets)
        encoded = encode_fixture(made)
        if encoded.manifest != manifest:
            self.replace(root, made, manifest, encoded)

    def _read(self, member: Member, name: str, manifest: bytes) -> Fixture:
        """The fixture. An object that somebody typed a secret into is read as it stands: it gets a new name anyway."""
        store, bundle = Store(Path(member.root)), Path(member.root)
        verified = bundle_objects(bundle).get if member.is_bundle else store.get
        objects = bundle_objects(bundle) if member.is_bundle else store.objects

        def get(one: str) -> bytes:
            path = self._paths.get((member.root, one))
            if path is None:
                return verified(one)
            data = objects.unverified(one)
            if name_of(data) != one:
                self._told.append((path, EDITED))
            return data

        where = f"{bundle}/{MANIFEST}" if member.is_bundle else store.shown(store.manifest_path(name))
        fixture = decode_fixture(manifest, get, where=where, name=name)
        return fixture if member.is_bundle else msgspec.structs.replace(fixture, name=name)

    def _write_fixture(self, store: Store, name: str, expected: bytes, encoded: Encoded) -> None:
        path = store.manifest_path(name)
        before = set(store.objects.names())
        try:
            store.install(name, encoded, expected=expected)
        except StepforkError as error:
            self._told.append((_shown(path), str(error)))
            return
        self.fixtures.append(_shown(path))
        self.folders[_shown(store.objects.folder)] = None
        self.written += (_shown(path), *(_shown(store.root / object_file(one)) for one in encoded.objects))
        self.removed.update(str(store.root / object_file(one)) for one in before - set(store.objects.names()))

    def _write_bundle(self, path: Path, fixture: Fixture) -> None:
        before = {str(file) for file in path.rglob("*")}
        try:
            write_bundle(path, fixture, replace=True)
        except StepforkError as error:
            self._told.append((_shown(path), str(error)))
            return
        self.fixtures.append(_shown(path))
        self.written.append(_shown(path))
        self.removed |= before - {str(file) for file in path.rglob("*")}

    def _remove_orphan(self, store: Store, name: str, shown: str) -> None:
        """An object that no fixture needs goes, unless a fixture in the index does."""
        try:
            staged = StoreInGit(store, self._task.environ).staged_manifests()
        except GitError:
            staged = []
        if any(name.encode() in manifest for manifest in staged):
            self._told.append((shown, "is needed by a fixture as it is staged: run it with --staged"))
            return
        with locked(store.root, exclusive=True):
            if name not in store.reached() and store.objects.remove(name):
                self.removed.add(str(store.objects.path(name)))


def _shown(path: Path) -> str:
    return os.path.relpath(path)

"""Fixtures of stores and bundles on the disk written anew: each is redacted first, and then replaced as a capture
replaces one."""

from __future__ import annotations

import os
from pathlib import Path

from stepfork.errors import GitError, StepforkError
from stepfork.store.bundle import MANIFEST, bundle_manifest, read_bundle, write_bundle
from stepfork.store.codec import encode_fixture
from stepfork.store.encoded import Encoded
from stepfork.store.layout import BUNDLE, object_file
from stepfork.store.lock import locked
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture
from stepfork.workflows.fix_fixtures import Member, without_secrets
from stepfork.workflows.fix_task import FixTask
from stepfork.workflows.store_in_git import StoreInGit


class StoreFix:
    """Fixtures to be replaced; to `told` goes what stays as it is, with the reason. `fixtures` are the manifests and
    bundles that were written anew, `written` their files, `removed` those that are gone."""

    def __init__(self, task: FixTask, told: list[tuple[str, str]]) -> None:
        self.fixtures: list[str] = []
        self.written: list[str] = []
        self.removed: set[str] = set()
        self._task = task
        self._told = told
        self._members: dict[tuple[str, str], tuple[str, Member]] = {}
        self._fixtures: list[tuple[Store, str, bytes, Encoded]] = []
        self._bundles: list[tuple[Path, Fixture]] = []
        self._orphans: list[tuple[Store, str, str]] = []

    def add(self, path: str, member: Member) -> None:
        """The file at `path` holds a secret: have the fixtures redacted that need it."""
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
                self._told.append((path, f"its fixture could not be redacted: {error}"))

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
        fixture = read_bundle(root) if member.is_bundle else Store(root).read(name)
        made = without_secrets(fixture, self._task.secrets)
        encoded = encode_fixture(made)
        if encoded.manifest != manifest:
            self.replace(root, made, manifest, encoded)

    def _write_fixture(self, store: Store, name: str, expected: bytes, encoded: Encoded) -> None:
        path = store.manifest_path(name)
        before = set(store.objects.names())
        try:
            store.install(name, encoded, expected=expected)
        except StepforkError as error:
            self._told.append((_shown(path), str(error)))
            return
        self.fixtures.append(_shown(path))
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

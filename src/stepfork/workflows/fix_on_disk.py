"""Files of the disk without their secrets. Everything is prepared first, then put in place file by file, each in one
rename: what is stopped half-way leaves old files and new ones, and none that is half of either."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from stepfork.errors import GitError, ScanError, StepforkError
from stepfork.redact.fix import fixed
from stepfork.store.bundle import MANIFEST, bundle_manifest, read_bundle, write_bundle
from stepfork.store.codec import encode_fixture
from stepfork.store.encoded import Encoded
from stepfork.store.files import replace_file, sync_file, sync_folders, temporary_beside, write_new
from stepfork.store.layout import BUNDLE, object_file
from stepfork.store.lock import locked
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture
from stepfork.workflows.fix_fixtures import Member, member_at, without_secrets
from stepfork.workflows.fix_task import FixTask
from stepfork.workflows.store_in_git import StoreInGit


class DiskFix:
    """What is to be written, and what was: `told` are files that stay as they are, each with the reason, `fixtures` the
    manifests and bundles that were written anew, `written` their files, `removed` those that are gone."""

    def __init__(self, task: FixTask) -> None:
        self.told: list[tuple[str, str]] = []
        self.fixtures: list[str] = []
        self.written: list[str] = []
        self.removed: set[str] = set()
        self._secrets = task.secrets
        self._environ = task.environ
        self._store = task.store_path
        self._files: list[tuple[str, bytes, Path, Path]] = []
        self._fixtures: list[tuple[Store, str, bytes, Encoded]] = []
        self._bundles: list[tuple[Path, Fixture]] = []
        self._orphans: list[tuple[Store, str, str]] = []

    def prepare(self, paths: Iterable[str]) -> None:
        """Redact files in memory, and the fixtures that any of them belongs to."""
        members: dict[tuple[str, str], tuple[str, Member]] = {}
        for path in paths:
            member = member_at(Path(os.path.abspath(path)).as_posix(), self._store)  # noqa: PTH100 (no links)
            if member is None:
                self._prepare_file(path)
            elif member.is_bundle:
                members[member.root, MANIFEST] = (path, member)
            else:
                members |= {(member.root, name): (path, member) for name in self._users(path, member)}
        for (_, name), (path, member) in members.items():
            try:
                self._prepare_fixture(member, name)
            except StepforkError as error:
                self.told.append((path, f"its fixture could not be redacted: {error}"))

    def prepare_bytes(self, path: str, old: bytes, new: bytes, target: Path | None = None) -> None:
        """Have `new` written where `old` stands; `target` is where, if not at `path` itself."""
        target = Path(os.path.realpath(target or path))
        temporary = temporary_beside(target)
        try:
            write_new(temporary, new)
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            sync_file(temporary)
        except OSError as error:
            self.told.append((path, f"cannot be written ({error.strerror})"))
            temporary.unlink(missing_ok=True)
        else:
            self._files.append((path, old, temporary, target))

    def prepare_encoded(self, root: Path, fixture: Fixture, expected: bytes, encoded: Encoded) -> None:
        """Have a fixture of the store or the bundle at `root` replaced."""
        if root.name.endswith(BUNDLE):
            self._bundles.append((root, fixture))
        else:
            self._fixtures.append((Store(root), fixture.name, expected, encoded))

    def write(self) -> None:
        """Put everything in place. A file that someone else changed meanwhile stays."""
        for path, old, temporary, target in self._files:
            try:
                if target.read_bytes() == old:
                    replace_file(temporary, target)
                else:
                    self.told.append((path, "was changed by someone else meanwhile"))
            except OSError as error:
                self.told.append((path, f"cannot be written ({error.strerror})"))
        sync_folders({target.parent for _, _, _, target in self._files})
        for store, name, expected, encoded in self._fixtures:
            self._write_fixture(store, name, expected, encoded)
        for bundle, fixture in self._bundles:
            self._write_bundle(bundle, fixture)
        for store, name, shown in self._orphans:
            self._remove_orphan(store, name, shown)

    def discard(self) -> None:
        """Leave nothing behind of what was prepared and not put in place."""
        for _, _, temporary, _ in self._files:
            temporary.unlink(missing_ok=True)

    def _prepare_file(self, path: str) -> None:
        try:
            old = Path(path).read_bytes()
            new = fixed(old, self._secrets.with_personal, path)
        except ScanError as error:
            self.told.append((path, str(error)))
        except OSError as error:
            self.told.append((path, f"cannot be read ({error.strerror})"))
        else:
            if new != old:
                self.prepare_bytes(path, old, new)

    def _users(self, path: str, member: Member) -> list[str]:
        if member.object is None:
            return [member.fixture]
        store = Store(Path(member.root))
        users = store.users(member.object)
        if not users:
            self._orphans.append((store, member.object, path))
        return users

    def _prepare_fixture(self, member: Member, name: str) -> None:
        root = Path(member.root)
        manifest = bundle_manifest(root) if member.is_bundle else Store(root).manifest(name)
        fixture = read_bundle(root) if member.is_bundle else Store(root).read(name)
        made = without_secrets(fixture, self._secrets)
        encoded = encode_fixture(made)
        if encoded.manifest != manifest:
            self.prepare_encoded(root, made, manifest, encoded)

    def _write_fixture(self, store: Store, name: str, expected: bytes, encoded: Encoded) -> None:
        path = store.manifest_path(name)
        before = set(store.objects.names())
        try:
            store.install(name, encoded, expected=expected)
        except StepforkError as error:
            self.told.append((_shown(path), str(error)))
            return
        self.fixtures.append(_shown(path))
        self.written += (_shown(path), *(_shown(store.root / object_file(one)) for one in encoded.objects))
        self.removed.update(str(store.root / object_file(one)) for one in before - set(store.objects.names()))

    def _write_bundle(self, path: Path, fixture: Fixture) -> None:
        before = {str(file) for file in path.rglob("*")}
        try:
            write_bundle(path, fixture, replace=True)
        except StepforkError as error:
            self.told.append((_shown(path), str(error)))
            return
        self.fixtures.append(_shown(path))
        self.written.append(_shown(path))
        self.removed |= before - {str(file) for file in path.rglob("*")}

    def _remove_orphan(self, store: Store, name: str, shown: str) -> None:
        """An object that no fixture needs goes, unless a fixture in the index does."""
        try:
            staged = StoreInGit(store, self._environ).staged_manifests()
        except GitError:
            staged = []
        if any(name.encode() in manifest for manifest in staged):
            self.told.append((shown, "is needed by a fixture as it is staged: run it with --staged"))
            return
        with locked(store.root, exclusive=True):
            if name not in store.reached() and store.objects.remove(name):
                self.removed.add(str(store.objects.path(name)))


def _shown(path: Path) -> str:
    return os.path.relpath(path)

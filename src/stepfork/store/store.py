"""A store on disk: fixtures by name, objects by content."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from stepfork.errors import BusyError, DamagedError, NotFoundError, StepforkError, StoreError, UsageError
from stepfork.store.codec import Written, decode_fixture, encode_fixture
from stepfork.store.encoded import Encoded
from stepfork.store.files import (
    TEMPORARY,
    check_folder,
    read_plain,
    remove_empty,
    remove_file,
    replace_file,
    temporary_beside,
    write_atomic,
    write_new,
)
from stepfork.store.layout import FIXTURES, OBJECTS, STORE_NAME
from stepfork.store.lock import locked
from stepfork.store.names import check_name, twin
from stepfork.store.objects import ObjectFolder
from stepfork.store.place import is_store
from stepfork.trace.fixture import Fixture

_ANY_ID = re.compile(rb"[0-9a-f]{64}")


class Store:
    """A store in the folder `root` (usually ``.stepfork``). Nothing is read or made before it is asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.fixtures = root / FIXTURES
        self.objects = ObjectFolder(root / OBJECTS, self.shown(root / OBJECTS))

    def shown(self, path: Path) -> str:
        """A path as messages call it: from the store's own folder on, with forward slashes."""
        return (Path(self.root.name) / path.relative_to(self.root)).as_posix()

    def names(self) -> list[str]:
        """The names of all fixtures, sorted; files that no fixture could have are left out (``fsck`` names them).

        Raises DamagedError where there is something else than a folder in the place of all of them.
        """
        check_folder(self.fixtures, self.shown(self.fixtures))
        found = []
        for path in self.fixtures.rglob("*.json"):
            name = path.relative_to(self.fixtures).as_posix().removesuffix(".json")
            try:
                found.append(check_name(name))
            except UsageError:
                continue
        return sorted(found)

    def manifest_path(self, name: str) -> Path:
        """Where the manifest of that name is, whether it exists or not. Raises UsageError for a bad name."""
        return self.fixtures / f"{check_name(name)}.json"

    def name_of_path(self, path: Path) -> str | None:
        """The name of the fixture whose manifest is, or would be, at `path`; None where no fixture's is."""
        try:
            inside = path.resolve().relative_to(self.fixtures.resolve()).as_posix()
            return check_name(inside.removesuffix(".json")) if inside.endswith(".json") else None
        except (ValueError, UsageError):
            return None

    def check_writable(self, name: str) -> None:
        """Raise UsageError or StoreError where a fixture of that name could not be written: asked before a paid run."""
        path = self.manifest_path(name)
        self._check_folders(path)
        check_folder(self.objects.folder, self.objects.shown)
        self._refuse(path, name, must_not_exist=False, fine=None)
        probe = temporary_beside(self.fixtures)
        try:
            write_new(probe, b"")
            remove_file(probe)
        except OSError as error:
            raise StoreError(f"cannot be written ({error.strerror})", where=self.root.name) from None

    def manifest(self, name: str) -> bytes:
        """The bytes of a manifest, unread. Raises NotFoundError or DamagedError."""
        path = self.manifest_path(name)
        self._check_folders(path)
        try:
            return read_plain(path, self.shown(path))
        except NotFoundError:
            raise NotFoundError("there is no such fixture", where=self.shown(path), fix="stepfork ls") from None

    def get(self, name: str) -> bytes:
        """The bytes of an object, verified. The error names the object's file and the fixtures that need it."""
        try:
            return self.objects.get(name)
        except (NotFoundError, DamagedError) as error:
            users = self.users(name)
            needed = f"needed by {', '.join(users)}: " if users else ""
            fix = f"{needed}stepfork fsck --restore takes it back from git, or capture --refresh"
            raise type(error)(error.what, where=error.where, fix=fix) from None

    def users(self, name: str) -> list[str]:
        """The fixtures whose manifests mention an object."""
        wanted = name.encode()
        try:
            return sorted(fixture for fixture, data in self._manifests() if wanted in data)
        except StoreError:  # another manifest cannot be read, which is not what is being reported
            return []

    def read(self, name: str) -> Fixture:
        """The fixture of that name, every byte verified. Raises NotFoundError, ManifestError or DamagedError.

        The path says what it is called, so a manifest may be moved or copied. A fixture that is replaced while it is
        read is read again.
        """
        shown = self.shown(self.manifest_path(name))
        while True:
            data = self.manifest(name)
            try:
                fixture = decode_fixture(data, self.get, where=shown, name=name)
            except NotFoundError:
                if self.manifest(name) == data:
                    raise
            else:
                return msgspec.structs.replace(fixture, name=name)

    def write(self, fixture: Fixture, *, must_not_exist: bool = False, expected: bytes | None = None) -> Written:
        """Store a fixture, replacing the one of its name, and remove the objects that only that one reached.

        A kill at any moment leaves the old fixture or the new one. With `must_not_exist`, and where the manifest is not
        the `expected` one any more (b"": none) nor that of this very run, nothing is replaced: BusyError. Raises
        UsageError for a bad name or one that differs from another only in case, CanonicalError, StoreError.
        """
        encoded = encode_fixture(fixture)
        return self.install(fixture.name, encoded, must_not_exist=must_not_exist, expected=expected)

    def install(
        self,
        name: str,
        encoded: Encoded,
        *,
        must_not_exist: bool = False,
        expected: bytes | None = None,
        abandoned: bytes = b"",
    ) -> Written:
        """As `write`, for a fixture that is encoded already. The objects that the manifest `abandoned` mentions are
        removed too where no other manifest does."""
        path = self.manifest_path(name)
        fine = None if expected is None else (expected, encoded.manifest)
        self._clean_up(wait=False)
        try:
            with locked(self.root, exclusive=False):
                self._refuse(path, name, must_not_exist=must_not_exist, fine=fine)
                path.parent.mkdir(parents=True, exist_ok=True)
                self._check_folders(path)
                # It tells whoever cleans up after a killed writer what was being written.
                journal = temporary_beside(path)
                write_new(journal, encoded.manifest)
                new = self.objects.write_all(encoded.objects)
                self.objects.sync(encoded.objects)
                with locked(self.fixtures, exclusive=True):
                    self._refuse(path, name, must_not_exist=must_not_exist, fine=fine)
                    changed, left = self._publish(path, encoded.manifest, abandoned)
                remove_file(journal)
            removed = self._clean_up(wait=True) if left else []
        except OSError as error:
            self._clean_up(wait=False)
            raise StoreError(f"cannot be written ({error.strerror})", where=self.shown(path)) from None
        except StepforkError:
            self._clean_up(wait=False)
            raise
        return Written(path, len(new), len(removed), encoded.files, encoded.size, changed)

    def put_back(self, objects: Mapping[str, bytes]) -> None:
        """Store objects that manifests mention and that are missing or damaged, durably. Raises StoreError."""
        with locked(self.root, exclusive=False):
            self.objects.write_all(objects)
            self.objects.sync(objects)

    def delete(self, name: str) -> list[str]:
        """Remove a fixture and the objects that only it reached, whose names are returned. Raises NotFoundError."""
        path = self.manifest_path(name)
        self.manifest(name)
        with locked(self.root, exclusive=True):
            replace_file(path, temporary_beside(path))
            removed = self.remove_leftovers()
            remove_empty(path.parent, self.fixtures)
        return removed

    def reached(self) -> set[str]:
        """Every id that any manifest mentions, also one that is damaged or unmerged: nothing of it may be removed."""
        return {match.decode() for _, data in self._manifests() for match in _ANY_ID.findall(data)}

    def _publish(self, path: Path, manifest: bytes, abandoned: bytes) -> tuple[bool, bool]:
        """Put the manifest in place. Whether its bytes are new; whether the one that was there, or `abandoned`, is left
        to be cleaned up."""
        old = path.read_bytes() if path.exists() else b""
        left = b"" if old == manifest else old
        if left or abandoned:
            write_new(temporary_beside(path), left + abandoned)
        if old != manifest:
            write_atomic(path, manifest)
        return old != manifest, bool(left or abandoned)

    def _refuse(self, path: Path, name: str, *, must_not_exist: bool, fine: tuple[bytes, ...] | None) -> None:
        shown = self.shown(path)
        other = twin(name, self.names())
        if other is not None:
            raise UsageError(f"differs from the fixture {other} only in case", where=shown, fix="choose another name")
        if path.is_dir():
            raise StoreError("is a folder where the manifest should be", where=shown, fix="choose another name")
        if must_not_exist and path.exists():
            raise BusyError("the fixture exists already", where=shown, fix="choose another name, or --refresh it")
        if fine is not None and (path.read_bytes() if path.exists() else b"") not in fine:
            raise BusyError("another writer changed the fixture meanwhile", where=shown, fix="look at it and try again")

    def _clean_up(self, *, wait: bool) -> list[str]:
        """Remove what killed or finished writers left behind; with others at work, wait for them or leave it to them.

        Whoever finishes last finds everything, so nothing stays.
        """
        if not any(self._leftovers()):
            return []
        with locked(self.root, exclusive=True, wait=wait) as held:
            return self.remove_leftovers() if held else []

    def remove_leftovers(self) -> list[str]:
        """With the exclusive lock: remove leftovers, and the objects that they mention and no manifest does."""
        leftovers = list(self._leftovers())
        mentioned = {match.decode() for path in leftovers for match in _ANY_ID.findall(path.read_bytes())}
        try:
            removed = [name for name in sorted(mentioned - self.reached()) if self.objects.remove(name)]
        except StoreError:  # while a manifest cannot be read, nobody knows what it reaches
            return []
        for path in leftovers:
            remove_file(path)
        for path in self.objects.folder.glob(f"??/.*{TEMPORARY}"):
            remove_file(path)
        return removed

    def _leftovers(self) -> Iterator[Path]:
        return self.fixtures.rglob(f".*{TEMPORARY}")

    def _manifests(self) -> Iterator[tuple[str, bytes]]:
        """Each manifest's name and bytes. Raises DamagedError for one that cannot be read."""
        check_folder(self.fixtures, self.shown(self.fixtures))
        for path in self.fixtures.rglob("*.json"):
            name = path.relative_to(self.fixtures).as_posix().removesuffix(".json")
            try:
                yield name, read_plain(path, self.shown(path))
            except NotFoundError:  # removed meanwhile
                continue

    def _check_folders(self, path: Path) -> None:
        folder = path.parent
        while folder != self.root:
            check_folder(folder, self.shown(folder))
            folder = folder.parent


def find_store(start: Path, override: str | None = None) -> Store:
    """The store that `override` names, or the nearest ``.stepfork`` above `start`.

    A folder that is named may be a link; one that is found may not: git would see the link alone, and a repository
    could send what is written to wherever it likes. Raises NotFoundError, StoreError.
    """
    if override:
        root = start / override
        if not root.is_dir():
            raise NotFoundError("there is no such store", where=str(root), fix="stepfork init")
        if not is_store(root):
            raise NotFoundError(
                "is a folder and no store", where=str(root), fix=f"name the {STORE_NAME} that init made"
            )
        return Store(root.resolve())
    for folder in (start.resolve(), *start.resolve().parents):
        root = folder / STORE_NAME
        if root.is_symlink():
            raise StoreError(
                "is a symbolic link, beyond which git does not look",
                where=str(root),
                fix="name its target with --store",
            )
        if root.is_dir():
            return Store(root)
    raise NotFoundError(f"no {STORE_NAME} folder here or above", where=str(start), fix="stepfork init makes one")

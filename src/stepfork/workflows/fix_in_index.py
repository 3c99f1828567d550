"""What is staged without its secrets: blobs are redacted and staged again, in the index that git names.

The work tree follows where it has the same; what a user changed there and did not stage stays as it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from stepfork.canonical.names import name_of
from stepfork.errors import DamagedError, NotFoundError, ScanError, StepforkError
from stepfork.git.checkout import open_checkout
from stepfork.git.index import conflicts, read_blobs, staged_entries
from stepfork.git.staging import FILE, LINK, Entry, blob_of, entries_of, stage, write_blob
from stepfork.redact.fix import fixed
from stepfork.store.bundle import MANIFEST
from stepfork.store.codec import decode_fixture, encode_fixture
from stepfork.store.encoded import Encoded
from stepfork.store.layout import FIXTURES, object_file
from stepfork.trace.fixture import Fixture
from stepfork.workflows.checked import Checked
from stepfork.workflows.fix_fixtures import Member, member_at, without_secrets
from stepfork.workflows.fix_on_disk import DiskFix
from stepfork.workflows.fix_task import FixTask

_ANY_ID = re.compile(rb"[0-9a-f]{64}")
_DIFFERS = "the file differs from what was staged, and stays as it is"


class IndexFix:
    """Prepares changes of the index, and has `disk` prepare those of the work tree that go with them. `fixtures` are
    the manifests of fixtures that are staged anew."""

    def __init__(self, task: FixTask, disk: DiskFix) -> None:
        self.secrets = task.secrets
        self._folder = task.folder
        self._wanted = task.wanted
        self.disk = disk
        self._checkout = open_checkout(task.folder, task.environ, committing=True)
        self.fixtures: list[str] = []
        self._changes: dict[str, Entry | None] = {}
        store = task.store_path
        self._store = Path(os.path.relpath(store, self._checkout.root)).as_posix() if store else ""

    def prepare(self, paths: Sequence[str]) -> list[str]:
        """Redact the blobs of paths from the root; those that the index does not know are returned."""
        entries = entries_of(self._checkout, paths)
        open_ = conflicts(self._checkout)
        roots: dict[tuple[str, bool], list[Member]] = {}
        for path, entry in entries.items():
            member = member_at(path, self._store)
            if member is None:
                self._prepare_file(path, entry)
            else:
                roots.setdefault((member.root, member.is_bundle), []).append(member)
        for (root, _), members in roots.items():
            _Fixtures(self, root, members).prepare()
        self.tell(*((path, "is in conflict: resolve it first") for path in paths if path in open_))
        return [path for path in paths if path not in entries and path not in open_]

    def in_work_tree(self, paths: Sequence[str]) -> list[str]:
        """Where paths from the root are, told from here."""
        return [os.path.relpath(self.full(path), self._folder) for path in paths]

    def write(self) -> None:
        """Stage everything that was prepared, in one go."""
        stage(self._checkout, self._changes)

    def tell(self, *told: tuple[str, str]) -> None:
        """Say why files stay as they are."""
        self.disk.told += told

    def full(self, path: str) -> Path:
        """Where a path from the root is in the work tree."""
        return Path(self._checkout.root) / path

    def read(self, blobs: Mapping[str, str]) -> dict[str, bytes]:
        """The bytes of each path's blob."""
        found = read_blobs(self._checkout, blobs.values())
        return {path: found[blob] for path, blob in blobs.items()}

    def staged(self, root: str) -> dict[str, str]:
        """Path and blob of each file below a folder."""
        return staged_entries(self._checkout, (root,))

    def put(self, path: str, data: bytes, mode: str = FILE) -> Entry:
        """Have these bytes staged at a path."""
        entry = Entry(mode, write_blob(self._checkout, data))
        self._changes[path] = entry
        return entry

    def drop(self, path: str) -> None:
        """Have a path taken out of the index."""
        self._changes[path] = None
        self.disk.stores.removed.add(str(self.full(path)))

    def _prepare_file(self, path: str, entry: Entry) -> None:
        if entry.mode == LINK:
            self.tell((path, "is a symbolic link, whose target cannot be redacted"))
            return
        old = self.read({path: entry.blob})[path]
        try:
            new = fixed(old, self._wanted, path)
        except ScanError as error:
            self.tell((path, str(error)))
            return
        if new != old:
            self._follow(path, old, entry, new, self.put(path, new, entry.mode))

    def _follow(self, path: str, old: bytes, entry: Entry, new: bytes, made: Entry) -> None:
        """Have the file in the work tree redacted too, if it is what was staged."""
        full = self.full(path)
        if full.is_symlink() or not full.is_file():
            return
        data = full.read_bytes()
        if data == old:
            self.disk.files.prepare(path, data, new, full)
            return
        if blob_of(self._checkout, path, data) == entry.blob:  # line endings and filters apart
            redacted = fixed(data, self._wanted, path)
            if blob_of(self._checkout, path, redacted) == made.blob:
                self.disk.files.prepare(path, data, redacted, full)
                return
        checked = Checked("disk", self._wanted)
        checked.add(path, data)
        if checked.findings:
            self.tell((path, f"{_DIFFERS}: it holds a secret too"))


class _Fixtures:
    """The fixtures of one store, or of one bundle, as they are staged."""

    def __init__(self, index: IndexFix, root: str, members: Sequence[Member]) -> None:
        self._index = index
        self._root = root
        self._members = members
        self._blobs = index.staged(root)
        is_manifest = re.compile(
            rf"{re.escape(root)}/(?:{MANIFEST if members[0].is_bundle else FIXTURES + '/.+[.]json'})"
        )
        self._manifests = index.read({path: blob for path, blob in self._blobs.items() if is_manifest.fullmatch(path)})

    def prepare(self) -> None:
        """Redact the fixtures that the members belong to; an object that no fixture needs goes."""
        wanted: dict[str, None] = {}
        for member in self._members:
            path = f"{self._root}/{member.inside}"
            name = member.object
            users = [path] if name is None else [at for at, data in self._manifests.items() if name.encode() in data]
            wanted |= dict.fromkeys(users)
            if not users:
                self._index.drop(path)
        made: dict[str, tuple[Fixture, Encoded]] = {}
        for path in wanted:
            try:
                fixture = without_secrets(self._fixture(path), self._index.secrets)
                made[path] = (fixture, encode_fixture(fixture))
            except StepforkError as error:
                self._index.tell((path, f"the fixture could not be redacted: {error}"))
        self._stage({path: pair for path, pair in made.items() if pair[1].manifest != self._manifests[path]})

    def _fixture(self, path: str) -> Fixture:
        name = path.removeprefix(f"{self._root}/{FIXTURES}/").removesuffix(".json")
        fixture = decode_fixture(self._manifests[path], self._object, where=path, name=name)
        return fixture if self._members[0].is_bundle else msgspec.structs.replace(fixture, name=name)

    def _object(self, name: str) -> bytes:
        path = f"{self._root}/{object_file(name)}"
        if path not in self._blobs:
            raise NotFoundError("the object is not staged", where=path)
        data = self._index.read({path: self._blobs[path]})[path]
        if name_of(data) != name:
            raise DamagedError("the object is damaged: its bytes do not hash to its name", where=path)
        return data

    def _stage(self, made: Mapping[str, tuple[Fixture, Encoded]]) -> None:
        after = {**self._manifests, **{path: encoded.manifest for path, (_, encoded) in made.items()}}
        kept = {found for data in after.values() for found in _ANY_ID.findall(data)}
        for path, (fixture, encoded) in made.items():
            self._index.fixtures.append(path)
            self._index.put(path, encoded.manifest)
            for name, data in encoded.objects.items():
                self._index.put(f"{self._root}/{object_file(name)}", data)
            for found in set(_ANY_ID.findall(self._manifests[path])) - kept:
                at = f"{self._root}/{object_file(found.decode())}"
                if at in self._blobs:
                    self._index.drop(at)
            self._follow(path, fixture, encoded)

    def _follow(self, path: str, fixture: Fixture, encoded: Encoded) -> None:
        """Have the fixture in the work tree written anew too, if it is the one that was staged."""
        full = self._index.full(path)
        if not full.is_file():
            return
        if full.read_bytes() == self._manifests[path]:
            root = self._index.full(self._root)
            self._index.disk.stores.replace(root, fixture, self._manifests[path], encoded)
        else:
            self._index.tell((path, _DIFFERS))

"""Fixtures as they are staged, without their secrets: a manifest and all of its objects are staged anew together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from stepfork.canonical.names import name_of
from stepfork.errors import DamagedError, NotFoundError, StepforkError
from stepfork.store.codec import decode_fixture, encode_fixture
from stepfork.store.encoded import Encoded
from stepfork.store.layout import FIXTURES, MANIFEST, object_file
from stepfork.trace.fixture import Fixture
from stepfork.workflows.fix_fixtures import EDITED, Member, not_redacted, without_secrets
from stepfork.workflows.staged_changes import DIFFERS, StagedChanges

_ANY_ID = re.compile(rb"[0-9a-f]{64}")


class StagedFixtures:
    """The fixtures of one store, or of one bundle, as they are staged."""

    def __init__(self, changes: StagedChanges, root: str, members: Sequence[Member]) -> None:
        self._changes = changes
        self._root = root
        self._members = members
        self._secret = {member.object for member in members}
        """Objects with a secret, which somebody may have typed into them: they are read as they are staged."""
        self._blobs = changes.staged(root)
        is_manifest = re.compile(
            rf"{re.escape(root)}/(?:{MANIFEST if members[0].is_bundle else FIXTURES + '/.+[.]json'})"
        )
        self._manifests = changes.read(
            {path: blob for path, blob in self._blobs.items() if is_manifest.fullmatch(path)}
        )

    def prepare(self) -> None:
        """Redact the fixtures that the members belong to; an object that no fixture needs goes."""
        wanted: dict[str, None] = {}
        for member in self._members:
            path = f"{self._root}/{member.inside}"
            name = member.object
            users = [path] if name is None else [at for at, data in self._manifests.items() if name.encode() in data]
            wanted |= dict.fromkeys(users)
            if not users:
                self._changes.drop(path)
        made: dict[str, tuple[Fixture, Encoded]] = {}
        for path in wanted:
            try:
                fixture = without_secrets(self._fixture(path), self._changes.task.secrets)
                made[path] = (fixture, encode_fixture(fixture))
            except StepforkError as error:
                self._changes.tell((path, not_redacted(error, path)))
        self._stage({path: pair for path, pair in made.items() if pair[1].manifest != self._manifests[path]})

    def _fixture(self, path: str) -> Fixture:
        name = path.removeprefix(f"{self._root}/{FIXTURES}/").removesuffix(".json")
        fixture = decode_fixture(self._manifests[path], self._object, where=path, name=name)
        return fixture if self._members[0].is_bundle else msgspec.structs.replace(fixture, name=name)

    def _object(self, name: str) -> bytes:
        path = f"{self._root}/{object_file(name)}"
        if path not in self._blobs:
            raise NotFoundError("the object is not staged", where=path)
        data = self._changes.read({path: self._blobs[path]})[path]
        if name_of(data) != name:
            if name in self._secret:
                self._changes.tell((path, EDITED))
                return data
            raise DamagedError("the object is damaged: its bytes do not hash to its name", where=path)
        return data

    def _stage(self, made: Mapping[str, tuple[Fixture, Encoded]]) -> None:
        after = {**self._manifests, **{path: encoded.manifest for path, (_, encoded) in made.items()}}
        kept = {found for data in after.values() for found in _ANY_ID.findall(data)}
        for path, (fixture, encoded) in made.items():
            self._changes.fixtures.append(path)
            self._changes.put(path, encoded.manifest)
            for name, data in encoded.objects.items():
                self._changes.put(f"{self._root}/{object_file(name)}", data)
            for found in set(_ANY_ID.findall(self._manifests[path])) - kept:
                at = f"{self._root}/{object_file(found.decode())}"
                if at in self._blobs:
                    self._changes.drop(at)
            self._follow(path, fixture, encoded)

    def _follow(self, path: str, fixture: Fixture, encoded: Encoded) -> None:
        """Have the fixture in the work tree written anew too, if it is the one that was staged."""
        full = self._changes.full(path)
        if not full.is_file():
            return
        if full.read_bytes() == self._manifests[path]:
            root = self._changes.full(self._root)
            self._changes.disk.stores.replace(root, fixture, self._manifests[path], encoded)
        else:
            self._changes.tell((path, DIFFERS))

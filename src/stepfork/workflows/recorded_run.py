"""The recording that a test names, read so that nothing of it is taken on trust.

What a verdict rests on must be whole: every object is verified against its name, the manifest against its seal, and
the draft of a failed capture is none. Whether this version would write the run so is asked by `validate` and where a
test is exported, not at each run of a test: a recording outlives the version that wrote it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stepfork.canonical.names import hasher
from stepfork.errors import DamagedError, NotFoundError, StoreError
from stepfork.store.bundle import bundle_manifest, bundle_objects, read_bundle
from stepfork.store.layout import BUNDLE
from stepfork.store.manifest import read_manifest
from stepfork.store.validate import find_edits
from stepfork.trace.fixture import Fixture
from stepfork.workflows.open_fixture import stored_at


@dataclass(frozen=True)
class RecordedRun:
    """A fixture, and the digest of all the bytes that it was read from: those of the manifest, then of each object in
    the manifest's order, each after its length."""

    fixture: Fixture
    digest: str


def read_recorded_run(path: Path, shown: str | None = None) -> RecordedRun:
    """The bundle, or the fixture of a store by the path of its manifest, at `path`; `shown` is how messages call it.

    Raises NotFoundError where there is none, another StoreError where anything of it is not as it was written.
    """
    where = shown or path.as_posix()
    try:
        return _read(path, where)
    except OSError as error:
        raise StoreError(f"cannot be read ({error.strerror})", where=where) from None
    except ValueError:
        raise StoreError("cannot be read (its name is no path)", where=where) from None


def _read(path: Path, where: str) -> RecordedRun:
    stored = stored_at(path)
    if stored is not None:
        store, name = stored
        fixture, manifest, get = store.read(name), store.manifest(name), store.get
    elif path.is_dir() or path.suffix == BUNDLE:
        fixture, manifest, get = read_bundle(path), bundle_manifest(path), bundle_objects(path).get
    else:
        raise NotFoundError(
            "there is no such bundle or fixture", where=where, fix="name the recording with --bundle PATH"
        )
    check_unedited(fixture, manifest, where)
    digest = hasher()
    for part in (manifest, *map(get, read_manifest(manifest, where).objects)):
        digest.update(len(part).to_bytes(8, "big") + part)
    return RecordedRun(fixture, digest.hexdigest())


def check_unedited(fixture: Fixture, manifest: bytes, where: str) -> None:
    """Raise DamagedError where `manifest` is not as it was written, or the draft of a recording that failed."""
    finding = next(iter(find_edits(fixture, manifest, where=where)), None)
    if finding is not None:
        raise DamagedError(finding.what, where=where, fix="record it again, or take it from git")

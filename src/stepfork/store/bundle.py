"""A bundle: one fixture in a folder ``NAME.sftrace`` of its own, with all of its objects."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from stepfork.errors import NotFoundError, StoreError, UsageError
from stepfork.store.claim import has_journal, taken
from stepfork.store.codec import Written, decode_fixture, encode_fixture
from stepfork.store.encoded import Encoded
from stepfork.store.files import (
    check_folder,
    read_plain,
    remove_file,
    replace_file,
    sync_folders,
    temporary_beside,
    write_atomic,
    write_new,
)
from stepfork.store.layout import BUNDLE, JOURNAL, MANIFEST, OBJECTS
from stepfork.store.lock import locked
from stepfork.store.objects import ObjectFolder
from stepfork.trace.fixture import Fixture


def is_bundle(path: Path) -> bool:
    """Whether there is a folder with a manifest at `path`."""
    return (path / MANIFEST).is_file()


def bundle_manifest(path: Path) -> bytes:
    """The bytes of a bundle's manifest. Raises NotFoundError or DamagedError."""
    check_folder(path, str(path))
    if not path.is_dir():
        raise NotFoundError("there is no such bundle", where=str(path))
    if has_journal(path):
        fix = "stepfork show and validate --partial read what there is of it"
        raise NotFoundError("is no bundle: the recording did not end", where=str(path), fix=fix)
    return read_plain(path / MANIFEST, f"{path}/{MANIFEST}")


def bundle_objects(path: Path) -> ObjectFolder:
    """The objects of the bundle at `path`."""
    return ObjectFolder(path / OBJECTS, f"{path}/{OBJECTS}")


def read_bundle(path: Path) -> Fixture:
    """The fixture of a bundle, every byte verified. Raises NotFoundError, ManifestError or DamagedError."""
    return decode_fixture(bundle_manifest(path), bundle_objects(path).get, where=f"{path}/{MANIFEST}")


def check_bundle_path(path: Path, *, replace: bool = False) -> None:
    """Raise UsageError where a bundle could not be written to `path`: asked before a paid run."""
    if path.suffix != BUNDLE or path.stem.startswith("."):
        raise UsageError(f"a bundle's name ends with {BUNDLE}", where=str(path))
    if path.is_symlink() or (path.exists() and not (replace and is_bundle(path))):
        raise taken(path)
    folder = next(each for each in path.absolute().parents if each.exists())  # the others are made with it
    if not folder.is_dir():
        raise UsageError("is not a folder", where=str(path.parent))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError("cannot be written (Permission denied)", where=str(path), fix="name another folder")


def write_bundle(path: Path, fixture: Fixture, *, replace: bool = False) -> Written:
    """Write a fixture as the bundle `path` (``….sftrace``), so that it is there whole or not at all; with `replace` a
    bundle that is there stays until the new one is.

    Raises UsageError where something is there already and `replace` is not set or it is no bundle, CanonicalError,
    StoreError.
    """
    check_bundle_path(path, replace=replace)
    encoded = encode_fixture(fixture)
    try:
        if path.exists() or not _made(path, encoded, replace=replace):
            with locked(path, exclusive=True):
                _fill(path, encoded)
    except OSError as error:
        raise StoreError(f"cannot be written ({error.strerror})", where=str(path)) from None
    return Written(path, len(encoded.objects), 0, encoded.files, encoded.size)


def fill_bundle(path: Path, fixture: Fixture) -> Written:
    """Make the folder `path`, which the caller has claimed, the bundle of a fixture: whoever looks finds the journal
    until the bundle is whole. A folder that somebody removed meanwhile is made. Raises CanonicalError, StoreError."""
    if not path.exists():
        return write_bundle(path, fixture)
    encoded = encode_fixture(fixture)
    try:
        _fill(path, encoded)
    except OSError as error:
        raise StoreError(f"cannot be written ({error.strerror})", where=str(path)) from None
    return Written(path, len(encoded.objects), 0, encoded.files, encoded.size)


def _made(path: Path, encoded: Encoded, *, replace: bool) -> bool:
    """Make a new folder, in one rename. False where the bundle of another writer, which may be replaced, was first."""
    temporary = temporary_beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        objects = bundle_objects(temporary)
        objects.write_all(encoded.objects)
        write_new(temporary / MANIFEST, encoded.manifest)
        objects.sync(encoded.objects)
        sync_folders([temporary])
        replace_file(temporary, path)
        sync_folders([path.parent])
    except OSError:
        if replace and is_bundle(path):
            return False
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return True


def _fill(path: Path, encoded: Encoded) -> None:
    """A folder that is there: the new objects beside the old, then the manifest in one rename, then what nothing names
    any more goes."""
    objects = bundle_objects(path)
    objects.write_all(encoded.objects)
    objects.sync(encoded.objects)
    write_atomic(path / MANIFEST, encoded.manifest)
    remove_file(path / JOURNAL)
    for name in [*objects.names()]:
        if name not in encoded.objects:
            objects.remove(name)
    sync_folders([path, path.parent])

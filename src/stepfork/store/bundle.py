"""A bundle: one fixture in a folder ``NAME.sftrace`` of its own, with all of its objects."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from stepfork.errors import NotFoundError, StoreError, UsageError
from stepfork.store.codec import Written, decode_fixture, encode_fixture
from stepfork.store.files import check_folder, read_plain, replace_file, sync_folders, temporary_beside, write_new
from stepfork.store.layout import BUNDLE, OBJECTS
from stepfork.store.objects import ObjectFolder
from stepfork.trace.fixture import Fixture

MANIFEST = "manifest.json"


def is_bundle(path: Path) -> bool:
    """Whether there is a folder with a manifest at `path`."""
    return (path / MANIFEST).is_file()


def bundle_manifest(path: Path) -> bytes:
    """The bytes of a bundle's manifest. Raises NotFoundError or DamagedError."""
    check_folder(path, str(path))
    if not path.is_dir():
        raise NotFoundError("there is no such bundle", where=str(path))
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
        raise UsageError("there is something already", where=str(path), fix="choose another name")
    folder = next(each for each in path.absolute().parents if each.exists())  # the others are made with it
    if not folder.is_dir():
        raise UsageError("is not a folder", where=str(path.parent))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError("cannot be written (Permission denied)", where=str(path), fix="name another folder")


def write_bundle(path: Path, fixture: Fixture, *, replace: bool = False) -> Written:
    """Write a fixture as the bundle `path` (``….sftrace``), in one rename, so that it is there whole or not at all.

    Raises UsageError where something is there already and `replace` is not set or it is no bundle, CanonicalError,
    StoreError.
    """
    check_bundle_path(path, replace=replace)
    encoded = encode_fixture(fixture)
    temporary, old = temporary_beside(path), temporary_beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        objects = bundle_objects(temporary)
        objects.write_all(encoded.objects)
        write_new(temporary / MANIFEST, encoded.manifest)
        objects.sync(encoded.objects)
        sync_folders([temporary])
        if path.exists():
            replace_file(path, old)
        replace_file(temporary, path)
        sync_folders([path.parent])
    except OSError as error:
        raise StoreError(f"cannot be written ({error.strerror})", where=str(path)) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
    return Written(path, len(encoded.objects), 0, encoded.files, encoded.size)

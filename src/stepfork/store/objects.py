"""A folder of objects: ``objects/<2 hex>/<62 hex>.json``, each named by the BLAKE3-256 of its bytes."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from stepfork.canonical.names import is_name, name_of
from stepfork.errors import DamagedError, NotFoundError, StoreError
from stepfork.store.files import (
    check_folder,
    read_plain,
    remove_file,
    replace_file,
    sync_file,
    sync_folders,
    temporary_name,
    write_new,
)

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_PATH = re.compile(r"([0-9a-f]{2})/([0-9a-f]{62})\.json")


def object_path(name: str) -> str:
    """The path of an object below its objects folder. Raises DamagedError for what is not the name of an object."""
    if not is_name(name):
        raise DamagedError("not the name of an object")
    return f"{name[:2]}/{name[2:]}.json"


def object_named(path: str) -> str | None:
    """The name of the object that belongs at that path below an objects folder, None where none does."""
    match = _PATH.fullmatch(path)
    return match[1] + match[2] if match else None


class ObjectFolder:
    """Objects below one folder; `shown` is how messages call it (its path, where that is not given)."""

    def __init__(self, folder: Path, shown: str | None = None) -> None:
        self.folder = folder
        self._base = str(folder)
        self.shown = folder.as_posix() if shown is None else shown

    def path(self, name: str) -> Path:
        """Where the object of that name is, whether it exists or not."""
        return self.folder / object_path(name)

    def get(self, name: str) -> bytes:
        """The bytes of an object, verified. Raises NotFoundError or DamagedError naming the object's file."""
        data = self.unverified(name)
        if name_of(data) != name:
            shown = f"{self.shown}/{object_path(name)}"
            raise DamagedError("the object is damaged: its bytes do not hash to its name", where=shown)
        return data

    def unverified(self, name: str) -> bytes:
        """The bytes in an object's place, whatever they are. Raises NotFoundError or DamagedError (a link, say)."""
        path = self.path(name)
        shown = f"{self.shown}/{object_path(name)}"
        check_folder(self.folder, self.shown)
        check_folder(path.parent, f"{self.shown}/{name[:2]}")
        try:
            return read_plain(path, shown)
        except NotFoundError:
            raise NotFoundError("the object is missing", where=shown) from None

    def write_all(self, objects: Mapping[str, bytes]) -> list[str]:
        """Store objects, and return the names of those that were new, or damaged and are healed.

        Not durable yet: `sync` all of them before anything names them (one that another writer has just put may not be
        durable either). Raises StoreError.
        """
        written = []
        check_folder(self.folder, self.shown)
        present: dict[str, set[str]] = {}
        try:
            # Called for each object of a fixture: plain strings cost half of what paths do.
            for name, data in objects.items():
                prefix, _, file = object_path(name).partition("/")
                if prefix not in present:
                    present[prefix] = self._entries(prefix)
                folder = f"{self._base}/{prefix}/"
                if file not in present[prefix] or not _holds(folder + file, data):
                    _write(folder, file, data)
                    written.append(name)
        except OSError as error:
            raise StoreError(f"cannot be written ({error.strerror})", where=self.shown) from None
        return written

    def sync(self, names: Iterable[str]) -> None:
        """Wait until these objects are on the disk, names and bytes: cheap for those that are there already."""
        paths = [self.path(name) for name in names]
        for path in paths:
            sync_file(path)
        if paths:
            sync_folders({*(path.parent for path in paths), self.folder, self.folder.parent})

    def names(self) -> Iterator[str]:
        """The names of all objects that are there, unverified."""
        for path in self.folder.glob("??/*.json"):
            name = object_named(f"{path.parent.name}/{path.name}")
            if name is not None:
                yield name

    def remove(self, name: str) -> bool:
        """Remove an object, and its folder when it was the last. The caller holds the exclusive lock."""
        path = self.path(name)
        gone = remove_file(path)
        with contextlib.suppress(OSError):  # other objects are in it
            path.parent.rmdir()
        return gone

    def _entries(self, prefix: str) -> set[str]:
        """What stands in one of the 256 folders, which is made where it was absent."""
        folder = self.folder / prefix
        try:
            folder.mkdir()
        except FileNotFoundError:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            check_folder(folder, f"{self.shown}/{prefix}")
            return {entry.name for entry in folder.iterdir()}
        return set()


def _holds(path: str, data: bytes) -> bool:
    try:
        descriptor = os.open(path, _READ)
    except OSError:  # a link, or unreadable: the write heals it, or says why it cannot
        return False
    with os.fdopen(descriptor, "rb") as file:
        return file.read(len(data) + 1) == data


def _write(folder: str, file: str, data: bytes) -> None:
    temporary = folder + temporary_name()
    write_new(temporary, data)
    try:
        replace_file(temporary, folder + file)
    except BaseException:
        remove_file(Path(temporary))
        raise

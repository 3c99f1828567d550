"""Objects that nothing reaches: listed first, then removed."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from stepfork.store.lock import locked
from stepfork.store.store import Store

_ANY_ID = re.compile(rb"[0-9a-f]{64}")


class Garbage(msgspec.Struct, frozen=True):
    """An object that no manifest mentions: its name, the path as messages call it, its size in bytes."""

    name: str
    path: str
    size: int


def collect(store: Store, other_manifests: Iterable[bytes] = (), *, remove: bool) -> list[Garbage]:
    """The objects that no manifest of the work tree, nor any of `other_manifests`, mentions; removed if asked.

    `other_manifests` are the bytes of manifests elsewhere (the index, commits). Removal holds the store's lock alone,
    so that no writer is between its look-up and its manifest. Raises DamagedError where a manifest cannot be read.
    """
    kept = {match.decode() for data in other_manifests for match in _ANY_ID.findall(data)}
    if not store.root.is_dir():
        return []
    with locked(store.root, exclusive=remove):
        kept |= store.reached()
        garbage = [_garbage(store, name) for name in sorted(store.objects.names()) if name not in kept]
        if remove:
            store.remove_leftovers()
            for item in garbage:
                store.objects.remove(item.name)
    return garbage


def _garbage(store: Store, name: str) -> Garbage:
    path = store.objects.path(name)
    return Garbage(name, store.shown(path), path.lstat().st_size)

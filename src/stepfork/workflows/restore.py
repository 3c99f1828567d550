"""fsck --restore: objects that are missing or damaged come back from git, whole or not at all."""

from __future__ import annotations

import msgspec

from stepfork.config.environment import environ
from stepfork.store.finding import Finding
from stepfork.store.fsck import Checked, fsck_store
from stepfork.store.layout import OBJECTS, object_file
from stepfork.store.objects import object_named
from stepfork.store.store import Store
from stepfork.workflows.store_in_git import StoreInGit


class RestoredObject(msgspec.Struct, frozen=True):
    """An object that came back: its path as messages call it, the fixtures that need it, and where git had it."""

    path: str
    fixtures: tuple[str, ...]
    source: str


def restore(store: Store) -> tuple[RestoredObject, ...]:
    """Take every missing or damaged object that a manifest needs from git; those that git has not are left as they are.

    Looked for in the index, HEAD, its parents, the commits being merged, then in all of history; the bytes must hash to
    the object's name. Raises GitError without git or a repository, StoreError where the store cannot be written.
    """
    needed = broken_objects(store, fsck_store(store))
    if not needed:
        return ()
    found = StoreInGit(store, environ()).recover(needed)
    store.put_back({name: data for name, (data, _) in found.items()})
    shown = {name: f"{store.root.name}/{object_file(name)}" for name in found}
    return tuple(RestoredObject(shown[name], needed[name].fixtures, found[name][1]) for name in sorted(found))


def broken_objects(store: Store, checked: Checked) -> dict[str, Finding]:
    """The findings about objects that a fixture needs and cannot read, by the name of the object."""
    start = f"{store.root.name}/{OBJECTS}/"
    found = {}
    for finding in checked.findings:
        name = object_named(finding.path.removeprefix(start))
        if name is not None and finding.fixtures and finding.kind in ("missing", "hash"):
            found[name] = finding
    return found


def nowhere(store: Store, checked: Checked) -> Checked:
    """What was found after a restore: no finding advises what was just tried."""
    tried = {finding.path for finding in broken_objects(store, checked).values()}
    findings = tuple(
        msgspec.structs.replace(
            finding, fix=f"git has it nowhere: git fetch, or stepfork capture --refresh {finding.fixtures[0]}"
        )
        if finding.path in tried
        else finding
        for finding in checked.findings
    )
    return msgspec.structs.replace(checked, findings=findings)

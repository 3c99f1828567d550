"""fsck --restore: objects that are missing or damaged come back from git, whole or not at all."""

from __future__ import annotations

import msgspec

from stepfork.config.environment import environ
from stepfork.redact.secrets import Secrets
from stepfork.store.finding import Finding
from stepfork.store.fsck import Checked, fsck_store
from stepfork.store.layout import OBJECTS, object_file
from stepfork.store.objects import object_named
from stepfork.store.store import Store
from stepfork.workflows.clean_copy import objects_with_secrets
from stepfork.workflows.store_in_git import StoreInGit


class RestoredObject(msgspec.Struct, frozen=True):
    """An object that came back: its path as messages call it, the fixtures that need it, and where git had it."""

    path: str
    fixtures: tuple[str, ...]
    source: str


class Restored(msgspec.Struct, frozen=True):
    """The objects that came back; and the paths of those that did not, since git has them with a secret in them, each
    with its rule and place."""

    objects: tuple[RestoredObject, ...] = ()
    withheld: dict[str, str] = {}


def restore(store: Store, secrets: Secrets) -> Restored:
    """Take every missing or damaged object that a manifest needs from git; those that git has not are left as they are,
    and so are those that hold a secret, which cannot be redacted without another name.

    Looked for in the index, HEAD, its parents, the commits being merged, then in all of history; the bytes must hash to
    the object's name. Raises GitError without git or a repository, StoreError where the store cannot be written.
    """
    needed = broken_objects(store, fsck_store(store))
    if not needed:
        return Restored()
    found = StoreInGit(store, environ()).recover(needed)
    kept = objects_with_secrets({name: data for name, (data, _) in found.items()}, secrets)
    back = {name: data for name, (data, _) in found.items() if name not in kept}
    store.put_back(back)
    shown = {name: f"{store.root.name}/{object_file(name)}" for name in found}
    return Restored(
        tuple(RestoredObject(shown[name], needed[name].fixtures, found[name][1]) for name in sorted(back)),
        {shown[name]: f"{finding.rule} at {finding.path or '/'}" for name, finding in kept.items()},
    )


def broken_objects(store: Store, checked: Checked) -> dict[str, Finding]:
    """The findings about objects that a fixture needs and cannot read, by the name of the object."""
    start = f"{store.root.name}/{OBJECTS}/"
    found = {}
    for finding in checked.findings:
        name = object_named(finding.path.removeprefix(start))
        if name is not None and finding.fixtures and finding.kind in ("missing", "hash"):
            found[name] = finding
    return found


def after_restore(store: Store, checked: Checked, restored: Restored) -> Checked:
    """What was found after a restore: no finding advises what was just tried."""
    tried = {finding.path for finding in broken_objects(store, checked).values()}
    findings = tuple(
        msgspec.structs.replace(finding, fix=_instead(finding, restored)) if finding.path in tried else finding
        for finding in checked.findings
    )
    return msgspec.structs.replace(checked, findings=findings)


def _instead(finding: Finding, restored: Restored) -> str:
    refresh = f"stepfork capture --refresh {finding.fixtures[0]}"
    secret = restored.withheld.get(finding.path)
    return f"git has it nowhere: git fetch, or {refresh}" if secret is None else f"git has it with {secret}: {refresh}"

"""Care of a store: look at it, check it, clean it, move fixtures in and out of it. Results are values."""

from __future__ import annotations

from pathlib import Path

import msgspec

from stepfork.canonical.names import name_of
from stepfork.config.environment import environ
from stepfork.contracts.json_form import verification_from_json
from stepfork.contracts.verification import Verification
from stepfork.errors import GitError, NotFoundError, StoreError
from stepfork.redact.finding import Finding as Redaction
from stepfork.redact.secrets import Secrets
from stepfork.store import drafts
from stepfork.store.bundle import check_bundle_path, read_bundle, write_bundle
from stepfork.store.claim import clear_left
from stepfork.store.codec import decode_fixture, encode_fixture
from stepfork.store.encoded import Encoded, Objects
from stepfork.store.finding import Finding
from stepfork.store.fsck import Checked, fsck_bundle, fsck_store
from stepfork.store.gc import collect
from stepfork.store.layout import FIXTURES, object_file
from stepfork.store.manifest import read_manifest
from stepfork.store.store import Store
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Fixture
from stepfork.workflows.clean_copy import clean_copy
from stepfork.workflows.store_in_git import Side, StoreInGit

LEFT = "is left of a recording that was killed as it ended, and redacted with what was known until then only"
"""What is said of a journal beside a whole fixture."""

draft_causes = drafts.draft_causes
"""Why a fixture is a draft, None where it is none."""


class Listed(msgspec.Struct, frozen=True):
    """One fixture of a store. `problem` says why it cannot be read; its figures are then 0. `verification` is None
    where contracts were never evaluated."""

    name: str
    exchanges: int = 0
    files: int = 0
    bytes: int = 0
    label: str = ""
    problem: str | None = None
    verification: Verification | None = None


class Collected(msgspec.Struct, frozen=True):
    """What gc removed, or would remove: paths, their bytes together, and how many objects stay. ``journals`` were left
    beside whole drafts by kills."""

    removed: tuple[str, ...]
    bytes: int
    kept: int
    journals: tuple[str, ...] = ()


def list_fixtures(store: Store) -> list[Listed]:
    """Every fixture, sorted by name, with what its files take; one that cannot be read, or that git calls unmerged, is
    listed with its problem."""
    unmerged = {finding.fixtures[0]: str(finding) for finding in unmerged_files(store) if finding.fixtures}
    return [_listed(store, name, unmerged.get(name)) for name in sorted({*store.names(), *unmerged})]


def killed_recordings(store: Store) -> list[str]:
    """Where the journals of recordings that did not end are."""
    return [store.shown(path) for path in drafts.killed(store)]


def _listed(store: Store, name: str, unmerged: str | None) -> Listed:
    try:
        data = store.manifest(name)
        where = store.shown(store.manifest_path(name))
        manifest = read_manifest(data, where, name)
        verification = verification_from_json(manifest.verification, where=where)
        sizes = [store.objects.path(item).lstat().st_size for item in manifest.objects]
    except NotFoundError as error:
        return Listed(name, problem=unmerged or str(error))
    except StoreError as error:
        return Listed(name, problem=str(error))
    except OSError:
        shown = store.shown(store.manifest_path(name))
        return Listed(name, problem=unmerged or f"{shown}: an object is missing; stepfork fsck names it")
    if unmerged is not None:
        return Listed(name, problem=unmerged)
    labels = list(dict.fromkeys(entry.label for entry in manifest.exchanges))
    label = labels[0] + (f" and {len(labels) - 1} more" if len(labels) > 1 else "") if labels else ""
    size = len(data) + sum(sizes)
    return Listed(name, len(manifest.exchanges), len(sizes) + 1, size, label, verification=verification)


def fsck(store: Store) -> Checked:
    """Check every file of a store, and whether git still waits for a decision about one."""
    checked = fsck_store(store)
    said = {finding.path for finding in checked.findings if finding.kind == "manifest"}  # markers: the same advice
    unmerged = [finding for finding in unmerged_files(store) if finding.path not in said]
    return msgspec.structs.replace(checked, findings=(*unmerged, *checked.findings))


def unmerged_files(store: Store) -> tuple[Finding, ...]:
    """What a merge left open: a finding for each manifest, or one for all objects where no manifest is.

    Manifests are not merged, so git leaves ours in the work tree and no marker: only the index tells. Nothing is found
    without git or a repository.
    """
    try:
        paths = StoreInGit(store, environ()).unmerged()
    except GitError:
        return ()
    name = store.root.name
    start, end = f"{FIXTURES}/", ".json"
    fixtures = [path.removeprefix(start).removesuffix(end) for path in paths if path.startswith(start)]
    if fixtures:
        return tuple(
            Finding(
                "unmerged",
                f"{name}/{start}{fixture}{end}",
                "is unmerged",
                (fixture,),
                f"stepfork resolve {fixture} --ours|--theirs, then git add",
            )
            for fixture in fixtures
        )
    if paths:
        return (Finding("unmerged", name, "has objects that git calls unmerged", fix=_OBJECTS_ALONE),)
    return ()


_OBJECTS_ALONE = "stepfork gc, then fsck --restore set them right whatever git made of them, then git add"
"""A merge with -X takes one manifest whole, and still pours one object into another that it takes for the same file."""


def fsck_of_bundle(path: Path) -> Checked:
    """Check every file of a bundle."""
    return fsck_bundle(path)


def cleared_journal(path: Path) -> str | None:
    """One line on the journal that a kill left in a whole bundle, which is removed; None where there is none."""
    journal = clear_left(path)
    return None if journal is None else f"{journal}: {LEFT}; it is removed"


def fsck_staged(store: Store) -> Checked:
    """Whether each object that a staged manifest names is in the index, with the right bytes.

    Only manifests that the commit would change are looked at, and all that they need, staged now or committed before.
    Raises GitError without git or a repository.
    """
    git = StoreInGit(store, environ())
    staged = git.staged()
    manifests = {path: blob for path, blob in git.staged(changed_only=True).items() if git.is_manifest(path)}
    findings: list[Finding] = []
    needed: dict[str, str] = {}
    for path, data in git.bytes_of(manifests).items():
        shown = git.shown(path)
        try:
            manifest = read_manifest(data, shown, git.fixture(path))
        except StoreError as error:
            findings.append(Finding("manifest", shown, error.what, (git.fixture(path),)))
            continue
        for item in manifest.objects:
            at = git.path(object_file(item))
            if at in staged:
                needed[at] = item
            else:
                what = "is named by a staged manifest and not staged"
                findings.append(Finding("staged", git.shown(at), what, (git.fixture(path),)))
    found = git.bytes_of({at: staged[at] for at in needed})
    wrong = [at for at, data in found.items() if name_of(data) != needed[at]]
    findings += [Finding("hash", git.shown(at), "its staged bytes do not hash to its name") for at in wrong]
    findings.sort(key=lambda finding: finding.path)
    return Checked(len(manifests), len(needed), (*unmerged_files(store), *findings))


def gc(store: Store, *, dry_run: bool, all_refs: bool = False) -> Collected:
    """Remove, or with `dry_run` list, the objects that no manifest of the work tree or the index mentions; with
    `all_refs` none of any commit that a ref reaches either. Without git or a repository only the work tree counts."""
    others: list[bytes] = []
    try:
        git = StoreInGit(store, environ())
        others += git.staged_manifests()
        if all_refs:
            others += git.manifests_of_all_refs()
    except GitError:
        if all_refs:
            raise
    garbage = collect(store, others, remove=not dry_run)
    left = [] if dry_run else [store.shown(path) for path in drafts.clear_left_in(store)]
    total = sum(1 for _ in store.objects.names()) + (0 if dry_run else len(garbage))
    removed = tuple(item.path for item in garbage)
    return Collected(removed, sum(item.size for item in garbage), total - len(garbage), tuple(left))


class Put(msgspec.Struct, frozen=True):
    """Where a fixture was put, and what was redacted in it on the way."""

    path: Path
    redactions: tuple[Redaction, ...] = ()


def pack(fixture: Fixture, path: Path, secrets: Secrets) -> Put:
    """Write a fixture as the bundle `path`, which must not exist. Raises UsageError, StoreError."""
    check_bundle_path(path)
    fixture, found = clean_copy(fixture, secrets)
    return Put(write_bundle(path, fixture).path, found)


def unpack(store: Store, path: Path, secrets: Secrets, name: str | None = None) -> Put:
    """Take a bundle into the store under its own or another name, which must be free."""
    fixture = read_bundle(path)
    if name is not None:
        fixture = msgspec.structs.replace(fixture, name=name)
    fixture, found = clean_copy(fixture, secrets)
    return Put(store.write(fixture, must_not_exist=True).path, found)


def resolve(store: Store, name: str, side: Side, secrets: Secrets) -> Put:
    """Settle a merge conflict in a fixture: take one side's run whole; where the manifest is.

    Objects that the merge removed from the work tree come back from the commits being merged; those that only the
    other side reached go. Where that side deleted the fixture, it is deleted. The index is left to ``git add``.
    Raises UsageError where there is no conflict, GitError, and StoreError where the run cannot be read whole.
    """
    git = StoreInGit(store, environ())
    path = store.manifest_path(name)
    ours, theirs = git.sides(name)
    taken, other = (ours, theirs) if side == "ours" else (theirs, ours)
    if taken is None:
        if path.exists():  # git leaves none where both sides gave the fixture another name
            store.delete(name)
        return Put(path)
    manifest = read_manifest(taken, store.shown(path), name)
    objects = Objects({item: git.object_of(item, side) for item in manifest.objects})
    fixture = decode_fixture(taken, objects.__getitem__, where=store.shown(path), name=name)
    clean, found = clean_copy(fixture, secrets)
    encoded = encode_fixture(clean) if found else Encoded(taken, objects)
    store.install(name, encoded, abandoned=(other or b"") + (taken if found else b""))
    return Put(path, found)


def fixture_document(fixture: Fixture) -> JsonValue:
    """The whole fixture as one JSON value: the manifest's members, each exchange in full, the trace in full."""
    from stepfork.trace.wire import body_to_json

    exchanges = [
        {
            "provider": exchange.provider,
            "api": exchange.api,
            "request": msgspec.structs.asdict(exchange.request) | {"body": body_to_json(exchange.request.body)},
            "response": msgspec.structs.asdict(exchange.response) | {"body": body_to_json(exchange.response.body)},
        }
        for exchange in fixture.run.exchanges
    ]
    return {
        "name": fixture.name,
        "source": msgspec.to_builtins(fixture.run.source),
        "trace": msgspec.to_builtins(fixture.run.trace),
        "exchanges": exchanges,
        "contracts": list(fixture.contracts),
        "verification": fixture.verification,
        "extensions": fixture.extensions,
    }

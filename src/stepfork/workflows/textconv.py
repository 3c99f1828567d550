"""A manifest as git shows it: read from bytes alone, its objects looked for wherever the repository has them.

git hands over a file and no revision. Objects are named by their bytes, so whichever place has one has the right one:
the store in the work tree, then the index, then any commit that a ref or the reflog knows. Nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from stepfork.canonical.names import name_of
from stepfork.config.redaction import read_rules
from stepfork.errors import ConfigError, GitError, ManifestError, NotFoundError, StoreError
from stepfork.git.command import GitProgram
from stepfork.git.history import MOST_PATHS, historic_blobs, indexed_blobs, without_fetching
from stepfork.redact.redactor import redact_text
from stepfork.redact.rules import NO_RULES, Rules
from stepfork.redact.secrets import Secrets
from stepfork.store.codec import decode_fixture
from stepfork.store.layout import FIXTURES, OBJECTS, STORE_NAME
from stepfork.store.manifest import Entry, Manifest, read_manifest
from stepfork.store.objects import ObjectFolder, object_path
from stepfork.trace.fixture import Fixture, Run
from stepfork.trace.step import Trace
from stepfork.workflows.clean_copy import as_shown
from stepfork.workflows.locate import Loaded

LARGEST = 16 << 20
"""Bytes of a manifest that is read; a larger file is no manifest of ours."""

_OBJECT = re.compile(rf"(?:(.*)/)?{OBJECTS}/([0-9a-f]{{2}}/[0-9a-f]{{62}}\.json)", re.DOTALL)
_ANY_OBJECT = f":(top,glob)**/{OBJECTS}/??/*.json"


class Told(msgspec.Struct, frozen=True):
    """What a manifest tells. Where all of its objects were found, the fixture is `whole`; else it has no exchanges and
    no steps, and `entries`, the manifest's own for each exchange, tell them. What is shown is redacted again: the
    fixture, and the entries where it is not whole. `digest` is that of the file's bytes."""

    fixture: Fixture
    entries: tuple[Entry, ...]
    digest: str
    whole: bool = True


def read_for_git(file: Path, top: Path, environ: Mapping[str, str], dotenv: Mapping[str, str]) -> Told | None:
    """What `file` tells, None where it is no manifest that can be read; `top` is the folder in which git started us.

    Raises OSError where the file cannot be read.
    """
    if file.stat().st_size > LARGEST:
        return None
    data = file.read_bytes()
    try:
        manifest = read_manifest(data, file.as_posix())
    except ManifestError:
        return None
    places = _Places(file, top, GitProgram.at(top, environ=without_fetching(environ)))
    try:
        objects = places.read(manifest.objects)
        fixture = decode_fixture(data, objects.__getitem__, where=file.as_posix())
    except (StoreError, GitError):
        objects, fixture = {}, _without_objects(manifest)
    secrets = Secrets.collect(environ, dotenv, _rules(places.store))
    shown = as_shown(Loaded(fixture, data, file.as_posix(), lambda name: objects.get(name, b"")), secrets)
    entries = manifest.exchanges if objects else tuple(_clean(entry, secrets) for entry in manifest.exchanges)
    return Told(shown, entries, name_of(data), whole=bool(objects))


def _without_objects(manifest: Manifest) -> Fixture:
    run = Run(manifest.source, Trace("exchanges", ()))
    return Fixture(manifest.name, run, manifest.contracts, manifest.verification, manifest.extensions)


def _clean(entry: Entry, secrets: Secrets) -> Entry:
    says = tuple(redact_text(line, secrets.with_personal) for line in entry.says)
    return msgspec.structs.replace(entry, label=redact_text(entry.label, secrets), says=says)


def _rules(store: Path | None) -> Rules:
    try:
        return NO_RULES if store is None else read_rules(str(store))
    except ConfigError:
        return NO_RULES


class _Places:
    """Where the objects of a manifest may be, the cheapest first. `store` is the nearest store that is known."""

    def __init__(self, file: Path, top: Path, git: GitProgram) -> None:
        self._top = top
        self._git = git
        inside = [folder.parent for folder in (top / file).parents if folder.name == FIXTURES]
        self._stores = [root for root in (*inside, top / STORE_NAME) if (root / OBJECTS).is_dir()]

    @property
    def store(self) -> Path | None:
        return self._stores[0] if self._stores else None

    def read(self, names: Sequence[str]) -> dict[str, bytes]:
        """Each object's bytes, verified. Raises NotFoundError or GitError where one is nowhere."""
        found: dict[str, bytes] = {}
        self._from_work_tree(found, names)
        if len(found) < len(names):
            staged = list(indexed_blobs(self._git, [_ANY_OBJECT]))
            prefixes = list(dict.fromkeys(match[1] for path, _ in staged if (match := _OBJECT.fullmatch(path))))
            self._stores += [self._top / (prefix or "") for prefix in prefixes]
            self._from_work_tree(found, names)
            self._from_git(found, names, staged)
            for pathspecs in self._limits(prefixes, [name for name in names if name not in found]):
                self._from_git(found, names, historic_blobs(self._git, pathspecs))
        if len(found) < len(names):
            raise NotFoundError("objects are missing")
        return found

    def _from_work_tree(self, found: dict[str, bytes], names: Sequence[str]) -> None:
        for root in self._stores:
            folder = ObjectFolder(root / OBJECTS)
            for name in names:
                if name not in found:
                    with suppress(StoreError):
                        found[name] = folder.get(name)

    def _from_git(self, found: dict[str, bytes], names: Sequence[str], blobs: Iterable[tuple[str, str]]) -> None:
        wanted = {object_path(name): name for name in names if name not in found}
        if not wanted:
            return
        chosen: list[tuple[str, str]] = []
        left = set(wanted)
        for path, blob in blobs:
            match = _OBJECT.fullmatch(path)
            if match and match[2] in wanted:
                chosen.append((wanted[match[2]], blob))
                left.discard(match[2])
                if not left:
                    break
        for (name, _), data in zip(chosen, self._git.objects([blob for _, blob in chosen]), strict=True):
            if data is not None and name_of(data) == name:
                found[name] = data

    @staticmethod
    def _limits(prefixes: Sequence[str | None], names: Sequence[str]) -> Iterator[list[str]]:
        """Where to look in history: where the stores are now, which is quick; then wherever one may have been."""
        if not names:
            return
        starts = [f"{prefix}/" if prefix else "" for prefix in prefixes]
        paths = [f"{start}{OBJECTS}/{object_path(name)}" for start in starts for name in names]
        if len(paths) > MOST_PATHS:
            paths = [f"{start}{OBJECTS}" for start in starts]
        if paths:
            yield [f":(top,literal){path}" for path in paths]
        yield [_ANY_OBJECT]

"""Which fixtures of a store a set of changed paths touches, and when that cannot be told."""

from __future__ import annotations

from stepfork.git.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    from stepfork.git.changes import Changes
    from stepfork.select.watch import Watch

    class State(Protocol):
        """The present state of the store: the work tree, or HEAD."""

        def read(self, path: str) -> bytes | None:
            """The bytes of a path from the top of the repository; None where it is gone."""

        def manifests(self) -> Iterable[str]:
            """The paths of all manifests."""


BUNDLE_ENDING = ".sftrace"


class FixtureChange(Record):
    """One fixture or bundle touched: ``what`` happened (added, changed, deleted, object changed) and to which path.

    ``not refreshed``: it is as it was, but the file at ``path``, which it depends on, is not.
    """

    name: str
    what: str
    path: str

    def __str__(self) -> str:
        if self.what == "deleted":
            return f"{self.name} deleted"
        if self.what == "not refreshed":
            return f"{self.path} changed, fixture not refreshed"
        return f"{self.name} {self.what}: {self.path}"


class FixtureChanges(Record):
    """What happened to a store. ``unsure``: reasons for which every fixture counts as changed.

    ``bundles`` are changed bundles outside the store, ``others`` folders of other stores that changed too, ``watched``
    the changed files that any fixture depends on, refreshed or not.
    """

    fixtures: tuple[FixtureChange, ...] = ()
    bundles: tuple[FixtureChange, ...] = ()
    unsure: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    watched: frozenset[str] = frozenset()

    @property
    def reasons(self) -> dict[str, FixtureChange]:
        """Name (of a bundle: path) → its change."""
        return {change.name: change for change in (*self.bundles, *self.fixtures)}


def fixture_changes(changes: Changes, store: str, state: State, watch: Watch | None = None) -> FixtureChanges:
    """What ``changes`` means for the store in the folder ``store`` (from the top of the repository).

    ``state`` is read only where a manifest or an object changed, or something is watched.
    """
    collected = _Collected(store, state)
    for path in sorted(changes.paths):
        collected.take(path, _what(changes, path))
    collected.add_those_reaching()
    if watch is not None:
        collected.add_those_watching(watch, changes.paths)
    return collected.result()


class _Collected:
    """Fixture changes, as path after path is looked at."""

    def __init__(self, store: str, state: State) -> None:
        self._store = store
        self._state = state
        self._fixtures: dict[str, FixtureChange] = {}
        self._bundles: dict[str, FixtureChange] = {}
        self._unsure: dict[str, None] = {}
        self._others: set[str] = set()
        self._objects: dict[str, str] = {}
        self._listed: set[str] = set()
        self._watched: frozenset[str] = frozenset()

    def take(self, path: str, what: str) -> None:
        """One changed path."""
        if not path.startswith(f"{self._store}/"):
            if other := _other_store(path):
                self._others.add(other)
            elif bundle := _bundle(path):
                self._bundles.setdefault(bundle, FixtureChange(bundle, "changed", path))
            return
        inner = path.removeprefix(f"{self._store}/")
        if inner == "config.toml":
            self._unsure[f"{path} changed"] = None
        elif inner.startswith("fixtures/") and inner.endswith(".json"):
            name = self._name(path)
            self._fixtures[name] = FixtureChange(name, what, path)
            if what != "deleted":
                self._look_into(path, what)
        elif inner.startswith("objects/"):
            self._objects[inner.removeprefix("objects/").removesuffix(".json").replace("/", "", 1)] = what

    def add_those_reaching(self) -> None:
        """The fixtures whose own manifest did not change, but an object that it lists did."""
        # One that came with a changed manifest is news to no other; one that was there before may be anybody's.
        objects = {one for one, what in self._objects.items() if what != "added" or one not in self._listed}
        for path in self._state.manifests() if objects else ():
            name = self._name(path)
            if name in self._fixtures:
                continue
            document = _manifest(self._state.read(path))
            if document is None:
                self._unsure[f"{path} cannot be read"] = None
                continue
            touched = sorted(objects & _objects(document))
            if touched:
                where = f"{self._store}/objects/{touched[0][:2]}/{touched[0][2:]}.json"
                self._fixtures[name] = FixtureChange(name, "object changed", where)

    def add_those_watching(self, watch: Watch, paths: Iterable[str]) -> None:
        """The fixtures that did not change themselves, but a file did that they depend on."""
        outside = [path for path in paths if not path.startswith(f"{self._store}/")]
        files = watch.files_of(map(self._name, self._state.manifests()), outside)
        for name, (first, *_) in files.items():
            self._fixtures.setdefault(name, FixtureChange(name, "not refreshed", first))
        self._watched = frozenset(path for those in files.values() for path in those)

    def result(self) -> FixtureChanges:
        """What was collected, in order of name."""
        return FixtureChanges(
            tuple(self._fixtures[name] for name in sorted(self._fixtures)),
            tuple(self._bundles[path] for path in sorted(self._bundles)),
            tuple(self._unsure),
            tuple(sorted(self._others)),
            self._watched,
        )

    def _look_into(self, path: str, what: str) -> None:
        document = _manifest(self._state.read(path))
        if document is None:
            self._unsure[f"{path} cannot be read"] = None
            return
        name = document.get("name")
        if isinstance(name, str) and name:
            self._fixtures.setdefault(name, FixtureChange(name, what, path))
        self._listed.update(_objects(document))

    def _name(self, path: str) -> str:
        return path.removeprefix(f"{self._store}/fixtures/").removesuffix(".json")


def _what(changes: Changes, path: str) -> str:
    if path in changes.deleted or path in changes.renamed:
        return "deleted"
    return "changed" if path in changes.modified else "added"


def _manifest(data: bytes | None) -> dict[str, object] | None:
    """A manifest's members, read tolerantly: the store checks manifests, here only names and object ids count."""
    import json

    try:
        document = json.loads(data) if data is not None else None
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _objects(document: dict[str, object]) -> set[str]:
    listed = document.get("objects")
    return {one for one in listed if isinstance(one, str)} if isinstance(listed, list) else set()


def _other_store(path: str) -> str:
    """The folder of another project's store, for one of its files."""
    parts = path.split("/")
    return "/".join(parts[: parts.index(".stepfork") + 1]) if ".stepfork" in parts[:-1] else ""


def _bundle(path: str) -> str:
    parts = path.split("/")
    for index, part in enumerate(parts[:-1]):
        if part.endswith(BUNDLE_ENDING) and part != BUNDLE_ENDING:
            return "/".join(parts[: index + 1])
    return ""

"""The tests that a change touches: from merge base to work tree or HEAD, from fixtures to node ids."""

from __future__ import annotations

import os

from stepfork.errors import GitError, UsageError
from stepfork.git.changes import Changes, WorkTreeWalk, changed_paths
from stepfork.git.checkout import Checkout, open_checkout
from stepfork.git.record import Record
from stepfork.select.base import Base, find_base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from stepfork.git.ahead import Ahead
    from stepfork.select.changed import FixtureChanges
    from stepfork.select.selection import Selection
    from stepfork.select.sources import CommitSources, WorkTreeSources
    from stepfork.select.watch import Watch

_STORE = ".stepfork"


class SelectOptions(Record):
    """``base`` is the revision asked for, ``store`` a store's folder instead of the nearest one.

    ``committed`` compares HEAD instead of the work tree; ``count_users`` also counts the tests that use fixtures.
    """

    base: str | None = None
    committed: bool = False
    store: str | None = None
    count_users: bool = False


class SelectReport(Record):
    """What was compared and what came of it.

    ``merge_base`` is None where there is none; ``root`` is the pytest root as an absolute path, to which node ids are
    relative; ``using`` counts the tests that use fixtures (None: not asked); ``unwatched`` the changed files that are
    neither part of the store nor selected tests, and that no fixture watches.
    """

    base: Base
    merge_base: str | None
    committed: bool
    fixtures: FixtureChanges
    selection: Selection
    root: str
    using: int | None
    unwatched: int


def select_changed(
    folder: str, environ: Mapping[str, str], options: SelectOptions, ahead: tuple[Ahead, Ahead] | None = None
) -> SelectReport:
    """The tests of the project around ``folder`` that a change touches; ``ahead`` are walks begun there already.

    Raises `GitError` where git cannot answer, `UsageError` where there is no store, or where nothing can be compared
    and no test that uses fixtures is known either: an empty answer would pass for "nothing to run".
    """
    checkout = open_checkout(folder, environ)
    walk = None if options.committed else WorkTreeWalk(checkout, ahead)
    try:
        return _select(_compared(checkout, folder, environ, options), walk, options)
    finally:
        if walk is not None:
            walk.stop()


class _Compared(Record):
    """The two states: ``start`` is the commit or tree that stands for the old one, ``store`` the store's path.

    ``watch`` is None where nothing says which files fixtures depend on.
    """

    checkout: Checkout
    base: Base
    merge_base: str | None
    start: str
    store: str | None
    watch: Watch | None


def _compared(checkout: Checkout, folder: str, environ: Mapping[str, str], options: SelectOptions) -> _Compared:
    store = _store(checkout, folder, options.store)
    configured, watch = (None, None) if store is None else _configured(checkout, store)
    base = find_base(checkout, asked=options.base, configured=configured, environ=environ, committed=options.committed)
    if options.committed and base.head is None:
        raise GitError("there is no commit yet to compare", fix="leave --committed out to compare the work tree")
    merge_base = _merge_base(checkout, base)
    return _Compared(checkout, base, merge_base, merge_base or base.head or checkout.empty_tree(), store, watch)


def _select(compared: _Compared, walk: WorkTreeWalk | None, options: SelectOptions) -> SelectReport:
    # Each thing is imported where git is at work on something else.
    checkout, base, merge_base, store = compared.checkout, compared.base, compared.merge_base, compared.store
    if walk is not None:
        walk.compare(compared.start)
    from stepfork.select.layout import find_layout

    if store is None:
        store = _vanished(checkout, changed_paths(checkout, compared.start, committed=options.committed))
    layout = find_layout(checkout.root, store.rpartition("/")[0])
    tests = layout.pathspecs()
    if walk is not None:
        from stepfork.select.narrow import pathspecs_of_store, pathspecs_of_tests

        listing = walk.listing()
        tests = pathspecs_of_tests(listing, layout)
        # To count every changed file, every file must be looked at.
        watched = [] if compared.watch is None else compared.watch.pathspecs(listing)
        walk.look([] if options.count_users else [*pathspecs_of_store(listing, store), *tests, *watched])
    from stepfork.select.changed import fixture_changes
    from stepfork.select.selection import select_tests, tests_using_fixtures
    from stepfork.select.sources import CommitSources, WorkTreeSources

    old = merge_base or base.commit or base.head
    sources: CommitSources | WorkTreeSources
    if walk is None:
        changes = changed_paths(checkout, compared.start, committed=True)
        sources = CommitSources(checkout, layout, store, old)
    else:
        changes = walk.changes()
        sources = WorkTreeSources(checkout, layout, store, old, changes=changes, pathspecs=tests)
    fixtures = fixture_changes(changes, store, sources, compared.watch)
    name = store.rsplit("/", 1)[-1]
    unsure = [] if merge_base is not None or base.head is None else [_why_unsure(checkout, base)]
    selection = select_tests(fixtures, changes.paths, layout, sources, folder=name, unsure=unsure)
    if selection.everything and not selection.tests:
        raise UsageError(f"{selection.everything[0]}, and no test that uses a fixture was found")
    using = tests_using_fixtures(layout, sources, folder=name) if options.count_users else None
    told = {*(test.path for test in selection.tests), *fixtures.watched}
    unwatched = sum(1 for path in changes.paths if not path.startswith(f"{store}/") and path not in told)
    root = os.path.join(checkout.root, layout.root) if layout.root else checkout.root
    return SelectReport(base, merge_base, options.committed, fixtures, selection, root, using, unwatched)


def _merge_base(checkout: Checkout, base: Base) -> str | None:
    if base.commit is None or base.head is None or base.commit == base.head:
        return base.commit if base.head is not None else None
    return checkout.merge_base(base.commit, base.head)


def _why_unsure(checkout: Checkout, base: Base) -> str:
    if base.unsure:
        return base.unsure
    if checkout.shallow:
        return f"no common history with {base.name} in this shallow clone: git fetch --unshallow brings it here"
    return f"no common history with {base.name}"


def _configured(checkout: Checkout, store: str) -> tuple[str | None, Watch | None]:
    """``[select] base`` and ``[watch]`` of the store's config.toml as it lies in the work tree, which is read only
    where it says more than the usual format.

    Raises `ConfigError`, for a newer format among others.
    """
    place = os.path.join(checkout.root, store)
    try:
        with open(os.path.join(place, "config.toml"), "rb") as file:
            text = file.read()
        if b"select" not in text and b"watch" not in text and b"\nformat = 1\n" in b"\n" + text:
            return None, None
    except OSError:
        return None, None
    from stepfork.config.project import read_settings

    settings = read_settings(place)
    if settings.watch is None:
        return settings.select_base, None
    from stepfork.select.watch import Watch

    return settings.select_base, Watch(settings.watch, store.rpartition("/")[0], f"{store}/config.toml")


def _store(checkout: Checkout, folder: str, override: str | None) -> str | None:
    """The store's path from the top of the repository; None where there is none here or above, up to that top."""
    if override is not None:
        place = os.path.realpath(os.path.join(folder, override))
        inner = os.path.relpath(place, checkout.root).replace(os.sep, "/")
        if inner.startswith("..") or inner == ".":
            raise UsageError("the store is not inside this repository", where=override)
        return inner
    for candidate in _candidates(checkout):
        if os.path.isdir(os.path.join(checkout.root, candidate)):
            return candidate
    return None


def _vanished(checkout: Checkout, changes: Changes) -> str:
    """The store whose every file the change deleted, so that its very folder is gone."""
    for candidate in _candidates(checkout):
        if any(path.startswith(candidate + "/") for path in changes.deleted):
            return candidate
    raise UsageError("there is no .stepfork here or above", fix="stepfork init makes one")


def _candidates(checkout: Checkout) -> list[str]:
    parts = [part for part in checkout.prefix.split("/") if part]
    return ["/".join([*parts[:count], _STORE]) for count in range(len(parts), -1, -1)]

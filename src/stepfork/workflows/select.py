"""The tests that a change touches: from merge base to work tree or HEAD, from fixtures to node ids."""

from __future__ import annotations

import os

from stepfork.errors import UsageError
from stepfork.git.changes import WorkTreeWalk, changed_paths
from stepfork.git.checkout import open_checkout
from stepfork.git.record import Record
from stepfork.workflows.compared import Compared, compare, vanished, why_unsure
from stepfork.workflows.select_scripts import Project, script_pathspecs, scripts_naming, scripts_touched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from stepfork.git.ahead import Ahead
    from stepfork.git.changes import Changes
    from stepfork.select.base import Base
    from stepfork.select.changed import FixtureChanges
    from stepfork.select.layout import Layout
    from stepfork.select.selection import Selection
    from stepfork.select.sources import CommitSources, WorkTreeSources


#: Every path at HEAD, ended by NUL, in the order of an index.
_TREE = ("ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD")


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
    neither part of the store nor selected tests, and that no fixture watches. ``scripts_only``: tests are selected, and
    the project has none in Python at all; ``sparse``: none was found for a fixture that changed, in a checkout that
    leaves files out.
    """

    base: Base
    merge_base: str | None
    committed: bool
    fixtures: FixtureChanges
    selection: Selection
    root: str
    using: int | None
    unwatched: int
    scripts_only: bool
    sparse: bool


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
        compared = compare(
            checkout, folder, environ, asked=options.base, override=options.store, committed=options.committed
        )
        return _select(compared, walk, options)
    finally:
        if walk is not None:
            walk.stop()


def _select(compared: Compared, walk: WorkTreeWalk | None, options: SelectOptions) -> SelectReport:
    # Each thing is imported where git is at work on something else.
    checkout, base, merge_base, store = compared.checkout, compared.base, compared.merge_base, compared.store
    if walk is not None:
        walk.compare(compared.start)
    else:
        tree = checkout.git.start(*_TREE)
    from stepfork.select.beside import with_tests
    from stepfork.select.layout import find_layout

    if store is None:
        store = vanished(checkout, changed_paths(checkout, compared.start, committed=options.committed))
    layout = find_layout(checkout.root, store.rpartition("/")[0])
    listing = walk.listing() if walk is not None else tree.answer().out
    look = None if walk is None else walk.look
    layout, tests, scripts = _places(look, listing, layout, compared, store, everywhere=options.count_users)
    from stepfork.select.changed import fixture_changes
    from stepfork.select.selection import Selection, select_tests, tests_using_fixtures
    from stepfork.select.sources import CommitSources, WorkTreeSources

    old = merge_base or base.commit or base.head
    sources: CommitSources | WorkTreeSources
    if walk is None:
        changes = changed_paths(checkout, compared.start, committed=True)
        sources = CommitSources(checkout, layout, store, old)
    else:
        changes = walk.changes()
        known = layout.pathspecs_beside()
        layout = with_tests(layout, changes.untracked)
        tests += [spec for spec in layout.pathspecs_beside() if spec not in known]
        sources = WorkTreeSources(checkout, layout, store, old, changes=changes, pathspecs=tests)
    fixtures = fixture_changes(changes, store, sources, compared.watch)
    name = store.rsplit("/", 1)[-1]
    unsure = [*_unrelated(compared), *_reconfigured(layout, store, changes, sources)]
    sources.read_ahead(changes.paths)
    selection = select_tests(fixtures, changes.paths, layout, sources, folder=name, unsure=unsure)
    project = Project(checkout, layout, store, old, changes, scripts, committed=walk is None)
    others = scripts_touched(project, fixtures, selection.everything)
    selection = Selection((*selection.tests, *others), selection.everything)
    if selection.everything and not selection.tests and any(sources.fixture_names()):
        raise UsageError(
            f"{selection.everything[0]}, and no test is seen to use any fixture now",
            fix="if the tests reach their fixtures through a module that was renamed or moved, mend their imports; "
            "else run all of them",
        )
    using = tests_using_fixtures(layout, sources, folder=name) if options.count_users else None
    if using is not None:
        using += len(scripts_naming(project))
    told = {*(test.path for test in selection.tests), *fixtures.watched}
    root = os.path.join(checkout.root, layout.root) if layout.root else checkout.root
    scripts_only = len(others) == len(selection.tests) > 0 and not any(map(layout.is_test, sources.under("")))
    sparse = walk is not None and bool(fixtures.reasons) and not selection.tests and checkout.leaves_files_out()
    return SelectReport(
        *(base, merge_base, options.committed, fixtures, selection, root, using),
        sum(not path.startswith(f"{store}/") and path not in told for path in changes.paths),
        *(scripts_only, sparse),
    )


def _places(
    look: Callable[[Sequence[str]], None] | None,
    listing: bytes,
    layout: Layout,
    compared: Compared,
    store: str,
    *,
    everywhere: bool,
) -> tuple[Layout, list[str], list[str]]:
    """The layout that knows what stands beside the tests; pathspecs of the tests, and of those in scripts.

    Under these and what else counts, `look` begins to look for edits, in steps: what is told at a glance comes first,
    so that git is at work while the rest is told. ``everywhere``: to count every changed file, each is looked at.
    """
    from stepfork.select.beside import with_listing
    from stepfork.select.narrow import pathspecs_of_others, pathspecs_of_tests

    looked = pathspecs_of_tests(listing, layout)
    if look is not None:
        look([] if everywhere else [*_nearly_always(listing, layout, compared, store), *looked])
    layout = with_listing(layout, listing)
    scripts = script_pathspecs(listing, layout)
    tests = pathspecs_of_tests(listing, layout) if layout.beside else list(looked)
    more = [*pathspecs_of_others(listing, store), *layout.data_pathspecs(), *scripts]
    more += [spec for spec in tests if spec not in looked]
    if look is not None and more and not everywhere:
        look(more)
    return layout, tests, scripts


def _nearly_always(listing: bytes, layout: Layout, compared: Compared, store: str) -> Iterator[str]:
    """Pathspecs, beside those of tests, for what is told at a glance, so that git begins to look at once."""
    from stepfork.select.narrow import has_path

    yield f":(top,literal){store}"
    yield from () if compared.watch is None else compared.watch.pathspecs(listing)
    for path in layout.configuring(store.rpartition("/")[0]):
        if has_path(listing, path):
            yield f":(top,literal){path}"


def _unrelated(compared: Compared) -> list[str]:
    """Why the two states have no history in common, where they have none."""
    if compared.merge_base is not None or compared.base.head is None:
        return []
    return [why_unsure(compared.checkout, compared.base)]


def _reconfigured(
    layout: Layout, store: str, changes: Changes, sources: CommitSources | WorkTreeSources
) -> Iterator[str]:
    """Which changed files say something else of pytest than before: it may collect other tests, or run them so."""
    from stepfork.select.collection import says_otherwise

    for path in layout.configuring(store.rpartition("/")[0]):
        if path in changes.paths and says_otherwise(
            path.rsplit("/", 1)[-1], sources.read(path), sources.read_old(path)
        ):
            yield f"{path} changed, which configures pytest"

"""Which fixtures of a store no test references, as the tests lie in the work tree."""

from __future__ import annotations

from collections.abc import Mapping

from stepfork.errors import GitError, UsageError
from stepfork.git.ahead import LISTING
from stepfork.git.changes import Changes, untracked_files
from stepfork.git.checkout import open_checkout
from stepfork.git.record import Record
from stepfork.select.beside import with_listing, with_tests
from stepfork.select.layout import find_layout
from stepfork.select.selection import referenced_fixtures
from stepfork.select.sources import WorkTreeSources
from stepfork.store.store import Store
from stepfork.workflows.select_scripts import Project, script_pathspecs, scripts_naming


class Unreferenced(Record):
    """The names, sorted, of ``fixtures`` in all. ``any``: test file → why it may name any fixture (then there are no
    names)."""

    names: tuple[str, ...]
    fixtures: int
    any: Mapping[str, str]


def unreferenced_fixtures(store: Store, environ: Mapping[str, str]) -> Unreferenced:
    """What no test names and, where a name is computed, none may name. Tests are read and never run.

    Raises GitError where the store is in no repository, or tests may be left out of the checkout, and UsageError where
    a test cannot be read that may name one.
    """
    root = store.root.resolve()
    checkout = open_checkout(str(root.parent), environ)
    if checkout.leaves_files_out():
        raise GitError("this sparse checkout may leave tests out", fix="git sparse-checkout disable brings them here")
    folder = f"{checkout.prefix}{root.name}"
    changes = Changes(untracked=untracked_files(checkout))
    listing = checkout.git.run(*LISTING).out
    layout = with_listing(find_layout(checkout.root, checkout.prefix.rstrip("/")), listing)
    layout = with_tests(layout, changes.untracked)
    sources = WorkTreeSources(checkout, layout, folder, None, changes=changes, pathspecs=layout.pathspecs())
    found = referenced_fixtures(layout, sources, folder=root.name)
    if found.broken:
        raise UsageError(f"{found.broken[0]}, so it may name any fixture", fix="mend it, or move it out of the tests")
    tracked = script_pathspecs(listing, layout)
    scripts = scripts_naming(Project(checkout, layout, folder, None, changes, tracked, committed=False))
    any_ = {**found.any, **{path: said[None][0] for path, said in scripts.items() if None in said}}
    known = found.names.union(*scripts.values())
    names = store.names()
    absent = () if any_ else tuple(name for name in names if name not in known)
    return Unreferenced(absent, len(names), any_)

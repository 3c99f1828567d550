"""The JavaScript and TypeScript tests of a selection. Where there are none, nothing is loaded and git not asked."""

from __future__ import annotations

from stepfork.git.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepfork.git.changes import Changes
    from stepfork.git.checkout import Checkout
    from stepfork.select.changed import FixtureChanges
    from stepfork.select.layout import Layout
    from stepfork.select.script_layout import ScriptLayout
    from stepfork.select.script_selection import Names
    from stepfork.select.selection import SelectedTest
    from stepfork.select.sources import CommitSources, WorkTreeSources

_MARKS = (".test.", ".spec.", "__tests__/")


class Project(Record):
    """What is selected from: ``old`` is the commit compared with, ``pathspecs`` those of the scripts that are tracked
    (see `script_pathspecs`). Where ``committed``, they are read as they stand at HEAD."""

    checkout: Checkout
    layout: Layout
    store: str
    old: str | None
    changes: Changes
    pathspecs: list[str]
    committed: bool


def script_pathspecs(listing: bytes, layout: Layout) -> list[str]:
    """git's pathspecs for the tests in scripts and the modules beside them; none where the listing has no such test."""
    if not any(mark.encode() in listing for mark in _MARKS):
        return []
    scripts = _scripts(layout)
    return scripts.pathspecs() if scripts.has_tests(listing) else []


def scripts_touched(project: Project, fixtures: FixtureChanges, everything: Sequence[str]) -> tuple[SelectedTest, ...]:
    """The test files in scripts that the changes touch; all that use fixtures where ``everything`` says why."""
    sources = _sources(project)
    if sources is None:
        return ()
    from stepfork.select.script_selection import select_scripts

    folder = project.store.rsplit("/", 1)[-1]
    touched = project.changes.paths
    return select_scripts(fixtures, touched, _scripts(project.layout), sources, folder=folder, everything=everything)


def scripts_naming(project: Project) -> Names:
    """The test files in scripts that name any fixture, and which."""
    sources = _sources(project)
    if sources is None:
        return {}
    from stepfork.select.script_selection import names_in_scripts

    return names_in_scripts(_scripts(project.layout), sources, folder=project.store.rsplit("/", 1)[-1])


def _scripts(layout: Layout) -> ScriptLayout:
    from stepfork.select.script_layout import ScriptLayout

    return ScriptLayout(layout.root, layout.collection)


def _sources(project: Project) -> CommitSources | WorkTreeSources | None:
    """The scripts in the state that is asked about; None where no test is among them."""
    if not project.pathspecs:
        paths = project.changes.paths | project.changes.untracked
        new = [path for path in paths if any(mark in path for mark in _MARKS)]
        if not any(map(_scripts(project.layout).is_test, new) if new else ()):
            return None
    from stepfork.select.sources import CommitSources, WorkTreeSources

    layout = _scripts(project.layout)
    if project.committed:
        return CommitSources(project.checkout, layout, project.store, project.old)
    changes, specs = project.changes, project.pathspecs
    return WorkTreeSources(project.checkout, layout, project.store, project.old, changes=changes, pathspecs=specs)

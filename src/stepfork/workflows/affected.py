"""Which fixtures are behind: files that they depend on changed since the base, and they were not recorded again."""

from __future__ import annotations

from collections.abc import Mapping

from stepfork.errors import GitError, UsageError
from stepfork.git.changes import changed_paths
from stepfork.git.checkout import open_checkout
from stepfork.git.record import Record
from stepfork.select.base import Base
from stepfork.select.changed import FixtureChange, fixture_changes
from stepfork.select.collection import Collection
from stepfork.select.layout import Layout
from stepfork.select.sources import CommitSources, WorkTreeSources
from stepfork.store.store import Store
from stepfork.workflows.compared import compare, why_unsure


class Affected(Record):
    """What was compared, as in `SelectReport`, and the fixtures that are behind, in order of name.

    ``watched`` counts the changed files that any fixture depends on; ``unread`` says which manifests cannot be read.
    """

    base: Base
    merge_base: str | None
    committed: bool
    fixtures: tuple[FixtureChange, ...]
    watched: int
    unread: tuple[str, ...]


def affected_fixtures(store: Store, environ: Mapping[str, str], *, base: str | None, committed: bool) -> Affected:
    """The fixtures of ``store`` that are behind.

    Where select would take everything there is nothing here to go by: GitError where no base is known. UsageError where
    nothing says on which files fixtures depend.
    """
    folder = str(store.root.parent)
    checkout = open_checkout(folder, environ)
    override = str(store.root.resolve())
    compared = compare(checkout, folder, environ, asked=base, override=override, committed=committed)
    if compared.watch is None or compared.store is None:
        raise UsageError(
            "nothing says which files fixtures depend on",
            where=f"{store.root.name}/config.toml",
            fix='write [watch], and below it "refund" = ["agent.py", "prompts/**"]; stepfork init proposes lines',
        )
    if compared.merge_base is None and compared.base.head is not None:
        raise GitError(why_unsure(checkout, compared.base))
    changes = changed_paths(checkout, compared.start, committed=committed)
    layout = Layout(compared.store.rpartition("/")[0], Collection())
    sources: CommitSources | WorkTreeSources
    if committed:
        sources = CommitSources(checkout, layout, compared.store, None)
    else:
        sources = WorkTreeSources(checkout, layout, compared.store, None, changes=changes, pathspecs=[])
    found = fixture_changes(changes, compared.store, sources, compared.watch)
    return Affected(
        compared.base,
        compared.merge_base,
        committed,
        tuple(change for change in found.fixtures if change.what == "not refreshed"),
        len(found.watched),
        tuple(reason for reason in found.unsure if not reason.startswith(f"{compared.store}/config.toml ")),
    )

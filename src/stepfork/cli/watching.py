"""Lines of `[watch]` that a command proposes; nothing is written, since the list is for people to decide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stepfork.cli.console import err, out
from stepfork.cli.escape import escape

if TYPE_CHECKING:
    from stepfork.store.store import Store

_TOLD = 5


def print_proposal(root: Path) -> None:
    """Print lines for the fixtures of the store at `root` that nothing watches, to be pasted into config.toml."""
    from stepfork.cli.session import redactor
    from stepfork.config.environment import environ
    from stepfork.store.store import Store
    from stepfork.workflows.watching import proposal_for

    proposal = proposal_for(Store(root), environ())
    place = f"{root.name}/config.toml"
    if proposal.lines:
        where = f"below [watch] in {place}" if proposal.has_table else f"in {place}"
        hide = redactor(str(root), warn=False)
        out(f"proposed {where}, from the commands of fixtures; paste what is right, it counts from then on:")
        for line in [*([] if proposal.has_table else ["[watch]"]), *proposal.lines]:
            out(escape(hide(line)))
    if proposal.unknown and (proposal.lines or proposal.has_table):
        names = ", ".join(proposal.unknown[:_TOLD]) + (", …" if len(proposal.unknown) > _TOLD else "")
        out(escape(f"no file is known that these fixtures depend on: {names}"))


def hint_unwatched(store: Store, name: str) -> None:
    """Say that a project which keeps `[watch]` has no files in it for a fixture, where that is so."""
    from stepfork.config.project import read_settings
    from stepfork.workflows.watching import is_watched

    if not is_watched(read_settings(store.root), name):
        err(escape(f"[watch] in {store.root.name}/config.toml has no files for {name}: stepfork init proposes some"))

"""stepfork init."""

from __future__ import annotations

from pathlib import Path

import typer

from stepfork.cli.console import out
from stepfork.cli.escape import escape


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("init")(init)


def init(
    folder: Path = typer.Argument(Path(), help="Where to make .stepfork/."),
) -> None:
    """Make .stepfork/ here, with what git must know about it. Does nothing where it is up to date."""
    from stepfork.workflows.init import init_project

    done = init_project(folder)
    for change in done.changes:
        out(escape(change))
    if not done.changes:
        out(f"{escape(done.root.as_posix())} is up to date")
    out("next: stepfork capture --name NAME -- COMMAND")
    out("as a pre-commit hook: stepfork check-redaction (docs/how-to/pre-commit.md)")

"""stepfork init."""

from __future__ import annotations

from pathlib import Path

import typer

from stepfork.cli.console import out
from stepfork.cli.escape import escape
from stepfork.cli.verb import typed_as


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    short = "Make .stepfork/ here, with what git must know about it."
    app.command("init", cls=typed_as("[FOLDER]"), short_help=short)(init)


def init(
    folder: Path = typer.Argument(Path(), metavar="FOLDER", help="Where to make .stepfork/."),
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

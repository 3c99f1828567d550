"""stepfork init."""

from __future__ import annotations

from pathlib import Path

import typer

from stepfork.cli.console import err, out
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.cli.verb import typed_as
from stepfork.cli.watching import print_proposal
from stepfork.config.environment import environ
from stepfork.errors import UsageError


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    short = "Make .stepfork/ here, with what git must know about it."
    codes = "Exit codes: 0 done; 1 with --status, something is not set up or does not work; 2 it could not be done."
    app.command("init", cls=typed_as("[OPTIONS] [FOLDER]"), short_help=short, epilog=codes)(init)


def init(
    folder: Path = typer.Argument(Path(), metavar="FOLDER", help="Where to make .stepfork/."),
    driver: bool = typer.Option(False, "--diff-driver", help="Let git diff tell what changed in meaning too."),
    hook: bool = typer.Option(False, "--hook", help="Install check-redaction as pre-commit hook, if there is none."),
    status: bool = typer.Option(False, "--status", help="Say what is set up, and whether it works."),
    remove: bool = typer.Option(False, "--remove", help="Take back what git was told; the store stays."),
) -> None:
    """Make .stepfork/ here, with what git must know about it. Does nothing where it is up to date.

    In this clone's git configuration, diff.stepfork.textconv makes git diff, log -p, show and blame tell fixtures as
    text. Nothing outside of the repository is touched.
    """
    if status + remove + (driver or hook) > 1:
        raise UsageError("--status and --remove stand alone", fix="leave the other options out")
    if status:
        raise typer.Exit(_status(folder))
    if remove:
        _remove(folder)
    else:
        _init(folder, driver=driver, hook=hook)


def _init(folder: Path, *, driver: bool, hook: bool) -> None:
    from stepfork.workflows.init import init_project
    from stepfork.workflows.init_git import lacks_hook, not_done, tell_git

    done = init_project(folder)
    for change in done.changes:
        out(escape(change))
    told = tell_git(folder, environ(), driver=driver, hook=hook)
    for line in told:
        out(escape(line))
    if not done.changes and not told:
        out(f"{escape(done.root.as_posix())} is up to date")
    out("next: stepfork capture --name NAME -- COMMAND")
    if not hook and lacks_hook(folder, environ()):
        out("as a pre-commit hook: stepfork init --hook (docs/how-to/pre-commit.md)")
    print_proposal(done.root)
    lacking = not_done(folder, environ(), driver=driver, hook=hook)
    if lacking:
        what = " and the ".join(lacking)
        err(f"stepfork init: the {what} that you asked for cannot be set up here; why is said above")
        raise typer.Exit(BAD_INPUT)


def _remove(folder: Path) -> None:
    from stepfork.workflows.init_git import take_back

    told = take_back(folder, environ())
    for line in told or ["git was told nothing here"]:
        out(escape(line))


def _status(folder: Path) -> int:
    from stepfork.workflows.init_status import status

    rows = status(folder, environ())
    wide = max(len(row.name) for row in rows)
    for row in rows:
        mark = {True: "ok", False: "no", None: "-"}[row.ok]
        fix = f"; {row.fix}" if row.fix else ""
        out(escape(f"{row.name.ljust(wide)}  {mark.ljust(2)}  {row.state}{fix}"))
    return NO if any(row.ok is False for row in rows) else OK

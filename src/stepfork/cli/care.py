"""stepfork fsck, gc, pack, unpack and resolve: care of the store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stepfork.cli.console import counted, err, out
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import NO, OK
from stepfork.cli.session import STORE_HELP, open_locator, open_store, redactor, secrets_here, shown_path, typed_path
from stepfork.cli.verb import typed_as
from stepfork.errors import UsageError

if TYPE_CHECKING:
    from stepfork.store.fsck import Checked
    from stepfork.workflows.maintenance import Put


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    codes = "Exit codes: 0 all well; 1 something is not; 2 it could not be checked."
    short = "Check every object, reference and manifest of the store."
    app.command("fsck", cls=typed_as("[OPTIONS] [BUNDLE]"), short_help=short, epilog=codes)(fsck)
    app.command("gc", short_help="Remove objects that no manifest reaches.")(gc)
    app.command("pack", cls=typed_as("[OPTIONS] FIXTURE [BUNDLE]"), short_help="Write a fixture as a bundle.")(pack)
    app.command("unpack", cls=typed_as("[OPTIONS] BUNDLE"), short_help="Take a bundle into the store.")(unpack)
    settled = "Settle a merge conflict in a fixture."
    app.command("resolve", cls=typed_as("NAME --ours", "NAME --theirs"), short_help=settled)(resolve)


def fsck(
    bundle: Path | None = typer.Argument(None, metavar="BUNDLE", help="A bundle to check instead of the store."),
    staged: bool = typer.Option(False, "--staged", help="Every object of a staged manifest is staged too (a hook)."),
    restore: bool = typer.Option(False, "--restore", help="Take missing and damaged objects back from git first."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Check every object, reference and manifest of the store, or of a bundle."""
    from stepfork.workflows import maintenance
    from stepfork.workflows import restore as restoring

    if staged and restore:
        raise UsageError("--restore mends the work tree, not the index", fix="restore, git add, then fsck --staged")
    if bundle is not None:
        if staged or restore or store is not None:
            raise UsageError("a bundle is checked alone", fix="leave the options out")
        code = _told(maintenance.fsck_of_bundle(bundle))
        cleared = maintenance.cleared_journal(bundle)
        if cleared is not None:
            err(f"stepfork fsck: {escape(cleared)}")
        raise typer.Exit(code)
    opened = open_store(store)
    restored = restoring.restore(opened, secrets_here(store)) if restore else restoring.Restored()
    for item in restored.objects:
        out(escape(f"{item.path}: restored from {item.source} (needed by {', '.join(item.fixtures)})"))
    checked = maintenance.fsck_staged(opened) if staged else maintenance.fsck(opened)
    if restore:
        checked = restoring.after_restore(opened, checked, restored)
    code = _told(checked, store)
    if restored.objects:
        err(f"next: git add {escape(typed_path(opened.root))}")
    raise typer.Exit(code)


def _told(checked: Checked, store: str | None = None) -> int:
    """Print what a check found; the exit code that says so."""
    hide = redactor(store) if checked.findings else str
    for finding in checked.findings:
        out(escape(hide(str(finding))))
    scope = f"{counted(checked.fixtures, 'fixture')} and {counted(checked.objects, 'object')}"
    found = f"{counted(len(checked.findings), 'finding')} in {scope}" if checked.findings else f"{scope}, all well"
    err(f"stepfork fsck: {found}")
    return NO if checked.findings else OK


def gc(
    dry_run: bool = typer.Option(False, "--dry-run", help="List, remove nothing."),
    all_refs: bool = typer.Option(False, "--all-refs", help="Keep what a manifest on any ref reaches too."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Remove objects that no manifest of the work tree or the index reaches."""
    from stepfork.workflows import maintenance

    done = maintenance.gc(open_store(store), dry_run=dry_run, all_refs=all_refs)
    for path in done.removed if dry_run else ():
        out(escape(path))
    for path in done.journals:
        err(f"stepfork gc: {escape(path)}: {maintenance.LEFT}; it is removed")
    verb = "would remove" if dry_run else "removed"
    removed = counted(len(done.removed), "file")
    err(f"stepfork gc: {verb} {removed}, {done.bytes:,} bytes; {counted(done.kept, 'object')} reached")


def pack(
    fixture: str = typer.Argument(..., metavar="FIXTURE", help="A name, manifest or REV:name."),
    bundle: Path | None = typer.Argument(None, metavar="BUNDLE", help="Where to write it; NAME.sftrace by default."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Write a fixture as a bundle that travels between projects; what is a secret by now is redacted, and said."""
    from stepfork.workflows import maintenance

    opened = open_locator(store).open_word(fixture)
    path = bundle if bundle is not None else Path(f"{Path(opened.name).name}.sftrace")
    _put("pack", maintenance.pack(opened, path, secrets_here(store)))


def unpack(
    bundle: Path = typer.Argument(..., metavar="BUNDLE", help="The bundle to read."),
    name: str | None = typer.Option(
        None, "--name", metavar="NAME", help="The fixture's name; the bundle's by default."
    ),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Take a bundle into the store; what is a secret here is redacted, and said."""
    from stepfork.workflows import maintenance

    _put("unpack", maintenance.unpack(open_store(store), bundle, secrets_here(store), name))


def _put(verb: str, put: Put) -> None:
    """Print where a fixture is, and say what was redacted in it."""
    out(shown_path(put.path))
    _tell(verb, put)


def _tell(verb: str, put: Put) -> None:
    from stepfork.cli.render.explain_text import redaction_lines

    if put.redactions:
        err(f"stepfork {verb}: {counted(len(put.redactions), 'place')} redacted that held a secret")
        for line in redaction_lines(put.redactions, sys.stderr):
            err(line)


def resolve(
    name: str = typer.Argument(..., metavar="NAME", help="The fixture that both sides of a merge changed."),
    ours: bool = typer.Option(False, "--ours", help="Take our run whole."),
    theirs: bool = typer.Option(False, "--theirs", help="Take their run whole."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Settle a merge conflict in a fixture: one run whole, never a mixture."""
    from stepfork.workflows import maintenance

    if ours == theirs:
        raise UsageError("resolve takes --ours or --theirs", fix="or run stepfork capture --refresh NAME")
    opened = open_store(store)
    put = maintenance.resolve(opened, name, "ours" if ours else "theirs", secrets_here(store))
    state = "run" if put.path.exists() else "deletion"
    out(escape(f"{shown_path(put.path)} is {'our' if ours else 'their'} {state}"))
    _tell("resolve", put)
    others = [other for finding in maintenance.unmerged_files(opened) for other in finding.fixtures if other != name]
    if others:  # git add would take what lies there of them, which is our side's
        out(escape(f"in conflict too: {', '.join(others)}; resolve each before git add"))
    out(escape(f"next: git add {typed_path(opened.root)}, which settles the objects that git lists too"))

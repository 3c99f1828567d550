"""stepfork diff."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from stepfork.cli.console import err, out, out_bytes, wants_color
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.cli.session import STORE_HELP, open_locator, redactor, warn_of_unmerged
from stepfork.cli.verb import typed_as
from stepfork.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stepfork.diff.fixture_diff import FixtureDiff


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command(
        "diff", cls=typed_as("[OPTIONS] [OLD [NEW]]"), short_help="Say what differs in meaning.", epilog=_EXITS
    )(diff)


_EXITS = "Exit codes: 0 compared; 1 something differs, with --exit-code; 2 it could not be compared."


def diff(
    sides: list[str] | None = typer.Argument(
        None, metavar="OLD NEW", hidden=True, help="Names, manifests, bundles, REV:name, revisions."
    ),
    responses: bool = typer.Option(False, "--responses", help="Compare the answers too."),
    trace: bool = typer.Option(False, "--trace", help="Compare the steps too."),
    full: bool = typer.Option(False, "--full", help="Show consequences and every line."),
    as_json: bool = typer.Option(False, "--json", help="One JSON document on stdout (diff.schema.json)."),
    exit_code: bool = typer.Option(False, "--exit-code", help="Exit 1 where something differs, as git diff does."),
    color: str = typer.Option(
        "auto", "--color", metavar="auto|always|never", help="auto: on a terminal, unless NO_COLOR is set."
    ),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Say what differs in meaning between fixtures, bundles or revisions.

    Without an argument HEAD and the work tree are compared; with the name of a fixture, that one at HEAD and in the
    work tree; with a revision, it and the work tree. OLD and NEW are names, manifests, bundles, REV:name, revisions.
    """
    from stepfork.diff.fixture_diff import DiffOptions
    from stepfork.workflows.diff import diff as compare

    if color not in ("auto", "always", "never"):
        raise UsageError("--color is auto, always or never")
    locator = open_locator(store)
    clean = redactor(store)
    report = compare(locator, tuple(sides or ()), DiffOptions(responses=responses, trace=trace))
    if as_json:
        from stepfork.canonical.encode import dumps
        from stepfork.cli.render.diff_json import diff_document, report_document

        documents = report_document(report.pairs, clean=clean) if report.several else None
        document = documents or diff_document(report.pairs[0], clean=clean)
        out_bytes(dumps(document))
    elif report.pairs or not report.unread:
        print_diff(report.pairs, several=report.several, clean=clean, full=full, color=color)
    warn_of_unmerged(locator, *(pair.name for pair in report.pairs if not report.several))
    for line in report.unread:
        err(f"stepfork diff: {escape(line)}")
    if report.unread:
        raise typer.Exit(BAD_INPUT)
    raise typer.Exit(NO if exit_code and report.changed else OK)


def print_diff(
    pairs: Sequence[FixtureDiff],
    *,
    several: bool,
    clean: Callable[[str], str] | None = None,
    full: bool = False,
    color: str = "auto",
    to_stderr: bool = False,
) -> None:
    """The text view, every string redacted again."""
    from stepfork.cli.render.diff_text import render_report

    stream = sys.stderr if to_stderr else sys.stdout
    lines = render_report(
        pairs, several=several, full=full, color=wants_color(color, stream), clean=clean or redactor()
    )
    text = "\n".join(lines)
    err(text) if to_stderr else out(text)

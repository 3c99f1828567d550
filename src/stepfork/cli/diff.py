"""stepfork diff."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stepfork.cli.console import err, out, out_bytes, wants_color
from stepfork.cli.destinations import check_result_file, write_result_file
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.cli.session import STORE_HELP, annotated_path, open_locator, redactor, warn_of_unmerged
from stepfork.cli.verb import typed_as
from stepfork.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stepfork.cli.render.github import Level
    from stepfork.diff.fixture_diff import FixtureDiff
    from stepfork.diff.values import Grade
    from stepfork.workflows.diff import DiffReport
    from stepfork.workflows.locate import Locator

    Clean = Callable[[str], str]
    View = Callable[[DiffReport, Clean, bool], str]
    """A report in one form, whole, in UTF-8 where it goes to a file; with True, nothing is folded or left out."""


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
    form: str = typer.Option("text", "--format", metavar="text|github", help="github adds annotations of a job."),
    output: Path | None = typer.Option(None, "--output", metavar="FILE", help="Write the report to a file."),
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
    view = _view({"--json": (as_json, _json)}, text=partial(_text, color=color, to_file=output is not None))
    _check_form(form, to_stdout=output is None, text=not as_json)
    check_result_file(output)
    locator = open_locator(store)
    clean = redactor(store)
    report = compare(locator, tuple(sides or ()), DiffOptions(responses=responses, trace=trace))
    failed = _tell(view(report, clean, full), output, is_text=not as_json)
    if form == "github":
        _annotate(report, locator, clean)
    warn_of_unmerged(locator, *(pair.name for pair in report.pairs if not report.several))
    for line in report.unread:
        err(f"stepfork diff: {escape(line)}")
    if report.unread or failed:
        raise typer.Exit(BAD_INPUT)
    raise typer.Exit(NO if exit_code and report.changed else OK)


def _view(views: dict[str, tuple[bool, View]], text: View) -> View:
    """The one view asked for. Raises UsageError where several are."""
    asked = [name for name, (wanted, _) in views.items() if wanted]
    if len(asked) > 1:
        raise UsageError(f"{' and '.join(asked)} are two forms of one report", fix="run it once for each")
    return views[asked[0]][1] if asked else text


def _check_form(form: str, *, to_stdout: bool, text: bool) -> None:
    if form not in ("text", "github"):
        raise UsageError("--format is text or github")
    if form == "github" and to_stdout and not text:
        raise UsageError(
            "--format github wants the stdout that the report goes to", fix="write that with --output FILE"
        )


def _text(report: DiffReport, clean: Clean, full: bool, *, color: str, to_file: bool) -> str:
    if report.unread and not report.pairs:
        return ""
    color = "never" if to_file and color == "auto" else color
    return _lines(report.pairs, clean, several=report.several, full=full, color=wants_color(color, sys.stdout))


def _json(report: DiffReport, clean: Clean, _full: bool) -> str:
    from stepfork.canonical.encode import dumps
    from stepfork.cli.render.diff_json import report_document

    return dumps(report_document(report.pairs, clean=clean)).decode()


def _tell(told: str, output: Path | None, *, is_text: bool) -> int:
    """A view on stdout or in a file; the exit code of a failure to write it, 0 for none."""
    if output is not None:
        data = told if told.endswith("\n") or not told else f"{told}\n"
        return write_result_file("diff", output, data.encode("utf-8", "replace"))
    if not is_text:
        out_bytes(told.encode("utf-8", "replace"))
    elif told:
        out(told)
    return OK


_LEVELS: dict[Grade, Level] = {"breaking": "error", "changed": "warning", "info": "notice"}


def _annotate(report: DiffReport, locator: Locator, clean: Clean) -> None:
    """An annotation on the manifest of each fixture that changed, its report the message."""
    from stepfork.cli.render.github import annotation

    for pair in report.pairs:
        if pair.changed:
            path = "" if locator.store is None else annotated_path(locator.store.manifest_path(pair.name))
            told = _lines((pair,), clean, several=False, full=False, color=False)
            out(
                annotation(_LEVELS[pair.grade or "changed"], told, file=path, title=f"stepfork diff {clean(pair.name)}")
            )


def print_diff(pair: FixtureDiff, clean: Clean, *, how: str) -> None:
    """The text view on stderr, beside what another command says; `how` is the command that shows all of it, if any."""
    color = wants_color("auto", sys.stderr)
    err(_lines((pair,), clean, several=False, full=False, color=color, how=how))


def _lines(
    pairs: Sequence[FixtureDiff], clean: Clean, *, several: bool, full: bool, color: bool, how: str = "--full"
) -> str:
    from stepfork.cli.render.diff_text import render_report

    return "\n".join(render_report(pairs, several=several, full=full, color=color, clean=clean, how=how))

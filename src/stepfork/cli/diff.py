"""stepfork diff."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer

from stepfork.cli.console import err, out, out_bytes, wants_color
from stepfork.cli.destinations import check_result_file, write_result_file
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.cli.session import STORE_HELP, annotated_path, open_locator, redactor
from stepfork.cli.verb import Verb
from stepfork.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stepfork.diff.fixture_diff import FixtureDiff
    from stepfork.diff.values import Grade
    from stepfork.workflows.diff import DiffReport
    from stepfork.workflows.locate import Locator

    Clean = Callable[[str], str]
    View = Callable[[DiffReport, Clean, bool], str]
    """A report in one form, whole, in UTF-8 where it goes to a file; with True, nothing is folded or left out."""


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("diff", cls=_Diff, short_help="Say what differs in meaning.", epilog=_EXITS)(diff)


class _Diff(Verb):
    """Keeps what stands behind ``--`` apart: paths, as in git."""

    usages: ClassVar = ("[OPTIONS] [OLD [NEW]] [-- PATH...]",)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what stands before it; options have no value that is two hyphens alone."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_PATHS] = tuple(args[at + 1 :])
        return super().parse_args(ctx, args[:at])


_PATHS = "stepfork.paths"


_EXITS = "Exit codes: 0 compared; 1 a change of the grade that --fail-on names, or above; 2 it could not be compared."


def diff(
    ctx: typer.Context,
    sides: list[str] | None = typer.Argument(
        None, metavar="OLD NEW", hidden=True, help="Names, manifests, bundles, REV:name, revisions."
    ),
    cached: bool = typer.Option(False, "--cached", help="Compare what is staged with HEAD, or with a revision."),
    responses: bool = typer.Option(False, "--responses", help="Compare the answers too."),
    trace: bool = typer.Option(False, "--trace", help="Compare the steps too."),
    tools_only: bool = typer.Option(False, "--tools-only", help="Compare the tools offered to the model alone."),
    full: bool = typer.Option(False, "--full", help="Show consequences and every line."),
    as_json: bool = typer.Option(False, "--json", help="One JSON document on stdout (diff.schema.json)."),
    as_markdown: bool = typer.Option(False, "--markdown", help="Markdown for a comment or the summary of a job."),
    as_html: bool = typer.Option(False, "--html", help="One page for a browser, with every exchange of both sides."),
    form: str = typer.Option("text", "--format", metavar="text|github", help="github adds annotations of a job."),
    output: Path | None = typer.Option(None, "--output", metavar="FILE", help="Write the report to a file."),
    fail_on: str | None = typer.Option(
        None, "--fail-on", metavar="GRADE", help="Exit 1 on breaking, changed or info, or graver; never."
    ),
    exit_code: bool = typer.Option(False, "--exit-code", help="Exit 1 where anything differs: --fail-on info."),
    color: str = typer.Option(
        "auto", "--color", metavar="auto|always|never", help="auto: on a terminal, unless NO_COLOR is set."
    ),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Say what differs in meaning between fixtures, bundles or revisions.

    Without an argument HEAD and the work tree are compared; with the name of a fixture, that one at HEAD and in the
    work tree; with REV:name, that one at REV and in the work tree; with a revision, it and the work tree. OLD and NEW
    are names, manifests, bundles, REV:name, revisions; A..B and A...B are two revisions. PATH limits the fixtures:
    manifests, folders, patterns.
    """
    from stepfork.diff.fixture_diff import DiffOptions
    from stepfork.workflows.diff import diff as compare

    if color not in ("auto", "always", "never"):
        raise UsageError("--color is auto, always or never")
    failing = _failing(fail_on, exit_code=exit_code)
    if tools_only and (responses or trace):
        raise UsageError("--tools-only compares nothing but tools", fix="leave --responses and --trace out")
    views: dict[str, tuple[bool, View]] = {"--json": (as_json, _json), "--markdown": (as_markdown, _markdown)}
    views["--html"] = (as_html, _html)
    is_text = not any(wanted for wanted, _ in views.values())
    view = _view(views, text=partial(_text, color=color, to_file=output is not None))
    _check_form(form, to_stdout=output is None, text=is_text)
    if as_html and output is None and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("--html makes a page for a browser", fix="write it with --output FILE, such as diff.html")
    check_result_file(output)
    locator = open_locator(store)
    clean = redactor(store)
    options = DiffOptions(responses, trace, tools_only, timeline=as_html)
    report = compare(locator, tuple(sides or ()), options, cached=cached, paths=ctx.meta[_PATHS])
    failed = _tell(view(report, clean, full), output, is_text=is_text)
    if form == "github":
        _annotate(report, locator, clean)
    for line in report.unread:
        err(f"stepfork diff: {escape(line)}")
    if report.unread or failed:
        raise typer.Exit(BAD_INPUT)
    raise typer.Exit(NO if any(pair.grade in failing for pair in report.pairs) else OK)


def _failing(fail_on: str | None, *, exit_code: bool) -> tuple[Grade, ...]:
    """The grades of a fixture that make the command fail."""
    from stepfork.diff.values import GRADES

    if fail_on is not None and exit_code:
        raise UsageError("--exit-code is --fail-on info", fix="leave one of them out")
    least = "info" if exit_code else fail_on or "never"
    if least == "never":
        return ()
    for at, grade in enumerate(GRADES):
        if grade == least:
            return GRADES[at:]
    raise UsageError("--fail-on is breaking, changed, info or never")


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
    from stepfork.cli.escape import json_escapes
    from stepfork.cli.render.diff_json import report_document

    return json_escapes(dumps(report_document(report.pairs, clean=clean, unread=report.unread)).decode())


def _markdown(report: DiffReport, clean: Clean, full: bool) -> str:
    from stepfork.cli.render.diff_markdown import markdown_report

    return "\n".join((*markdown_report(report.pairs, full=full, clean=clean, unread=report.unread), ""))


def _html(report: DiffReport, clean: Clean, _full: bool) -> str:
    from stepfork.cli.render.html.page import html_report

    return html_report(report.pairs, clean=clean, unread=report.unread)


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


def _annotate(report: DiffReport, locator: Locator, clean: Clean) -> None:
    """An annotation on the manifest of each fixture that differs, and one for each that could not be compared."""
    from stepfork.cli.render.diff_github import annotated
    from stepfork.cli.render.github import annotation

    def file_of(pair: FixtureDiff) -> str:
        try:
            return "" if locator.store is None else annotated_path(locator.store.manifest_path(pair.name))
        except UsageError:  # a bundle's, with a name that no fixture could have
            return ""

    for line in annotated(report.pairs, clean, file_of):
        out(line)
    for line in report.unread:
        out(annotation("error", clean(line), title="stepfork diff: not compared"))


def print_diff(pair: FixtureDiff, clean: Clean, *, how: str) -> None:
    """The text view on stderr, beside what another command says; `how` is the command that shows all of it, if any."""
    color = wants_color("auto", sys.stderr)
    err(_lines((pair,), clean, several=False, full=False, color=color, how=how))


def _lines(
    pairs: Sequence[FixtureDiff], clean: Clean, *, several: bool, full: bool, color: bool, how: str = "--full"
) -> str:
    from stepfork.cli.render.diff_text import render_report

    return "\n".join(render_report(pairs, several=several, full=full, color=color, clean=clean, how=how))

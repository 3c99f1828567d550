"""stepfork trace check and trace convert: what spans make of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import typer

from stepfork.cli.console import counted, err, out, out_bytes, out_json
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.cli.session import STORE_HELP, open_locator, redactor, settings_of, shown_path
from stepfork.cli.verb import typed_as

if TYPE_CHECKING:
    from stepfork.workflows.trace import CheckedTrace

_verbs = typer.Typer(rich_markup_mode=None)


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    app.add_typer(_verbs, name="trace", help="Check what spans make of a run, or write it as a trace.")


_CHECKS = "Say what speaks against relying on a trace."
_CONVERTS = "Write the trace of a run's spans as a fixture would hold it."
_EXITS = "Exit codes: 0 clean; 1 a finding fails the trace; 2 something could not be read, and the rest was checked."


@_verbs.command("check", cls=typed_as("[OPTIONS] FILE|FIXTURE..."), short_help=_CHECKS, epilog=_EXITS)
def check(
    traces: list[str] = typer.Argument(
        ..., metavar="FILE|FIXTURE...", help="OTLP files (together one run), converted traces, fixtures or bundles."
    ),
    as_json: bool = typer.Option(False, "--json", help="One JSON document on stdout (trace-check.schema.json)."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Say what speaks against relying on a trace: docs/reference/trace-check.md explains each finding."""
    from stepfork.config.environment import environ
    from stepfork.workflows.trace import check_words

    locator = open_locator(store)
    checked = tuple(map(_hidden(redactor(store)), check_words(traces, locator, environ(), settings_of(locator))))
    if as_json:
        from stepfork.canonical.encode import dumps

        out_json(dumps(_document(checked)))
    for one in checked:
        if one.problem is not None:
            err(f"stepfork trace check: {escape(one.problem)}")
        elif not as_json:
            out("\n".join(_lines(one)))
    raise typer.Exit(_code(checked))


@_verbs.command("convert", cls=typed_as("[OPTIONS] FILE..."), short_help=_CONVERTS)
def convert(
    files: list[Path] = typer.Argument(..., metavar="FILE...", help="OTLP files of one run: JSON, JSONL or protobuf."),
    output: Path | None = typer.Option(None, "--output", "-o", metavar="FILE", help="The trace; stdout by default."),
) -> None:
    """Write the trace of a run's spans as a fixture would hold it: redacted, normalised, canonical JSON."""
    from stepfork.config.environment import environ
    from stepfork.workflows.trace import convert as converted
    from stepfork.workflows.trace import write_trace

    data = converted(files, environ(), Path.cwd(), settings_of(open_locator(None)))
    if output is None:
        out_bytes(data)
        return
    write_trace(output, data)
    out(escape(shown_path(output)))


def _hidden(hide: Callable[[str], str]) -> Callable[[CheckedTrace], CheckedTrace]:
    """What makes a check one that may be shown: a fixture or a trace may have been edited by hand."""
    return lambda one: replace(
        one,
        findings=tuple(msgspec.structs.replace(finding, text=hide(finding.text)) for finding in one.findings),
        warnings=tuple(map(hide, one.warnings)),
        problem=None if one.problem is None else hide(one.problem),
    )


def _code(checked: tuple[CheckedTrace, ...]) -> int:
    if any(one.problem is not None for one in checked):
        return BAD_INPUT
    return OK if all(one.clean for one in checked) else NO


def _lines(checked: CheckedTrace) -> Iterator[str]:
    size = counted(checked.steps, "step") + (f", {counted(checked.exchanges, 'exchange')}" if checked.exchanges else "")
    shown = checked.names[0] + (f" and {len(checked.names) - 1} more" if len(checked.names) > 1 else "")
    yield f"{escape(shown)}: trace check {'OK' if checked.clean else 'failed'} ({size})"
    for finding in checked.findings:
        place = "" if finding.step is None else f"step {finding.step}: "
        told = f"{place}{finding.text}; {finding.advice}"
        yield f"  {'fails' if finding.fails else 'note '}  {escape(finding.code).ljust(23)}  {escape(told)}"
    for warning in checked.warnings:
        yield f"  warning  {escape(warning)}"


def _document(checked: tuple[CheckedTrace, ...]) -> dict[str, Any]:
    return {
        "clean": all(one.clean for one in checked),
        "checked": [
            {
                "names": list(one.names),
                "kind": one.kind,
                "clean": one.clean,
                "steps": one.steps,
                "exchanges": one.exchanges,
                "findings": [
                    {"code": f.code, "text": f.text, "fails": f.fails, "advice": f.advice, "step": f.step}
                    for f in one.findings
                ],
                "warnings": list(one.warnings),
                "problem": one.problem,
            }
            for one in checked
        ],
    }

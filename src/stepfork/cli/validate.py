"""stepfork validate: check that fixtures can be read whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from stepfork.cli.console import counted, err, out, out_json
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.cli.session import STORE_HELP, open_locator, redactor, tell_of_left
from stepfork.cli.verb import typed_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from stepfork.workflows.validate import Validated


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    codes = "Exit codes: 0 valid; 1 something is not as it should be; 2 it could not be read."
    short = "Check that fixtures can be read whole."
    app.command("validate", cls=typed_as("[OPTIONS] FIXTURE..."), short_help=short, epilog=codes)(validate)


def validate(
    fixtures: list[str] = typer.Argument(..., metavar="FIXTURE...", help="Names, manifests, bundles or REV:name."),
    partial: bool = typer.Option(
        False,
        "--partial",
        help="Accept the draft of a capture that failed, and the journal of a recording that was killed.",
    ),
    as_json: bool = typer.Option(False, "--json", help="One JSON document on stdout (validate.schema.json)."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Check that fixtures can be read whole: every object, every reference."""
    from stepfork.workflows.validate import validate as check

    locator = open_locator(store)
    hide = redactor(store)
    checked = [check(locator, word, partial=partial) for word in fixtures]
    for one in checked:
        tell_of_left(one.left, one.word)
    if as_json:
        from stepfork.cli.render.validate_json import validate_bytes

        out_json(validate_bytes(checked, hide, partial=partial))
    else:
        for one in checked:
            _tell(one, hide)
    raise typer.Exit(max(map(_code, checked)))


def _code(one: Validated) -> int:
    if one.problem is not None:
        return BAD_INPUT
    return NO if one.state == "invalid" else OK


def _tell(one: Validated, hide: Callable[[str], str]) -> None:
    from stepfork.cli.render.verdict import short_verdict

    if one.problem is not None:
        err(f"stepfork validate: {escape(hide(one.problem))}")
        return
    for finding in one.findings:
        out(escape(hide(str(finding))))
    for differing in one.differing:
        out(escape(hide(f"{one.path}: {differing.text}; {differing.advice}")))
    if one.state == "invalid":
        return
    scope = f"{counted(one.exchanges, 'exchange')}, {counted(one.steps, 'step')}"
    if one.calls > one.ended:
        scope += f", {counted(one.calls - one.ended, 'call')} without an end"
    verdict = "" if one.state == "draft" else f", {short_verdict(one.verification)}"
    out(f"{escape(one.word)}: {one.state} ({scope}{hide(verdict)})")

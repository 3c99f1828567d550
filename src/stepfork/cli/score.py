"""stepfork score."""

from __future__ import annotations

from pathlib import Path

import typer

from stepfork.cli.console import err, out, out_json
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.cli.session import redactor
from stepfork.cli.verb import typed_as

_EXITS = "Exit codes: 0 claim-pinned; 1 run-pinned; 2 it cannot be said. Nothing is executed."
_CODES = {"claim-pinned": OK, "run-pinned": NO, "undetermined": BAD_INPUT}


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    short = "Say whether an exported test expects a claim or a copy."
    app.command("score", cls=typed_as("[OPTIONS] TEST"), short_help=short, epilog=_EXITS)(score)


def score(
    test: Path = typer.Argument(..., metavar="TEST", help="A test that stepfork export wrote."),
    expect_output: Path | None = typer.Option(
        None, "--expect-output", metavar="PATH", help="A JSON file to score instead of the test's own expectation."
    ),
    bundle: Path | None = typer.Option(
        None, "--bundle", metavar="PATH", help="The recording, where it is not where the test says."
    ),
    as_json: bool = typer.Option(False, "--json", help="One JSON document on stdout (score.schema.json)."),
) -> None:
    """Say whether an exported test rejects the run that it came from (claim-pinned) or repeats it (run-pinned)."""
    from stepfork.cli.render.score_text import score_lines
    from stepfork.workflows.score import ScoreRequest
    from stepfork.workflows.score import score as judge

    result = judge(ScoreRequest(test, expect_output, bundle))
    clean = redactor()
    if as_json:
        from stepfork.cli.render.score_json import score_document

        out_json(score_document(result, test.as_posix(), clean))
    else:
        out("\n".join(score_lines(result, clean)))
    if result.expectation is not None and result.expectation.foreign:
        err("stepfork score: no place of the expectation is one of the recorded output; was it written for this run?")
    if result.never_met:
        err(
            f"stepfork score: the test fails on any code, the fixed one too: a frozen replay makes the recorded calls, "
            f"which the trajectory rejects ({escape(clean(result.never_met[0]))}); record the fixed run, and export "
            "from that"
        )
    raise typer.Exit(_CODES[result.verdict])

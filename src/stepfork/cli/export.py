"""stepfork export."""

from __future__ import annotations

from pathlib import Path

import typer

from stepfork.cli.console import err, out
from stepfork.cli.escape import escape
from stepfork.cli.session import STORE_HELP, open_locator, redactor, secrets_here, shown_path, typed_path
from stepfork.cli.verb import typed_as
from stepfork.errors import UsageError


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    usage = typed_as("TRACE --pytest --entrypoint MODULE:FUNCTION [OPTIONS]")
    short = "Write a recorded run as a pytest regression test."
    app.command("export", cls=usage, short_help=short, epilog=_EXITS)(export)


_EXITS = "Exit codes: 0 written; 2 refused, and nothing was written."
_RECORDED = (
    "warning: the test asserts the recorded run output, so it will pass against the code that produced the recording"
)


def export(
    trace: str = typer.Argument(..., metavar="TRACE", help="A bundle, or a fixture of the store."),
    pytest: bool = typer.Option(True, "--pytest/--no-pytest", help="Write a pytest module: the only kind there is."),
    entrypoint: str = typer.Option(
        ..., "--entrypoint", metavar="MODULE:FUNCTION", help="The trusted local callable that the test executes."
    ),
    expect_output: Path | None = typer.Option(
        None, "--expect-output", metavar="PATH", help="A reviewed JSON file: the output that the run must have."
    ),
    expect_trajectory: Path | None = typer.Option(
        None, "--expect-trajectory", metavar="PATH", help="A reviewed JSON file: the calls that it must make."
    ),
    output: Path | None = typer.Option(
        None, "--output", "-o", metavar="PATH", help="The test's file; test_<trace>_regression.py by default."
    ),
    overwrite: bool = typer.Option(False, "--overwrite", help="Replace an exported test that is there."),
    mode: str = typer.Option(
        "frozen", "--mode", metavar="frozen|live", help="How the test replays: frozen, or live if a tool must run."
    ),
    allow_live_tool: list[str] | None = typer.Option(
        None, "--allow-live-tool", metavar="NAME", help="With --mode live: a tool that really runs; once for each."
    ),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Write a pytest test that runs the entrypoint again, answered from TRACE, and asserts what it comes to."""
    from stepfork.workflows.export import ExportRequest
    from stepfork.workflows.export import export as exported

    if not pytest:
        raise UsageError("only pytest tests are written", fix="leave --no-pytest out")
    done = exported(
        ExportRequest(
            trace=trace,
            entrypoint=entrypoint,
            secrets=secrets_here(store),
            cwd=Path.cwd(),
            expect_output=expect_output,
            expect_trajectory=expect_trajectory,
            output=output,
            overwrite=overwrite,
            mode=mode,
            allow_live_tools=tuple(allow_live_tool or ()),
        ),
        open_locator(store),
    )
    hide = redactor(store)
    out(escape(shown_path(done.path)))
    if done.asserts_recording:
        err(f"stepfork export: {_RECORDED}; write what it should come to and pass it with --expect-output")
    for note in done.notes:
        err(f"stepfork export: {escape(hide(note))}")
    err(f"next: pytest {escape(typed_path(done.path))}")
    err(f"next: stepfork score {escape(typed_path(done.path))}")

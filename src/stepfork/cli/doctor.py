"""stepfork doctor: first aid before the first recording."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from stepfork.cli.console import out, out_json
from stepfork.cli.exit_codes import NO, OK, of_signal
from stepfork.cli.session import STORE_HELP
from stepfork.cli.verb import typed_as


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    usage, short = typed_as("[OPTIONS] [-- COMMAND...]"), "Say what stands in the way of a recording."
    settings = {"allow_interspersed_args": False}
    app.command("doctor", cls=usage, context_settings=settings, short_help=short, epilog=_EXITS)(doctor)


_EXITS = "Exit codes: 0 nothing to mend; 1 a problem, or two runs that differ; 2 it could not look."


def doctor(
    command: list[str] | None = typer.Argument(None, metavar="-- COMMAND", hidden=True),
    allow_capture: bool = typer.Option(False, "--allow-capture", help="Run the command in CI too."),
    as_json: bool = typer.Option(False, "--json", help="One JSON document on stdout (doctor.schema.json)."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Say what stands in the way of a recording, and what differs between two runs of a command.

    With COMMAND it is run twice, for real, to see what differs. Nothing is written.
    """
    from stepfork.cli.progress import CallCounter
    from stepfork.cli.render.columns import fold
    from stepfork.cli.render.doctor_json import doctor_bytes
    from stepfork.cli.render.doctor_text import doctor_lines
    from stepfork.config.environment import environ, store_override
    from stepfork.workflows.doctor import DoctorRequest, diagnose

    counters = [CallCounter(f"run {number} of 2", sys.stderr, quiet=as_json) for number in (1, 2)]
    request = DoctorRequest(
        environ=environ(),
        cwd=Path.cwd(),
        command=tuple(command or ()),
        store=store or store_override(),
        allow_capture=allow_capture,
        stdout=sys.stderr.fileno() if command else None,
    )
    with counters[0], counters[1]:
        found = diagnose(request, lambda number, told: counters[number - 1].update(told))
    if as_json:
        out_json(doctor_bytes(found))
    else:
        facts = doctor_lines(found)  # what is not indented may be meant for config.toml: that is not folded
        out("\n".join(fold(line, sys.stdout) if line.startswith(" ") else line for line in facts))
    if found.twice is not None and found.twice.signal is not None:
        raise typer.Exit(of_signal(found.twice.signal))
    raise typer.Exit(OK if found.well else NO)

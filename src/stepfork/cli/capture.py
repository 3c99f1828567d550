"""stepfork capture, and capture --refresh."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stepfork.cli.console import err, out_bytes
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import INTERRUPTED, NO, OK, TERMINATED
from stepfork.cli.session import STORE_HELP, open_store
from stepfork.errors import UsageError

if TYPE_CHECKING:
    from stepfork.diff.fixture_diff import FixtureDiff
    from stepfork.store.store import Store
    from stepfork.workflows.make_fixture import CaptureResult


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("capture", context_settings={"allow_interspersed_args": False})(capture)


def capture(
    command: list[str] | None = typer.Argument(None, metavar="-- COMMAND...", help="The command that runs the agent."),
    name: str | None = typer.Option(None, "--name", help="The fixture's name; folders with /."),
    spans_from: list[Path] | None = typer.Option(
        None, "--from", metavar="OTLP", help="Make the fixture from exported spans instead of a command."
    ),
    refresh: str | None = typer.Option(None, "--refresh", metavar="NAME", help="Run a fixture's command again."),
    yes: bool = typer.Option(False, "--yes", help="With --refresh: run the command without asking."),
    output: Path | None = typer.Option(None, "--output", metavar="BUNDLE", help="Write a bundle instead of the store."),
    as_json: bool = typer.Option(False, "--json", help="One JSON document on stdout."),
    result_file: Path | None = typer.Option(None, "--result-file", metavar="FILE", help="The same document in a file."),
    store: str | None = typer.Option(None, "--store", help=STORE_HELP),
) -> None:
    """Run an agent once and keep the run as a fixture."""
    opened = open_store(store)
    _check_result_file(result_file)
    if refresh is not None:
        if name or spans_from or output or command:
            raise UsageError("--refresh takes the name alone", fix="it runs the command that the fixture recorded")
        captured, diff = _refresh(opened, refresh, yes=yes, quiet=as_json)
    else:
        if name is None:
            raise UsageError("a capture needs --name NAME")
        captured, diff = _capture(opened, name, command or [], spans_from or [], output, quiet=as_json), None
    _report(captured, diff, as_json=as_json, result_file=result_file)
    raise typer.Exit(_exit_code(captured))


def _capture(
    store: Store, name: str, command: list[str], spans_from: list[Path], output: Path | None, *, quiet: bool
) -> CaptureResult:
    from stepfork.cli.progress import CallCounter
    from stepfork.config.environment import environ
    from stepfork.workflows.capture import CaptureRequest, capture

    request = CaptureRequest(
        name=name,
        environ=environ(),
        output=output,
        command=tuple(command),
        spans_from=tuple(spans_from),
        stdout=_stdout(quiet),
    )
    with CallCounter(name, sys.stderr, quiet=quiet) as counter:
        return capture(request, store, counter.update)


def _refresh(store: Store, name: str, *, yes: bool, quiet: bool) -> tuple[CaptureResult, FixtureDiff | None]:
    from stepfork.cli.progress import CallCounter
    from stepfork.config.environment import environ
    from stepfork.workflows.refresh import prepare, refresh

    prepared = prepare(store, name, environ())
    err(f"command   {escape(shell_words(prepared.command))}   in {escape(prepared.cwd.as_posix())}")
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError("nobody can be asked here", fix="read the command above, then add --yes")
        typer.confirm("run it", abort=True, err=True)
    with CallCounter(name, sys.stderr, quiet=quiet) as counter:
        done = refresh(prepared, store, environ(), counter.update, _stdout(quiet))
    return done.captured, done.diff


def _stdout(quiet: bool) -> int | None:
    """With --json, stdout is for the document: what the command prints goes to stderr."""
    return sys.stderr.fileno() if quiet else None


def shell_words(command: tuple[str, ...]) -> str:
    """The command as one would type it."""
    import shlex

    return shlex.join(command)


def _check_result_file(path: Path | None) -> None:
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise UsageError("cannot be written", where=path.as_posix(), fix="name a file in a folder that is there")


def _report(captured: CaptureResult, diff: FixtureDiff | None, *, as_json: bool, result_file: Path | None) -> None:
    from stepfork.cli.diff import redactor
    from stepfork.cli.render.capture_json import capture_document
    from stepfork.cli.render.capture_text import capture_lines

    document = capture_document(captured, diff, redactor()) if as_json or result_file else b""
    if result_file is not None:
        result_file.write_bytes(document)
    if as_json:
        out_bytes(document)
    for line in capture_lines(captured):
        err(line)
    if diff is not None and not as_json:
        from stepfork.cli.diff import print_diff

        print_diff((diff,), several=False, to_stderr=True)


def _exit_code(captured: CaptureResult) -> int:
    if captured.signal is not None:
        return {2: INTERRUPTED, 15: TERMINATED}.get(captured.signal, NO)
    return OK if captured.fixture is not None else NO

"""stepfork capture."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stepfork.cli.capture_report import Output, exit_code, print_result, refuse_in_ci, shell_words, tell
from stepfork.cli.console import err
from stepfork.cli.destinations import check_form, check_result_file
from stepfork.cli.session import STORE_HELP, open_store
from stepfork.cli.verb import Verb
from stepfork.errors import UsageError

if TYPE_CHECKING:
    from stepfork.store.store import Store
    from stepfork.workflows.capture_result import CaptureResult


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("capture", cls=_Capture, context_settings={"allow_interspersed_args": False}, epilog=_EXITS)(capture)


_EXITS = (
    "Exit codes: 0 verified, or nothing to verify; 1 not verified, or no fixture; 2 it could not begin; 130 and 143 "
    "interrupted."
)


class _Capture(Verb):
    """Options end where the agent's command begins; with --refresh there is none, and names may stand anywhere."""

    usages = (
        "--name NAME [OPTIONS] -- COMMAND...",
        "--name NAME --from OTLP [OPTIONS]",
        "--refresh NAME... [OPTIONS]",
        "--refresh --all [OPTIONS]",
        "--refresh --affected [OPTIONS]",
    )

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = args[: args.index("--")] if "--" in args else args
        # What follows a --name may be a command, whose options are its own.
        named = next((at for at, word in enumerate(own) if word.partition("=")[0] == "--name"), len(own))
        ctx.allow_interspersed_args = not {"--refresh", "--all", "--affected"}.isdisjoint(own[:named])
        return super().parse_args(ctx, args)


def capture(
    words: list[str] | None = typer.Argument(
        None, metavar="-- COMMAND", hidden=True, help="The command that runs the agent; with --refresh the fixtures."
    ),
    name: str | None = typer.Option(None, "--name", metavar="NAME", help="The fixture's name; folders with /."),
    expect_fail: bool = typer.Option(
        False, "--expect-fail", help="The run is an incident: each tool is held to one call for each id."
    ),
    require_spans: bool = typer.Option(False, "--require-spans", help="Without any span there is no fixture."),
    spans_from: list[Path] | None = typer.Option(
        None, "--from", metavar="OTLP", help="Make the fixture from exported spans instead of a command."
    ),
    output: Path | None = typer.Option(None, "--output", metavar="BUNDLE", help="Write a bundle instead of the store."),
    refresh: bool = typer.Option(False, "--refresh", help="Run the commands of fixtures again, and compare."),
    every: bool = typer.Option(False, "--all", help="With --refresh: every fixture that has a command."),
    affected: bool = typer.Option(
        False, "--affected", help="With --refresh: the fixtures that are behind the files of [watch] in config.toml."
    ),
    base: str | None = typer.Option(
        None, "--base", metavar="REF", help="With --affected: what changed since this revision; else as in select."
    ),
    yes: bool = typer.Option(False, "--yes", help="With --refresh: run the commands without asking."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Run and report; write nothing unasked."),
    explain: bool = typer.Option(False, "--explain", help="Say what was redacted and what was templated, and why."),
    reuse: bool = typer.Option(
        False, "--reuse", help="With --refresh: answer from the recording until the first call that it has not."
    ),
    allow_capture: bool = typer.Option(False, "--allow-capture", help="Record in CI too."),
    form: str = typer.Option("text", "--format", metavar="text|github", help="github adds annotations of a job."),
    as_json: bool = typer.Option(False, "--json", help="One JSON document on stdout (capture.schema.json)."),
    result_file: Path | None = typer.Option(None, "--result-file", metavar="FILE", help="The same document in a file."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Run an agent once and keep the run as a fixture.

    With --refresh the commands that fixtures were recorded from run again, in the folder where they ran.
    """
    from stepfork.cli import refresh as refreshing
    from stepfork.cli.render.capture_json import capture_bytes

    check_result_file(result_file)
    check_form(form, as_json=as_json)
    opened = open_store(store)
    told = Output(as_json, result_file, form == "github")
    if base is not None and not affected:
        raise UsageError("--base goes with --refresh --affected")
    if refresh or every or affected:
        if name or spans_from or output or expect_fail or require_spans:
            raise UsageError(
                "--refresh takes names alone", fix="it runs what each fixture recorded, with the options of then"
            )
        options = refreshing.Options(
            tuple(words or ()), every, affected, base, yes, dry_run, reuse, allow_capture, explain
        )
        raise typer.Exit(refreshing.run(opened, options, told))
    for option, given in (("--yes", yes), ("--reuse", reuse)):
        if given:
            raise UsageError(f"{option} goes with --refresh")
    if name is None:
        raise UsageError("a capture needs --name NAME")
    command = tuple(words or ())
    if command and not allow_capture:
        typed = typed_capture(name, command, output=output, expect_fail=expect_fail, require_spans=require_spans)
        refuse_in_ci([opened.shown(opened.manifest_path(name)) if output is None else output.as_posix()], typed)
    request: dict[str, Any] = {
        "output": output,
        "expect_fail": expect_fail,
        "require_spans": require_spans,
        "explain": explain,
    }
    request |= {"name": name, "command": command, "spans_from": tuple(spans_from or ())}
    captured = _capture(opened, told, request, dry_run=dry_run)
    print_result(captured, None)
    if captured.fixture is not None and not dry_run and output is None:
        from stepfork.cli.watching import hint_unwatched

        hint_unwatched(opened, name)
    if dry_run and captured.fixture is not None:
        err("next: the same without --dry-run keeps it")
    raise typer.Exit(tell(told, capture_bytes(captured), [captured]) or exit_code(captured))


def _capture(store: Store, told: Output, request: dict[str, Any], *, dry_run: bool) -> CaptureResult:
    from stepfork.cli.progress import CallCounter
    from stepfork.config.environment import environ
    from stepfork.config.project import read_settings
    from stepfork.workflows.capture import CaptureRequest, capture, rehearse

    asked = CaptureRequest(environ=environ(), stdout=told.stdout, settings=read_settings(store.root), **request)
    with CallCounter(asked.name, sys.stderr, quiet=told.quiet) as counter:
        return (rehearse if dry_run else capture)(asked, store, counter.update)


def typed_capture(name: str, command: tuple[str, ...], *, output: Path | None = None, **flags: bool) -> str:
    """The capture as one would type it, without the secrets that the words of its command may hold. Raises ConfigError
    for a ``.env`` that cannot be read."""
    from stepfork.config.environment import environ, read_dotenv, store_override
    from stepfork.config.redaction import project_rules
    from stepfork.redact.redactor import redact_command
    from stepfork.redact.secrets import Secrets

    rules = project_rules(".", store_override())
    shown = redact_command(command, Secrets.collect(environ(), read_dotenv("."), rules))
    options = [f"--{flag.replace('_', '-')}" for flag, given in flags.items() if given]
    options += [] if output is None else ["--output", output.as_posix()]
    return shell_words(("stepfork", "capture", "--name", name, *options, "--", *shown))

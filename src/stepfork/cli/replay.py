"""stepfork replay."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stepfork.cli.capture import typed_capture
from stepfork.cli.console import err, out, out_json
from stepfork.cli.destinations import check_form, check_result_file, write_result_file
from stepfork.cli.exit_codes import NO, OK, of_signal
from stepfork.cli.session import STORE_HELP, annotated_path, open_locator, settings_of, warn_of_unmerged
from stepfork.cli.verb import typed_as
from stepfork.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from stepfork.cli.progress import CallCounter
    from stepfork.config.project import Settings
    from stepfork.trace.fixture import Fixture
    from stepfork.workflows.locate import Locator, Reading
    from stepfork.workflows.replay import ReplayRequest, ReplayResult


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    usage = typed_as("FIXTURE [OPTIONS] -- COMMAND...", "FIXTURE --entrypoint MODULE:FUNCTION [OPTIONS]")
    short = "Run an agent again, offline, answered from a fixture."
    app.command("replay", cls=usage, short_help=short, epilog=_EXITS)(replay)


_EXITS = "Exit codes: 0 replayed; 1 a miss, or else not as recorded; 2 nothing ran; 130 and 143 interrupted."


def replay(
    fixture: str = typer.Argument(..., metavar="FIXTURE", help="A name, manifest, bundle or REV:name."),
    command: list[str] | None = typer.Argument(None, metavar="-- COMMAND", hidden=True),
    entrypoint: str | None = typer.Option(
        None, "--entrypoint", metavar="MODULE:FUNCTION", help="Run this callable of this process instead of a command."
    ),
    mode: str | None = typer.Option(
        None,
        "--mode",
        metavar="strict|frozen|live",
        help="strict, of a command: calls are matched by what they say; frozen, of an entrypoint: in recorded order; "
        "live: frozen, but for the tools that are allowed.",
    ),
    allow_live: list[str] | None = typer.Option(
        None, "--allow-live-tool", metavar="NAME", help="With --mode live: a tool that really runs; once for each."
    ),
    _no_live: bool = typer.Option(False, "--no-live", help="Ask no upstream, whatever happens; it is always so."),
    executes: list[str] | None = typer.Option(
        None, "--executes", metavar="TOOL", help="Of a command: a recorded tool that may really run; once for each."
    ),
    block_egress: bool = typer.Option(
        False, "--block-egress", help="Of a command: deny Python and Node connections that leave this machine."
    ),
    form: str = typer.Option(
        "text", "--format", metavar="text|github", help="Of a command: github adds annotations of a job."
    ),
    as_json: bool = typer.Option(
        False, "--json", help="One JSON document on stdout (replay.schema.json, frozen.schema.json)."
    ),
    result_file: Path | None = typer.Option(None, "--result-file", metavar="FILE", help="The same document in a file."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Run an agent again, offline: a COMMAND, or a callable of this process (a frozen replay).

    Model calls and instrumented tools are answered from the fixture; what was not recorded is a miss, and runs nothing.
    """
    from stepfork.cli import frozen
    from stepfork.cli.progress import CallCounter
    from stepfork.cli.session import redactor
    from stepfork.config.environment import environ
    from stepfork.workflows.recorded_run import check_unedited
    from stepfork.workflows.replay import ReplayRequest

    mode = frozen.check_modes(mode, entrypoint, command or (), allow_live or ())
    check_form(form, as_json=as_json)
    check_result_file(result_file)
    locator = open_locator(store)
    reading = _reading(locator, fixture, tuple(command or ()))
    loaded = locator.load(reading)
    opened = loaded.fixture
    settings = settings_of(locator)
    clean = redactor(store)
    if entrypoint is not None:
        frozen.check_unused(
            {"--executes": bool(executes), "--block-egress": block_egress, "--format github": form == "github"}
        )
        check_unedited(opened, loaded.manifest, loaded.where)
        code = frozen.run(
            opened,
            entrypoint,
            settings,
            mode=mode,
            allow_live=allow_live or (),
            as_json=as_json,
            result_file=result_file,
            clean=clean,
        )
        raise typer.Exit(code)
    if not command:
        recorded = clean(_recorded_command(fixture, opened, settings))
        raise UsageError("a replay needs a command, which runs here", fix=recorded)
    if reading.kind == "name":
        warn_of_unmerged(locator, reading.name)
    request = ReplayRequest(
        fixture=opened,
        command=tuple(command),
        cwd=Path.cwd(),
        environ=environ(),
        settings=settings,
        executes=tuple(executes or ()),
        block_egress=block_egress,
        stdout=sys.stderr.fileno() if as_json or form == "github" else None,
    )
    with CallCounter(opened.name, sys.stderr, quiet=as_json or form == "github", verb="replaying") as counter:
        result = _run(request, counter)
    failed = _tell(result, opened, reading, clean, as_json=as_json, result_file=result_file)
    if form == "github" and not result.passed:
        _annotate(result, opened, locator, reading, clean)
    raise typer.Exit(failed or _exit_code(result))


def _reading(locator: Locator, word: str, command: tuple[str, ...]) -> Reading:
    """What `word` names. Raises NotFoundError; where a fixture could have that name, with how it is made."""
    try:
        return locator.read_fixture(word)
    except NotFoundError:
        store = locator.store
        if store is None or not command:
            raise
        path = locator.cwd / word if word.endswith(".json") else store.fixtures / f"{word}.json"
        name = store.name_of_path(path)
        if name is None:
            raise
        raise NotFoundError(
            "there is no such fixture",
            where=store.shown(store.manifest_path(name)),
            fix=f"record it on your machine and commit it: {typed_capture(name, command)}",
        ) from None


def _run(request: ReplayRequest, counter: CallCounter) -> ReplayResult:
    from stepfork.capture.record import Progress
    from stepfork.cli.console import counted
    from stepfork.listener.tape import Progress as Count
    from stepfork.workflows.replay import replay

    recorded = counted(len(request.fixture.run.exchanges), "recorded call")

    def tell(count: Count) -> None:
        counter.update(Progress(count.exchanges, count.spans, f"model → {recorded}", count.waiting))

    return replay(request, progress=tell)


def _recorded_command(word: str, fixture: Fixture, settings: Settings) -> str:
    """What one types to replay a fixture with the command that it has. It is shown, and run by nobody."""
    import shlex

    from stepfork.config.environment import environ
    from stepfork.normalize.known import restore
    from stepfork.workflows.surroundings import surroundings

    recorded = fixture.run.source.command
    if not recorded:
        return f"write stepfork replay {shlex.quote(word)} -- COMMAND"
    context = surroundings(environ(), Path.cwd(), None, settings)
    command = shlex.join([restore(part, context) for part in recorded])
    return f"read the recorded one, and type: stepfork replay {shlex.quote(word)} -- {command}"


def _tell(
    result: ReplayResult,
    fixture: Fixture,
    reading: Reading,
    clean: Callable[[str], str],
    *,
    as_json: bool,
    result_file: Path | None,
) -> int:
    """Lines on stderr, the document where it is wanted; the exit code of a failure to write it, 0 for none."""
    from stepfork.cli.render.columns import fold
    from stepfork.cli.render.replay_json import replay_document
    from stepfork.cli.render.replay_text import replay_lines

    stored = reading.kind == "name"
    for line in replay_lines(result, fixture, clean, stored=stored):
        err(fold(line, sys.stderr))
    failed = OK
    if as_json or result_file is not None:
        document = replay_document(result, fixture, clean, stored=stored)
        if result_file is not None:
            failed = write_result_file("replay", result_file, document)
        if as_json:
            out_json(document)
    return failed


def _annotate(
    result: ReplayResult, fixture: Fixture, locator: Locator, reading: Reading, clean: Callable[[str], str]
) -> None:
    from stepfork.cli.render.github import annotation
    from stepfork.cli.render.replay_text import headline, replay_lines

    told = [line.strip() for line in replay_lines(result, fixture, clean, stored=reading.kind == "name")]
    title = f"stepfork replay {result.name}"
    out(annotation("error", "\n".join([headline(result), *told[1:]]), file=_file(locator, reading), title=title))


def _file(locator: Locator, reading: Reading) -> str:
    """The fixture's manifest, or its bundle, as annotations name files; empty where it is at a revision."""
    if reading.kind == "name":
        path = locator.need_store().manifest_path(reading.name)
    elif reading.kind in ("manifest", "bundle"):
        path = locator.cwd / reading.word
    else:
        return ""
    return annotated_path(path)


def _exit_code(result: ReplayResult) -> int:
    if result.signal is not None:
        return of_signal(result.signal)
    return OK if result.passed else NO

"""stepfork show, ls and validate: look and check."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
import typer

from stepfork.cli.console import counted, err, out, out_json
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.cli.session import (
    STORE_HELP,
    open_locator,
    open_store,
    redactor,
    secrets_shown,
    settings_of,
    warn_of_unmerged,
)
from stepfork.cli.verb import typed_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from stepfork.config.project import Settings
    from stepfork.store.store import Store
    from stepfork.trace.fixture import Fixture
    from stepfork.workflows.locate import Locator
    from stepfork.workflows.maintenance import Listed
    from stepfork.workflows.unreferenced import Unreferenced


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    app.command("show", cls=typed_as("[OPTIONS] FIXTURE"))(show)
    app.command("ls")(ls)
    codes = "Exit codes: 0 valid; 1 something is not as it should be; 2 it could not be read."
    short = "Check that fixtures can be read whole."
    app.command("validate", cls=typed_as("[OPTIONS] FIXTURE..."), short_help=short, epilog=codes)(validate)


def show(
    fixture: str = typer.Argument(..., metavar="FIXTURE", help="A name, manifest, bundle, draft or REV:name."),
    placeholders: bool = typer.Option(
        False,
        "--placeholders",
        help="What became a placeholder, where, and why (with --json: placeholders.schema.json).",
    ),
    as_json: bool = typer.Option(False, "--json", help="The whole fixture as one JSON document (show.schema.json)."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Read a fixture: where it came from, each call, each step."""
    from stepfork.workflows.clean_copy import as_shown

    locator = open_locator(store)
    reading = locator.read_fixture(fixture)
    opened = as_shown(locator.load(reading), secrets_shown(store))
    if reading.kind == "name":
        warn_of_unmerged(locator, reading.name)
    if placeholders:
        _show_placeholders(opened, settings_of(locator), as_json=as_json)
    else:
        _show(opened, as_json=as_json)


def _show(fixture: Fixture, *, as_json: bool) -> None:
    from stepfork.cli.render.show_text import show_lines
    from stepfork.workflows.maintenance import fixture_document

    if as_json:
        from stepfork.canonical.encode import dumps

        out_json(dumps(fixture_document(fixture)))
    else:
        out("\n".join(show_lines(fixture)))


def _show_placeholders(fixture: Fixture, settings: Settings, *, as_json: bool) -> None:
    from stepfork.normalize.explain import explain

    explained = explain(fixture.run, settings.normalize)
    if as_json:
        from stepfork.cli.render.placeholders_json import placeholders_bytes

        out_json(placeholders_bytes(fixture.name, explained))
    else:
        from stepfork.cli.render.placeholders_text import placeholder_lines

        out("\n".join(placeholder_lines(fixture.name, explained, sys.stdout)))


def ls(
    unreferenced: bool = typer.Option(False, "--unreferenced", help="Only the names of those that no test references."),
    as_json: bool = typer.Option(False, "--json", help="One JSON document on stdout (ls.schema.json)."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """List the fixtures: calls, files, size, outcome."""
    from stepfork.workflows.maintenance import list_fixtures

    opened = open_store(store)
    found = _unreferenced(opened) if unreferenced else None
    hide = redactor(store)
    listed = [
        msgspec.structs.replace(row, label=hide(row.label), problem=None if row.problem is None else hide(row.problem))
        for row in list_fixtures(opened)
        if found is None or row.name in found.names
    ]
    if as_json:
        from stepfork.canonical.encode import dumps

        rows = [
            {
                "name": row.name,
                "exchanges": row.exchanges,
                "files": row.files,
                "bytes": row.bytes,
                "label": row.label,
                "outcome": None if row.verification is None else row.verification.outcome,
                "problem": row.problem,
            }
            for row in listed
        ]
        out_json(dumps({"fixtures": rows}))
    elif found is not None:
        for name in found.names:
            out(escape(name))
    elif not listed:
        err("no fixtures yet; stepfork capture --name NAME -- COMMAND makes one")
    else:
        _print_list(listed)
    if found is None and any(row.problem is not None for row in listed):
        raise typer.Exit(BAD_INPUT)


def _unreferenced(store: Store) -> Unreferenced:
    """Which they are; what is to be known beside the names is told."""
    from stepfork.config.environment import environ
    from stepfork.workflows.unreferenced import unreferenced_fixtures

    found = unreferenced_fixtures(store, environ())
    for path, why in found.any.items():
        err(escape(f"{path} may name any fixture: {why}"))
    if not found.fixtures:
        err("no fixtures yet; stepfork capture --name NAME -- COMMAND makes one")
    elif found.any:
        err(f"so none of {counted(found.fixtures, 'fixture')} is unreferenced for certain")
    elif found.names:
        err(f"{len(found.names)} of {counted(found.fixtures, 'fixture')} referenced by no test")
    else:
        err(f"every fixture is referenced by a test ({found.fixtures})")
    return found


def _print_list(listed: list[Listed]) -> None:
    from stepfork.cli.render.columns import size_of
    from stepfork.cli.render.verdict import short_verdict

    told = [
        (
            escape(row.name),
            counted(row.exchanges, "call"),
            counted(row.files, "file"),
            size_of(row.bytes),
            short_verdict(row.verification),
        )
        for row in listed
    ]
    wide = [max(map(len, column)) for column in zip(*told, strict=True)]
    for row, (name, *numbers, verdict) in zip(listed, told, strict=True):
        if row.problem is not None:
            out(f"{name.ljust(wide[0])}  problem: {escape(row.problem)}")
            continue
        facts = [number.rjust(width) for number, width in zip(numbers, wide[1:-1], strict=True)]
        out("  ".join([name.ljust(wide[0]), *facts, verdict.ljust(wide[-1]), escape(row.label)]).rstrip())


def validate(
    fixtures: list[str] = typer.Argument(..., metavar="FIXTURE...", help="Names, manifests, bundles or REV:name."),
    partial: bool = typer.Option(False, "--partial", help="Accept the draft of a capture that failed."),
    store: str | None = typer.Option(None, "--store", metavar="DIR", help=STORE_HELP),
) -> None:
    """Check that fixtures can be read whole: every object, every reference."""
    locator = open_locator(store)
    hide = redactor(store)
    codes = [_validate(locator, word, hide, partial=partial) for word in fixtures]
    raise typer.Exit(max(codes))


def _validate(locator: Locator, word: str, hide: Callable[[str], str], *, partial: bool) -> int:
    from stepfork.cli.render.verdict import short_verdict
    from stepfork.errors import StepforkError
    from stepfork.workflows import maintenance
    from stepfork.workflows.verdict import findings_of

    try:
        loaded = locator.load(locator.read_fixture(word))
        verification, told = findings_of(loaded.fixture, where=loaded.where)
    except StepforkError as error:
        err(f"stepfork validate: {escape(hide(str(error)))}")
        return BAD_INPUT
    causes = maintenance.draft_causes(loaded.fixture)
    if causes and not partial:
        err(f"stepfork validate: {escape(word)}: is the draft of a failed capture; --partial accepts it")
        return BAD_INPUT
    findings = maintenance.validate(loaded.fixture, loaded.manifest, where=loaded.where, partial=partial)
    differing = [one for one in told if one.code == "verdict_differs"]
    for finding in findings:
        out(escape(hide(str(finding))))
    for one in differing:
        out(escape(hide(f"{loaded.where}: {one.text}; {one.advice}")))
    if findings or differing:
        return NO
    run = loaded.fixture.run
    state = "draft" if causes else "valid"
    scope = f"{counted(len(run.exchanges), 'exchange')}, {counted(len(run.trace.steps), 'step')}"
    verdict = "" if causes else f", {short_verdict(verification)}"
    out(f"{escape(word)}: {state} ({scope}{hide(verdict)})")
    return OK

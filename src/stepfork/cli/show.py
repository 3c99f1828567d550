"""stepfork show and ls: look at fixtures."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
import typer

from stepfork.cli.console import counted, err, out, out_json
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT
from stepfork.cli.session import (
    STORE_HELP,
    open_locator,
    open_store,
    redactor,
    secrets_shown,
    settings_of,
    tell_of_left,
    warn_of_unmerged,
)
from stepfork.cli.verb import typed_as

if TYPE_CHECKING:
    from stepfork.config.project import Settings
    from stepfork.store.store import Store
    from stepfork.trace.fixture import Fixture
    from stepfork.workflows.maintenance import Listed
    from stepfork.workflows.unreferenced import Unreferenced


def add_to(app: typer.Typer) -> None:
    """Register the verbs."""
    app.command("show", cls=typed_as("[OPTIONS] FIXTURE"))(show)
    app.command("ls")(ls)


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
    loaded = locator.load(reading)
    tell_of_left(loaded.left, fixture)
    opened = as_shown(loaded, secrets_shown(store))
    if reading.kind == "name":
        warn_of_unmerged(locator, reading.name)
    if placeholders:
        _show_placeholders(opened, settings_of(locator), as_json=as_json)
    else:
        _show(opened, as_json=as_json)
        if loaded.is_journal and not as_json:
            from stepfork.cli.render.killed_text import killed_lines

            out("\n".join(killed_lines(opened, fixture)))


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
    from stepfork.workflows.maintenance import killed_recordings, list_fixtures

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
    for path in [] if unreferenced or as_json else killed_recordings(opened):
        err(escape(f"{path}: a recording did not end; stepfork show reads what there is"))
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

"""stepfork capture --refresh: fixtures by name, all, or those behind, with one consent for each distinct command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from stepfork.cli.capture_report import Output, annotate, exit_code, print_result, refuse_in_ci, shell_words, tell
from stepfork.cli.console import counted, err
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, INTERRUPTED, NO, OK, TERMINATED
from stepfork.errors import StepforkError, UsageError

if TYPE_CHECKING:
    from stepfork.store.store import Store
    from stepfork.workflows.refresh import Item, RefreshResult, Status

_TOLD = 10
"""Unknown names that one line names."""
_CODES: dict[Status, int] = {"refused": BAD_INPUT, "declined": NO, "not_run": INTERRUPTED}


@dataclass(frozen=True)
class Options:
    """What the command line asked for. `base` is what the `affected` ones are told from, None for select's."""

    names: tuple[str, ...]
    every: bool = False
    affected: bool = False
    base: str | None = None
    yes: bool = False
    dry_run: bool = False
    reuse: bool = False
    allow_capture: bool = False
    explain: bool = False


def run(store: Store, options: Options, told: Output) -> int:
    """Refresh what `options` name, print what came of each, and return the worst exit code.

    One name that cannot be refreshed is an error, as any bad input is; of several it is a line, and the others go on.
    Names that no fixture has refuse all of them.
    """
    names = _affected(store, options) if options.affected else _names(store, options)
    if options.affected and not names:
        from stepfork.cli.render.refresh_json import refresh_bytes

        return tell(told, refresh_bytes([], str, alone=False), [])
    alone = not (options.every or options.affected) and len(names) == 1
    if not options.allow_capture:
        typed = ("--all",) if options.every else ("--affected",) if options.affected else names
        paths = [store.shown(store.manifest_path(name)) for name in names]
        refuse_in_ci(paths, shell_words(("stepfork", "capture", "--refresh", *typed)))
    items = [_item(store, name, options, alone=alone) for name in names]
    stopped = False
    try:
        _ask(items, options)
        for number, item in enumerate(items):
            if item.prepared is not None and item.status == "not_run":
                if number and not alone:
                    err("")
                _run_one(store, item, options, told, alone=alone)
                if item.done is not None and item.done.captured.signal is not None:
                    break
    except (KeyboardInterrupt, typer.Abort):
        if alone and items[0].done is None:
            raise
        stopped = True
        err("")  # the line that the question or the counter stands on
    code = _finish(store, items, told, alone=alone)
    return INTERRUPTED if stopped and code != TERMINATED else code


def _names(store: Store, options: Options) -> tuple[str, ...]:
    if options.every == bool(options.names):
        raise UsageError("--refresh takes the names of fixtures, --all, or --affected", fix="stepfork ls shows them")
    names = tuple(dict.fromkeys(options.names))
    unknown = [name for name in names if not _is_there(store, name)]
    if unknown and len(names) > 1:  # a word that was mistyped, or a command: nothing is asked, and nothing is paid for
        raise UsageError(
            f"there is no fixture {' or '.join(repr(name[:80]) for name in unknown[:_TOLD])}"
            + (f" (and {len(unknown) - _TOLD} more)" if len(unknown) > _TOLD else ""),
            fix="--refresh takes names that stepfork ls shows, and no command",
        )
    return names or tuple(store.names())


def _affected(store: Store, options: Options) -> tuple[str, ...]:
    """The fixtures that are behind; base, mode and reasons are told."""
    from stepfork.cli.select import compared
    from stepfork.config.environment import environ, in_ci
    from stepfork.workflows.affected import affected_fixtures

    if options.every or options.names:
        raise UsageError("--affected stands without names and without --all", fix="it finds the fixtures itself")
    found = affected_fixtures(store, environ(), base=options.base, committed=in_ci())
    err(escape(compared(found)))
    for reason in found.unread:
        err(escape(f"passed over: {reason}"))
    width = max((len(escape(change.name)) for change in found.fixtures), default=0)
    for change in found.fixtures:
        err(f"{escape(change.name).ljust(width)}   {escape(str(change))}")
    if not found.fixtures:
        changed = f"every fixture that depends on what changed ({counted(found.watched, 'watched file')}) changed too"
        err(f"nothing to refresh: {changed if found.watched else 'no file changed that a fixture depends on'}")
    return tuple(change.name for change in found.fixtures)


def _is_there(store: Store, name: str) -> bool:
    """Whether there is something by that name, however damaged."""
    try:
        return os.path.lexists(store.manifest_path(name))
    except UsageError:  # no fixture could have it
        return False


def _item(store: Store, name: str, options: Options, *, alone: bool) -> Item:
    from stepfork.config.environment import environ
    from stepfork.workflows.refresh import Item, has_command, prepare

    try:
        if options.every and not has_command(store, name):
            return Item(name, status="skipped")
        return Item(name, prepare(store, name, environ()))
    except StepforkError as error:
        if alone:
            raise
        return Item(name, problem=str(error), status="refused")


def _ask(items: Sequence[Item], options: Options) -> None:
    """Show each distinct command once, with the fixtures that it is of, and ask before anything runs."""
    groups: dict[tuple[tuple[str, ...], str], list[Item]] = {}
    for item in items:
        if item.prepared is not None:
            groups.setdefault((item.prepared.command, item.prepared.cwd.as_posix()), []).append(item)
    asked = sys.stdin.isatty()
    for (command, cwd), group in groups.items():
        err(f"command   {escape(shell_words(command))}   in {escape(cwd)}")
        if len(items) > 1:
            err(f"          for {escape(', '.join(item.name for item in group))}")
        if options.reuse:
            tools = dict.fromkeys(tool for item in group if item.prepared is not None for tool in item.prepared.tools())
            err(f"          recorded answers ask for {escape(', '.join(tools)) or 'no tool'}")
        if options.yes or not asked:
            continue
        if not typer.confirm("run it", err=True):
            for item in group:
                item.status = "declined"
    if groups and not options.yes and not asked:
        these = "the command" if len(groups) == 1 else "the commands"
        raise UsageError("nobody can be asked here", fix=f"read {these} above, then add --yes")


def _run_one(store: Store, item: Item, options: Options, told: Output, *, alone: bool) -> None:
    from stepfork.cli.progress import CallCounter
    from stepfork.cli.render.capture_text import kept_lines, next_line
    from stepfork.cli.session import redactor
    from stepfork.config.environment import environ
    from stepfork.workflows.refresh import keep, refresh

    assert item.prepared is not None
    try:
        with CallCounter(item.name, sys.stderr, quiet=told.quiet) as counter:
            done = refresh(
                item.prepared,
                store,
                environ(),
                progress=counter.update,
                stdout=told.stdout,
                reuse=options.reuse,
                explain=options.explain,
            )
        if not options.dry_run:
            done = keep(done, store)
    except StepforkError as error:  # before anything ran, as where .env cannot be read
        if alone:
            raise
        item.status, item.problem = "refused", str(error)
        err(f"{escape(item.name)}: {escape(item.problem)}")
        return
    _set(item, done)
    print_result(done.captured, done.diff, clean=redactor(str(store.root)), next_step=alone)
    if options.dry_run and _wants_it_kept(done, options, told):
        kept = keep(done, store)
        _set(item, kept)
        for line in kept_lines(kept.captured):
            err(line)
        if alone:
            err(next_line(kept.captured, refreshed=True))


def _wants_it_kept(done: RefreshResult, options: Options, told: Output) -> bool:
    """A dry run writes nothing unless someone who saw the report says so; --yes was about the command."""
    if done.captured.fixture is None or options.yes or told.quiet or not sys.stdin.isatty():
        return False
    return typer.confirm("keep it", err=True)


def _set(item: Item, done: RefreshResult) -> None:
    item.done = done
    failed: Status = "failed" if done.captured.fixture is None else "not_verified"
    item.status = failed if done.captured.outcome == "not_verified" else "refreshed"


def _finish(store: Store, items: Sequence[Item], told: Output, *, alone: bool) -> int:
    from stepfork.cli.render.refresh_json import refresh_bytes
    from stepfork.cli.render.refresh_text import refresh_lines
    from stepfork.cli.session import redactor

    captured = [item.done.captured for item in items if item.done is not None]
    if alone and items[0].status == "declined":
        err(f"{escape(items[0].name)}: declined, nothing was run")
    if not alone:
        for line in refresh_lines(items):
            err(line)
    failed = OK
    if captured or not alone:
        failed = tell(told, refresh_bytes(items, redactor(str(store.root)), alone=alone), captured)
    if told.github:
        for item in items:
            if item.status == "refused":
                annotate(item.name, store.manifest_path(item.name), [item.problem])
    codes = [failed, *map(_code, items)]
    return next((code for code in (TERMINATED, INTERRUPTED) if code in codes), max(codes, default=OK))


def _code(item: Item) -> int:
    """The exit code that this fixture alone would have."""
    return exit_code(item.done.captured) if item.done is not None else _CODES.get(item.status, OK)

"""stepfork replay --entrypoint: a callable instead of a command, in this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from stepfork.cli.console import err, out_json
from stepfork.cli.destinations import write_result_file
from stepfork.cli.exit_codes import NO, OK
from stepfork.errors import UsageError

if TYPE_CHECKING:
    from stepfork.config.project import Settings
    from stepfork.trace.fixture import Fixture
    from stepfork.workflows.frozen import FrozenResult


def check_modes(mode: str | None, entrypoint: str | None, command: Sequence[str], allow_live: Sequence[str]) -> str:
    """The mode: strict for a command, frozen for an entrypoint where none is named. Raises UsageError for a mode that
    there is not, and for one that does not go with what is to run."""
    if mode not in (None, "strict", "frozen", "live"):
        raise UsageError(f"--mode {mode[:40]} is none that there is", fix="write strict, frozen or live")
    if entrypoint is not None and command:
        raise UsageError("a command and --entrypoint are two replays", fix="leave one of them out")
    if entrypoint is not None and mode == "strict":
        raise UsageError("--mode strict replays a command", fix="leave it out, or write -- COMMAND")
    if entrypoint is None and mode in ("frozen", "live"):
        raise UsageError(f"--mode {mode} replays a callable of this process", fix="add --entrypoint MODULE:FUNCTION")
    if allow_live and mode != "live":
        raise UsageError("--allow-live-tool names tools that run in mode live", fix="add --mode live")
    if mode == "live" and not allow_live:
        raise UsageError("--mode live names no tool that may run", fix="add --allow-live-tool NAME for each")
    return mode or ("strict" if entrypoint is None else "frozen")


def check_unused(given: dict[str, bool]) -> None:
    """Raise UsageError for an option of commands, by its name, that was given with an entrypoint."""
    for name, is_given in given.items():
        if is_given:
            raise UsageError(f"{name} is for the replay of a command", fix="leave it out with --entrypoint")


def run(
    fixture: Fixture,
    entrypoint: str,
    settings: Settings,
    *,
    mode: str,
    allow_live: Sequence[str],
    as_json: bool,
    result_file: Path | None,
    clean: Callable[[str], str],
) -> int:
    """Replay and tell; the exit code."""
    from stepfork.config.environment import environ
    from stepfork.workflows.entrypoint import resolve_entrypoint
    from stepfork.workflows.frozen import FrozenRequest, check_fixture, frozen_replay

    request = FrozenRequest(
        fixture=fixture,
        entrypoint=lambda: None,
        settings=settings,
        environ=environ(),
        cwd=Path.cwd(),
        mode="live" if mode == "live" else "frozen",
        allow_live=tuple(dict.fromkeys(allow_live)),
    )
    check_fixture(request)
    with _stdout_kept(as_json):
        found = resolve_entrypoint(entrypoint, Path.cwd())
        result = frozen_replay(request.running(found))
    failed = _tell(result, clean, as_json=as_json, result_file=result_file)
    return failed or (OK if result.passed else NO)


def _tell(result: FrozenResult, clean: Callable[[str], str], *, as_json: bool, result_file: Path | None) -> int:
    """Lines on stderr, the document where it is wanted; the exit code of a failure to write it, 0 for none."""
    from stepfork.cli.render.columns import fold
    from stepfork.cli.render.frozen_json import frozen_document
    from stepfork.cli.render.frozen_text import frozen_lines

    for line in frozen_lines(result, clean):
        err(fold(line, sys.stderr))
    failed = OK
    if as_json or result_file is not None:
        document = frozen_document(result, clean)
        if result_file is not None:
            failed = write_result_file("replay", result_file, document)
        if as_json:
            out_json(document)
    return failed


@contextmanager
def _stdout_kept(wanted: bool) -> Iterator[None]:
    """Where the document has stdout to itself, what the program prints, and what processes that it starts print, goes
    to stderr."""
    if not wanted or sys.stdout is None:  # closed: told where the document would be written
        yield
        return
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)

"""run: a generated test, run by pytest, with a verdict that only a test which ran can have, and a receipt of it."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from stepfork.canonical.names import name_of
from stepfork.config.process import from_here
from stepfork.errors import NotFoundError, StepforkError
from stepfork.score.testfile import TestFile, parse_test, read_source
from stepfork.store.layout import STORE_NAME
from stepfork.workflows.code_state import code_state
from stepfork.workflows.entrypoint_source import entrypoint_source
from stepfork.workflows.pytest_process import Ended, forget_compiled, run_pytest
from stepfork.workflows.receipt import (
    VERSION,
    Hashed,
    HashedEntrypoint,
    Receipt,
    Versions,
    check_receipt_path,
    receipt_bytes,
    take_receipt_away,
    write_receipt,
)
from stepfork.workflows.recorded_run import read_recorded_run
from stepfork.workflows.run_verdict import Verdict, could_not, judge

Clean = Callable[[str], str]
"""Redacts a text."""


@dataclass(frozen=True)
class RunRequest:
    """What to run. ``command`` is what was typed; ``seconds`` None is without a limit; ``stdout``, a descriptor, is
    where pytest's own output goes; ``clean`` redacts what a receipt says."""

    test: Path
    environ: Mapping[str, str]
    cwd: Path
    clean: Clean
    command: tuple[str, ...] = ()
    seconds: float | None = None
    receipt: Path | None = None
    stdout: int | None = None


@dataclass(frozen=True)
class RunResult:
    """The verdict, and the document of the receipt, which was written where one was asked for."""

    verdict: Verdict
    document: bytes


@dataclass(frozen=True)
class Inputs:
    """What a verdict rests on, as far as it could be read; ``failure`` is why nothing can be run, None where it can."""

    test: Hashed
    bundle: Hashed | None = None
    entrypoint: HashedEntrypoint | None = None
    source: Path | None = None
    read: TestFile | None = None
    failure: Verdict | None = None


def run(request: RunRequest) -> RunResult:
    """Run it. Raises UsageError, before anything runs, where the receipt could not be written; StoreError where it then
    cannot be after all."""
    inputs = read_inputs(request.test, request.environ)
    if request.receipt is not None:
        check_receipt_path(request.receipt, _protected(request.test, inputs))
        take_receipt_away(request.receipt)
    state = code_state(request.test.absolute().parent, request.environ) if request.test.exists() else None
    started, clock = datetime.now(UTC), time.monotonic()
    ended = None if inputs.failure is not None else _pytest(request, inputs)
    seconds = time.monotonic() - clock
    verdict = inputs.failure or (_verdict(request, inputs, ended) if ended is not None else could_not("pytest_error"))
    clean = request.clean
    receipt = Receipt(
        receipt_version=VERSION,
        verdict=verdict.verdict,
        reason=verdict.reason,
        detail=None if verdict.detail is None else _sound(clean(verdict.detail)),
        exit_status=None if ended is None else ended.exit_status,
        test=Hashed(_sound(clean(inputs.test.path)), inputs.test.hash),
        bundle=None if inputs.bundle is None else Hashed(_sound(clean(inputs.bundle.path)), inputs.bundle.hash),
        entrypoint=None if inputs.entrypoint is None else _cleaned(inputs.entrypoint, clean),
        git=state,
        versions=_versions(),
        counts=verdict.counts,
        command=tuple(_sound(clean(word)) for word in request.command),
        started_at=started.isoformat(timespec="seconds").replace("+00:00", "Z"),
        duration_seconds=round(seconds, 3),
    )
    document = receipt_bytes(receipt)
    if request.receipt is not None:
        write_receipt(request.receipt, document)
    return RunResult(verdict, document)


def read_inputs(path: Path, environ: Mapping[str, str]) -> Inputs:
    """Read and hash all of them; nothing is run. Raises nothing for what cannot be read: that is the ``failure``."""
    shown = from_here(path)
    try:
        source = read_source(path, shown)
    except NotFoundError as error:
        return Inputs(Hashed(shown, None), failure=could_not("test_missing", _says(error)))
    except StepforkError as error:
        return Inputs(Hashed(shown, None), failure=could_not("not_a_test", _says(error)))
    test = Hashed(shown, name_of(source))
    try:
        read = parse_test(source, path, where=shown)
    except StepforkError as error:
        return Inputs(test, failure=could_not("not_a_test", _says(error)))
    bundle, failure = _bundle(read.trace_path)
    found = entrypoint_source(read.entrypoint, read.root, _python_path(environ))
    return Inputs(test, bundle, _entrypoint(read.entrypoint, found), found, read, failure)


def _bundle(path: Path) -> tuple[Hashed, Verdict | None]:
    shown = from_here(path)
    try:
        return Hashed(shown, read_recorded_run(path, shown).digest), None
    except NotFoundError as error:
        there = _is_there(path)
        return Hashed(shown, None), could_not("bundle_damaged" if there else "bundle_missing", _says(error))
    except StepforkError as error:
        return Hashed(shown, None), could_not("bundle_damaged", _says(error))


def _is_there(path: Path) -> bool:
    """Whether something is at `path`: an object or a manifest that a bundle has lost is damage."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _entrypoint(name: str, found: Path | None) -> HashedEntrypoint:
    try:
        digest = None if found is None else name_of(found.read_bytes())
    except OSError:
        digest = None
    return HashedEntrypoint(name, None if found is None else from_here(found), digest)


def _python_path(environ: Mapping[str, str]) -> tuple[str, ...]:
    import os

    return tuple(part for part in environ.get("PYTHONPATH", "").split(os.pathsep) if part)


def _pytest(request: RunRequest, inputs: Inputs) -> Ended:
    for source in (request.test, inputs.source):
        if source is not None:
            forget_compiled(source)
    return run_pytest(
        request.test, environ=request.environ, cwd=request.cwd, seconds=request.seconds, stdout=request.stdout
    )


def _verdict(request: RunRequest, inputs: Inputs, ended: Ended) -> Verdict:
    if ended.timed_out:
        return could_not("timeout", f"it was stopped after {request.seconds:g} seconds")
    if ended.signal is not None:
        return could_not("interrupted", f"signal {ended.signal} stopped it")
    after = read_inputs(request.test, request.environ)
    if (after.test, after.bundle, after.entrypoint) != (inputs.test, inputs.bundle, inputs.entrypoint):
        return could_not("changed_during_run")
    return judge(ended.results, ended.exit_status)


def _protected(test: Path, inputs: Inputs) -> tuple[Path, ...]:
    """What a receipt may not be written over or into."""
    trace = inputs.read.trace_path if inputs.read is not None else None
    store = next((one for one in trace.absolute().parents if one.name == STORE_NAME), trace) if trace else None
    return tuple(path for path in (test, store, inputs.source) if path is not None)


def _cleaned(entrypoint: HashedEntrypoint, clean: Clean) -> HashedEntrypoint:
    path = None if entrypoint.path is None else _sound(clean(entrypoint.path))
    return HashedEntrypoint(_sound(clean(entrypoint.name)), path, entrypoint.hash)


def _versions() -> Versions:
    return Versions(
        version("stepfork"), platform.python_version(), version("pytest"), f"{sys.platform} {platform.machine()}"
    )


def _says(error: StepforkError) -> str:
    return f"{error.where}: {error.what}" if error.where else error.what


def _sound(text: str) -> str:
    """Without half characters, which names of files may hold and JSON does not."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")

"""export: a recorded run becomes a pytest test. What speaks against it is said before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from stepfork.config.process import from_here
from stepfork.drafting.file_names import regression_file
from stepfork.drafting.regression_test import Mode, RegressionTest, regression_test
from stepfork.drafting.ways import Root, root_of, way
from stepfork.errors import StoreError, UsageError
from stepfork.redact.secrets import Secrets
from stepfork.store.files import write_atomic
from stepfork.store.once import write_once
from stepfork.trace.body import JsonValue
from stepfork.workflows.entrypoint_shape import check_entrypoint
from stepfork.workflows.export_expectations import reviewed_output, reviewed_trajectory, unmeetable, varying
from stepfork.workflows.export_place import Place, check_place, top_of
from stepfork.workflows.export_source import Source, check_replays, read_source
from stepfork.workflows.locate import Locator
from stepfork.workflows.namesakes import namesake


@dataclass(frozen=True)
class ExportRequest:
    """What to export, and what the test is to say. ``output`` None is a name of the trace's own in the working
    directory, from which the entrypoint is imported. ``secrets`` must not stand in the test."""

    trace: str
    entrypoint: str
    secrets: Secrets
    cwd: Path
    expect_output: Path | None = None
    expect_trajectory: Path | None = None
    output: Path | None = None
    overwrite: bool = False
    mode: str = "frozen"
    allow_live_tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exported:
    """The test's file. ``asserts_recording`` says that it asserts the recorded output, and so passes against the code
    that produced the recording; ``notes`` are what to look at, one line each."""

    path: Path
    asserts_recording: bool
    notes: tuple[str, ...] = ()


def export(request: ExportRequest, locator: Locator) -> Exported:
    """Write the test. Raises UsageError and StoreError, and then nothing has been written."""
    mode = _mode(request)
    check_entrypoint(request.entrypoint)
    source = read_source(request.trace, locator)
    check_replays(source, request.allow_live_tools)
    trajectory = reviewed_trajectory(request.expect_trajectory, request.secrets)
    expectation = reviewed_output(request.expect_output, request.secrets)
    _check_asserts(source, expectation, trajectory)
    place = check_place(
        request.cwd / (request.output or regression_file(source.name)),
        source.path,
        overwrite=request.overwrite,
        may_be_another=request.output is not None,
    )
    text = regression_test(
        RegressionTest(
            name=source.name,
            root=_root(place.path.parent, request.cwd),
            trace=_way(request.cwd, source.path),
            entrypoint=request.entrypoint,
            expectation=expectation,
            trajectory=trajectory,
            mode=mode,
            allow_live_tools=request.allow_live_tools,
        )
    )
    _write(place, text.encode())
    asserts = expectation is msgspec.UNSET and source.fixture.run.trace.output is not msgspec.UNSET
    notes = (
        *place.notes,
        *_notes(place.path, source.path),
        *varying(source.fixture.run.trace.output, expectation),
        *(unmeetable(trajectory, source.fixture.run) if mode == "frozen" else ()),
    )
    return Exported(place.path, asserts, notes)


def _mode(request: ExportRequest) -> Mode:
    if request.mode == "live":
        if not request.allow_live_tools:
            raise UsageError("--mode live names no tool that may run", fix="add --allow-live-tool NAME for each")
        return "live"
    if request.mode != "frozen":
        raise UsageError(f"--mode {request.mode[:40]!r} is none that there is", fix="it is frozen or live")
    if request.allow_live_tools:
        raise UsageError("--allow-live-tool needs --mode live", fix="a frozen replay runs no tool")
    return "frozen"


def _check_asserts(source: Source, expectation: JsonValue | msgspec.UnsetType, trajectory: JsonValue) -> None:
    trace = source.fixture.run.trace
    if expectation is msgspec.UNSET and trajectory is None and trace.output is msgspec.UNSET:
        ended = f"raised {trace.error.type}" if trace.error is not None else "has no output"
        raise UsageError(
            f"the recorded run {ended}, so the test would assert nothing",
            where=from_here(source.path),
            fix="say what it is to come to with --expect-output",
        )


def _root(folder: Path, cwd: Path) -> Root:
    found = root_of(folder.resolve(), cwd.resolve())
    if found is None:
        raise UsageError(
            "the test is on another drive than the working directory",
            where=str(folder),
            fix="run stepfork export where the entrypoint is imported from",
        )
    return found


def _way(cwd: Path, path: Path) -> str:
    found = way(cwd.resolve(), path.parent.resolve() / path.name)
    if found is None:
        raise UsageError("the recording is on another drive", where=str(path), fix="copy it beside the test")
    return found


def _write(place: Place, data: bytes) -> None:
    try:
        if place.replaces:
            write_atomic(place.path, data)
        elif not write_once(place.path, data):
            raise UsageError("there is something by now", where=from_here(place.path), fix="pass --overwrite")
    except OSError as error:
        raise StoreError(f"cannot be written ({error.strerror})", where=from_here(place.path)) from None


def _notes(path: Path, trace: Path) -> list[str]:
    top = top_of(path.parent)
    other = namesake(path, top, beside=not (top / ".git").exists())
    notes = []
    if other is not None:
        notes.append(
            f"warning: {from_here(other)} has the same name, and pytest refuses the second of the two that it imports: "
            "name another file with --output, or give pytest --import-mode=importlib"
        )
    if not path.name.startswith("test_") and not path.stem.endswith("_test"):
        notes.append("pytest runs a file of this name only where it is named; begin it with test_")
    if top not in (trace.parent.resolve() / trace.name).parents:
        notes.append("the recording is outside of the project: copy it there, so that the test finds it everywhere")
    return notes

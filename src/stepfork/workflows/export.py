"""export: a recorded run becomes a pytest test. What speaks against it is said before anything is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from stepfork.canonical.places import dotted
from stepfork.config.process import from_here
from stepfork.contracts.expectation import differences
from stepfork.contracts.trajectory_expectation import read_trajectory
from stepfork.drafting.file_names import regression_file
from stepfork.drafting.regression_test import Mode, RegressionTest, regression_test
from stepfork.drafting.ways import Root, root_of, way
from stepfork.errors import DamagedError, StoreError, UsageError
from stepfork.redact.secrets import Secrets
from stepfork.replay.frozen_calls import recorded_calls
from stepfork.replay.frozen_values import kinds_in
from stepfork.store.files import write_atomic
from stepfork.store.once import write_once
from stepfork.store.validate import find_differences
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Fixture
from stepfork.workflows.checked import Checked
from stepfork.workflows.drafted_notes import namesakes
from stepfork.workflows.entrypoint_shape import check_entrypoint
from stepfork.workflows.export_place import Place, check_place, top_of
from stepfork.workflows.locate import Locator
from stepfork.workflows.maintenance import unmerged_files
from stepfork.workflows.reviewed_json import read_reviewed


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
    source = _source(request.trace, locator)
    _check_replays(source, request.allow_live_tools)
    trajectory = _reviewed_trajectory(request)
    expectation = _reviewed_output(request)
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
    notes = (*place.notes, *_notes(place.path, source.path), *_varying(source.fixture.run.trace.output, expectation))
    return Exported(place.path, asserts, notes)


@dataclass(frozen=True)
class _Source:
    """The run: ``name`` is what its test is called by, ``path`` the bundle or the manifest."""

    fixture: Fixture
    name: str
    path: Path


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


def _source(word: str, locator: Locator) -> _Source:
    """What `word` names, validated: a test on something that is not whole proves nothing."""
    reading = locator.read_fixture(word)
    if reading.kind not in ("name", "manifest", "bundle"):
        raise UsageError(
            f"{word!r} is at a revision, where no test could read it",
            fix="name a fixture of the store, or stepfork pack it as a bundle",
        )
    loaded = locator.load(reading)
    findings = find_differences(loaded.fixture, loaded.manifest, where=loaded.where)
    if findings:
        more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
        raise DamagedError(f"{findings[0].what}{more}", where=loaded.where, fix="stepfork validate lists what is wrong")
    if reading.kind == "name":
        _check_settled(locator, reading.name)
        return _Source(loaded.fixture, reading.name, locator.need_store().manifest_path(reading.name))
    path = Path(os.path.abspath(locator.cwd / word))  # noqa: PTH100 - resolve() would follow the last link
    path = path.parent if path.name == "manifest.json" else path
    return _Source(loaded.fixture, path.name.removesuffix(".sftrace").removesuffix(".json"), path)


def _check_replays(source: _Source, live: tuple[str, ...]) -> None:
    """A test that no replay could run is none."""
    names = {call.name for call in recorded_calls(source.fixture.run)}
    where = from_here(source.path)
    if not names and not source.fixture.run.exchanges:
        raise UsageError(
            "holds no calls to answer from", where=where, fix="record a run whose tools are decorated with trace_tool"
        )
    for name in live:
        if name not in names:
            raise UsageError(
                f"has no instrumented call {name[:60]!r} to allow", where=where, fix="stepfork show lists its calls"
            )


def _check_settled(locator: Locator, name: str) -> None:
    """What a merge left of a fixture is one side's run, and git has not been told that it is the one."""
    for finding in unmerged_files(locator.need_store()):
        if name in finding.fixtures:
            raise UsageError(finding.what, where=finding.path, fix=finding.fix)


def _reviewed_trajectory(request: ExportRequest) -> JsonValue:
    if request.expect_trajectory is None:
        return None
    document, data = read_reviewed(request.expect_trajectory)
    try:
        read_trajectory(document)
    except UsageError as error:
        raise UsageError(error.what, where=from_here(request.expect_trajectory), fix=error.fix) from None
    _check_secrets(request.expect_trajectory, data, request.secrets)
    return document


def _reviewed_output(request: ExportRequest) -> JsonValue | msgspec.UnsetType:
    if request.expect_output is None:
        return msgspec.UNSET
    value, data = read_reviewed(request.expect_output)
    _check_secrets(request.expect_output, data, request.secrets)
    return value


def _check_secrets(path: Path, data: bytes, secrets: Secrets) -> None:
    """The test will be committed, and what it expects with it."""
    checked = Checked("disk", secrets)
    checked.add(path.name, data)
    where = from_here(path)
    for finding in checked.findings:
        raise UsageError(
            f"holds a secret at {finding.path} ({finding.rule})",
            where=where,
            fix="expect what the recording has there, or accept the finding in config.toml",
        )
    for _, reason in checked.problems:
        raise UsageError(f"cannot be looked through for secrets: {reason}", where=where)


def _check_asserts(source: _Source, expectation: JsonValue | msgspec.UnsetType, trajectory: JsonValue) -> None:
    trace = source.fixture.run.trace
    if expectation is msgspec.UNSET and trajectory is None and trace.output is msgspec.UNSET:
        ended = f"raised {trace.error.type}" if trace.error is not None else "has no output"
        raise UsageError(
            f"the recorded run {ended}, so the test would assert nothing",
            where=from_here(source.path),
            fix="say what it is to come to with --expect-output",
        )


def _varying(recorded: JsonValue, expectation: JsonValue) -> Iterator[str]:
    """Where a value is expected that the recording has a placeholder for: a replay gives another one."""
    if recorded is msgspec.UNSET or expectation is msgspec.UNSET:
        return
    for found in differences(recorded, expectation):
        kinds = [*kinds_in(found.expected)] if isinstance(found.expected, str) else []
        if kinds and isinstance(found.actual, str) and not any(kinds_in(found.actual)):
            yield (
                f"the value expected at '{dotted(found.path)}' varies from run to run ({kinds[0]}): "
                f"leave the placeholder that the recording has there"
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
    notes = [*namesakes(path, top, top)]
    if not path.name.startswith("test_") and not path.stem.endswith("_test"):
        notes.append("pytest runs a file of this name only where it is named; begin it with test_")
    if top not in (trace.parent.resolve() / trace.name).parents:
        notes.append("the recording is outside of the project: copy it there, so that the test finds it everywhere")
    return notes

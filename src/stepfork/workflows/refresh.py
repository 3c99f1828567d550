"""capture --refresh: run a fixture's recorded command again, replace the fixture, say what changed in meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from stepfork.capture.record import Progress
from stepfork.config.project import read_settings
from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.errors import CanonicalError, DamagedError, NotFoundError, UsageError
from stepfork.listener.child import find_program
from stepfork.normalize.known import restore
from stepfork.redact.marker import MARKER
from stepfork.store.codec import decode_fixture, encode_fixture
from stepfork.store.manifest import read_manifest
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture, Source
from stepfork.workflows.capture import CaptureRequest, rehearse
from stepfork.workflows.capture_result import CaptureResult
from stepfork.workflows.fixture_request import EXPECT_FAIL, FLAGS, REQUIRE_SPANS
from stepfork.workflows.make_fixture import keep_fixture
from stepfork.workflows.reviewed_command import stays_templated
from stepfork.workflows.surroundings import surroundings


@dataclass(frozen=True)
class Refresh:
    """A fixture that can be refreshed: as it was (None where an object of it is missing or damaged), its command with
    this machine's folders and names, where that runs, and the options that it was captured with. `incident`: some of
    its contracts fail, as they are to."""

    name: str
    old: Fixture | None
    manifest: bytes
    command: tuple[str, ...]
    cwd: Path
    flags: tuple[str, ...] = ()
    incident: bool = False

    def tools(self) -> tuple[str, ...]:
        """The tools that recorded answers ask for, and that a run with `reuse` therefore runs."""
        from stepfork.replay.executes import named_tools

        return named_tools(self.old.run) if self.old is not None else ()


@dataclass(frozen=True)
class RefreshResult:
    """What a refresh found, and the difference of the two fixtures where there is a new one and the old one could be
    read. `request` is what keeps it, if that is still to be done."""

    captured: CaptureResult
    diff: FixtureDiff | None
    request: CaptureRequest


Status = Literal["refreshed", "not_verified", "failed", "refused", "declined", "skipped", "not_run"]
"""``refreshed``: it holds, changed or not; ``not_verified``: it does not; ``failed``: the run became no fixture;
``refused``: nothing ran, and `problem` says why; ``declined``: someone said no; ``skipped``: with --all, it has no
command; ``not_run``: the refresh was interrupted before."""


@dataclass
class Item:
    """One of several fixtures on its way through a refresh."""

    name: str
    prepared: Refresh | None = None
    problem: str = ""
    status: Status = "not_run"
    done: RefreshResult | None = None


def has_command(store: Store, name: str) -> bool:
    """Whether a fixture was captured from a command: those from spans or in process have none to run again. Raises
    StoreError."""
    source = read_manifest(store.manifest(name), store.shown(store.manifest_path(name)), name).source
    return source.kind == "command"


def prepare(store: Store, name: str, environ: Mapping[str, str]) -> Refresh:
    """What refreshing `name` would run. Nothing runs yet.

    Raises StoreError where there is no such fixture, and UsageError where its command cannot be run as it stands: none
    was recorded, a part of it was redacted or became a placeholder that has no value here, it was captured with options
    that are unknown here, its folder or program is not there.
    """
    manifest = store.manifest(name)
    read = read_manifest(manifest, store.shown(store.manifest_path(name)), name)
    source = read.source
    try:
        old = store.read(name)
    except (NotFoundError, DamagedError):  # an object is gone, as after a merge: a new run is what mends it
        old = None
    _check_source(name, source)
    cwd = (store.root.parent / source.cwd).resolve()
    context = surroundings(environ, cwd, None, read_settings(store.root))
    if MARKER in source.cwd or any(MARKER in word or stays_templated(word, context) for word in source.command):
        raise UsageError(
            f"the command of fixture {name!r} was redacted or templated",
            fix=f"run stepfork capture --name {name} -- COMMAND yourself, with the secret in the environment",
        )
    command = tuple(restore(word, context) for word in source.command)
    try:
        find_program(command, environ, cwd)
    except UsageError as error:
        raise UsageError(f"the command of fixture {name!r} cannot run here", fix=str(error)) from None
    incident = isinstance(read.verification, dict) and bool(read.verification.get("expected_failures"))
    return Refresh(name, old, manifest, command, cwd, source.flags, incident)


_SOURCES = {
    "otlp_file": ("came from a file of spans, which has no command", "run stepfork capture --name NAME --from FILE"),
    "in_process": ("was recorded in process, which has no command", "run the program that recorded it again"),
}


def _check_source(name: str, source: Source) -> None:
    if source.kind in _SOURCES:
        what, fix = _SOURCES[source.kind]
        raise UsageError(f"fixture {name!r} {what}", fix=fix)
    if not source.command:
        raise UsageError(f"fixture {name!r} has no command to run again", fix="capture that run yourself")
    if not FLAGS.issuperset(source.flags):
        raise UsageError(
            f"fixture {name!r} was captured with options that this stepfork does not know", fix="upgrade stepfork"
        )


def refresh(
    refreshed: Refresh,
    store: Store,
    environ: Mapping[str, str],
    *,
    progress: Callable[[Progress], None],
    stdout: int | None = None,
    reuse: bool = False,
    explain: bool = False,
) -> RefreshResult:
    """Run the command again and compare; nothing is written before `keep`. `stdout` and `explain` are as in
    CaptureRequest.

    With `reuse` calls are answered from the old fixture until the first that it does not hold, and live after it.
    """
    if reuse and refreshed.old is None:
        raise UsageError(
            f"the recording of fixture {refreshed.name!r} cannot be read whole, so nothing of it can be reused",
            fix="refresh it without --reuse",
        )
    settings = read_settings(store.root)
    request = CaptureRequest(
        name=refreshed.name,
        command=refreshed.command,
        environ=environ,
        cwd=refreshed.cwd,
        stdout=stdout,
        settings=settings,
        replaces=refreshed.manifest,
        may_be_fixed=refreshed.incident,
        reuse=refreshed.old if reuse else None,
        explain=explain,
        expect_fail=EXPECT_FAIL in refreshed.flags,
        require_spans=REQUIRE_SPANS in refreshed.flags,
    )
    captured = rehearse(request, store, progress)
    if captured.fixture is None:
        return RefreshResult(captured, None, request)
    if refreshed.old is None:
        notice = "the run before could not be read whole, so nothing was compared with it"
        return RefreshResult(replace(captured, notices=(*captured.notices, notice)), None, request)
    try:
        diff = diff_fixtures(refreshed.old, _as_read(captured.fixture), DiffOptions())
    except CanonicalError:  # it cannot be written either, and `keep` says so
        diff = None
    return RefreshResult(captured, diff, request)


def keep(done: RefreshResult, store: Store) -> RefreshResult:
    """Replace the fixture, unless another writer changed it meanwhile; a run that is no fixture leaves a draft."""
    captured = keep_fixture(done.request, store, done.captured)
    return replace(done, captured=captured, diff=None if captured.fixture is None else done.diff)


def _as_read(fixture: Fixture) -> Fixture:
    """The fixture as it is read back once it is written: the old one was."""
    encoded = encode_fixture(fixture)
    return decode_fixture(encoded.manifest, encoded.objects.__getitem__, where=fixture.name, name=fixture.name)

"""capture --refresh: run a fixture's recorded command again, replace the fixture, say what changed in meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from stepfork.capture.record import Progress
from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.errors import DamagedError, NotFoundError, UsageError
from stepfork.normalize.known import Context, restore
from stepfork.normalize.placeholders import Placeholder, parse
from stepfork.redact.marker import MARKER
from stepfork.store.manifest import read_manifest
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture
from stepfork.workflows.capture import CaptureRequest, capture
from stepfork.workflows.make_fixture import CaptureResult
from stepfork.workflows.surroundings import surroundings


@dataclass(frozen=True)
class Refresh:
    """A fixture that can be refreshed: as it was (None where an object of it is missing or damaged), its command, and
    where that runs."""

    name: str
    old: Fixture | None
    manifest: bytes
    command: tuple[str, ...]
    cwd: Path


@dataclass(frozen=True)
class RefreshResult:
    """The capture, and the difference of the two fixtures where there is a new one."""

    captured: CaptureResult
    diff: FixtureDiff | None


def prepare(store: Store, name: str, environ: Mapping[str, str]) -> Refresh:
    """What refreshing `name` would run, with this machine's folders and names given back.

    Raises UsageError where the fixture has no command that can be run as it stands: none was recorded, or a part of it
    was redacted or became a placeholder that has no value here.
    """
    manifest = store.manifest(name)
    source = read_manifest(manifest, store.shown(store.manifest_path(name)), name).source
    try:
        old = store.read(name)
    except (NotFoundError, DamagedError):  # an object is gone, as after a merge: a new run is what mends it
        old = None
    if source.kind != "command" or not source.command:
        raise UsageError(f"fixture {name!r} has no command to run again", fix="capture that run yourself")
    cwd = (store.root.parent / source.cwd).resolve()
    context = surroundings(environ, cwd)
    if any(MARKER in word or _stays_templated(word, context) for word in source.command):
        raise UsageError(
            f"the command of fixture {name!r} was redacted or templated",
            fix=f"run stepfork capture --name {name} -- COMMAND yourself, with the secret in the environment",
        )
    return Refresh(name, old, manifest, tuple(restore(word, context) for word in source.command), cwd)


def _stays_templated(word: str, context: Context) -> bool:
    placeholders = [str(piece) for piece in parse(word) if isinstance(piece, Placeholder)]
    return any(restore(placeholder, context) == placeholder for placeholder in placeholders)


def refresh(
    refreshed: Refresh,
    store: Store,
    environ: Mapping[str, str],
    progress: Callable[[Progress], None],
    stdout: int | None = None,
) -> RefreshResult:
    """Capture again under the same name; the old fixture stays where that fails. `stdout` is as in CaptureRequest."""
    request = CaptureRequest(
        name=refreshed.name,
        command=refreshed.command,
        environ=environ,
        cwd=refreshed.cwd,
        stdout=stdout,
        replaces=refreshed.manifest,
    )
    captured = capture(request, store, progress)
    if captured.fixture is None:
        return RefreshResult(captured, None)
    if refreshed.old is None:
        notice = "the run before could not be read whole, so nothing was compared with it"
        return RefreshResult(replace(captured, notices=(*captured.notices, notice)), None)
    return RefreshResult(captured, diff_fixtures(refreshed.old, store.read(refreshed.name), DiffOptions()))

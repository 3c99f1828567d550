"""capture --refresh: run a fixture's recorded command again, replace the fixture, say what changed in meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from stepfork.capture.record import Progress
from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.errors import UsageError
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture
from stepfork.workflows.capture import CaptureRequest, CaptureResult, capture

_MARKS = ("[redacted]", "{{")


@dataclass(frozen=True)
class Refresh:
    """A fixture that can be refreshed: its command and where that runs."""

    old: Fixture
    command: tuple[str, ...]
    cwd: Path


@dataclass(frozen=True)
class RefreshResult:
    """The capture, and the difference of the two fixtures where there is a new one."""

    captured: CaptureResult
    diff: FixtureDiff | None


def prepare(store: Store, name: str) -> Refresh:
    """What refreshing `name` would run. Raises UsageError where the fixture has no command that can be run as it
    stands: none was recorded, or a part of it was redacted or templated."""
    old = store.read(name)
    source = old.run.source
    if source.kind != "command" or not source.command:
        raise UsageError(f"fixture {name!r} has no command to run again", fix="capture that run yourself")
    if any(mark in word for word in (*source.command, source.cwd) for mark in _MARKS):
        raise UsageError(
            f"the command of fixture {name!r} was redacted or templated",
            fix=f"run stepfork capture --name {name} -- COMMAND yourself, with the secret in the environment",
        )
    return Refresh(old, source.command, (store.root.parent / source.cwd).resolve())


def refresh(
    refreshed: Refresh, store: Store, environ: Mapping[str, str], progress: Callable[[Progress], None]
) -> RefreshResult:
    """Capture again under the same name; the old fixture stays where that fails."""
    old = refreshed.old
    request = CaptureRequest(name=old.name, command=refreshed.command, environ=environ, cwd=refreshed.cwd)
    captured = capture(request, store, progress)
    if captured.fixture is None:
        return RefreshResult(captured, None)
    return RefreshResult(captured, diff_fixtures(old, store.read(old.name), DiffOptions()))

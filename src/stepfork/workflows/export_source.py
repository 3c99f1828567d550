"""The run that an exported test is made of: validated, since a test on something that is not whole proves nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stepfork.config.process import from_here
from stepfork.errors import DamagedError, UsageError
from stepfork.replay.frozen_calls import recorded_calls
from stepfork.store.validate import find_differences
from stepfork.trace.fixture import Fixture
from stepfork.workflows.locate import Locator
from stepfork.workflows.maintenance import unmerged_files


@dataclass(frozen=True)
class Source:
    """The run: ``name`` is what its test is called by, ``path`` the bundle or the manifest."""

    fixture: Fixture
    name: str
    path: Path


def read_source(word: str, locator: Locator) -> Source:
    """What `word` names, validated. Raises UsageError for a revision and for what a merge left open, DamagedError where
    anything is not as this version would write it, and whatever reading raises."""
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
        return Source(loaded.fixture, reading.name, locator.need_store().manifest_path(reading.name))
    path = Path(os.path.abspath(locator.cwd / word))  # noqa: PTH100 - resolve() would follow the last link
    path = path.parent if path.name == "manifest.json" else path
    return Source(loaded.fixture, path.name.removesuffix(".sftrace").removesuffix(".json"), path)


def check_replays(source: Source, live: Sequence[str]) -> None:
    """Raise UsageError where no replay could run the test: there is nothing to answer from, or no call of a name that
    is to run live."""
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

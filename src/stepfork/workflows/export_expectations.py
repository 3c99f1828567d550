"""What an exported test is to expect, from files that a person reviewed; a secret in one is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from stepfork.canonical.places import dotted
from stepfork.config.process import from_here
from stepfork.contracts.expectation import differences
from stepfork.contracts.trajectory_expectation import read_trajectory
from stepfork.errors import UsageError
from stepfork.redact.secrets import Secrets
from stepfork.replay.frozen_values import kinds_in
from stepfork.score.trajectory import never_met
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Run
from stepfork.workflows.checked import Checked
from stepfork.workflows.reviewed_json import read_reviewed


def reviewed_trajectory(path: Path | None, secrets: Secrets) -> JsonValue:
    """The JSON of a trajectory expectation, None without a file. Raises UsageError."""
    if path is None:
        return None
    document, data = read_reviewed(path)
    try:
        read_trajectory(document)
    except UsageError as error:
        raise UsageError(error.what, where=from_here(path), fix=error.fix) from None
    _check_secrets(path, data, secrets)
    return document


def reviewed_output(path: Path | None, secrets: Secrets) -> JsonValue | msgspec.UnsetType:
    """The output that is expected, UNSET without a file. Raises UsageError."""
    if path is None:
        return msgspec.UNSET
    value, data = read_reviewed(path)
    _check_secrets(path, data, secrets)
    return value


def varying(recorded: JsonValue, expectation: JsonValue) -> Iterator[str]:
    """Notes: where a value is expected that the recording has a placeholder for: a replay gives another one."""
    if recorded is msgspec.UNSET or expectation is msgspec.UNSET:
        return
    for found in differences(recorded, expectation):
        kinds = [*kinds_in(found.expected)] if isinstance(found.expected, str) else []
        if kinds and isinstance(found.actual, str) and not any(kinds_in(found.actual)):
            yield (
                f"the value expected at '{dotted(found.path)}' varies from run to run ({kinds[0]}): "
                f"leave the placeholder that the recording has there"
            )


def unmeetable(trajectory: JsonValue, run: Run) -> Iterator[str]:
    """A note: the calls that are expected are none that a frozen replay which passes can make."""
    found = None if trajectory is None else next(iter(never_met(trajectory, run)), None)
    if found is not None:
        yield (
            f"warning: the test fails on any code, the fixed one too: a frozen replay makes the recorded calls, which "
            f"the trajectory rejects ({found}); record the fixed run, and export from that"
        )


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

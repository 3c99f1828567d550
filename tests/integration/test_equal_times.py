"""Times that a program got twice, in a frozen replay; exported tests whose output varies from run to run."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import stepfork
from stepfork.export.runtime import run_regression_case
from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_run
from tests.integration.exporting import agent, export
from tests.integration.recorded_blocks import record_block, replay_block
from tests.integration.scripted_models import models

CLOCK: list[datetime] = []


@stepfork.trace_tool
def order(_: str) -> dict[str, Any]:
    CLOCK.append(datetime.now(UTC))
    return {"created": CLOCK[-1], "updated": CLOCK[-1], "text": f"created {CLOCK[-1].isoformat()}"}


@stepfork.trace_tool
def listed() -> list[dict[str, Any]]:
    return [{"z": {"at": moment.isoformat(timespec="microseconds")}} for moment in CLOCK]


@pytest.mark.parametrize("count", [1, 3])
def test_equal_times_are_given_back_equal(count: int, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    CLOCK.clear()

    def block(_: str) -> Any:
        made = [order(str(number)) for number in range(count)]
        rows = [datetime.fromisoformat(row["z"]["at"]) for row in listed()]
        times = [one["created"] for one in made]
        return [
            [rows.index(time) for time in times],
            [one["created"] == one["updated"] for one in made],
            [one["text"] == f"created {one['created'].isoformat()}" for one in made],
            len(set(times)),
            times == sorted(times),
        ]

    recorded = record_block(block, "x", models, project, monkeypatch)
    assert recorded.value == [[*range(count)], [True] * count, [True] * count, count, True]
    result = replay_block(block, recorded)
    assert (result.causes, result.error) == ((), None)
    assert result.value == recorded.value
    again = normalize_run(recorded.run, Context(0, 0), templated=True)
    assert again == recorded.run


AGENT = """
import tempfile, uuid
from datetime import UTC, datetime
from pathlib import Path
import stepfork

@stepfork.trace_tool
def book(name):
    file = Path(tempfile.gettempdir(), "x.pdf")
    return {"at": datetime.now(UTC), "id": uuid.uuid4(), "mail": "ada.l@example.com", "file": file}

def run_agent(name):
    made = book(name)
    to = [made["mail"], str(made["id"])]
    return {**made, "own": f"at {datetime.now(UTC).isoformat()}", "to": to, "n": FIX}
"""


def test_a_recorded_output_that_varies_is_an_expectation(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(str(project))
    entrypoint = agent(project, AGENT.replace("FIX", "1"), "varying_agent_under_test")
    module = importlib.import_module("varying_agent_under_test")
    with stepfork.record("varying", output=project / "failure.sftrace") as capture:
        capture.run(module.run_agent, "Ada")
    assert export("failure.sftrace", "--pytest", "--entrypoint", entrypoint, "--output", "tests/test_it.py") == 0
    said: dict[str, Any] = {"trace_path": project / "failure.sftrace", "entrypoint": entrypoint, "root": project}
    said |= {"expectation": None, "has_expectation": False}
    monkeypatch.setenv("TMPDIR", str(project))
    monkeypatch.setattr(tempfile, "tempdir", None)
    run_regression_case(**said)
    agent(project, AGENT.replace("FIX", "2"), "varying_agent_under_test")
    with pytest.raises(AssertionError, match="'n': expected 1, got 2"):
        run_regression_case(**said)

"""The example goes the whole way from a failure to a regression test, and says so only where it did."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.exporting import export

EXAMPLE = Path(__file__).parents[2] / "examples" / "booking_agent"
SAID = (
    """E       AssertionError: behavior mismatch at 'selected_flight': expected "B", got "A\"""",
    "claim-pinned: rejected 7/7 mutants",
    "pins: 1 live (selected_flight); 2 leaf(s) reproduce the run (destination, plan)",
    "1 failed",
    "1 passed",
    "red on the bug, green on the fix",
)


def demo(script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, script], env={**os.environ}, capture_output=True, text=True)


def test_the_demo_is_red_on_the_bug_and_green_on_the_fix() -> None:
    done = demo(EXAMPLE / "demo.py")
    assert done.returncode == 0, done.stdout + done.stderr
    for line in SAID:
        assert line in done.stdout, done.stdout
    verbs = [line.split()[2] for line in done.stdout.splitlines() if line.startswith("$ stepfork")]
    assert verbs == ["validate", "show", "replay", "export", "score", "diff"]


@pytest.mark.parametrize("told", ["red", "green", "text", "other", "nothing"])
def test_the_demo_fails_where_any_of_it_does(project: Path, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("booking_demo_under_test", EXAMPLE / "demo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (project / "agent.py").write_bytes((EXAMPLE / "agent.py").read_bytes())

    class Played(module.Step):  # type: ignore[misc,name-defined]
        def __call__(self, _folder: Path, title: str, *words: str, expected: int | None = 0) -> tuple[bool, str]:
            fits = {"the test is red on the bug": "red", "the test is green on the fix": "green"}.get(title) != told
            if told == "other" and title == "diff both runs":
                self.ok = False
            return fits, "" if told == "text" else module.MISMATCH

    monkeypatch.setattr(module, "step", Played())
    assert module.demo(project) == (0 if told == "nothing" else 1)


def test_the_entrypoint_of_the_manual_is_there(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stepfork.workflows.entrypoint import resolve_entrypoint

    root = EXAMPLE.parents[1]
    function = resolve_entrypoint("examples.booking_agent:run_agent", root)
    monkeypatch.chdir(project)
    record = subprocess.run(
        [sys.executable, "record.py", project / "failure.sftrace"], cwd=EXAMPLE, capture_output=True, text=True
    )
    assert record.returncode == 0, record.stderr
    expected = EXAMPLE / "expected.json"
    words = ("--entrypoint", "examples.booking_agent:run_agent", "--expect-output", expected)
    assert export("failure.sftrace", "--pytest", *words) == 0
    asked = {"traveller": "ada", "destination": "Lisbon"}
    assert function(asked)["selected_flight"] == "A"

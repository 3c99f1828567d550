"""An exported test loads what it needs: no listener, no HTTP, no telemetry, no command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

AGENT = """
import stepfork

@stepfork.trace_tool
def look_up(order):
    return {"order": order}

def run(order):
    return look_up(order)
"""
RECORD = """
import agent, stepfork

with stepfork.record("one", output="one.sftrace", emit_test=False, allow_capture=True) as capture:
    capture.set_output(capture.run(agent.run, "O-1"))
"""
REPLAY = """
import sys
from stepfork.export.runtime import run_regression_case

run_regression_case(trace_path="one.sftrace", entrypoint="agent:run", expectation={"order": "O-1"})
loaded = set(sys.modules)
run_regression_case(trace_path="one.sftrace", entrypoint="agent:run", expectation={"order": "O-1"})
assert set(sys.modules) == loaded, set(sys.modules) - loaded
print(*sorted(loaded))
"""
HEAVY = ("aiohttp", "google.protobuf", "deepdiff", "dulwich", "rich", "typer", "openai", "anthropic", "opentelemetry")
OWN = ("stepfork.listener.server", "stepfork.replay.player", "stepfork.workflows.replay", "stepfork.store.story")


def test_a_recording_without_http_is_replayed_without_a_listener(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    for program in (RECORD, REPLAY):
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
    loaded = done.stdout.split()
    assert "stepfork.replay.frozen" in loaded
    assert [name for name in (*HEAVY, *OWN) if name in loaded] == []

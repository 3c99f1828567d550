"""From a failing run of a LangGraph agent to a regression test: record, show, export, pytest.

    python examples/langgraph_agent/demo.py

Works on a copy of the agent in a temporary folder, asks no network, and ends with exit code 0 only if the exported test
is red on the agent with the bug and green on the agent without it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MISMATCH = "behavior mismatch at 'cents': expected 3000, got 4200"
STEPFORK = ("-m", "stepfork")
AGENTS = {"agent:run_agent": 1, "agent:run_fixed_agent": 0}
"""Entrypoints, and the exit code of the test that runs them."""


def main() -> int:
    """Run all of it; 0 where the test was red on the bug and green on the fix."""
    with tempfile.TemporaryDirectory(prefix="langgraph-demo-") as folder:
        project = Path(folder)
        for name in ("agent.py", "record.py", "expected.json"):
            shutil.copy(HERE / name, project / name)
        passed = demo(project)
    print(f"\n{'red on the bug, green on the fix' if passed else 'THE DEMO FAILED'}")
    return 0 if passed else 1


def demo(project: Path) -> bool:
    """The steps, each a command that one could type."""
    results = [
        step(project, "record the failure", "record.py", "failure.sftrace"),
        step(project, "look at it", *STEPFORK, "show", "failure.sftrace"),
    ]
    for entrypoint, wanted in AGENTS.items():
        test = f"test_{entrypoint.partition(':')[2]}.py"
        words = ("--entrypoint", entrypoint, "--expect-output", "expected.json", "--output", test)
        title = f"export it as a test of what is wanted of {entrypoint}"
        results.append(step(project, title, *STEPFORK, "export", "failure.sftrace", "--pytest", *words))
        shown = "red on the bug" if wanted else "green on the fix"
        says = MISMATCH if wanted else "1 passed"
        results.append(step(project, f"it is {shown}", "-m", "pytest", "-q", test, code=wanted, says=says))
    return all(results)


def step(project: Path, title: str, *words: str, code: int = 0, says: str = "") -> bool:
    """Run a Python program and show what it prints; whether it ended with `code` and said `says`."""
    shown = ["stepfork", *words[2:]] if words[:2] == STEPFORK else ["python", *words]
    print(f"\n# {title}\n$ {shlex.join(shown)}", flush=True)
    done = subprocess.run(
        [sys.executable, *words],
        cwd=project,
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    print(done.stdout.rstrip())
    return done.returncode == code and says in done.stdout


if __name__ == "__main__":
    raise SystemExit(main())

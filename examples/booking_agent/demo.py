"""From a failure to a regression test: record, validate, inspect, frozen replay, diff, export, pytest.

    python examples/booking_agent/demo.py

Works on a copy of the agent in a temporary folder, asks no network, and ends with exit code 0 only if the exported test
fails on the agent with the bug and passes on the agent without it.
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
BUG = '    return min(flights, key=lambda flight: flight["price"])\n'
FIX = """\
    suitable = [flight for flight in flights if flight["refundable"] or not needs["refundable"]]
    return min(suitable, key=lambda flight: flight["price"])
"""
TEST = "test_booking_regression.py"
MISMATCH = """behavior mismatch at 'selected_flight': expected "B", got "A\""""
STEPFORK = ("-m", "stepfork")


def main() -> int:
    """Run all of it; 0 where the test was red on the bug and green on the fix."""
    with tempfile.TemporaryDirectory(prefix="booking-demo-") as folder:
        project = Path(folder)
        for name in ("agent.py", "record.py", "expected.json"):
            shutil.copy(HERE / name, project / name)
        return demo(project)


def demo(project: Path) -> int:
    """The steps, each a command that one could type."""
    step(project, "record the failure", "record.py", "failure.sftrace")
    step(project, "validate the recording", *STEPFORK, "validate", "failure.sftrace")
    step(project, "inspect it", *STEPFORK, "show", "failure.sftrace")
    replay = (*STEPFORK, "replay", "failure.sftrace", "--entrypoint", "agent:run_agent")
    step(project, "replay it, frozen: no tool runs, no model is asked", *replay)
    expect = ("--entrypoint", "agent:run_agent", "--expect-output", "expected.json", "--output", TEST)
    step(project, "export it as a test of what is wanted", *STEPFORK, "export", "failure.sftrace", "--pytest", *expect)
    red, text = step(project, "the test is red on the bug", "-m", "pytest", "-q", TEST, expected=1)
    step(project, "is the test worth keeping?", *STEPFORK, "score", TEST)
    mend(project / "agent.py")
    step(project, "record the fixed agent", "record.py", "fixed.sftrace")
    step(project, "diff both runs", *STEPFORK, "diff", "failure.sftrace", "fixed.sftrace", expected=None)
    green, _ = step(project, "the test is green on the fix", "-m", "pytest", "-q", TEST)
    passed = red and green and MISMATCH in text
    print(f"\n{'red on the bug, green on the fix' if passed else 'THE DEMO FAILED'}")
    return 0 if passed and step.ok else 1


def mend(agent: Path) -> None:
    """Take the bug out."""
    source = agent.read_text(encoding="utf-8")
    if source.count(BUG) != 1:
        raise SystemExit("the bug is not where the demo looks for it")
    agent.write_text(source.replace(BUG, FIX), encoding="utf-8")
    print("\n# fix the agent")
    print("\n".join([f"- {BUG.strip()}", *(f"+ {line.strip()}" for line in FIX.splitlines())]))


class Step:
    """Runs commands; ``ok`` is whether all of them ended as they were to."""

    ok = True

    def __call__(self, project: Path, title: str, *words: str, expected: int | None = 0) -> tuple[bool, str]:
        """Run a Python program, show what it prints. Whether it ended as expected (None: either way), and its text."""
        shown = ["stepfork", *words[2:]] if words[:2] == STEPFORK else ["python", *words]
        print(f"\n# {title}\n$ {shlex.join(shown)}", flush=True)
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # the agent is edited within one second
        done = subprocess.run(
            [sys.executable, *words],
            cwd=project,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        print(done.stdout.rstrip())
        fits = expected is None or done.returncode == expected
        if not fits:
            print(f"(exit code {done.returncode})")
        self.ok = self.ok and fits
        return fits, done.stdout


step = Step()

if __name__ == "__main__":
    raise SystemExit(main())

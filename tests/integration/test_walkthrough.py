"""The story that the manual tells, with a real SDK: an incident becomes a test, red until the agent is fixed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.integration.conftest import Cli, git


def drafted(shop: Path) -> subprocess.CompletedProcess[str]:
    """A run of the drafted test, with no model anywhere."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/stepfork/test_inc_1042.py"]
    return subprocess.run(words, cwd=shop, env={**os.environ, "PATH": path}, capture_output=True, text=True)


def test_an_incident_is_captured_red_fixed_refreshed_and_green(shop: Path, stepfork: Cli) -> None:
    prompt = shop / "prompt.md"
    fixed = prompt.read_text()
    prompt.write_text(fixed.replace("You refund once.", "You refund twice."))
    said = stepfork("capture", "--name", "inc-1042", "--expect-fail", "--", "python", "agent.py")
    assert "inc-1042: incident reproduced, as expected" in said.stderr
    assert "contracts     4 pass, 1 fails as expected" in said.stderr
    failing = "FAIL  cardinality-issue_refund-per-order_id   issue_refund called 2× for order_id=O-1042 (max 1)"
    assert failing in said.stderr
    assert said.stderr.splitlines()[-1] == (
        "next: read the test's EXECUTES list, fix the agent, then: stepfork capture --refresh inc-1042"
    )
    git(shop, "add", "-A")

    red = drafted(shop)
    assert red.returncode == 1, red.stdout + red.stderr
    assert failing in red.stdout

    prompt.write_text(fixed)
    test = (shop / "tests" / "stepfork" / "test_inc_1042.py").read_text()
    done = stepfork("capture", "--refresh", "inc-1042", "--yes", "--json")
    assert json.loads(done.stdout)["outcome"] == "verified"
    assert "inc-1042: the incident is gone, every contract holds" in done.stderr
    assert (shop / "tests" / "stepfork" / "test_inc_1042.py").read_text() == test

    green = drafted(shop)
    assert green.returncode == 0, green.stdout + green.stderr

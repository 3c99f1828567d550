"""The LangGraph example goes the whole way from a failing run to a test, and the manual shows its code."""

from __future__ import annotations

import subprocess
import sys

from tests.architecture.test_docs import ROOT, blocks

EXAMPLE = ROOT / "examples" / "langgraph_agent"


def test_the_demo_is_red_on_the_bug_and_green_on_the_fix() -> None:
    done = subprocess.run([sys.executable, EXAMPLE / "demo.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    said = "E       AssertionError: behavior mismatch at 'cents': expected 3000, got 4200"
    for line in (said, "1 failed", "1 passed", "red on the bug, green on the fix"):
        assert line in done.stdout, done.stdout


def test_the_manual_shows_the_examples_code() -> None:
    source = "".join((EXAMPLE / name).read_text(encoding="utf-8") for name in ("agent.py", "record.py"))
    shown = [*blocks(ROOT / "docs/how-to/langgraph.md", "py"), *blocks(EXAMPLE / "README.md", "python")]
    assert len(shown) == 3
    for block in shown:
        assert block in source, block

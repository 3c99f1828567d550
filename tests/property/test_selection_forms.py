"""Every form of reference that is known, in one repository: what fails without a fixture is what is selected.

`scripts/benchmarks/selection_oracle.py` does this with hundreds of repositories, and says more.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ORACLE = Path(__file__).parents[2] / "scripts" / "benchmarks" / "selection_oracle.py"


def test_what_fails_without_a_fixture_is_selected_and_for_literals_nothing_else() -> None:
    words = ["--repositories", "1", "--size", "86", "--changes", "1", "--only", "emptied"]
    done = subprocess.run([sys.executable, ORACLE, *words], capture_output=True, text=True, check=False)
    assert done.stdout.endswith("missed 0, extra 0 (literal), unknown ids 0\n"), done.stdout + done.stderr
    assert done.returncode == 0

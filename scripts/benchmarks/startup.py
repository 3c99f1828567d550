"""Start-up, in multiples of `python -c pass`: what hooks and CI pay each time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Report, alternate


def main() -> int:
    report = Report()
    program = str(Path(sys.executable).with_name("stepfork"))
    with tempfile.TemporaryDirectory() as folder:
        for index in range(3):
            (Path(folder) / f"clean{index}.json").write_text(
                '{"role": "user", "content": "Please refund order O-1042."}\n'
            )

        # As installed, which includes that Python has compiled the modules and kept what came of it.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

        def run(*command: str) -> None:
            nowhere = subprocess.DEVNULL
            subprocess.run(command, cwd=folder, env=environment, check=True, stdout=nowhere, stderr=nowhere)

        bare, check, version, usage = alternate(
            15,
            lambda: run(sys.executable, "-c", "pass"),
            lambda: run(program, "check-redaction", "clean0.json", "clean1.json", "clean2.json"),
            lambda: run(program, "--version"),
            lambda: run(program, "--help"),
        )
    report.at_most("check-redaction on clean small files / python -c pass", check / bare, 3)
    report.at_most("stepfork --version / python -c pass", version / bare, 14)
    report.at_most("stepfork --help / python -c pass", usage / bare, 14)
    return report.code


if __name__ == "__main__":
    sys.exit(main())

"""What capturing the example agent costs its user, in multiples of the agent alone, measured in the same run.

    python scripts/benchmarks/capture.py

The bound is 1.3 times the agent alone plus start-up. Start-up is `stepfork capture` of a command that ends at once: it
loads, listens and refuses, and makes nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Report, alternate

AGENT = Path(__file__).parents[2] / "examples" / "refund_agent"
ROUNDS = 7


def main() -> int:
    report = Report()
    program = str(Path(sys.executable).with_name("stepfork"))
    with tempfile.TemporaryDirectory() as folder:
        shop = Path(folder) / "shop"
        shutil.copytree(AGENT, shop)
        with subprocess.Popen(
            [sys.executable, "model_server.py"], cwd=shop, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            url = server.stdout.readline().split()[1]
            kept = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
            environ = kept | {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "unused", "CI": ""}

            def run(*command: str, code: int = 0) -> None:
                quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
                done = subprocess.run(command, check=False, cwd=shop, env=environ, **quiet)  # type: ignore[call-overload]
                assert done.returncode == code, command

            run(program, "init")
            agent = (sys.executable, "agent.py")
            alone, nothing, captured = alternate(
                ROUNDS,
                lambda: run(*agent),
                lambda: run(program, "capture", "--name", "nothing", "--", sys.executable, "-c", "pass", code=1),
                lambda: run(program, "capture", "--name", "refund", "--", *agent),
            )
            server.terminate()
    report.at_most("(capture of the refund agent - start-up) / agent alone", (captured - nothing) / alone, 1.3)
    print(f"  agent alone {alone:.2f} s, start-up {nothing:.2f} s, capture {captured:.2f} s")
    return report.code


if __name__ == "__main__":
    sys.exit(main())

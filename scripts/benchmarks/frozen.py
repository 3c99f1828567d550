"""A frozen replay of 10,000 calls against one of 1,000, an exported test against one that does nothing, and what a
decorated function costs while nobody listens. All in time of the processor, so that a busy machine says the same.

Usage: frozen.py
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measure import Report

AGENT = """
import stepfork

@stepfork.trace_tool
def look_up(order):
    return {"order": order, "state": "shipped", "lines": [{"sku": f"{order}-1", "count": 2}]}

def run(calls):
    for number in range(calls):
        look_up(f"O-{number}")
    return "done"

def plain(value):
    return value

idle = stepfork.trace_tool(plain)
"""
FEW, MANY = 1_000, 10_000


def main() -> int:
    os.environ.pop("CI", None)
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        Path("frozen_agent.py").write_text(AGENT)
        Path("expected.json").write_text('"done"')
        Path("test_bare.py").write_text("def test_nothing():\n    pass\n")
        _growth(report)
        _tests(report)
        _idle(report)
        os.chdir("/")
    return report.code


def _growth(report: Report) -> None:
    for calls in (3, FEW, MANY):
        _record(calls)
    _replay(3)  # what is imported on the way
    few, many = (min(_took(_replay, calls) for _ in range(2)) for calls in (FEW, MANY))
    print(f"{FEW} calls {few:.2f} s, {MANY} calls {many:.2f} s")
    report.at_most("replaying 10,000 calls, as much as 1,000 take", many / few, 12)


def _tests(report: Report) -> None:
    command = [sys.executable, "-m", "stepfork", "export", "3.sftrace", "--entrypoint", "frozen_agent:run"]
    subprocess.run(
        [*command, "--expect-output", "expected.json", "-o", "test_exported.py"], check=True, capture_output=True
    )
    bare, exported = (min(_of_child(name) for _ in range(5)) for name in ("test_bare.py", "test_exported.py"))
    print(f"pytest: a bare test {bare:.2f} s, an exported one {exported:.2f} s")
    report.at_most("pytest of an exported test, as much as a bare one takes", exported / bare, 2.2)


def _idle(report: Report) -> None:
    import frozen_agent  # type: ignore[import-not-found]

    plain, idle = (
        min(_took(_often, function) for _ in range(5)) for function in (frozen_agent.plain, frozen_agent.idle)
    )
    report.at_most("a decorated function while nobody listens", (idle - plain) / _TIMES * 1e6, 2, " µs")


_TIMES = 50_000


def _often(function: Callable[[int], int]) -> None:
    for _ in range(_TIMES):
        function(1)


def _record(calls: int) -> None:
    import frozen_agent

    import stepfork

    with stepfork.record("many", output=f"{calls}.sftrace", emit_test=False, allow_capture=True) as capture:
        capture.set_output(capture.run(frozen_agent.run, calls))


def _replay(calls: int) -> None:
    from stepfork.export.runtime import run_regression_case

    run_regression_case(trace_path=f"{calls}.sftrace", entrypoint="frozen_agent:run", expectation="done")


def _took(work: Callable[..., object], *args: object) -> float:
    started = time.process_time()
    work(*args)
    return time.process_time() - started


def _of_child(test: str) -> float:
    """What pytest takes, without the plugins that happen to be installed; the modules are compiled already."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main())

"""Recording 10,000 instrumented calls against recording 1,000: the whole block, until the bundle is written.

Usage: recording.py [--profile]. The bound is 12: as the square of the calls it would be 100.
"""

from __future__ import annotations

import cProfile
import os
import pstats
import sys
import tempfile
from functools import partial
from pathlib import Path

from measure import Report, alternate

import stepfork

BOUND = 12
FEW, MANY = 1_000, 10_000


@stepfork.trace_tool
def look_up(order: str, *, fields: list[str]) -> dict[str, object]:
    """A tool whose every answer is another one."""
    return {"order": order, "fields": fields, "state": "shipped", "lines": [{"sku": f"{order}-1", "count": 2}]}


def record(calls: int) -> None:
    """A block of `calls` calls, as a bundle."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        stepfork.record("many", output=Path(scratch) / "run.sftrace", allow_capture=True) as capture,
    ):
        for number in range(calls):
            look_up(f"O-{number}", fields=["state", "lines"])
        capture.set_output("done")


def main() -> int:
    report = Report()
    record(10)  # what is imported on the way
    few, many = alternate(3, partial(record, FEW), partial(record, MANY))
    print(f"{FEW} calls {few:.2f} s, {MANY} calls {many:.2f} s")
    report.at_most("recording 10,000 calls, as much as 1,000 take", many / few, BOUND)
    return report.code


def profile() -> None:
    """Where the time of many calls goes."""
    record(10)
    with cProfile.Profile() as profiler:
        record(MANY)
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    os.environ.pop("CI", None)
    if "--profile" in sys.argv:
        profile()
        sys.exit(0)
    sys.exit(main())

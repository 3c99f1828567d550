"""How long it takes to score 500 and 2,000 leaves, and to read them back from a test: both must grow with the leaves.

python scripts/benchmarks/scoring.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from stepfork.drafting.regression_test import RegressionTest, regression_test
from stepfork.drafting.ways import Root
from stepfork.score.battery import score_expectation
from stepfork.score.testfile import parse_test

LIMIT = 5.0
"""Times as long as a quarter of it."""


def main() -> int:
    failed = False
    for what, prepare in (("score", scoring), ("read", reading)):
        small, large = (best(prepare(count)) for count in (500, 2000))
        ratio = large / small
        failed |= ratio > LIMIT
        print(f"{what:6} 500: {small * 1000:7.1f} ms   2,000: {large * 1000:7.1f} ms   {ratio:.2f} x (limit {LIMIT:g})")
    return int(failed)


def best(work: Callable[[], object], rounds: int = 9) -> float:
    times = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def wanted(count: int) -> dict[str, object]:
    return {"items": [{"name": f"item {number}", "number": number} for number in range(count // 2)]}


def scoring(count: int) -> Callable[[], object]:
    expected = wanted(count)
    recorded = {"items": [{"name": "other", "number": -1} for _ in range(count // 2)]}
    return lambda: score_expectation(expected, recorded)


def reading(count: int) -> Callable[[], object]:
    source = regression_test(RegressionTest("a", Root(0, ""), "a.sftrace", "m:f", wanted(count))).encode()
    return lambda: parse_test(source, Path("test_a.py"), where="test_a.py")


if __name__ == "__main__":
    raise SystemExit(main())

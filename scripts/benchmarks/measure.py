"""What the benchmarks share: the best of several alternating runs, and a line that says a figure and its bound."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def alternate(rounds: int, *works: Callable[[], Any]) -> list[float]:
    """The best time of each work in seconds; they take turns, so that a slow moment of the machine hits all alike."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for index, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[index] = min(best[index], time.perf_counter() - start)
    return best


class Report:
    """Prints a line for each figure; `code` is 1 where a bound was missed."""

    def __init__(self) -> None:
        self.code = 0

    def at_most(self, name: str, value: float, bound: float, unit: str = "×") -> None:
        self._line(name, value, f"<= {bound:g}{unit}", unit, value <= bound)

    def at_least(self, name: str, value: float, bound: float, unit: str = "×") -> None:
        self._line(name, value, f">= {bound:g}{unit}", unit, value >= bound)

    def _line(self, name: str, value: float, bound: str, unit: str, good: bool) -> None:
        print(f"{name:<58} {value:>8.2f}{unit:<3} {bound:>10}  {'ok' if good else 'MISSED'}", flush=True)
        if not good:
            self.code = 1

"""What the benchmarks share: the best of several alternating runs, servers in processes of their own, and a line that
says a figure and its bound."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
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


def start(target: Callable[..., None], *args: Any) -> tuple[Connection, str]:
    """Runs a server in a process of its own; the pipe that ends it, and its address."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    context.Process(target=target, args=(there, *args), daemon=True).start()
    return here, here.recv()


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

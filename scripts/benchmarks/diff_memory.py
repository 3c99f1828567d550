"""Comparisons of large runs of which nothing stayed: time against one JSON encoding of both, memory, lines printed.

    python scripts/benchmarks/diff_memory.py

Each case runs in a process of its own; memory is what the comparison and its report add to the peak.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

from measure import Report

Message = dict[str, Any]
Run = list[list[Message]]
"""The messages of each exchange."""


def changed_messages(side: str) -> Run:
    """2,000 messages in one request, all of them others."""
    return [[{"role": ("user", "assistant")[n % 2], "content": f"{side} {n} " * 12} for n in range(2_000)]]


def changed_records(side: str) -> Run:
    """10,000 records in one tool result, of each of which one member changed."""
    records = [{"id": n, "name": f"record {n}", "amount": n * 1.5, "state": f"{side}-{n}"} for n in range(10_000)]
    call = {"id": "call_1", "type": "function", "function": {"name": "list", "arguments": "{}"}}
    return [
        [
            {"role": "user", "content": "List them."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(records)},
        ]
    ]


def changed_exchanges(side: str) -> Run:
    """300 requests of 200 messages each, none of which continues another, all of them others."""
    return [[{"role": "user", "content": f"{side} {call} {n} " * 5} for n in range(200)] for call in range(300)]


def changed_history(side: str) -> Run:
    """300 requests of one conversation, each with 200 messages more or less, of which every tenth changed."""
    said = [
        {"role": ("user", "assistant")[n % 2], "content": f"{side if n % 10 == 0 else 'same'} {n} " * 5}
        for n in range(600)
    ]
    return [said[: 2 * call + 1] for call in range(300)]


def changed_conversation(side: str) -> Run:
    """285 requests of one conversation that ends with 2,000 messages, all of them others."""
    said = changed_messages(side)[0]
    return [said[: 7 * call + 6] for call in range(285)]


CASES: dict[str, tuple[Callable[[str], Run], float, float]] = {
    "2,000 messages": (changed_messages, 60, 50),
    "10,000 records in a result": (changed_records, 60, 200),
    "300 requests of 200 messages": (changed_exchanges, 60, 400),
    "300 requests of one conversation": (changed_history, 60, 400),
    "2,000 messages in 285 requests": (changed_conversation, 60, 100),
}
"""What is compared, and the bounds: times one encoding, and MB."""


def measure(name: str) -> tuple[float, float, float, int]:
    """Processor seconds of the comparison and of one encoding, MB on top of the fixtures, lines of the report."""
    from stepfork.cli.render.diff_text import render_report
    from stepfork.diff.fixture_diff import diff_fixtures
    from stepfork.trace.body import JsonBody
    from stepfork.trace.exchange import Exchange, Request, Response
    from stepfork.trace.fixture import Fixture, Source
    from stepfork.trace.fixture import Run as StoredRun
    from stepfork.trace.step import Trace

    def fixture(run: Run) -> Fixture:
        bodies = [{"model": "gpt-4.1", "messages": messages} for messages in run]
        requests = [Request("POST", "/chat/completions", body=JsonBody(body)) for body in bodies]
        made = tuple(Exchange("openai", "chat_completions", request, Response(200)) for request in requests)
        return Fixture("run", StoredRun(Source("command", True), Trace("exchanges", ()), made))

    case = CASES[name][0]
    old, new = fixture(case("old")), fixture(case("new"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    lines = list(render_report([diff_fixtures(old, new)]))
    took = time.process_time() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    for _ in range(2):
        json.dumps([case("old"), case("new")])
    encoding = (time.process_time() - start) / 2
    return took, encoding, (after - before) / 1024, len(lines)


def main() -> int:
    report = Report()
    for name, (_, times, megabytes) in CASES.items():
        with get_context("spawn").Pool(1) as pool:
            took, encoding, memory, lines = pool.apply(measure, (name,))
        print(f"{name}: {took:.2f} s")
        report.at_most(f"{name}: time / one encoding of both", took / encoding, times)
        report.at_most(f"{name}: memory", memory, megabytes, " MB")
        report.at_most(f"{name}: lines printed", lines, 100, "")
    return report.code


if __name__ == "__main__":
    sys.exit(main())

"""Comparisons of large runs of which nothing stayed: time against one JSON encoding of both, memory, lines printed;
the other views of such comparisons; many fixtures between two revisions.

    python scripts/benchmarks/diff_memory.py

Each case runs in a process of its own; memory is what the comparison and its report add to the peak. A view is made
from the two fixtures, as a command does it, and redacted.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import Report

if TYPE_CHECKING:
    from stepfork.store.store import Store
    from stepfork.trace.fixture import Fixture

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


def half_conversation(side: str) -> Run:
    """The first half of those requests."""
    return changed_conversation(side)[:143]


def changed_string(side: str) -> Run:
    """One message of 20 MB, of which one word in its middle changed."""
    half = "".join(f"Line {n} of a long document.\n" for n in range(330_000))
    return [[{"role": "user", "content": f"{half}{side}\n{half}"}]]


CASES: dict[str, tuple[Callable[[str], Run], float, float]] = {
    "2,000 messages": (changed_messages, 60, 50),
    "10,000 records in a result": (changed_records, 60, 200),
    "300 requests of 200 messages": (changed_exchanges, 60, 400),
    "300 requests of one conversation": (changed_history, 60, 400),
    "2,000 messages in 285 requests": (changed_conversation, 60, 100),
}
"""What is compared, and the bounds: times one encoding, and MB."""

VIEWED: dict[str, tuple[Callable[[str], Run], dict[str, float], float]] = {
    "2,000 messages": (changed_messages, {"markdown": 80, "json": 150, "html": 600, "textconv": 6}, 80),
    "1,000 messages in 143 requests": (half_conversation, {"markdown": 35, "json": 80, "html": 50, "textconv": 1}, 300),
    "a word in 20 MB": (changed_string, {"markdown": 6, "json": 6, "html": 15, "textconv": 4}, 350),
}
"""What is shown in which views, and the bounds: times one encoding, and MB."""

FIXTURES = 300


def fixture(run: Run, name: str = "run") -> Fixture:
    """A fixture of one exchange for each list of messages."""
    from stepfork.trace.body import JsonBody
    from stepfork.trace.exchange import Exchange, Request, Response
    from stepfork.trace.fixture import Fixture, Source
    from stepfork.trace.fixture import Run as StoredRun
    from stepfork.trace.step import Trace

    bodies = [{"model": "gpt-4.1", "messages": messages} for messages in run]
    requests = [Request("POST", "/chat/completions", body=JsonBody(body)) for body in bodies]
    made = tuple(Exchange("openai", "chat_completions", request, Response(200)) for request in requests)
    return Fixture(name, StoredRun(Source("command", True), Trace("exchanges", ()), made))


def measure(name: str) -> tuple[float, float, float, int]:
    """Processor seconds of the comparison and of one encoding, MB on top of the fixtures, lines of the report."""
    from stepfork.cli.render.diff_text import render_report
    from stepfork.diff.fixture_diff import diff_fixtures

    case = CASES[name][0]
    old, new = fixture(case("old")), fixture(case("new"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    lines = list(render_report([diff_fixtures(old, new)]))
    took = time.process_time() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return took, encoding(case), (after - before) / 1024, len(lines)


def encoding(case: Callable[[str], Run]) -> float:
    """Processor seconds of one JSON encoding of both sides, made anew."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        json.dumps([case("old"), case("new")])
        best = min(best, time.process_time() - start)
    return best


def measure_view(name: str, view: str) -> tuple[float, float, float, float]:
    """Processor seconds of a comparison with one view of it and of one encoding, MB on top of the fixtures, and MB of
    the view."""
    from stepfork.canonical.encode import dumps
    from stepfork.cli.render.diff_json import report_document
    from stepfork.cli.render.diff_markdown import markdown_report
    from stepfork.cli.render.fixture_text import fixture_lines
    from stepfork.cli.render.html.page import html_report
    from stepfork.diff.fixture_diff import DiffOptions, diff_fixtures
    from stepfork.redact.redactor import redact_text
    from stepfork.redact.secrets import Secrets
    from stepfork.store.codec import encode_fixture
    from stepfork.store.manifest import read_manifest
    from stepfork.workflows.textconv import Told

    def clean(text: str) -> str:
        return redact_text(text, secrets)

    secrets = Secrets.collect({}, {})
    case = VIEWED[name][0]
    clean("a first text, so that what is loaded for it counts for nothing")
    old, new = fixture(case("old")), fixture(case("new"))
    entries = read_manifest(encode_fixture(new).manifest, "run").exchanges if view == "textconv" else ()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    if view == "textconv":
        shown = "\n".join(fixture_lines(Told(new, entries, "")))
    else:
        pairs = (diff_fixtures(old, new, DiffOptions(timeline=view == "html")),)
        made: dict[str, Callable[[], str]] = {
            "markdown": lambda: "\n".join(markdown_report(pairs, clean=clean)),
            "json": lambda: dumps(report_document(pairs, clean=clean)).decode(),
            "html": lambda: html_report(pairs, clean=clean),
        }
        shown = made[view]()
    took = time.process_time() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return took, encoding(case), (after - before) / 1024, len(shown) / 1e6


def write(store: Store, made: Fixture) -> None:
    """Its files, without a store's care for what others need."""
    from stepfork.store.codec import encode_fixture

    encoded = encode_fixture(made)
    files = {store.objects.path(name): data for name, data in encoded.objects.items()}
    for path, data in {**files, store.manifest_path(made.name): encoded.manifest}.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


def measure_revisions() -> tuple[float, float, int]:
    """Seconds of a comparison of two commits with all fixtures changed, and of the same fixtures in memory; how many
    were compared."""
    from stepfork.diff.fixture_diff import DiffOptions, diff_fixtures
    from stepfork.git.repository import Repository
    from stepfork.store.layout import init_store
    from stepfork.store.store import Store
    from stepfork.workflows.diff import diff
    from stepfork.workflows.locate import Locator

    def made(side: str, number: int) -> Fixture:
        said = [{"role": ("user", "assistant")[n % 2], "content": f"{side} {number} {n} " * 12} for n in range(10)]
        return fixture([said[: 2 * call + 1] for call in range(5)], f"run{number}")

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        init_store(root)
        store = Store(root / ".stepfork")
        git = ("git", "-c", "user.name=x", "-c", "user.email=x@x.example", "-C", folder)
        subprocess.run([*git, "init", "-q"], check=True)
        for side in ("old", "new"):
            for number in range(FIXTURES):
                write(store, made(side, number))
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run([*git, "commit", "-q", "-m", side], check=True)
        start = time.perf_counter()
        report = diff(Locator(store, Repository.find(root), root), ("HEAD~1", "HEAD"), DiffOptions())
        took = time.perf_counter() - start
        pairs = [(store.read(f"run{number}"), made("old", number)) for number in range(FIXTURES)]
        start = time.perf_counter()
        for new, old in pairs:
            diff_fixtures(old, new)
        return took, time.perf_counter() - start, len(report.pairs)


def main() -> int:
    report = Report()
    for name, (_, times, megabytes) in CASES.items():
        with get_context("spawn").Pool(1) as pool:
            took, encoding, memory, lines = pool.apply(measure, (name,))
        print(f"{name}: {took:.2f} s")
        report.at_most(f"{name}: time / one encoding of both", took / encoding, times)
        report.at_most(f"{name}: memory", memory, megabytes, " MB")
        report.at_most(f"{name}: lines printed", lines, 100, "")
    for name, (_, views, megabytes) in VIEWED.items():
        for view, times in views.items():
            with get_context("spawn").Pool(1) as pool:
                took, once, memory, size = pool.apply(measure_view, (name, view))
            print(f"{name}, {view}: {took:.2f} s, {size:.2f} MB")
            report.at_most(f"{name}, {view}: time / one encoding", took / once, times)
            report.at_most(f"{name}, {view}: memory", memory, megabytes, " MB")
    took, once, compared = measure_revisions()
    print(f"{compared} fixtures between two revisions: {took:.2f} s")
    report.at_least("fixtures compared", compared, FIXTURES, "")
    report.at_most("two revisions: time / comparison in memory", took / once, 5)
    return report.code


if __name__ == "__main__":
    sys.exit(main())

"""What a capture says at the end: the facts in one column, what to do next last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from stepfork.cli.console import counted
from stepfork.cli.escape import escape
from stepfork.cli.session import shown_path, typed_path
from stepfork.providers.answer import answer_of
from stepfork.providers.apis import label
from stepfork.trace.fixture import Run
from stepfork.workflows.make_fixture import CaptureResult

_WIDTH = 14


def capture_lines(result: CaptureResult) -> Iterator[str]:
    """The lines of the summary."""
    exit_code = result.run.source.exit_code
    ran = "" if exit_code is None else f"{result.seconds:.1f} s, exit {exit_code}"
    verdict = "captured" if result.fixture is not None else "not captured"
    yield f"{escape(result.name)}: {verdict}".ljust(65 if ran else 0) + ran
    yield from _row("model calls", _calls(result.run))
    for notice in result.notices:
        yield from _row("", escape(notice))
    yield from _row("tool calls", _tools(result.run))
    yield from _row("trace", _trace(result))
    for finding in result.findings:
        yield from _row("", escape(finding.text))
    yield from _row("redacted", _redacted(result))
    if result.fixture is not None and result.path is not None:
        new = {result.files: "", 0: ", none new"}.get(result.new_files, f", {result.new_files} new")
        yield from _row(
            "stored", f"{result.files} files{new}, {_size(result.size)}   {escape(shown_path(result.path))}"
        )
        if result.store is not None:
            yield f"next: git add {escape(typed_path(result.store))}"
        return
    for cause in result.causes:
        yield from _row("cause", escape(cause))
    if result.draft is not None:
        yield from _row("draft", f"{escape(shown_path(result.draft))} (redacted, never committed)")
        yield f"next: stepfork show {escape(typed_path(result.draft))}"


def _row(name: str, text: str) -> Iterator[str]:
    if text:
        yield f"  {name.ljust(_WIDTH)}{text}"


def _calls(run: Run) -> str:
    if not run.exchanges:
        return "0   none reached the proxy"
    labels = Counter(label(exchange) for exchange in run.exchanges)
    shown = ", ".join(
        escape(name) if count == len(run.exchanges) else f"{escape(name)} ×{count}" for name, count in labels.items()
    )
    usages = [usage for exchange in run.exchanges if (usage := answer_of(exchange).usage) is not None]
    if usages:
        spent = sum(usage.input_tokens or 0 for usage in usages)
        made = sum(usage.output_tokens or 0 for usage in usages)
        shown += f" ({spent:,} in, {made:,} out)"
    return f"{len(run.exchanges)}   {shown}"


def _tools(run: Run) -> str:
    tools = Counter(step.name for step in run.trace.steps if step.type == "tool_call")
    names = ", ".join(escape(name) if count == 1 else f"{escape(name)} ×{count}" for name, count in tools.items())
    return f"{tools.total()}   {names}" if tools else ""


def _trace(result: CaptureResult) -> str:
    steps = len(result.run.trace.steps)
    if not steps:
        return "no step"
    source = (
        f"from {counted(result.spans, 'span')}"
        if result.run.trace.origin == "spans"
        else "derived from the exchanges (no spans)"
    )
    return f"{counted(steps, 'step')} {source}, {'see below' if result.findings else 'check clean'}"


def _redacted(result: CaptureResult) -> str:
    total = len(result.redactions)
    rules = ", ".join(escape(rule) if n == 1 else f"{escape(rule)} ×{n}" for rule, n in result.redacted.items())
    return f"{total}   {rules}" if total else "nothing"


def _size(size: int) -> str:
    return f"{size:,} bytes" if size < 10_000 else f"{size / 1000:,.1f} kB"

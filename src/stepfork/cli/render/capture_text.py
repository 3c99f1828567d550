"""What a capture says at the end: the facts in one column, what to do next last."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

from stepfork.cli.console import counted
from stepfork.cli.escape import escape
from stepfork.cli.render.columns import headline, row, size_of
from stepfork.cli.render.verdict import contract_lines
from stepfork.cli.session import shown_path, typed_path
from stepfork.providers.answer import answer_of
from stepfork.providers.apis import OPAQUE, label
from stepfork.trace.exchange import Exchange
from stepfork.trace.exit_code import told_exit_code
from stepfork.trace.fixture import Run
from stepfork.workflows.capture_result import CaptureResult


def verdict(result: CaptureResult) -> str:
    """The outcome in words."""
    if result.fixture is None:
        return "not captured"
    if result.outcome == "nothing_to_verify":
        return "captured: nothing to verify"
    if result.outcome == "not_verified":
        return "not verified"
    if result.fixed:
        return "the incident is gone, every contract holds"
    return "incident reproduced, as expected" if result.expected_failures else "consistent with the recording"


def capture_lines(result: CaptureResult) -> Iterator[str]:
    """The lines of the summary, but for what to do next."""
    exit_code = result.run.source.exit_code
    ran = "" if exit_code is None else f"{result.seconds:.1f} s, exit {told_exit_code(exit_code)}"
    yield headline(f"{escape(result.name)}: {verdict(result)}", ran)
    yield from row("model calls", _model_calls(result.run))
    yield from row("other calls", _labels([one for one in result.run.exchanges if one.api == OPAQUE]))
    if result.reused is not None:
        yield from row("", f"{result.reused} of {len(result.run.exchanges)} answered from the recording")
    for notice in result.notices:
        yield from row("", escape(notice))
    yield from row("tool calls", _tools(result.run))
    yield from row("trace", _trace(result))
    for finding in result.findings:
        yield from row("", escape(finding.text))
    yield from row("redacted", _redacted(result))
    if result.fixture is not None and result.verification is not None:
        yield from contract_lines(result.verification)
    yield from kept_lines(result)


def kept_lines(result: CaptureResult) -> Iterator[str]:
    """What was written, what goes with it, and every cause that speaks against it."""
    yield from row("stored", _stored(result))
    yield from row("test", _test(result))
    for note in result.test.notes if result.test is not None else ():
        yield from row("", escape(note))
    for cause in result.causes:
        yield from row("cause", escape(cause))
    if result.draft is not None:
        yield from row("draft", f"{escape(shown_path(result.draft))} (redacted, never committed)")


def next_line(result: CaptureResult, *, refreshed: bool = False) -> str:
    """What to do next, empty where there is nothing."""
    if result.draft is not None:
        return f"next: stepfork show {escape(typed_path(result.draft))}"
    if result.path is None or result.store is None:
        return ""
    again = f"stepfork capture --refresh {escape(shlex.quote(result.name))}"
    if result.outcome == "not_verified":
        runs = result.run.source.kind == "command"
        return f"next: do what the causes say, then: {again}" if runs else "next: do what the causes say"
    read = "read the test's EXECUTES list, " if result.test is not None and result.test.executes else ""
    if result.expected_failures and not refreshed:
        return f"next: {read}fix the agent, then: {again}"
    drafted = result.test is not None and result.test.written
    paths = [result.store, *([result.test.path] if result.test is not None and drafted else [])]
    return f"next: {f'{read}then: ' if read and drafted else ''}git add {escape(' '.join(map(typed_path, paths)))}"


def _stored(result: CaptureResult) -> str:
    if result.fixture is None:
        return ""
    if result.path is None:
        return "nothing (--dry-run)"
    new = {result.files: "", 0: ", none new"}.get(result.new_files, f", {result.new_files} new")
    return f"{result.files} files{new}, {size_of(result.size)}   {escape(shown_path(result.path))}"


def _test(result: CaptureResult) -> str:
    if result.untested:
        return escape(result.untested)
    if result.test is None:
        none = result.fixture is not None and result.outcome == "nothing_to_verify"
        return "replay-only fixture, no test drafted" if none else ""
    path = escape(shown_path(result.test.path))
    if not result.test.written:
        return f"{path} (there already, left as it is)"
    runs = ", ".join(escape(tool) for tool in result.test.executes)
    answers = ", ".join(escape(tool) for tool in result.test.answers)
    told = f"it will run: {runs}" if runs else "it runs no tool"
    return f"{path} (drafted; {told}; it answers: {answers})" if answers else f"{path} (drafted; {told})"


def _model_calls(run: Run) -> str:
    exchanges = [exchange for exchange in run.exchanges if exchange.api != OPAQUE]
    if not exchanges and run.exchanges:
        return "0   none that can be read as one"
    if not exchanges:
        return "none: made of spans alone" if run.source.kind == "otlp_file" else "0   none reached the proxy"
    shown = _labels(exchanges)
    usages = [usage for exchange in exchanges if (usage := answer_of(exchange).usage) is not None]
    if usages:
        spent = sum(usage.input_tokens or 0 for usage in usages)
        made = sum(usage.output_tokens or 0 for usage in usages)
        shown += f" ({spent:,} in, {made:,} out)"
    return shown


def _labels(exchanges: Sequence[Exchange]) -> str:
    """How many, and what they are."""
    labels = Counter(label(exchange) for exchange in exchanges)
    shown = ", ".join(
        escape(name) if count in (1, len(exchanges)) else f"{escape(name)} ×{count}" for name, count in labels.items()
    )
    return f"{len(exchanges)}   {shown}" if exchanges else ""


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

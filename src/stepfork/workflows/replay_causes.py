"""Why a replay did not pass, and what about it is worth a word though it fails nothing."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

import msgspec

from stepfork.capture.assemble import Assembled
from stepfork.capture.check import check_trace
from stepfork.listener.watch import Recording
from stepfork.replay.report import CallsReport, ReplayReport
from stepfork.replay.telling import place_of, reason_of
from stepfork.trace.exit_code import told_exit_code
from stepfork.trace.finding import TraceFinding
from stepfork.trace.fixture import Run

_INCOMPLETE = frozenset({"no_steps", "unpaired_call", "calls_without_spans", "spans_without_exchanges"})
"""Findings after which a trace does not tell all that its run did: contracts may hold of it that the run broke."""


class Replayed(msgspec.Struct, frozen=True):
    """A replay that is over: the recorded run, what was seen of the new one, what that was made into, and what the
    player says. ``unasked`` are tools that ran though their recorded calls are answered, and nobody allowed it."""

    old: Run
    recording: Recording
    made: Assembled
    report: ReplayReport
    unasked: tuple[str, ...] = ()

    @property
    def expected_exit(self) -> int:
        """The exit code that the command must have; 0 where the recording had no command."""
        return self.old.source.exit_code or 0


def causes_of(replayed: Replayed, gaps: Iterable[str]) -> Iterator[str]:
    """Each reason why the replay did not pass, one line: first a miss each, last a recorded call each that was not
    made. Where the replay was interrupted, what is left over says nothing; `gaps` count where nothing else is wrong."""
    report = replayed.report
    for miss in report.misses:
        often = f" (asked {miss.times} times)" if miss.times > 1 else ""
        yield f"miss at {place_of(miss, report.exchanges)}: {reason_of(miss)}{often}"
    for call in report.calls.misses:
        yield f"miss at {call.says}"
    interrupted = replayed.recording.interrupted
    if interrupted is not None:
        yield f"the replay was interrupted ({signal.Signals(interrupted).name})"
        return
    for tool in sorted(replayed.unasked):
        yield f"{tool} really ran: its recorded calls are answered, and this program's are not instrumented"
    yield from _ends(replayed)
    if report.is_whole:
        yield from gaps
    yield from calls_left(report.calls)
    for unused in report.unused:
        if not unused.optional:
            yield f"exchange {unused.exchange} was recorded and not asked for: {unused.label}"


def calls_left(calls: CallsReport) -> Iterator[str]:
    """A line for each tool whose recorded calls were not all made."""
    for tool, count in Counter(left.tool for left in calls.unused).items():
        yield (
            f"a recorded call of {tool} was not made"
            if count == 1
            else f"{count} recorded calls of {tool} were not made"
        )


def _ends(replayed: Replayed) -> Iterator[str]:
    recording = replayed.recording
    if not recording.recorded and not all(exchange.in_process for exchange in replayed.old.exchanges):
        yield (
            "no model call reached the listener; build the model client from OPENAI_BASE_URL, ANTHROPIC_BASE_URL or "
            "the variable of its route"
        )
    if recording.exit_code != replayed.expected_exit:
        recorded = "none recorded" if replayed.old.source.exit_code is None else f"recorded {replayed.expected_exit}"
        yield f"exit code {told_exit_code(recording.exit_code)}, {recorded}"
    yield from (problem.text for problem in recording.problems)


def gaps_of(replayed: Replayed) -> Iterator[str]:
    """What the new trace lacks that the recorded one has. A run that passes must be told as fully as it was recorded:
    contracts are evaluated on its trace, and without spans a tool that ran twice would look as if it ran once."""
    old, made = replayed.old, replayed.made
    if old.trace.origin == "spans" and made.trace.origin != "spans":
        yield (
            "the recorded run exported spans and this one none, so what its tools did is not known; export them to "
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, and flush the tracer provider before the command exits"
        )
        return
    known = set(map(_kind, check_trace(old.trace, old.exchanges)))
    for finding in check_trace(made.trace, made.exchanges):
        if finding.code in _INCOMPLETE and _kind(finding) not in known:
            yield f"the trace of this run is not whole: {finding.text}"


def _kind(finding: TraceFinding) -> tuple[str, str]:
    """What two findings have in common that are one gap: of calls, that they are of one tool; of counts, the code."""
    return finding.code, finding.text if finding.code == "unpaired_call" else ""


def notices_of(replayed: Replayed, executed: dict[str, int], allowed: Collection[str]) -> Iterator[str]:
    """What fails nothing: tools that ran and are not among the `allowed`, probes that were not recorded, and what the
    listener noticed."""
    others = [f"{tool} {count}×" for tool, count in executed.items() if tool not in allowed]
    if others:
        yield f"tools ran that the recording has not: {', '.join(others)}"
    for label in replayed.report.optional:
        yield f"a probe was not recorded and was refused: {label}"
    yield from replayed.recording.notices

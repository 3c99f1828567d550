"""What no longer holds of a run: calls that it made and makes no more, results and answers that are errors now, an
output that is gone. Each is found in the runs themselves, whatever parts are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec

from stepfork.diff.tool_calls import dropped, now_failing, side_calls
from stepfork.diff.values import Change, Section
from stepfork.diff.views import Side, View
from stepfork.providers.calls import bare_tool
from stepfork.trace.fixture import Fixture

_REFUSALS = ("refusal", "content_filter", "safety", "blocklist", "prohibited_content", "recitation")
"""Finish reasons of an answer that was refused or withheld."""

Shows = Callable[[Change], bool]


class Break(msgspec.Struct, frozen=True):
    """``told`` is the phrase; the change that shows it is the first that the first of ``shows`` finds, then that of the
    second, and so on; where none does, one of its own is made, with ``subject`` in ``section``. ``tool`` is the one
    that is called less often, ``gone`` whether it is called no more."""

    rule: str
    told: str
    shows: tuple[Shows, ...]
    subject: str
    section: Section = "trace"
    tool: str = ""
    gone: bool = False


def shown_by(section: Section, subject: str | None = None, *, field: str | None = None) -> Shows:
    """Finds the changes of a section, of one subject where it is given, or with a field whose path ends so."""
    return lambda change: (
        change.section == section
        and subject in (None, change.subject)
        and (field is None or any(one.path.endswith(field) for one in change.fields))
    )


def run_breaks(
    old: Fixture, new: Fixture, before: Side, after: Side, pairs: Sequence[tuple[int, int]]
) -> Iterator[Break]:
    """What no longer holds; `pairs` are the exchanges of both sides that stand for one another."""
    was, is_now = side_calls(before, old.run), side_calls(after, new.run)
    for tool, old_count, new_count in dropped(was, is_now):
        told = f"tool call {tool} is gone" if new_count == 0 else f"tool call {tool} {old_count}× → {new_count}×"
        yield Break(
            "tool-call-dropped",
            told,
            _shows_dropped(tool, before, after, pairs),
            f"tool call {tool}",
            tool=tool,
            gone=new_count == 0,
        )
    for tool, _, count in now_failing(was, is_now):
        told = f"tool call {tool} now fails" + ("" if count == 1 else f" ({count}×)")
        yield Break("tool-call-failing", told, _shows_failing(tool), f"tool call {tool}")
    yield from _answers(before, after, pairs)
    yield from _outcome(old, new)
    yield from _output(old, new, before, after)


def _shows_dropped(tool: str, before: Side, after: Side, pairs: Sequence[tuple[int, int]]) -> tuple[Shows, ...]:
    fewer = {b for a, b in pairs if _asked(before.views[a])[tool] > _asked(after.views[b])[tool]}

    def by_answer(change: Change) -> bool:
        return change.section == "answer" and not fewer.isdisjoint(change.exchanges)

    def by_line(change: Change) -> bool:
        return any(line.op == "-" and line.text.startswith(f"→ {tool} ") for line in change.lines)

    def by_exchange(change: Change) -> bool:
        gone = change.section == "exchange" and change.change == "removed"
        return gone and any(
            index < len(before.views) and _asked(before.views[index])[tool] for index in change.exchanges
        )

    def by_step(change: Change) -> bool:
        step = change.section == "trace" and change.change == "removed"
        return step and change.subject.startswith(f"tool_call {tool} [")

    return by_answer, by_line, by_exchange, by_step


def _asked(view: View) -> Counter[str]:
    calls = view.answered.get("tool_calls") or []
    return Counter(bare_tool(call["name"]) for call in calls if isinstance(call, dict))


def _shows_failing(tool: str) -> tuple[Shows, ...]:
    def by_result(change: Change) -> bool:
        return change.section == "tool_results" and bare_tool(change.subject.partition(" [")[0]) == tool

    def by_step(change: Change) -> bool:
        return change.section == "trace" and change.subject.startswith(f"tool_call {tool} [")

    def by_exchange(change: Change) -> bool:
        return change.section == "exchange" and any(
            line.text.startswith(f"tool result {tool}") for line in change.lines
        )

    return by_result, by_step, by_exchange


def _answers(before: Side, after: Side, pairs: Sequence[tuple[int, int]]) -> Iterator[Break]:
    well = {_request(view) for view in after.views if not _failure(view)}
    for a, b in pairs:
        failure = _failure(after.views[b])
        if failure and not _failure(before.views[a]) and _request(after.views[b]) not in well:

            def shows(change: Change, at: int = b) -> bool:
                return change.section == "answer" and at in change.exchanges

            yield Break("answer-failed", f"model call {b} {failure}", (shows,), f"model call {b}", "answer")


def _failure(view: View) -> str:
    """In which way an answer is none; empty for an answer."""
    answer = view.answer
    if answer.outcome == "error":
        return f"fails ({answer.error.type})" if answer.error is not None else "fails"
    if answer.outcome == "unfinished":
        return "ends before its answer does"
    return "is refused" if any(reason.lower() in _REFUSALS for reason in answer.finish_reasons) else ""


def _request(view: View) -> tuple[str, int, tuple[str, ...]]:
    """What tells requests apart: a call that failed and was made again has its answer in the second one."""
    units = view.form.units
    return view.form.head_text, len(units), units[-1].key if units else ()


def _outcome(old: Fixture, new: Fixture) -> Iterator[Break]:
    before, after = old.run.trace, new.run.trace
    codes = old.run.source.exit_code, new.run.source.exit_code
    if not codes[0] and codes[1]:
        shows = (shown_by("run", field="/exit_code"),)
        yield Break("run-failed", f"the command exits with {codes[1]}", shows, "exit_code", "run")
    elif before.status == "completed" and after.status == "error":
        told = f"the run ends with an error{f' ({after.error.type})' if after.error else ''}"
        yield Break("run-failed", told, (shown_by("trace", field="/status"),), "status")


def _output(old: Fixture, new: Fixture, before: Side, after: Side) -> Iterator[Break]:
    """That a run which ended in an output has none. One that tells no output has its last answer for it."""
    outputs = [
        side.views[-1].answer.text if output is msgspec.UNSET and side.views else output
        for output, side in ((old.run.trace.output, before), (new.run.trace.output, after))
    ]
    failed = new.run.trace.output is msgspec.UNSET and bool(after.views) and bool(_failure(after.views[-1]))
    if not _says(outputs[0]) or _says(outputs[1]) or failed:  # that an answer failed is told already
        return

    def by_end(change: Change) -> bool:
        if change.section == "answer":
            return len(after.views) - 1 in change.exchanges
        return change.section == "exchange" and change.change == "removed" and len(before.views) - 1 in change.exchanges

    yield Break("output-gone", "the output is gone", (shown_by("trace", field="/output"), by_end), "output")


def _says(output: object) -> bool:
    return output is not msgspec.UNSET and output not in (None, "", [], {})

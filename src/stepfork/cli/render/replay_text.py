"""How a replay went, as people read it: what missed and how it differs, what was served and executed, what to do next.

inc-1042: miss at model call 3 of 5                              0.4 s, exit 1
  first difference   message 4 (tool result lookup_order)
      - "amount": 40.0
      + "amount": 45.0
  nearest recorded   exchange 2, all else equal
  served 2, executed lookup_order (1×); 3 recorded calls unused
if the change is wanted: stepfork capture --refresh inc-1042
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from stepfork.cli.console import counted
from stepfork.cli.escape import escape
from stepfork.cli.render import columns
from stepfork.cli.render.columns import row
from stepfork.cli.render.diff_clean import Clean
from stepfork.cli.render.diff_lines import rows_between
from stepfork.config.normalize import merged_lines
from stepfork.providers.apis import label
from stepfork.redact.marker import MARKER
from stepfork.replay.report import Miss
from stepfork.replay.telling import Part, parts_of, place_of, reason_of
from stepfork.trace.exit_code import told_exit_code

if TYPE_CHECKING:
    from stepfork.replay.report import CallMiss, ReplayReport, Unused
    from stepfork.trace.fixture import Fixture
    from stepfork.workflows.replay import ReplayResult

BLOCK = 20
"""Changed lines, and causes, that are shown; the JSON document has all."""
_WIDTH = 19


def replay_lines(result: ReplayResult, fixture: Fixture, clean: Clean, *, stored: bool) -> Iterator[str]:
    """The lines of the summary. `stored`: the fixture is one of the store, so that it can be refreshed by its name."""
    first = first_miss(result.report)
    if first is not None and result.signal is None:
        yield from _miss(result, first, clean)
    else:
        yield from _whole(result, fixture, clean)
    if result.signal is None and not result.passed:
        yield from _next(result.report.misses[:1], fixture, clean, stored=stored)


def refresh_command(fixture: Fixture, *, stored: bool) -> str:
    """What one types to record the run anew, in a shell or in the program that recorded it."""
    source, name = fixture.run.source, shlex.quote(fixture.name)
    if source.kind == "in_process":
        return f"stepfork.record({fixture.name!r}) around the same block again"
    if stored and source.kind == "command" and not any(MARKER in word for word in source.command):
        return f"stepfork capture --refresh {name}"
    return f"stepfork capture --name {name} -- COMMAND"


def headline(result: ReplayResult) -> str:
    """What became of the replay, in a few words."""
    report = result.report
    if result.signal is not None:
        return "interrupted"
    first = first_miss(report)
    if first is not None:
        return f"miss at {_place(first, report)}"
    return "replayed" if result.passed else "not as recorded"


def first_miss(report: ReplayReport) -> Miss | CallMiss | None:
    """The miss that came first: of a request, or of an instrumented call."""
    if not report.calls.misses or (report.misses and report.misses[0].call < report.calls.misses[0].after):
        return report.misses[0] if report.misses else None
    return report.calls.misses[0]


def _place(miss: Miss | CallMiss, report: ReplayReport) -> str:
    return place_of(miss, report.exchanges) if isinstance(miss, Miss) else f"{miss.tool}, call {miss.call}"


def _reason(miss: Miss | CallMiss) -> str:
    return reason_of(miss) if isinstance(miss, Miss) else miss.reason


def _head(result: ReplayResult) -> str:
    ran = f"{result.seconds:.1f} s, exit {told_exit_code(result.exit_code)}"
    return columns.headline(f"{escape(result.name)}: {headline(result)}", ran)


def _whole(result: ReplayResult, fixture: Fixture, clean: Clean) -> Iterator[str]:
    report = result.report
    yield _head(result)
    left = [one for one in report.unused if not one.optional and result.signal is None]
    for cause in _cut([*result.causes[: len(result.causes) - len(left)], *_left_over(report, left)]):
        yield from row("cause", escape(clean(cause)))
    labels = Counter(label(exchange) for exchange in fixture.run.exchanges if not exchange.in_process)
    shown = ", ".join(escape(clean(name)) for name in labels)
    yield from row("served", f"{len(report.served)} of {report.exchanges}   {shown}")
    yield from row("answered", _tools(report.calls.answered, clean, "{} ×{}"))
    yield from row("executed", _tools(result.executed, clean, "{} ×{}") or "no tool")
    yield from row("by a route", _tools(result.served_tools, clean, "{} ×{}"))
    for unused in report.unused:
        if unused.optional:
            yield from row("not asked", f"exchange {unused.exchange}   {escape(clean(unused.label))} (optional)")
    for notice in result.notices:
        yield from row("note", escape(clean(notice)))


def _left_over(report: ReplayReport, unused: Sequence[Unused]) -> Iterator[str]:
    """The recorded calls that were not made: by what they said, since what they were is said of many."""
    if len(unused) > 1 and not report.served:
        yield f"none of {counted(report.exchanges, 'recorded call')} was asked for"
        return
    for one in unused:
        yield f"exchange {one.exchange} was recorded and not asked for: {one.says or one.label}"


def _miss(result: ReplayResult, first: Miss | CallMiss, clean: Clean) -> Iterator[str]:
    report = result.report
    every: tuple[Miss | CallMiss, ...] = (*report.misses, *report.calls.misses)
    others = [miss for miss in every if miss is not first]
    unused = len(report.calls.unused) + sum(not one.optional for one in report.unused)
    yield _head(result)
    yield _row("first difference", escape(clean(_reason(first))))
    if isinstance(first, Miss):
        yield from _request_miss(first, clean)
    elif first.kind == "changed":
        yield from (f"      {sign} {escape(clean(side))}" for sign, side in (("-", first.old), ("+", first.new)))
    for told in _cut([f"{_place(miss, report)}: {_reason(miss)}" for miss in others]):
        yield _row("also missed", escape(clean(told)))
    for cause in _cut(_other_causes(result)):
        yield _row("also", escape(clean(cause)))
    for notice in result.notices:
        yield _row("note", escape(clean(notice)))
    tools = _tools(result.executed, clean, "{} ({}×)", once="{} (1×)") or "no tool"
    routed = _tools(result.served_tools, clean, "{} ({}×)", once="{} (1×)")
    answered = _tools(report.calls.answered, clean, "{} ({}×)", once="{} (1×)")
    answered = f", answered {answered} from the fixture" if answered else ""
    left = f"; {counted(unused, 'recorded call')} unused" if unused else ""
    yield f"  served {len(report.served)}{f' and {routed}' if routed else ''}{answered}, executed {tools}{left}"


def _request_miss(miss: Miss, clean: Clean) -> Iterator[str]:
    """How the request of a miss differs from the recorded one."""
    parts = parts_of(miss.difference)
    if parts:
        yield from (f"      {line}".rstrip(" ") for line in _details(parts[0], clean))
    if miss.nearest is not None:
        same = f"exchange {miss.nearest}"
        if miss.kind == "changed":
            names = ", ".join(escape(clean(part.name)) for part in parts[1 : BLOCK + 1])
            same += f"; also differs: {names}" if names else ", all else equal"
        yield _row("nearest recorded", same)


def _other_causes(result: ReplayResult) -> tuple[str, ...]:
    """The causes beside misses, which come first, and the calls that they left unused, which come last."""
    report = result.report
    misses = len(report.misses) + len(report.calls.misses)
    left = len({one.tool for one in report.calls.unused}) + sum(not one.optional for one in report.unused)
    return result.causes[misses : len(result.causes) - left]


def _next(misses: Sequence[Miss], fixture: Fixture, clean: Clean, *, stored: bool) -> Iterator[str]:
    yield f"if the change is wanted: {escape(refresh_command(fixture, stored=stored))}"
    rules = list(merged_lines(line for miss in misses for line in miss.noise))
    if rules:
        yield "if that value is noise, in .stepfork/config.toml:"
        yield from (f"  {escape(clean(line))}" for line in rules)  # as TOML wants them: to be copied


def _details(part: Part, clean: Clean) -> Iterator[str]:
    rows, more = rows_between(part.lines, part.fields, clean)
    yield from map(str, rows)
    if more:
        yield f"… {more:,} more changed lines (--json has them)"


def _cut(texts: Sequence[str]) -> Sequence[str]:
    return texts if len(texts) <= BLOCK else [*texts[:BLOCK], f"… {len(texts) - BLOCK:,} more (--json has them)"]


def _tools(tools: Mapping[str, int], clean: Clean, several: str, *, once: str = "{}") -> str:
    return ", ".join(
        (once if count == 1 else several).format(escape(clean(tool)), count) for tool, count in tools.items()
    )


def _row(name: str, text: str) -> str:
    return f"  {name.ljust(_WIDTH)}{text}"

"""How a frozen replay went, as people read it: the first difference, what was substituted, what ran, what to do next.

booking: diverged at call 2 of 5                                 0.0 s, exit 1
  first difference   book_flight, its input at 'flight'
      - "A"
      + "B"
  substituted        search_flights
  ran                no tool
if the change is wanted: record the changed run, and export from that
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from stepfork.cli.console import counted
from stepfork.cli.escape import escape
from stepfork.cli.render import columns
from stepfork.cli.render.diff_clean import Clean

if TYPE_CHECKING:
    from stepfork.replay.frozen_faults import Fault
    from stepfork.workflows.frozen import FrozenResult

BLOCK = 20
"""Causes that are shown; the JSON document has all."""
_WIDTH = 19


def frozen_lines(result: FrozenResult, clean: Clean) -> Iterator[str]:
    """The lines of the summary."""
    ended = f"{result.seconds:.1f} s" + ("" if result.passed else ", exit 1")
    yield columns.headline(f"{escape(result.name)}: {headline(result)}", ended)
    first = result.faults[0] if result.faults else None
    if first is not None:
        yield from _first(first, clean)
    rest = result.causes[1:] if first is not None else result.causes
    for cause in _cut([*rest, *filter(None, [result.ending])]):
        yield _row("cause" if first is None else "also", escape(clean(cause)))
    yield _row("substituted", _counts(result.substituted, clean) or "no call")
    if result.model is not None:
        yield _row(
            "answered over HTTP", f"{len(result.model.served)} of {counted(result.model.exchanges, 'model call')}"
        )
    yield _row("ran", _counts(result.ran, clean) or "no tool")
    if result.same_output is not None and first is None:
        yield _row("output", "as recorded" if result.same_output else "not the recorded one, which fails nothing")
    if result.causes:
        from stepfork.replay.frozen_faults import WANTED

        yield WANTED


def headline(result: FrozenResult) -> str:
    """What became of it, in a few words."""
    if result.passed:
        answered = sum(result.substituted.values())
        return f"replayed, {counted(answered, 'call')} answered" + (f", {_ran(result)} ran" if result.ran else "")
    if result.faults and result.faults[0].call:
        number = result.faults[0].call
        return f"diverged at call {number}" + (f" of {result.recorded}" if number <= result.recorded else "")
    if result.left:
        return f"diverged, {len(result.left)} of {counted(result.recorded, 'recorded call')} not made"
    return "diverged" if result.causes else "ended otherwise than recorded"


def _ran(result: FrozenResult) -> int:
    return sum(result.ran.values())


def _first(fault: Fault, clean: Clean) -> Iterator[str]:
    if fault.kind == "input":
        yield _row("first difference", f"{escape(clean(fault.name))}, its input at {escape(clean(fault.path))}")
        yield f"      - {escape(clean(fault.recorded))}"
        yield f"      + {escape(clean(fault.live))}"
    elif fault.kind == "name":
        yield _row("first difference", "another call")
        yield f"      - {escape(clean(fault.expected))}"
        yield f"      + {escape(clean(fault.name))}"
    else:
        yield _row("first difference", escape(clean(fault.text)))


def _counts(counts: Mapping[str, int], clean: Clean) -> str:
    words = [escape(clean(name)) + (f" ×{count}" if count > 1 else "") for name, count in counts.items()]
    return ", ".join(_cut(words))


def _cut(texts: Sequence[str]) -> Sequence[str]:
    return texts if len(texts) <= BLOCK else [*texts[:BLOCK], f"… {len(texts) - BLOCK:,} more (--json has them)"]


def _row(name: str, text: str) -> str:
    return f"  {name.ljust(_WIDTH)}{text}"

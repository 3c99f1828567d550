"""How a comparison is put in words, whatever shows them: headlines, places, counts, tokens and cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Literal

from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.diff.values import Change, Usage

BLOCK = 20
"""Lines of one change, and changes of one kind, that are shown unless all are asked for."""
_KINDS: tuple[Literal["changed", "added", "removed", "unchanged"], ...] = ("changed", "added", "removed", "unchanged")


def in_order(diffs: Sequence[FixtureDiff]) -> list[FixtureDiff]:
    """What may break first, then by name."""
    return sorted(diffs, key=lambda diff: (diff.grade != "breaking", diff.name))


def counts(diffs: Sequence[FixtureDiff]) -> str:
    """``4 fixtures: 2 changed, 1 added, 1 removed; 1 breaking``."""
    return f"{number(len(diffs), 'fixture')}: {kinds(diffs)}" if diffs else kinds(diffs)


def kinds(diffs: Sequence[FixtureDiff]) -> str:
    """``2 changed, 1 added, 1 removed; 1 breaking``, ``no fixture differs``."""
    if not diffs:
        return "no fixture differs"
    counted = Counter(diff.change for diff in diffs)
    found = {kind: counted[kind] for kind in _KINDS if counted[kind]}
    words = {"unchanged": unchanged(diffs)}
    told = ", ".join(f"{found[kind]:,} {words.get(kind, kind)}" for kind in found)
    breaking = sum(diff.grade == "breaking" for diff in diffs)
    return f"{told}{f'; {breaking:,} breaking' if breaking else ''}"


def unchanged(diffs: Sequence[FixtureDiff]) -> str:
    """How those are called of which nothing that was compared differs: where tools alone were, nothing else is said."""
    return "with the same tools" if any(diff.tools_only for diff in diffs) else "without semantic change"


def told(diff: FixtureDiff) -> str:
    """What happened to a fixture: ``1 authored change, 3 consequences``."""
    causes = Counter(change.cause for change in diff.changes)
    if diff.change == "unchanged":
        return "tools unchanged" if diff.tools_only else "no semantic change"
    if not causes:
        return diff.change
    words = number(causes["authored"], "authored change") if causes["authored"] else "no authored change"
    return words + (f", {number(causes['consequence'], 'consequence')}" if causes["consequence"] else "")


def exchanges(diff: FixtureDiff) -> str:
    """``5 exchanges``, ``4 → 5 exchanges``; of runs that made none, their steps."""
    if any(diff.steps):
        old, new = diff.steps
        return number(new, "step") if old == new else f"{old:,} → {new:,} steps"
    if diff.change == "changed" and diff.old_count != diff.new_count:
        return f"{diff.old_count:,} → {diff.new_count:,} exchanges"
    return number(diff.old_count if diff.change == "removed" else diff.new_count, "exchange")


def name_of(change: Change, subject: str) -> str:
    """What changed, `subject` being the change's own, made safe to show: ``system``, ``+ tool refund``."""
    name = {
        "messages": subject,
        "tools": f"tool {subject}",
        "tool_results": f"tool result {subject}".rstrip(),
        "exchange": f"exchange {subject}",
    }.get(change.section, subject or change.section)
    mark = {"added": "+ ", "removed": "- "}.get(change.change, "")
    return f"{mark}{name}" if change.section in ("messages", "tools", "tool_results", "exchange") else name


def title_of(change: Change, subject: str) -> str:
    """What stands above the rows of a change, where they are shown: its name where they say the rest, else the line
    that it is folded to. `subject` is safe to show; what this gives may hold the change's own words all the same."""
    says_rows = change.change == "changed" and change.section in ("messages", "tool_results", "contracts", "trace")
    return name_of(change, subject) if change.cause == "authored" or says_rows else change.summary


def is_summed_up(change: Change) -> bool:
    """Whether the one line of a consequence says all of it: an item of one line or a step that came or went, another
    outcome."""
    came = change.change in ("added", "removed") and (len(change.lines) == 1 or change.section == "trace")
    return came or (change.section == "verification" and [field.path for field in change.fields] == ["/outcome"])


def beside_place(change: Change, line: str) -> str:
    """A line about a change as it reads behind its place, which is its section where it stands in no exchange: that is
    not said again."""
    if change.exchanges:
        return line
    mark, rest = (line[:2], line[2:]) if line[:2] in ("+ ", "- ") else ("", line)
    return mark + rest.removeprefix(f"{change.section.removesuffix('s')} ")


def counts_old(change: Change) -> bool:
    """Whether the exchanges of a change are counted on the old side, as removed ones are."""
    return (change.section, change.change) == ("exchange", "removed")


def place_of(change: Change) -> str:
    """``exchange 2`` or ``exchanges 0–2, 5``, ``old exchange 3`` of the old side; empty for what stands in none."""
    if not change.exchanges:
        return ""
    runs: list[list[int]] = []
    for index in sorted(change.exchanges):
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    where = ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in runs)
    return f"{'old ' if counts_old(change) else ''}exchange{'' if len(change.exchanges) == 1 else 's'} {where}"


def breaks(diff: FixtureDiff) -> list[str]:
    """What no longer holds, each phrase once, as recorded."""
    return list(dict.fromkeys(change.breaks for change in diff.changes if change.grade == "breaking" and change.breaks))


def usage(diff: FixtureDiff, *, whole: bool = False) -> Iterator[tuple[str, str]]:
    """``tokens`` and ``cost`` in words, where the two sides say something else, or `whole`, where they say anything; of
    a fixture that came or went, what its one side says."""
    old, new = diff.usage
    alone = diff.change in ("added", "removed")
    if alone:
        old = new = new if diff.change == "added" else old
    yield from ((what, told) for what, told, differs in used(old, new) if alone or whole or differs)


def used(old: Usage | None, new: Usage | None) -> Iterator[tuple[str, str, bool]]:
    """What both sides say of ``tokens`` and ``cost`` in words, with the difference, and whether there is one; what a
    side does not say is unknown."""
    old, new = old or Usage(), new or Usage()
    ways = [(old.input_tokens, new.input_tokens, "in"), (old.output_tokens, new.output_tokens, "out")]
    known = [(before, after, way) for before, after, way in ways if before is not None or after is not None]
    if known:
        told = ", ".join(_tokens(before, after, way) for before, after, way in known)
        yield "tokens", told, any(before != after for before, after, _ in known)
    if old.cost is not None or new.cost is not None:
        yield "cost", _costs(old.cost, new.cost), old.cost != new.cost


def _tokens(old: int | None, new: int | None, way: str) -> str:
    if old is None or new is None:
        sides = ("unknown" if side is None else f"{side:,}" for side in (old, new))
        return f"{' → '.join(sides)} {way}"
    return f"{old:,} {way}" if old == new else f"{old:,} → {new:,} {way} ({new - old:+,})"


def _costs(old: float | None, new: float | None) -> str:
    if old is None or new is None:
        return " → ".join("unknown" if side is None else _dollars(_exactly(side)) for side in (old, new))
    if old == new:
        return _dollars(_exactly(new))
    before, after = _exactly(old), _exactly(new)
    sign = "+" if after > before else "-"
    return f"{_dollars(before)} → {_dollars(after)} ({sign}{_dollars(abs(after - before))})"


def _exactly(cost: float) -> Decimal:
    return Decimal(repr(cost))


def _dollars(cost: Decimal) -> str:
    """Cents at least, and no digit cut off."""
    digits = -int(cost.as_tuple().exponent)
    return f"${cost:,.{max(digits, 2)}f}"


def number(count: int, noun: str) -> str:
    """``1 change``, ``2,000 changes``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"

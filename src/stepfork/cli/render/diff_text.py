"""A comparison as people read it: causes first, effects folded, each change once, the same through a pipe.

refund: 1 authored change, 3 consequences                         5 exchanges
  authored
    system   exchanges 0–4
      - You refund once.
      + You refund twice.
  consequences (folded, --full shows them)
    exchange 2   assistant asks issue_refund twice
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stepfork.cli.escape import escape
from stepfork.cli.render.diff_clean import Clean, as_it_is, clean_summary
from stepfork.cli.render.diff_lines import shown_fields, shown_lines
from stepfork.diff.values import Change, FixtureDiff
from stepfork.trace.body import JsonValue

BLOCK = 20
"""Lines of one change, and changes of one kind, that are shown without --full."""
COLUMNS = 80
SUMMARY = 100
"""Characters of a folded change."""
_MARKS = {"-": "red", "+": "green"}


class _View(NamedTuple):
    full: bool
    color: bool
    clean: Clean

    def user(self, text: str) -> str:
        """A string of the user's: redacted, on one line, safe to print."""
        return escape(self.clean(text))

    def paint(self, line: str, style: str) -> str:
        """A line in a style of rich's, where colour is wanted; it is escaped already and is no markup."""
        if not (self.color and line and style):
            return line
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(style).render(line, color_system=ColorSystem.STANDARD)


def render_report(
    diffs: Sequence[FixtureDiff],
    *,
    several: bool = False,
    full: bool = False,
    color: bool = False,
    clean: Clean = as_it_is,
) -> Iterator[str]:
    """The lines of a report, one block a fixture; with `several` a last line counts them."""
    view = _View(full, color, clean)
    for diff in diffs:
        yield from _block(diff, view)
    if several:
        yield _counts(diffs)


def _counts(diffs: Sequence[FixtureDiff]) -> str:
    if not diffs:
        return "no fixture differs"
    counts = Counter(_KINDS[diff.change] for diff in diffs)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in _KINDS.values() if counts[kind])
    return f"{_number(len(diffs), 'fixture')}: {told}"


_KINDS = {"changed": "changed", "added": "added", "removed": "removed", "unchanged": "without semantic change"}


def _block(diff: FixtureDiff, view: _View) -> Iterator[str]:
    name = view.user(diff.name)
    if diff.old_name is not None:
        name = f"{view.user(diff.old_name)} → {name}"
    if diff.change == "unchanged":
        yield view.paint(f"{name}: no semantic change ({_number(diff.new_count, 'exchange')})", "bold")
        if diff.notes:
            yield view.paint(f"  info   {'; '.join(diff.notes)}", "dim")
        return
    yield view.paint(_headline(name, diff), "bold")
    authored = [change for change in diff.changes if change.cause == "authored"]
    consequences = [change for change in diff.changes if change.cause == "consequence"]
    if authored:
        yield "  authored"
        yield from _authored(authored, view)
    if consequences:
        folded = bool(authored) and not view.full
        yield "  consequences (folded, --full shows them)" if folded else "  consequences"
        yield from _consequences(consequences, view, folded=folded)
    yield from _usage(diff)


def _usage(diff: FixtureDiff) -> Iterator[str]:
    """What both sides say of tokens, where that differs, and of cost."""
    old, new = diff.usage
    if old is None or new is None:
        return
    told = [
        f"{before:,} → {after:,} {way}"
        for before, after, way in (
            (old.input_tokens, new.input_tokens, "in"),
            (old.output_tokens, new.output_tokens, "out"),
        )
        if before is not None and after is not None
    ]
    if (old.input_tokens, old.output_tokens) != (new.input_tokens, new.output_tokens) and told:
        yield f"  tokens {', '.join(told)}"
    if old.cost is not None and new.cost is not None and old.cost != new.cost:
        yield f"  cost ${old.cost:,} → ${new.cost:,}"


def _headline(name: str, diff: FixtureDiff) -> str:
    causes = Counter(change.cause for change in diff.changes)
    told: str = diff.change
    if causes:
        told = _number(causes["authored"], "authored change") if causes["authored"] else "no authored change"
        told += f", {_number(causes['consequence'], 'consequence')}" if causes["consequence"] else ""
    left = f"{name}: {told}"
    counts = f"{diff.new_count if diff.change == 'added' else diff.old_count}"
    if diff.change == "changed" and diff.old_count != diff.new_count:
        counts = f"{diff.old_count} → {diff.new_count}"
    right = f"{counts} exchange{'' if counts == '1' else 's'}"
    return f"{left.ljust(min(66, COLUMNS - len(right)) - 2)}  {right}"


def _authored(changes: Sequence[Change], view: _View) -> Iterator[str]:
    names = [_name(change, view) for change in changes]
    width = min(max(map(len, names)), 40)
    for change, name in _first(changes, names, view):
        yield f"    {name.ljust(width)}   {_where(change)}".rstrip()
        yield from _details(change, view)
    yield from _left_out(len(changes), "changes", 4, view)


def _consequences(changes: Sequence[Change], view: _View, *, folded: bool) -> Iterator[str]:
    places = [_where(change) or change.section for change in changes]
    width = min(max(map(len, places)), 24)
    for change, place in _first(changes, places, view):
        summary = clean_summary(change.summary, view.clean, SUMMARY)
        yield f"    {place.ljust(width)}   {escape(summary)}"
        # One line that came or went is its summary already.
        if not folded and not (
            change.change in ("added", "removed") and len(change.lines) == 1 and not summary.endswith("…")
        ):
            yield from _details(change, view)
    yield from _left_out(len(changes), "consequences", 4, view)


def _first(changes: Sequence[Change], names: Sequence[str], view: _View) -> list[tuple[Change, str]]:
    pairs = list(zip(changes, names, strict=True))
    return pairs if view.full or len(pairs) <= BLOCK else pairs[: BLOCK - 1]


def _left_out(count: int, what: str, indent: int, view: _View) -> Iterator[str]:
    if not view.full and count > BLOCK:
        yield view.paint(f"{' ' * indent}… {count - BLOCK + 1:,} more {what} (--full shows them)", "dim")


def _details(change: Change, view: _View) -> Iterator[str]:
    if change.section == "model":
        lines = [" → ".join(_model(side, view) for field in change.fields for side in (field.old, field.new))]
    else:
        lines = [*shown_lines(change.lines, view.clean), *shown_fields(change.fields, view.clean)]
    kept = lines if view.full or len(lines) <= BLOCK else lines[: BLOCK - 1]
    for line in kept:
        mark = line.lstrip(" ")[:1]
        yield view.paint(f"      {line}".rstrip(" "), _MARKS.get(mark, ""))
    yield from _left_out(len(lines), "changed lines", 6, view)


def _model(name: JsonValue, view: _View) -> str:
    return "(none)" if name is None else view.user(str(name))


def _name(change: Change, view: _View) -> str:
    subject = view.user(change.subject)
    name = {
        "messages": subject,
        "tools": f"tool {subject}",
        "tool_results": f"tool result {subject}".rstrip(),
        "exchange": f"exchange {subject}",
    }.get(change.section, subject or change.section)
    mark = {"added": "+ ", "removed": "- "}.get(change.change, "")
    return f"{mark}{name}" if change.section in ("messages", "tools", "tool_results", "exchange") else name


def _where(change: Change) -> str:
    """``exchange 2`` or ``exchanges 0–2, 5``."""
    if not change.exchanges:
        return ""
    runs: list[list[int]] = []
    for index in sorted(change.exchanges):
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    told = ", ".join(f"{first}" if first == last else f"{first}–{last}" for first, last in runs)
    return f"exchange{'' if len(change.exchanges) == 1 else 's'} {told}"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"

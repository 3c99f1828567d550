"""A comparison as people read it: causes first, effects folded, each change once, the same through a pipe.

refund: 1 authored change, 3 consequences                         5 exchanges
  authored
    system   exchanges 0–4
      - You refund once.
      + You refund twice.
  consequences (folded, --full shows them)
    exchange 2   assistant asks issue_refund twice
  BREAKING   issue_refund 1× → 2× for order_id=O-1042
  tokens   3,914 → 4,020 in (+106), 212 → 240 out (+28)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stepfork.cli.escape import escape
from stepfork.cli.render.builds import no_command
from stepfork.cli.render.columns import COLUMNS
from stepfork.cli.render.diff_clean import Clean, as_it_is, clean_summary
from stepfork.cli.render.diff_lines import Row, rows_of
from stepfork.cli.render.diff_words import (
    BLOCK,
    beside_place,
    breaks,
    counts,
    exchanges,
    in_order,
    is_summed_up,
    name_of,
    place_of,
    title_of,
    told,
    usage,
)
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.diff.values import Change

RIGHT = 66
"""Characters of a headline before the number of exchanges."""
SHORTEST = 40
"""Characters that a folded change has at least, however long its place is."""
_COLORS = {"-": "red", "+": "green"}


class _View(NamedTuple):
    full: bool
    color: bool
    clean: Clean
    how: str

    def user(self, text: str) -> str:
        """A string of the user's: redacted, on one line, safe to print."""
        return escape(self.clean(text))

    def subject(self, text: str) -> str:
        """What changed, in the user's words; in quotes where it begins like a line of a difference."""
        shown = self.user(text)
        return f'"{shown}"' if shown[:1] in ("-", "+", "~", " ") else shown

    def name(self, text: str) -> str:
        """A fixture's name; in quotes where a name that a store gave would not have such characters."""
        shown = self.user(text)
        return shown if re.fullmatch(r"\w[\w.+@/-]*", shown) else f'"{shown}"'

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
    how: str = "--full",
) -> Iterator[str]:
    """The lines of a report, one block a fixture, what may break first; with `several` a last line counts them. `how`
    is what shows the rest of what is left out, empty where nothing does."""
    view = _View(full, color, clean, f"{escape(clean(how))} shows them" if how else "")
    last = 0
    for diff in in_order(diffs):
        lines = [no_command(line) for line in _block(diff, view)]
        if last and max(last, len(lines)) > 1:
            yield ""
        yield from lines
        last = len(lines)
    if several:
        if last > 1:
            yield ""
        yield counts(diffs)


def _block(diff: FixtureDiff, view: _View) -> Iterator[str]:
    name = view.name(diff.name)
    if diff.old_name is not None:
        name = f"{view.name(diff.old_name)} → {name}"
    if diff.change == "unchanged":
        yield view.paint(f"{name}: {told(diff)} ({exchanges(diff)})", "bold")
        if diff.notes:
            yield view.paint(f"  info   {'; '.join(diff.notes)}", "dim")
        return
    left, right = f"{name}: {told(diff)}", exchanges(diff)
    yield view.paint(f"{left.ljust(min(RIGHT, COLUMNS - len(right)) - 2)}  {right}", "bold")
    authored = [change for change in diff.changes if change.cause == "authored"]
    consequences = [change for change in diff.changes if change.cause == "consequence"]
    if authored:
        yield "  authored"
        yield from _authored(authored, view)
    if consequences:
        folded = bool(authored) and not view.full
        how = ", ".join(filter(None, ("folded", view.how)))
        yield f"  consequences ({how})" if folded else "  consequences"
        yield from _consequences(consequences, view, folded=folded)
    broken = breaks(diff)
    for phrase in broken if view.full or len(broken) <= BLOCK else broken[: BLOCK - 1]:
        yield view.paint(f"  BREAKING   {escape(clean_summary(phrase, view.clean, COLUMNS * 2))}", "bold red")
    yield from _left_out(len(broken), "breaking changes", 2, view)
    for kind, words in usage(diff):
        yield f"  {kind.ljust(6)}   {words}"


def _authored(changes: Sequence[Change], view: _View) -> Iterator[str]:
    names = [name_of(change, view.subject(change.subject)) for change in changes]
    width = min(max(map(len, names)), 40)
    for change, name in _first(changes, names, view):
        yield f"    {name.ljust(width)}   {place_of(change)}".rstrip()
        yield from _details(change, view)
    yield from _left_out(len(changes), "changes", 4, view)


def _consequences(changes: Sequence[Change], view: _View, *, folded: bool) -> Iterator[str]:
    places = [place_of(change) or change.section for change in changes]
    width = min(max(map(len, places)), 24)
    for change, place in _first(changes, places, view):
        limit = max(COLUMNS - max(len(place), width) - 7, SHORTEST)
        said = beside_place(change, change.summary if folded else title_of(change, change.subject))
        line = clean_summary(said, view.clean, limit)
        yield f"    {place.ljust(width)}   {escape(line)}"
        if not folded and (line.endswith("…") or not is_summed_up(change)):
            yield from _details(change, view)
    yield from _left_out(len(changes), "consequences", 4, view)


def _first(changes: Sequence[Change], names: Sequence[str], view: _View) -> list[tuple[Change, str]]:
    pairs = list(zip(changes, names, strict=True))
    return pairs if view.full or len(pairs) <= BLOCK else pairs[: BLOCK - 1]


def _left_out(count: int, what: str, indent: int, view: _View) -> Iterator[str]:
    if not view.full and count > BLOCK:
        yield _more(count - BLOCK + 1, what, indent, view)


def _more(count: int, what: str, indent: int, view: _View) -> str:
    shows = f" ({view.how})" if view.how else ""
    return view.paint(f"{' ' * indent}… {count:,} more {what}{shows}", "dim")


def _details(change: Change, view: _View) -> Iterator[str]:
    rows, more = rows_of(change, view.clean, full=view.full)
    for row in rows:
        yield f"      {_shown(row, view)}" if row.text else f"      {row.mark}".rstrip(" ")
    if more:
        yield _more(more, "changed lines", 6, view)


def _shown(row: Row, view: _View) -> str:
    """A row; the words that changed stand out of it."""
    color = _COLORS.get(row.mark, "")
    if not view.color:
        return str(row)
    before = str(row)[: -len(row.text)]
    words = (view.paint(text, f"{color} reverse" if changed else color) for text, changed in row.pieces)
    return view.paint(before, color) + "".join(words)

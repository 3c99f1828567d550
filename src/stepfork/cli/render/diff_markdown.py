"""A comparison as Markdown, for a comment on a pull request or the summary of a job.

The first line is a hidden mark by which a comment is found again. What may break is open, everything else unfolds. The
comment stays below what GitHub takes: first every fixture is named, then details are added while there is room, and
what is left out is said. All that a recording says stands in code (see `markdown`). The same report, the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stepfork.cli.render.diff_clean import Clean, as_it_is, clean_summary
from stepfork.cli.render.diff_lines import LONG, Row, rows_of
from stepfork.cli.render.diff_words import (
    BLOCK,
    beside_place,
    breaks,
    exchanges,
    in_order,
    is_summed_up,
    kinds,
    number,
    place_of,
    title_of,
    told,
    unchanged,
    usage,
)
from stepfork.cli.render.markdown import code, details, fence, size
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.diff.values import Change

MARK = "<!-- stepfork diff -->"
"""The first line of every report; what updates a comment looks for a comment that starts with it."""
LIMIT = 65_536
"""Characters of a comment or of a pull request's text on GitHub."""
ROOM = 1_000
"""Characters kept for what is said of what is left out."""
NAME = 120
"""Characters of a name, and of a phrase, that stand in a line."""
PHRASE = 200
REASON = 400
"""Characters of why a fixture was not compared: path, fault, and what to do, which stands last."""

Block = list[str]


class _Section(NamedTuple):
    """What unfolds: its title, and blocks that can be left out one by one."""

    title: str
    blocks: list[Block]
    more: str
    opened: bool


class _Part(NamedTuple):
    """A fixture: the lines that are always shown, and what is shown while there is room."""

    brief: Block
    sections: list[_Section]


def markdown_report(
    diffs: Sequence[FixtureDiff],
    *,
    full: bool = False,
    clean: Clean = as_it_is,
    unread: Sequence[str] = (),
    limit: int = LIMIT,
) -> Iterator[str]:
    """The lines of a report; `unread` are fixtures that differ and could not be compared, each with the reason."""
    differing = [diff for diff in in_order(diffs) if diff.changed]
    same = [diff for diff in in_order(diffs) if not diff.changed]
    more = f"; {len(unread):,} not compared" if unread else ""
    head = [MARK, f"### stepfork diff: {kinds(diffs) if diffs or not unread else 'nothing compared'}{more}", ""]
    room = limit - ROOM - size(head)
    briefs = [[f"- **not compared** {_span(line, clean, REASON)}"] for line in unread]
    parts = [_part(diff, clean, full=full, opened=len(differing) == 1) for diff in differing]
    briefs += [part.brief for part in parts]
    briefs += [_same(same, clean)] if same else []
    kept = 0
    for brief in briefs:
        if (room := room - size(brief) - 1) < 0:
            break
        kept += 1
    yield from head
    lost = 0
    for number_of, brief in enumerate(briefs[:kept]):
        yield from brief
        yield ""
        at = number_of - len(unread)
        for section in parts[at].sections if 0 <= at < len(parts) else ():
            lines, left = _fitted(section, room if kept == len(briefs) else 0)
            room -= size(lines)
            lost += left
            yield from lines
    yield from _left_out(lost, len(briefs) - kept)


def _left_out(lost: int, unnamed: int) -> Iterator[str]:
    told = [number(unnamed, "fixture")] if unnamed else []
    told += [f"the details of {number(lost, 'change')}"] if lost else []
    if told:
        yield f"Left out, since a comment holds {LIMIT:,} characters: {' and '.join(told)}. `stepfork diff` shows them."


def _fitted(section: _Section, room: int) -> tuple[Block, int]:
    """As much of a section as there is room for, and how many of its blocks are not there."""
    more = [[section.more]] if section.more else []
    room -= size(details(section.title, more, opened=True)) + 1
    kept: list[Block] = []
    for block in section.blocks:
        if (room := room - size(block) - 1) < 0:
            break
        kept.append(block)
    left = len(section.blocks) - len(kept)
    return ([*details(section.title, [*kept, *more], opened=section.opened), ""], left) if kept else ([], left)


def _part(diff: FixtureDiff, clean: Clean, *, full: bool, opened: bool) -> _Part:
    name = _span(diff.name, clean, NAME)
    if diff.old_name is not None:
        name = f"{_span(diff.old_name, clean, NAME)} → {name}"
    brief = [f"**{name}** {told(diff)}, {exchanges(diff)}"]
    broken = breaks(diff)
    shown = broken if full or len(broken) <= BLOCK else broken[: BLOCK - 1]
    brief += [f"- **BREAKING** {_span(phrase, clean, PHRASE)}" for phrase in shown]
    brief += [f"- {_more(len(broken) - len(shown), 'breaking changes')}"] if len(shown) < len(broken) else []
    used = [f"{kind} {words}" for kind, words in usage(diff)]
    brief += [f"- {code('; '.join(used))}"] if used else []
    grave, rest, after = _sorted(diff.changes)
    other = "other " if grave else ""
    sections = [
        _section("breaking changes", grave, clean, full=full, opened=True),
        _section(f"{other}authored changes", rest, clean, full=full, opened=opened and not grave),
        _section(f"{other}consequences", after, clean, full=full, opened=opened and not (grave or rest))
        if full or not (grave or rest)
        else _folded(f"{other}consequences", after, clean),
    ]
    return _Part(brief, [section for section in sections if section.blocks])


def _sorted(changes: Sequence[Change]) -> tuple[list[Change], list[Change], list[Change]]:
    """Breaking changes, other authored ones, other consequences."""
    rest = [change for change in changes if change.grade != "breaking"]
    return (
        [change for change in changes if change.grade == "breaking"],
        [change for change in rest if change.cause == "authored"],
        [change for change in rest if change.cause == "consequence"],
    )


def _section(title: str, changes: Sequence[Change], clean: Clean, *, full: bool, opened: bool) -> _Section:
    shown = changes if full or len(changes) <= BLOCK else changes[: BLOCK - 1]
    more = _more(len(changes) - len(shown), "changes") if len(shown) < len(changes) else ""
    blocks = [_change(change, clean, full=full) for change in shown]
    return _Section(f"{title} ({len(changes):,})", blocks, more, opened)


def _folded(title: str, changes: Sequence[Change], clean: Clean) -> _Section:
    """Consequences, a line each."""
    shown = changes if len(changes) <= BLOCK else changes[: BLOCK - 1]
    places = [place_of(change) or change.section for change in shown]
    width = min(max(map(len, places), default=0), 24)
    lines = [
        f"{place.ljust(width)}   {clean_summary(beside_place(change, change.summary), clean, PHRASE)}"
        for change, place in zip(shown, places, strict=True)
    ]
    more = _more(len(changes) - len(shown), "consequences") if len(shown) < len(changes) else ""
    return _Section(f"{title} ({len(changes):,})", [fence(lines)] if lines else [], more, opened=False)


def _change(change: Change, clean: Clean, *, full: bool) -> Block:
    title = _span(title_of(change, change.subject), clean, NAME)
    whole = change.cause == "consequence" and is_summed_up(change) and len(clean(change.summary)) <= NAME
    rows, more = ([], 0) if whole else rows_of(change, clean, full=full, width=LONG)
    lines = [f"{title} {place_of(change)}".rstrip()]
    lines += fence(map(_line, rows), "diff") if rows else []
    return [*lines, _more(more, "changed lines")] if more else lines


def _line(row: Row) -> str:
    """A row as a line of a diff: its mark stands first, so that it is coloured and begins nothing else."""
    return f"{row.mark or ' '} {'  ' if row.deep else ''}{row.text}"


def _more(count: int, what: str) -> str:
    return f"… {count:,} more {what} (`--full` shows them)"


def _same(diffs: Sequence[FixtureDiff], clean: Clean) -> Block:
    """Those whose bytes alone changed, on one line."""
    names = [_span(diff.name, clean, NAME) for diff in diffs[:BLOCK]]
    more = f" and {len(diffs) - BLOCK:,} more" if len(diffs) > BLOCK else ""
    return [f"{unchanged(diffs).capitalize()}: {', '.join(names)}{more}"]


def _span(text: str, clean: Clean, limit: int) -> str:
    return code(clean_summary(text, clean, limit))

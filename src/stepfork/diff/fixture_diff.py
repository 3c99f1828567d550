"""Two fixtures compared in meaning: read top-down, this is the whole of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
from msgspec import UNSET

from stepfork.diff.changes import fold
from stepfork.diff.exchange_diff import Compared, compare_exchanges
from stepfork.diff.grader import Grader
from stepfork.diff.keys import canonical_text
from stepfork.diff.numbering import Sides, in_one_numbering
from stepfork.diff.run_diff import about_changes, trace_text
from stepfork.diff.timeline import Row, timeline
from stepfork.diff.tool_surface import surface_changes, surface_of
from stepfork.diff.trace_diff import TraceDiff
from stepfork.diff.usage import usage_of, usage_of_all
from stepfork.diff.values import GRADES, Change, ExchangeDiff, Grade, Usage, Usages
from stepfork.diff.verdict_diff import verdict_changes
from stepfork.diff.views import Conversations, Side, View, says_otherwise, views_of
from stepfork.trace.fixture import Fixture


class DiffOptions(msgspec.Struct, frozen=True):
    """``responses``: the answers are among the parts compared; ``trace``: the steps and the outcome are;
    ``tools_only``: the tools that the runs offer are, by name, and nothing else. ``timeline``: all exchanges are told
    beside the changes, where any are compared."""

    responses: bool = False
    trace: bool = False
    tools_only: bool = False
    timeline: bool = False


class FixtureDiff(msgspec.Struct, frozen=True):
    """Two fixtures compared; a side that does not exist makes the other ``added`` or ``removed``.

    ``exchanges`` holds those that differ, in order; ``changes`` the same differences (and those of the run as a whole)
    with repetitions folded, authored ones first; ``notes`` differences outside the parts compared, one phrase each.
    ``steps`` are the numbers of steps, (old, new), of runs that have no exchanges.
    ``usage`` sums what all answers of a side used; what any of them does not say is unknown. ``tools_only``: nothing
    but the tools was compared. ``timeline`` has all exchanges, those that do not differ too, where that was asked for.
    """

    name: str
    change: Literal["unchanged", "changed", "added", "removed"]
    old_count: int
    new_count: int
    exchanges: tuple[ExchangeDiff, ...] = ()
    changes: tuple[Change, ...] = ()
    usage: Usages = (None, None)
    notes: tuple[str, ...] = ()
    old_name: str | None = None
    tools_only: bool = False
    timeline: tuple[Row, ...] = ()
    steps: tuple[int, int] = (0, 0)

    @property
    def changed(self) -> bool:
        """Whether anything differs in meaning, within the parts compared."""
        return self.change != "unchanged"

    @property
    def grade(self) -> Grade | None:
        """The grade of its gravest change, None where nothing changed; a fixture that came or went is ``changed``."""
        alone: Grade | None = "changed" if self.change in ("added", "removed") else None
        return max((change.grade for change in self.changes), key=GRADES.index, default=alone)


_REQUESTS = DiffOptions()


def diff_fixtures(old: Fixture | None, new: Fixture | None, options: DiffOptions = _REQUESTS) -> FixtureDiff:
    """What changed from `old` to `new`; a side that is None makes the other added or removed.

    Exchanges pair by content in order; placeholders are compared under the pairing that the common texts give. Nothing
    outside the parts that `options` names counts as a change, but `notes` says where the fixtures differ there. A run
    that has no exchanges is compared by its steps, and an instrumented one by its calls and its output, too.
    """
    if old is None or new is None:
        return _alone(old, new, options)
    views = [views_of(side.run.exchanges) for side in (old, new)]
    sides = in_one_numbering(Sides(old, new, *views))
    if options.tools_only:
        return _tools_alone(sides)
    before, after = _conversations(sides.old_views, sides.new_views)
    compared = compare_exchanges(before, after)
    grader = Grader(sides.old, sides.new, before, after, _pairs(compared))
    exchanges = tuple(_reported(compared, sides, responses=options.responses))
    said = _says_its_input(sides.old, sides.old_views) and _says_its_input(sides.new, sides.new_views)
    trace = TraceDiff(sides, before, after)
    about = (
        *about_changes(sides.old, sides.new, asked=not said),
        *(trace.all() if options.trace or not any(views) else trace.own_calls()),
    )
    verdict = tuple(verdict_changes(old, new))
    answers = bool(options.responses or exchanges or about or verdict or grader.breaks or trace.told_by_exchanges)
    changes = grader.graded((*fold(compared, answers=answers), *about, *verdict))
    return FixtureDiff(
        name=new.name,
        change="changed" if changes else "unchanged",
        old_count=len(sides.old_views),
        new_count=len(sides.new_views),
        exchanges=exchanges,
        changes=tuple(sorted(changes, key=lambda change: change.cause != "authored")),
        usage=(_usage(sides.old_views), _usage(sides.new_views)),
        notes=() if changes else tuple(_notes(old, new, sides, compared)),
        old_name=None if old.name == new.name else old.name,
        timeline=timeline(before, after, compared) if options.timeline else (),
        steps=(0, 0) if any(views) else (len(old.run.trace.steps), len(new.run.trace.steps)),
    )


def _conversations(old: Sequence[View], new: Sequence[View]) -> tuple[Side, Side]:
    conversations = Conversations()
    return Side(old, conversations), Side(new, conversations)


def _pairs(compared: Sequence[Compared]) -> list[tuple[int, int]]:
    return [(one.op.old, one.op.new) for one in compared if one.op.old is not None and one.op.new is not None]


def _tools_alone(sides: Sides) -> FixtureDiff:
    before, after = surface_of(sides.old_views), surface_of(sides.new_views)
    changes = tuple(surface_changes(before, after))
    count = "no tool is" if not after else f"{len(after)} tool{' is' if len(after) == 1 else 's are'}"
    return FixtureDiff(
        name=sides.new.name,
        change="changed" if changes else "unchanged",
        old_count=len(sides.old_views),
        new_count=len(sides.new_views),
        changes=changes,
        usage=(_usage(sides.old_views), _usage(sides.new_views)),
        notes=() if changes else (f"{count} offered; nothing else was compared",),
        old_name=None if sides.old.name == sides.new.name else sides.old.name,
        tools_only=True,
    )


def _alone(old: Fixture | None, new: Fixture | None, options: DiffOptions) -> FixtureDiff:
    only = new or old
    assert only is not None, "a comparison needs a side"
    views = views_of(only.run.exchanges)
    rows: tuple[Row, ...] = ()
    if options.timeline and not options.tools_only:
        before, after = _conversations(*((views, []) if new is None else ([], views)))
        rows = timeline(before, after, compare_exchanges(before, after))
    if new is None:
        return FixtureDiff(only.name, "removed", len(views), 0, usage=(_usage(views), None), timeline=rows)
    return FixtureDiff(only.name, "added", 0, len(views), usage=(None, _usage(views)), timeline=rows)


def _says_its_input(fixture: Fixture, views: Sequence[View]) -> bool:
    """Whether the run's input is a message of its own exchanges, where it is compared already, or there is none."""
    asked = fixture.run.trace.input
    if asked is UNSET:
        return bool(views)
    units = (unit for view in views for unit in view.form.units if unit.role == "user")
    return isinstance(asked, str) and any(unit.text.strip() == asked.strip() for unit in units)


def _reported(compared: Sequence[Compared], sides: Sides, *, responses: bool) -> Iterator[ExchangeDiff]:
    """The exchanges that differ in a part that is compared."""
    for one in compared:
        answer = one.answer if responses else None
        if one.diff.request or answer or one.diff.change != "changed":
            yield one.diff.with_answer(answer, _used(one, sides))


def _used(one: Compared, sides: Sides) -> Usages:
    ends = ((one.op.old, sides.old_views), (one.op.new, sides.new_views))
    old, new = (None if at is None else usage_of(views[at].answer) for at, views in ends)
    return old, new


def _notes(old: Fixture, new: Fixture, sides: Sides, compared: Sequence[Compared]) -> Iterator[str]:
    """Where two fixtures differ that are equal in all parts compared."""
    answered = sum(one.answer is not None for one in compared)
    traced = trace_text(sides.old.run.trace) != trace_text(sides.new.run.trace)
    if answered:
        yield f"{answered} of {len(compared)} answers differ (--responses shows them)"
    if traced:
        yield "the steps differ (--trace shows them)"
    if says_otherwise(old.run.exchanges, new.run.exchanges):
        yield "what Claude Code says of the machine, the day or the session differs"
    elif not (answered or traced) and canonical_text(old.run) != canonical_text(new.run):
        yield "bytes differ where the meaning does not"


def _usage(views: Sequence[View]) -> Usage | None:
    return usage_of_all([view.answer for view in views])

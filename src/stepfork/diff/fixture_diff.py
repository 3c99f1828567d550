"""Two fixtures compared in meaning: read top-down, this is the whole of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from stepfork.diff.changes import fold
from stepfork.diff.exchange_diff import Compared, compare_exchanges
from stepfork.diff.grades import Grader
from stepfork.diff.keys import canonical_text
from stepfork.diff.numbering import Sides, in_one_numbering
from stepfork.diff.run_diff import run_changes, trace_text
from stepfork.diff.tool_surface import surface_changes, surface_of
from stepfork.diff.usage import usage_of, usage_of_all
from stepfork.diff.values import DiffOptions, ExchangeDiff, FixtureDiff, Usage, Usages
from stepfork.diff.verdict_diff import verdict_changes
from stepfork.diff.views import Conversations, Side, View, says_otherwise, views_of
from stepfork.trace.fixture import Fixture

__all__ = ["DiffOptions", "FixtureDiff", "diff_fixtures"]

_REQUESTS = DiffOptions()


def diff_fixtures(old: Fixture | None, new: Fixture | None, options: DiffOptions = _REQUESTS) -> FixtureDiff:
    """What changed from `old` to `new`; a side that is None makes the other added or removed.

    Exchanges pair by content in order; placeholders are compared under the pairing that the common texts give. Nothing
    outside the parts that `options` names counts as a change, but `notes` says where the fixtures differ there. A run
    that has no exchanges is compared by its steps.
    """
    if old is None or new is None:
        return _alone(old, new)
    views = [views_of(side.run.exchanges) for side in (old, new)]
    sides = in_one_numbering(Sides(old, new, *views))
    if options.tools_only:
        return _tools_alone(sides)
    trace = options.trace or not any(views)
    conversations = Conversations()
    before, after = Side(sides.old_views, conversations), Side(sides.new_views, conversations)
    compared = compare_exchanges(before, after)
    grader = Grader(sides.old, sides.new, before, after, _pairs(compared))
    exchanges = tuple(_reported(compared, sides, responses=options.responses))
    said = _says_its_input(sides.old, sides.old_views) and _says_its_input(sides.new, sides.new_views)
    about = tuple(run_changes(sides.old, sides.new, trace=trace, asked=not said))
    verdict = tuple(verdict_changes(old, new))
    answers = bool(options.responses or exchanges or about or verdict or grader.breaks)
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
    )


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


def _alone(old: Fixture | None, new: Fixture | None) -> FixtureDiff:
    only = new or old
    assert only is not None, "a comparison needs a side"
    views = views_of(only.run.exchanges)
    if new is None:
        return FixtureDiff(only.name, "removed", len(views), 0, usage=(_usage(views), None))
    return FixtureDiff(only.name, "added", 0, len(views), usage=(None, _usage(views)))


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

"""A comparison as annotations of a GitHub job: one on the manifest of each fixture that differs, gravest first.

A runner keeps ten annotations of a level and step ("Annotations" in GitHub's limits); the tenth says how many more
fixtures there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from stepfork.cli.escape import escape
from stepfork.cli.render.diff_clean import Clean, clean_summary
from stepfork.cli.render.diff_words import breaks, exchanges, in_order, name_of, number, place_of, told
from stepfork.cli.render.github import Level, annotation
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.diff.values import Grade

MOST = 10
"""Annotations of one level."""
SHOWN = 8
"""Changes that an annotation names."""
PHRASE = 160
_LEVELS: dict[Grade, Level] = {"breaking": "error", "changed": "warning", "info": "notice"}


def annotated(diffs: Sequence[FixtureDiff], clean: Clean, file_of: Callable[[FixtureDiff], str]) -> Iterator[str]:
    """The lines; `file_of` is the path of a fixture's manifest from the root of the repository."""
    by_level: dict[Level, list[FixtureDiff]] = {level: [] for level in _LEVELS.values()}
    for diff in in_order(diffs):
        if diff.changed:
            by_level[_LEVELS[diff.grade or "changed"]].append(diff)
    for level in ("error", "warning", "notice"):
        differing = by_level[level]
        shown = differing if len(differing) <= MOST else differing[: MOST - 1]
        for diff in shown:
            message = "\n".join(_message(diff, clean))
            yield annotation(level, message, file=file_of(diff), title=f"stepfork diff {clean(diff.name)}")
        if len(shown) < len(differing):
            yield annotation(
                level, f"{number(len(differing) - len(shown), 'more fixture')} differ", title="stepfork diff"
            )


def _message(diff: FixtureDiff, clean: Clean) -> Iterator[str]:
    """What happened, what breaks, then where."""
    yield f"{told(diff)}, {exchanges(diff)}"
    broken = breaks(diff)
    yield from (f"BREAKING {_line(phrase, clean)}" for phrase in broken[:SHOWN])
    if len(broken) > SHOWN:
        yield f"… {len(broken) - SHOWN:,} more breaking changes"
    rest = [change for change in diff.changes if not change.breaks]
    for change in rest[:SHOWN]:
        where = place_of(change)
        what = change.summary if change.cause == "consequence" else name_of(change, change.subject)
        yield f"{_line(what, clean)}{f' ({where})' if where else ''}"
    if len(rest) > SHOWN:
        yield f"… {len(rest) - SHOWN:,} more changes"


def _line(text: str, clean: Clean) -> str:
    return escape(clean_summary(text, clean, PHRASE))

"""The last lines of a refresh of several fixtures: what came of each, and what is still to be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from stepfork.cli.console import counted
from stepfork.cli.escape import escape
from stepfork.cli.render.capture_text import verdict
from stepfork.cli.session import typed_path
from stepfork.workflows.refresh import Item

_WORDS = {
    "not_verified": "not verified",
    "failed": "failed",
    "refused": "refused",
    "declined": "declined",
    "skipped": "without a command",
    "not_run": "not run",
}
_AGAIN = ("failed", "declined", "not_run")
"""What another refresh may still do."""


def refresh_lines(items: Sequence[Item]) -> Iterator[str]:
    """A count, one line a fixture, and the next step."""
    yield ""
    states = Counter(_changed(item) if item.status == "refreshed" else _WORDS[item.status] for item in items)
    told = ", ".join(f"{count} {state}" for state, count in states.items())
    yield f"{counted(len(items), 'fixture')}: {told}" if items else "no fixture"
    width = max((len(escape(item.name)) for item in items), default=0)
    for item in items:
        yield f"  {escape(item.name).ljust(width)}   {escape(_line(item))}"
    again = [item.name for item in items if item.status in _AGAIN]
    if again:
        yield f"next: stepfork capture --refresh {escape(' '.join(again))}"
    captured = [item.done.captured for item in items if item.done is not None]
    paths = [one.store for one in captured if one.store is not None][:1]
    paths += [one.test.path for one in captured if one.test is not None and one.test.written]
    if paths and not again:
        yield f"next: git add {escape(' '.join(map(typed_path, paths)))}"


def _changed(item: Item) -> str:
    diff = None if item.done is None else item.done.diff
    if diff is not None and diff.grade == "breaking":
        return "breaking change"
    return "changed" if diff is None or diff.changed else "unchanged"


def _line(item: Item) -> str:
    if item.done is None:
        return f"{_WORDS[item.status]}: {item.problem}" if item.problem else _WORDS[item.status]
    captured = item.done.captured
    if captured.outcome == "not_verified":
        more = f" (and {len(captured.causes) - 1} more)" if len(captured.causes) > 1 else ""
        return f"{verdict(captured)}: {captured.causes[0]}{more}"
    return f"{_changed(item)}, {verdict(captured)}"

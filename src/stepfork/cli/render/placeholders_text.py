"""What of a fixture was templated and why: a table of the kinds, then each value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TextIO

from stepfork.cli.console import counted
from stepfork.cli.escape import escape
from stepfork.cli.render.columns import fold
from stepfork.cli.render.places import place_words
from stepfork.normalize.reasons import CONSTANTS, RULES, Explained, Reason, Value, by_kind, total_of

_KINDS = {
    "time_number": "time → 1, 2, …",
    "duration": "duration → 0",
    "padding": "padding → empty",
    "fingerprint": "fingerprint",
    "trace_context": "trace context",
    "step_order": "start, end of steps",
}
"""What kinds that are no placeholder's are called."""
_KNOWN = {
    "cwd": "working directory",
    "cwd_slug": "working directory as a name",
    "home": "home folder",
    "tmp": "folder for temporary files",
    "host": "host name",
    "user": "user name",
    "listener": "address of the recorder",
    "listener_token": "path of the recorder",
}
_NAMES = 4
"""Names of fields that one line tells."""
_SHOWN = 12
"""Values of a kind that are listed; --json has them all."""
_WIDE = 26


def placeholder_lines(name: str, explained: Explained, stream: TextIO | None = None) -> Iterator[str]:
    """The screen of a fixture called `name`, folded where `stream` is a terminal."""
    yield f"{escape(name)}: {templated(explained)}"
    yield from kind_lines(explained, stream)
    values = {kind: group for kind, group in by_kind(explained.values).items() if kind not in CONSTANTS}
    if values:
        yield ""
        yield from _details(values, stream)
    if explained.literals:
        yield ""
        yield "text that only looks like a placeholder, stored with one more !:"
        rows = [(escape(one.text), one.places, place_words(one.first)) for one in explained.literals]
        width = min(_WIDE, max(len(shown) for shown, _, _ in rows))
        for row in rows[:_SHOWN]:
            yield _detail(*row, width, stream)
        yield from _more(len(rows), "")


def templated(explained: Explained) -> str:
    """How much was templated."""
    values = [one for one in explained.values if one.kind not in CONSTANTS]
    if not values:
        return "nothing templated"
    return f"{counted(len(values), 'value')} templated, in {counted(sum(one.places for one in values), 'place')}"


def kind_lines(explained: Explained, stream: TextIO | None) -> Iterator[str]:
    """The tables of kinds: of what became a placeholder, and of what became a constant."""
    groups = by_kind(explained.values)
    for head, constant in (("kind", False), ("constant", True)):
        chosen = {kind: group for kind, group in groups.items() if (kind in CONSTANTS) is constant}
        if chosen:
            yield ""
            yield from _table(head, chosen, stream, with_values=not constant)


def reasons_of(reasons: Iterable[tuple[Reason, int]]) -> Iterator[tuple[str, int]]:
    """Each rule of several reasons in words, with the places that it counts for, the most frequent first."""
    rules: dict[str, Counter[str]] = {}
    for reason, count in reasons:
        rules.setdefault(reason.rule, Counter())[reason.name] += count
    for rule, names in sorted(rules.items(), key=lambda item: (-item[1].total(), item[0])):
        yield RULES[rule].format(_listed(rule, names)), names.total()


def _kind(kind: str) -> str:
    return _KINDS.get(kind, kind)


def _listed(rule: str, names: Counter[str]) -> str:
    ordered = sorted(names, key=lambda name: (-names[name], name))
    if rule == "told":
        ordered = [name or "a field" for name in ordered]
    shown = ", ".join(escape(_KNOWN.get(name, name) if rule == "known_value" else name) for name in ordered[:_NAMES])
    return shown + (f" and {len(ordered) - _NAMES} more" if len(ordered) > _NAMES else "")


def _table(head: str, groups: dict[str, list[Value]], stream: TextIO | None, *, with_values: bool) -> Iterator[str]:
    width = max(len(head), *(len(_kind(kind)) for kind in groups))
    yield f"  {head.ljust(width)}  {'values  ' if with_values else ''}places  why"
    for kind, group in groups.items():
        values = f"{len(group):>6,}  " if with_values else ""
        before = f"  {_kind(kind).ljust(width)}  {values}{sum(one.places for one in group):>6,}  "
        told = list(reasons_of(total_of(group).items()))
        for words, count in told:
            yield fold(
                before + words + (f" ×{count:,}" if len(told) > 1 and count > 1 else ""), stream, hanging=len(before)
            )
            before = " " * len(before)


def _details(groups: dict[str, list[Value]], stream: TextIO | None) -> Iterator[str]:
    shown = {one: _short(escape(one.shown)) for group in groups.values() for one in group[:_SHOWN]}
    width = min(_WIDE, max(map(len, shown.values())))
    yield f"  {'placeholder'.ljust(width)}  places  first stands in"
    for kind, group in groups.items():
        several = len({reason for one in group for reason, _ in one.reasons}) > 1
        for one in group[:_SHOWN]:
            yield _detail(shown[one], one.places, place_words(one.first), width, stream)
            also = _also(one) if several else ""
            if also:
                yield fold(" " * (width + 12) + also, stream, hanging=width + 12)
        yield from _more(len(group), f" of {_kind(kind)}")


def _also(one: Value) -> str:
    """The reasons of a value, but for one that its first place shows: a path that ends with the field's name."""
    teller = place_words(one.told_at) if one.told_at not in (None, one.first) else ""
    reasons = [(Reason("told", teller) if reason.rule == "told" else reason, count) for reason, count in one.reasons]
    reason, count = reasons[0]
    shown = one.first.partition(" (")[0].rpartition("/")[2] == reason.name
    if shown:
        reasons[:1] = [(reason, count - 1)] if count > 1 else []
    words = "; ".join(f"{words} ×{count:,}" if count > 1 else words for words, count in reasons_of(reasons))
    return f"also {words}" if shown and words else words


def _detail(shown: str, places: int, where: str, width: int, stream: TextIO | None) -> str:
    start = f"  {shown.ljust(width)}  {places:>6,}  "
    return fold(start + escape(where), stream, hanging=width + 12)


def _more(total: int, of: str) -> Iterator[str]:
    if total > _SHOWN:
        yield f"  and {total - _SHOWN:,} more{of} (--json has them all)"


def _short(shown: str) -> str:
    """A timestamp without its shape, which is long and says nothing of where it stands."""
    head, colon, _ = shown.partition(":")
    return f"{head}:…}}}}" if colon and len(shown) > _WIDE else shown

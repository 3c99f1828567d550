"""Why each placeholder of a stored run stands where it stands.

The values themselves are gone, so a reason is what the stored form still tells: the field, the prefix, the kind. Where
more than one rule could have been at work it is the one that the normaliser asks first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec

from stepfork.canonical.pointer import pointer
from stepfork.normalize.fields import Marks
from stepfork.normalize.matching import Matcher
from stepfork.normalize.normalize import Normalizer
from stepfork.normalize.numbering import Times, ValueNumbers
from stepfork.normalize.placeholders import unescape
from stepfork.normalize.sightings import CLAUDE_CODE, ESCAPED, Reason, Sighting, SightingReader, spot
from stepfork.normalize.told import Told
from stepfork.rewrite.place import Place
from stepfork.trace.fixture import Run

RULES: Final = {
    "response_field": "field {} of the response",
    "response_header": "header {}",
    "message_field": "field {} of a message",
    "request_field": "field {} of the request",
    "step_field": "field {} of a step",
    "conversation": "conversation of the trace",
    "told": "told by {}, found in text",
    "prefix": "prefix {}, then random characters",
    "framework_field": "UUID in field {}",
    "claude_code": "what Claude Code says of itself",
    "clock": "a clock was read: within 24 hours of the capture",
    "address": "email address",
    "known_value": "{} of the run",
    "today": "day of the capture: [normalize] today",
    "boundary": "boundary of a multipart body",
    "trace_context": "id in a traceparent",
    "step_order": "order and nesting of the steps",
    "untold": "no longer told by what is stored",
}
"""Every rule, in words; {} is what a reason names."""

CONSTANTS: Final = ("time_number", "duration", "padding", "fingerprint", "step_order")
"""Kinds of what became a constant or a number of its own, which says nothing of which value it was."""

_TELLING = frozenset(
    ("response_field", "response_header", "message_field", "request_field", "step_field", "conversation", "claude_code")
)
"""Rules of fields whose values are looked for in every text."""


class Value(msgspec.Struct, frozen=True):
    """A value that became a placeholder, or all places of one rule where something became a constant.

    `shown` is how it stands at its `first` place; `places` counts texts that hold it, a message that later calls repeat
    once and a field of a stream once. `reasons` are counted, in the order in which they are met. `told_at` is the place
    whose field told the others.
    """

    kind: str
    shown: str
    places: int
    first: str
    reasons: tuple[tuple[Reason, int], ...]
    told_at: str | None = None


class Literal(msgspec.Struct, frozen=True):
    """Text of the run that only looks like a placeholder: `text` as it was, `stored` as it is kept."""

    text: str
    stored: str
    places: int
    first: str


class Explained(msgspec.Struct, frozen=True):
    """What of a run was templated, in the order in which it is read."""

    values: tuple[Value, ...] = ()
    literals: tuple[Literal, ...] = ()


def explain(run: Run) -> Explained:
    """What of a stored run was templated, and why."""
    seen: dict[object, Sighting] = {}

    def see(sighting: Sighting) -> None:
        seen.setdefault(spot(sighting), sighting)

    def reader(matcher: Matcher, values: ValueNumbers, marks: Marks, times: Times | None = None) -> SightingReader:
        return SightingReader(matcher, values, marks, times, see=see)

    command = reader(Matcher(None, Told(), templated=True), ValueNumbers(), {})
    for index, argument in enumerate(run.source.command):
        command.text(argument, Place(("source",), ("command", index)))
    normalizer = Normalizer(None, Told(), templated=True, part_rewriter=reader)
    for exchange in run.exchanges:
        normalizer.exchange(exchange)
    normalizer.trace(run.trace)
    for index in range(len(run.trace.steps)):
        for name in ("start", "end"):
            place = Place(("trace",), ("steps", index, name))
            see(Sighting("step_order", "", "", place, Reason("step_order")))
    return _grouped(seen.values())


def by_kind(values: Iterable[Value]) -> dict[str, list[Value]]:
    """The values of each kind, kinds in the order in which they are met."""
    groups: dict[str, list[Value]] = {}
    for one in values:
        groups.setdefault(one.kind, []).append(one)
    return groups


def total_of(values: Iterable[Value]) -> Counter[Reason]:
    """Each reason of several values with all places that it counts for."""
    total: Counter[Reason] = Counter()
    for one in values:
        total.update(dict(one.reasons))
    return total


def _grouped(seen: Iterable[Sighting]) -> Explained:
    groups: dict[tuple[str, object], list[Sighting]] = {}
    for one in seen:
        identity = one.reason if one.kind in CONSTANTS else one.identity
        groups.setdefault((one.kind, identity), []).append(one)
    return Explained(
        values=tuple(_value(group) for (kind, _), group in groups.items() if kind != ESCAPED),
        literals=tuple(
            Literal(unescape(group[0].shown), group[0].shown, len(group), path_of(group[0]))
            for (kind, _), group in groups.items()
            if kind == ESCAPED
        ),
    )


def _value(group: list[Sighting]) -> Value:
    first = group[0]
    telling = next((one for one in group if one.reason is not None and one.reason.rule in _TELLING), None)
    found = Counter(one.reason or _of_text(one, telling) for one in group)
    told = any(reason.rule == "told" for reason in found)
    return Value(
        kind=first.kind,
        shown=first.shown,
        places=len(group),
        first=path_of(first),
        reasons=tuple(found.items()),
        told_at=path_of(telling) if told and telling is not None else None,
    )


def _of_text(one: Sighting, telling: Sighting | None) -> Reason:
    """Why an id stands in a text: values that a field tells are looked for first, then known prefixes."""
    if telling is not None:
        return Reason("told")
    if one.kind in CLAUDE_CODE:
        return Reason("claude_code")
    return Reason("prefix", one.prefix) if one.prefix else Reason("untold")


def path_of(one: Sighting) -> str:
    """The way to a sighting as a JSON pointer into the run; the number of a stream's event stands behind it."""
    steps = [*one.place.part, *one.place.path]
    if steps[0] == "exchange":
        steps[0] = "exchanges"
    event = ""
    at = next((at for at in range(2, len(steps)) if steps[at - 2 : at] == ["body", "events"]), None)
    if at is not None:
        event = f" (event {steps[at]})"
        del steps[at - 1 : at + 1]
    made = ""
    for step in steps:
        made = pointer(made, step)
    return made + event + (" (name)" if one.is_name else "")

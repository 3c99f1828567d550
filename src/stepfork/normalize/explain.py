"""Why each placeholder of a stored run stands where it stands.

The values themselves are gone, so a reason is what the stored form still tells: the field, the prefix, the kind. Where
more than one rule could have been at work it is the one that the normaliser asks first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from stepfork.canonical.pointer import pointer
from stepfork.normalize.fields import Marks
from stepfork.normalize.known import Context
from stepfork.normalize.matching import Matcher
from stepfork.normalize.normalizer import Normalizer
from stepfork.normalize.numbering import Times, ValueNumbers
from stepfork.normalize.own import NO_OWN, OwnRules
from stepfork.normalize.placeholders import unescape
from stepfork.normalize.reasons import CONSTANTS, FIELDS, Explained, Literal, Reason, Value
from stepfork.normalize.sightings import CLAUDE_CODE, ESCAPED, Sighting, SightingReader, spot
from stepfork.normalize.told import Told
from stepfork.rewrite.place import Place
from stepfork.trace.fixture import Run

_TELLING = frozenset((*FIELDS, "conversation", "claude_code", "own_field"))
"""Rules of fields whose values are looked for in every text."""


def explain(run: Run, own: OwnRules = NO_OWN) -> Explained:
    """What of a stored run was templated, and why. `own` are the project's rules, as they are now."""
    context = Context(0, 0, own=own)
    seen: dict[object, Sighting] = {}

    def see(sighting: Sighting) -> None:
        seen.setdefault(spot(sighting), sighting)

    def reader(matcher: Matcher, values: ValueNumbers, marks: Marks, times: Times | None = None) -> SightingReader:
        return SightingReader(matcher, values, marks, times, see=see)

    command = reader(Matcher(context, Told(own), templated=True), ValueNumbers(), {})
    for index, argument in enumerate(run.source.command):
        command.text(argument, Place(("source",), ("command", index)))
    normalizer = Normalizer(context, Told(own), templated=True, part_rewriter=reader)
    for exchange in run.exchanges:
        normalizer.exchange(exchange)
    normalizer.trace(run.trace)
    for index in range(len(run.trace.steps)):
        for name in ("start", "end"):
            place = Place(("trace",), ("steps", index, name))
            see(Sighting("step_order", "", "", place, Reason("step_order")))
    return _grouped(seen.values(), own)


def _grouped(seen: Iterable[Sighting], own: OwnRules) -> Explained:
    groups: dict[tuple[str, object], list[Sighting]] = {}
    for one in seen:
        identity = one.reason if one.kind in CONSTANTS else one.identity
        groups.setdefault((one.kind, identity), []).append(one)
    return Explained(
        values=tuple(_value(group, own) for (kind, _), group in groups.items() if kind != ESCAPED),
        literals=tuple(
            Literal(unescape(group[0].shown), group[0].shown, len(group), path_of(group[0]))
            for (kind, _), group in groups.items()
            if kind == ESCAPED
        ),
    )


def _value(group: list[Sighting], own: OwnRules) -> Value:
    first = group[0]
    telling = next((one for one in group if one.reason is not None and one.reason.rule in _TELLING), None)
    found = Counter(one.reason or _of_text(one, telling, own) for one in group)
    told = any(reason.rule == "told" for reason in found)
    return Value(
        kind=first.kind,
        shown=first.shown,
        places=len(group),
        first=path_of(first),
        reasons=tuple(found.items()),
        told_at=path_of(telling) if told and telling is not None else None,
    )


def _of_text(one: Sighting, telling: Sighting | None, own: OwnRules) -> Reason:
    """Why a value stands in a text, in the order in which it is looked for: a project's own ids, what a field tells,
    known prefixes."""
    if one.prefix in own.prefixes:
        return Reason("own_pattern")
    if telling is not None:
        return Reason("told")
    if one.kind in CLAUDE_CODE:
        return Reason("claude_code")
    if one.prefix:
        return Reason("prefix", one.prefix)
    return Reason("own_pattern" if one.kind == "id" and own.id_patterns else "untold")


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

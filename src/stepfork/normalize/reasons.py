"""Why a placeholder stands where it stands: the rules in words, and what was found of a run, as values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec

FIELDS: Final = ("response_field", "response_header", "message_field", "request_field", "step_field")
"""Rules that go by a field of the providers' and the trace's own."""

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
    "own_field": "config.toml: {}",
    "own_pattern": "config.toml: id_patterns",
    "claude_code": "what Claude Code says of itself",
    "clock": "a clock was read: within 24 hours of the capture",
    "address": "email address",
    "personal": "config.toml: [redact] {}",
    "known_value": "{} of the run",
    "today": "day of the capture: [normalize] today",
    "boundary": "boundary of a multipart body",
    "temporary_name": "made-up name below the folder for temporary files",
    "printed": "id in a printed value of a framework",
    "trace_context": "id in a traceparent",
    "step_order": "order and nesting of the steps",
    "untold": "no longer told by what is stored",
}
"""Every rule, in words; {} is what a reason names."""

CONSTANTS: Final = ("time_number", "duration", "padding", "fingerprint", "step_order")
"""Kinds of what became a constant or a number of its own, which says nothing of which value it was."""


class Reason(msgspec.Struct, frozen=True):
    """`rule` is one of RULES, `name` the field, header, prefix or setting that it speaks of."""

    rule: str
    name: str = ""


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

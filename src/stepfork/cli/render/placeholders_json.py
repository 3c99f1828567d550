"""What of a fixture was templated as one JSON document; its schema is ``stepfork/schemas/placeholders.schema.json``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stepfork.canonical.encode import dumps
from stepfork.normalize.reasons import CONSTANTS, Explained, Reason, Value, by_kind, total_of


def placeholders_bytes(name: str, explained: Explained) -> bytes:
    """Canonical JSON of all that `explained` holds of the fixture called `name`."""
    return dumps(
        {
            "name": name,
            "values": [_value(one) for one in explained.values],
            "literals": [
                {"text": one.text, "stored": one.stored, "places": one.places, "first": one.first}
                for one in explained.literals
            ],
        }
    )


def templated_json(explained: Explained) -> list[dict[str, Any]]:
    """How many values of each kind were templated, and why."""
    return [
        {
            "kind": kind,
            "values": None if kind in CONSTANTS else len(group),
            "places": sum(one.places for one in group),
            "reasons": _reasons(total_of(group).items()),
        }
        for kind, group in by_kind(explained.values).items()
    ]


def _value(one: Value) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "shown": one.shown,
        "places": one.places,
        "first": one.first,
        "reasons": _reasons(one.reasons),
        "told_at": one.told_at,
    }


def _reasons(reasons: Iterable[tuple[Reason, int]]) -> list[dict[str, Any]]:
    return [{"rule": reason.rule, "name": reason.name or None, "places": count} for reason, count in reasons]

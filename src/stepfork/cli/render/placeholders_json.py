"""What of a fixture was templated as one JSON document; its schema is ``stepfork/schemas/placeholders.schema.json``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stepfork.canonical.encode import dumps
from stepfork.normalize.reasons import Explained, Value
from stepfork.normalize.sightings import Reason


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


def _value(one: Value) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "shown": one.shown,
        "places": one.places,
        "first": one.first,
        "reasons": reasons_json(one.reasons),
        "told_at": one.told_at,
    }


def reasons_json(reasons: Iterable[tuple[Reason, int]]) -> list[dict[str, Any]]:
    """Reasons with the places that each counts for."""
    return [{"rule": reason.rule, "name": reason.name or None, "places": count} for reason, count in reasons]

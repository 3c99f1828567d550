"""Which of a project's own field rules speaks of a place: told by names of members, wherever they stand."""

from __future__ import annotations

from typing import Literal

from stepfork.normalize.own import OwnRules
from stepfork.rewrite.place import Place

OwnMark = Literal["id", "time", "duration", "literal"]


def own_mark(own: OwnRules, place: Place) -> OwnMark | None:
    """What the project says of the value at a place, None where it says nothing. A list's items are what the member
    that holds it is; what stands anywhere below a literal member is literal."""
    names = names_at(place)
    if not names:
        return None
    if own.literal_fields and not own.literal_fields.isdisjoint(names):
        return "literal"
    return field_mark(own, names[-1])


def field_mark(own: OwnRules, name: str) -> OwnMark | None:
    """What the value of a member of that name is."""
    if name in own.literal_fields:
        return "literal"
    if name in own.id_fields:
        return "id"
    if name in own.time_fields:
        return "time"
    return "duration" if name in own.duration_fields else None


def names_at(place: Place) -> list[str]:
    """The names of the members above a place that are the run's own: those of an exchange's and a trace's frame (its
    ``body``, the ``arguments`` of a step) are none."""
    part, path = place.part, place.path
    if part[:1] == ("trace",):
        frame = 1 if path[:1] != ("steps",) else 2 if path[2:3] == ("call_id",) else 3
        path = path[frame:]
    elif len(part) > 3:  # a part of a request's body
        path = (*part[4:], *path)
    elif path[:2] in (("body", "events"), ("body", "documents")):
        path = path[3:]
    elif path[:1] in (("body",), ("headers",), ("query",)):
        path = path[1:]
    else:
        return []
    return [step for step in path if isinstance(step, str)]

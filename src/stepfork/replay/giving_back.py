"""A recorded answer with everything given back that was templated: ids, addresses, times, this run's known values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from stepfork.normalize import rules
from stepfork.normalize.fields import Mark, Path, response_marks
from stepfork.normalize.placeholders import LOOK_ALIKE, Placeholder, as_placeholder, unescape
from stepfork.providers.apis import OPAQUE
from stepfork.rewrite.place import Edit, Place, Rewriter
from stepfork.rewrite.run import rewrite_body
from stepfork.rewrite.text import rewrite_text
from stepfork.rewrite.value import rewrite_value
from stepfork.trace.body import JsonValue
from stepfork.trace.exchange import Exchange, Response

Value = Callable[[Placeholder, str], "str | None"]
"""What a placeholder stands for, given the text before it; None to leave it as it is."""

_EXPIRES = frozenset({"expires_at", "expiresAt"})
Clock = Callable[[int, bool], float]
"""Seconds since 1970 of the time of that number; whether something expires then."""


class GiveBack(Rewriter):
    """Puts values in the place of placeholders, at any depth of JSON text, and takes a mark off what only looks like
    one. Numbers that are times become seconds since 1970, of the type they had."""

    def __init__(self, value: Value, clock: Clock | None = None, marks: Mapping[Path, Mark] | None = None) -> None:
        self._value = value
        self._clock = clock
        self._marks = marks or {}

    def text(self, text: str, place: Place) -> Sequence[Edit]:  # noqa: ARG002
        """Edits of a text."""
        if "{{" not in text:
            return ()
        edits: list[Edit] = []
        for match in LOOK_ALIKE.finditer(text):
            found = as_placeholder(match)
            made = unescape(match.group()) if found is None else self._value(found, text[: match.start()])
            if made is not None and made != match.group():
                edits.append(Edit(match.start(), match.end(), made))
        return edits

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a member's name."""
        return self.text(text, place)

    def number(self, value: int | float, place: Place) -> JsonValue:
        """A time that is a number; every other number stays."""
        if self._clock is None or self._marks.get(place.path) != "time":
            return value
        return type(value)(self._clock(int(value), place.key in _EXPIRES))


def give_back(exchange: Exchange, value: Value, clock: Clock) -> Response:
    """The response of a recorded exchange as this run gets it."""
    response = exchange.response
    marks = response_marks(response.headers, response.body) if exchange.api != OPAQUE else {}
    giver = GiveBack(value, clock, marks)
    place = Place(("response",))
    return msgspec.structs.replace(
        response,
        content_type=rewrite_text(response.content_type, place.child("content_type"), giver),
        headers=rewrite_value(response.headers, place.child("headers"), giver),
        body=rewrite_body(response.body, place.child("body"), giver, exchange.api),
    )


def prefix_before(text: str) -> str:
    """The prefix of the id whose placeholder follows `text`; empty where it has none."""
    return next((prefix for prefix in rules.PREFIXES_BY_LENGTH if text.endswith(prefix)), "")

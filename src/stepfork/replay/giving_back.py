"""A recorded answer with everything given back that was templated: ids, addresses, times, this run's known values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from stepfork.normalize.documents import rewrite_documents
from stepfork.normalize.fields import Mark, Path, metadata_mark, response_marks
from stepfork.normalize.kept_answers import kept_marks
from stepfork.normalize.multipart import BOUNDARY
from stepfork.normalize.own import NO_OWN, OwnRules
from stepfork.normalize.own_marks import own_mark
from stepfork.normalize.placeholders import LOOK_ALIKE, Placeholder, as_placeholder, unescape
from stepfork.providers.apis import OPAQUE
from stepfork.replay.giving_streams import NUMBER_ENDS, Events, UnusualError
from stepfork.rewrite.place import Edit, Place, Rewriter
from stepfork.rewrite.text import rewrite_text
from stepfork.rewrite.value import rewrite_value
from stepfork.trace.body import Body, BytesBody, EventsBody, JsonValue
from stepfork.trace.exchange import Exchange, Response

Value = Callable[[Placeholder, str], "str | None"]
"""What a placeholder stands for, given the text before it; None to leave it as it is."""

_LONGEST_PREFIX = 80
"""Characters before a placeholder that may be its id's prefix."""
_MOST = 10**9
"""No part has so many times."""
_EXPIRES = frozenset({"expires_at", "expiresAt"})
Clock = Callable[[int, bool], float]
"""Seconds since 1970 of the time of that number; whether something expires then."""
_UNITS = (
    (re.compile(r"(?:_ms|Ms|MS|[Mm]illis(?:econds)?)\Z"), 10**3),
    (re.compile(r"(?:_us|Us|[Mm]icros(?:econds)?)\Z"), 10**6),
    (re.compile(r"(?:_ns|Ns|NS|[Nn]anos?(?:econds)?)\Z"), 10**9),
)
"""Names of members that say in which part of a second they count."""


class Given(msgspec.Struct, frozen=True):
    """What to give back: `value` for placeholders, `clock` for times that are numbers, `number` for ids that are
    numbers, which only the project's `own` rules know of."""

    value: Value
    clock: Clock
    number: Callable[[int], int]
    own: OwnRules = NO_OWN


class GiveBack(Rewriter):
    """Puts values in the place of placeholders, at any depth of JSON text, and takes a mark off what only looks like
    one. Numbers that are times become seconds since 1970, of the type they had."""

    def __init__(self, given: Given, marks: Mapping[Path, Mark]) -> None:
        self._given = given
        self._marks = marks

    def text(self, text: str, place: Place) -> Sequence[Edit]:  # noqa: ARG002
        """Edits of a text."""
        if "{{" not in text:
            return ()
        edits: list[Edit] = []
        for match in LOOK_ALIKE.finditer(text):
            made = unescape(match.group()) if as_placeholder(match) is None else self.found(match)
            if made is not None and made != match.group():
                edits.append(Edit(match.start(), match.end(), made))
        return edits

    def unquoted(self, text: str, place: Place) -> int | None:  # noqa: ARG002
        """The number that a placeholder stands for which says that it was one."""
        if not text.endswith(NUMBER_ENDS):
            return None
        match = LOOK_ALIKE.fullmatch(text)
        made = self.found(match) if match else None
        return int(made) if made is not None and made.isdecimal() else None

    def found(self, match: re.Match[str]) -> str | None:
        """What stands for a placeholder where it was found."""
        placeholder = as_placeholder(match)
        before = match.string[max(match.start() - _LONGEST_PREFIX, 0) : match.start()]
        return None if placeholder is None else self._given.value(placeholder, before)

    def time(self, value: int | float, name: str) -> int | float:
        """What stands for a time that is a number, of the type that it had; itself where no writer numbered it so."""
        if not 0 <= value < _MOST:
            return value
        seconds = self._given.clock(int(value), name in _EXPIRES)
        unit = next((unit for names, unit in _UNITS if names.search(name)), 1)
        return type(value)(seconds if unit == 1 else int(seconds * 10**6) * unit // 10**6)

    def document(self, value: JsonValue, place: Place) -> None:
        """An answer that is kept as data has times there too."""
        found = kept_marks(value, place)
        if found:
            self._marks = {**found, **self._marks}

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a member's name."""
        return self.text(text, place)

    def number(self, value: int | float, place: Place) -> JsonValue:
        """A time or an id that is a number; every other number stays."""
        own = self._given.own
        told = self._marks.get(place.path) or metadata_mark(place.path, value)
        mark = (own_mark(own, place) if own.names else None) or told
        if mark == "id" and isinstance(value, int) and 0 < value < _MOST:
            return self._given.number(value)
        return self.time(value, place.key or "") if mark == "time" else value


def give_back(exchange: Exchange, given: Given) -> Response:
    """The response of a recorded exchange as this run gets it."""
    response, known = exchange.response, exchange.api != OPAQUE
    body = response.body
    if isinstance(body, EventsBody) and not _has_own_numbers(body.events, given.own):
        plain = GiveBack(given, {})
        try:
            events = Events(plain.found, plain.time if known else None).rewritten(body.events)
            body = EventsBody(events, body.separator)
            response = msgspec.structs.replace(response, body=None)
        except UnusualError:
            pass
    giver = GiveBack(given, response_marks(response.headers, response.body) if known else {})
    place = Place(("response",))
    return msgspec.structs.replace(
        response,
        content_type=rewrite_text(response.content_type, place.child("content_type"), giver),
        headers=rewrite_value(response.headers, place.child("headers"), giver),
        body=body if body is not response.body else _body(body, exchange, giver, given),
    )


def _has_own_numbers(events: Sequence[str], own: OwnRules) -> bool:
    """Whether a stream may hold numbers that only the project's rules call a time or an id."""
    names = own.id_fields | own.time_fields
    return bool(names) and any(name in event for event in events for name in names)


def _body(body: Body, exchange: Exchange, giver: GiveBack, given: Given) -> Body:
    if isinstance(body, BytesBody):  # bytes that are no text hold no placeholder but this one
        boundary = given.value(Placeholder("boundary"), "") or BOUNDARY
        return BytesBody(body.data.replace(f"--{BOUNDARY}".encode(), f"--{boundary}".encode()))
    return rewrite_documents(body, Place(("response",), ("body",)), giver, exchange.api)

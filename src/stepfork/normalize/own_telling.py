"""Which values a project's own rules call an id: by the name of a member or by a pattern, wherever they stand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from stepfork.normalize.documents import document_values
from stepfork.normalize.fields import LONGEST_VALUE
from stepfork.normalize.merging import merged_of
from stepfork.normalize.own_marks import own_mark
from stepfork.normalize.own_texts import OwnTexts
from stepfork.normalize.parts import word_for
from stepfork.normalize.queries import is_form, query_edits
from stepfork.normalize.told import Told
from stepfork.rewrite.place import Edit, Place, Rewriter
from stepfork.rewrite.run import rewrite_exchange
from stepfork.rewrite.text import find_edits
from stepfork.rewrite.value import rewrite_value
from stepfork.trace.body import EventsBody, JsonBody, JsonValue, TextBody
from stepfork.trace.exchange import Exchange


class OwnTeller(Rewriter):
    """Changes nothing, and adds to `told`. Items that the calls of a run repeat are read once."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._texts = OwnTexts(told.own.id_fields)
        self._seen: set[bytes] = set()

    def exchange(self, exchange: Exchange) -> None:
        """What stands in an exchange."""
        body = exchange.request.body
        if isinstance(body, JsonBody) and isinstance(body.value, dict):
            place = Place(("exchange", 0, "request", "body"))
            for name, value in body.value.items():
                for item in value if isinstance(value, list) else [value]:
                    word = word_for((name, item))
                    if word not in self._seen:
                        self._seen.add(word)
                        rewrite_value(item, place.child(name), self)
            exchange = _without_body(exchange)
        elif isinstance(body, TextBody) and is_form(exchange.request.content_type):
            self.query(body.text, Place(("exchange", 0, "request"), ("body",)))
            exchange = _without_body(exchange)
        response = exchange.response
        merged = merged_of(response.body, exchange.api)
        if merged is not None:
            response = msgspec.structs.replace(response, body=EventsBody(merged.events))
        rewrite_exchange(msgspec.structs.replace(exchange, response=response), 0, self)
        for part, told in (("request", body), ("response", exchange.response.body)):
            for number, value in document_values(told):
                rewrite_value(value, Place(("exchange", 0, part), ("body", "documents", number)), self)

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        """No edits."""
        mark = own_mark(self._told.own, place)
        if mark == "id" and len(text) <= LONGEST_VALUE:
            self._told.add_own(text)
        elif mark != "literal":
            self._matches(text)
        return ()

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        """No edits."""
        if own_mark(self._told.own, place) != "literal":
            self._matches(text)
        return ()

    def number(self, value: int | float, place: Place) -> JsonValue:
        """The number as it is."""
        if isinstance(value, int) and own_mark(self._told.own, place) == "id":
            self._told.add_own(str(value))
        return value

    def query(self, query: str, place: Place) -> str:
        """The query as it is."""
        if "%7b%7b" in query.lower():
            self.text(query, place)
        else:
            list(query_edits(query, place, partial(find_edits, rewriter=self)))
        return query

    def _matches(self, text: str) -> None:
        for field in self._texts.find(text):
            if len(field.text) <= LONGEST_VALUE:
                self._told.add_own(field.text)
        for pattern in self._told.own.id_patterns:
            for match in pattern.finditer(text):
                self._told.add_own(match.group())


def _without_body(exchange: Exchange) -> Exchange:
    return msgspec.structs.replace(exchange, request=msgspec.structs.replace(exchange.request, body=None))

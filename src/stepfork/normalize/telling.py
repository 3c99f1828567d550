"""The first pass: which values the structure of a run calls an id. They are then found wherever they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from stepfork.normalize import fields, rules
from stepfork.normalize.documents import document_values
from stepfork.normalize.dumped import message_ids
from stepfork.normalize.known import Context
from stepfork.normalize.merging import merged_of
from stepfork.normalize.own import NO_OWN
from stepfork.normalize.own_telling import OwnTeller
from stepfork.normalize.parts import word_for
from stepfork.normalize.told import Told
from stepfork.normalize.typed import made_uuids
from stepfork.providers.apis import OPAQUE
from stepfork.providers.split import split_request
from stepfork.rewrite.run import rewrite_trace
from stepfork.trace.body import Body, JsonBody, TextBody
from stepfork.trace.exchange import IN_PROCESS, Exchange
from stepfork.trace.step import Trace


def told_by(exchanges: Iterable[Exchange], trace: Trace | None = None, context: Context | None = None) -> Told:
    """What exchanges, a trace and a run's spans tell, as far as it can be told from words."""
    teller = Teller(Told(context.own if context else NO_OWN))
    for value in context.ids if context else ():
        teller.told.add("id", value)
    teller.is_instrumented = trace is not None and any(step.instrumented for step in trace.steps)
    for exchange in exchanges:
        teller.exchange(exchange)
    if trace is not None:
        teller.trace(trace)
    return teller.told


class Teller:
    """Adds to `told`, exchange by exchange; messages, which calls repeat, are read once."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self.is_instrumented = False
        self._in_process = False
        self._seen: set[bytes] = set()
        own = told.own
        self._own = OwnTeller(told) if own.id_fields or own.id_patterns else None

    def exchange(self, exchange: Exchange) -> None:
        """What an exchange calls an id."""
        known = exchange.api != OPAQUE
        self._in_process = exchange.request.method == IN_PROCESS
        if known:
            self._request(exchange)
        response = exchange.response
        answered = response.body if known else None
        holder = {"headers": response.headers, "body": getattr(answered, "value", None)}
        for path, mark in fields.response_marks(response.headers, answered).items():
            if mark == "id" and path[1:2] not in (("events",), ("documents",)) and not self._is_literal(path[1:]):
                self._add(mark, fields.value_at(holder, path))
        merged = merged_of(answered, exchange.api)
        for event in getattr(answered, "events", ()) if merged is None else merged.events:
            for told in fields.event_values(event):
                self._marked(told, fields.envelope_marks(told))
        for _, value in document_values(answered):
            self._marked(value, fields.envelope_marks(value))
        if response.status >= 400:
            for value in _errors(response.body):
                self.told.add("id", value)
        if self._own is not None:
            self._own.exchange(exchange)

    def trace(self, trace: Trace) -> None:
        """The conversation, and the call ids of the steps."""
        self.told.add("conversation", trace.conversation)
        self._dumped((trace.input, trace.output))
        for step in trace.steps:
            self._dumped((step.arguments, step.result))
            if step.instrumented and not self._is_literal(("uuid",)):
                for found in made_uuids([step.arguments, step.result, step.raised]):
                    self.told.add("id", found)
            if not self._is_literal(("call_id",)):
                self.told.add("id", step.call_id)
        if self._own is not None:
            rewrite_trace(trace, self._own)

    def _request(self, exchange: Exchange) -> None:
        body = exchange.request.body
        if not (isinstance(body, JsonBody) and isinstance(body.value, dict)):
            return
        parts = split_request(exchange.api, body.value)
        for kind, value in fields.user_ids(parts.rest):
            self.told.add(kind, value)
        self._marked(parts.rest, fields.rest_marks(parts.rest))
        for message in parts.messages if isinstance(parts.messages, list) else []:
            word = word_for(message)
            if word not in self._seen:
                self._seen.add(word)
                self._marked(message, fields.message_marks(message))
                self._dumped(message)

    def _dumped(self, value: Any) -> None:
        for found in message_ids(value):
            self.told.add("id", found)

    def _marked(self, value: Any, marks: fields.Marks) -> None:
        for path, mark in marks.items():
            if mark == "id" and not self._is_literal(path):
                self._add(mark, fields.value_at(value, path))

    def _add(self, kind: str, value: Any) -> None:
        self.told.add(kind, value)
        if self.is_instrumented:
            self.told.add_short(kind, value, fielded=not self._in_process)

    def _is_literal(self, path: fields.Path) -> bool:
        literal = self.told.own.literal_fields
        return bool(literal) and not literal.isdisjoint(path)


def _errors(body: Body) -> Iterator[str]:
    """Ids of requests that the text of an error names."""
    stack: list[Any] = [body.value if isinstance(body, JsonBody) else body.text if isinstance(body, TextBody) else None]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield from (match[1] for match in rules.ERROR_ID.finditer(node))
        elif isinstance(node, dict | list):
            stack.extend(node.values() if isinstance(node, dict) else node)

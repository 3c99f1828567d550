"""The second pass of normalising: the parts of a run, each with its placeholders.

A message is one part wherever it is repeated, so it is rewritten once and its placeholders do not depend on its
neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import msgspec

from stepfork.canonical.order import order_of, with_order
from stepfork.normalize import fields
from stepfork.normalize.documents import rewrite_documents
from stepfork.normalize.known import Context
from stepfork.normalize.matching import Matcher
from stepfork.normalize.merging import merged_of
from stepfork.normalize.multipart import without_boundary
from stepfork.normalize.numbering import EqualTimes, TimesByValue, ValueNumbers
from stepfork.normalize.parts import word_for
from stepfork.normalize.queries import is_form
from stepfork.normalize.rewriter import PartRewriter, SourceRewriter
from stepfork.normalize.steps import numbered
from stepfork.normalize.told import Told
from stepfork.providers.apis import OPAQUE
from stepfork.providers.split import RequestParts, join_request, places_in, split_request
from stepfork.rewrite.place import Place, Rewriter
from stepfork.rewrite.run import rewrite_body, rewrite_trace
from stepfork.rewrite.text import rewrite_text
from stepfork.rewrite.value import rewrite_value
from stepfork.trace.body import Body, EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import IN_PROCESS, Exchange, Request, Response
from stepfork.trace.fixture import Source
from stepfork.trace.step import Trace


class Normalizer:
    """The second pass. Numbers by value go on from one call to the next, so calls are made in stored order.

    `first` rewrites each text before it is looked at: parts that calls repeat are then rewritten once by both.
    `clocks` numbers the times by their value, among those of `values`, instead of by their position, and looks at every
    date-time, near or not, so that clocks need not be told from fixed text.
    `part_rewriter` makes the rewriter of each part: one that explains what it sees, for instance.
    """

    def __init__(
        self,
        context: Context | None,
        told: Told,
        *,
        templated: bool = False,
        first: Rewriter | None = None,
        values: ValueNumbers | None = None,
        clocks: bool = False,
        part_rewriter: Callable[..., PartRewriter] = PartRewriter,
    ) -> None:
        self._matcher = Matcher(context, told, templated=templated, any_time=clocks)
        self._values = values or ValueNumbers()
        self._parts: dict[bytes, _Part] = {}
        self._first = first
        self._times = TimesByValue(self._values) if clocks else None
        self._part_rewriter = part_rewriter
        self._index = 0
        self._in_process = False

    def forget(self, value: str) -> None:
        """Texts that hold `value` are looked at again: it has just been told."""
        self._matcher.forget(value)
        held = value.encode("utf-8", "surrogatepass")
        self._parts = {key: part for key, part in self._parts.items() if held not in key}

    def look_for(self, kind: str, value: str) -> None:
        """From here on personal data of a kind are looked for too, `value` among them."""
        self._matcher.look_for(kind, value)
        self._parts.clear()

    def source(self, source: Source) -> Source:
        """The command. Its folder stays: told from the one that holds the store, it is the same on every machine, and a
        user's name in it is a folder's."""
        return msgspec.structs.replace(source, command=SourceRewriter(self._matcher).command(source.command))

    def exchange(self, exchange: Exchange) -> Exchange:
        """Request, then response."""
        self._in_process = exchange.request.method == IN_PROCESS
        made = msgspec.structs.replace(
            exchange,
            request=self.request(exchange),
            response=self._response(exchange),
        )
        self._index += 1
        return made

    def trace(self, trace: Trace) -> Trace:
        """The trace, one part; its sequence numbers follow its structure."""
        is_instrumented = any(step.instrumented for step in trace.steps)
        times = EqualTimes() if is_instrumented else None
        rewriter = self._part_rewriter(self._matcher, self._values, fields.trace_marks(trace), times)
        made = rewriter.run(lambda part: rewrite_trace(trace, part))
        return msgspec.structs.replace(made, steps=numbered(made.steps))

    def request(self, exchange: Exchange) -> Request:
        """The request of an exchange, part by part."""
        request = exchange.request if self._first is None else self._rewritten(exchange, self._first)
        line = self._rewriter({})
        place = self._place("request")

        def walk(part: PartRewriter) -> tuple[str, str, str]:
            return (
                rewrite_text(request.path, place.child("path"), part),
                part.query(request.query, place.child("query")) if request.query else "",
                rewrite_text(request.content_type, place.child("content_type"), part),
            )

        path, query, content_type = line.run(walk)
        body = request.body
        if isinstance(body, JsonBody) and isinstance(body.value, dict):
            body = self._request_body(exchange, body)
        else:
            other = self._rewriter({})
            body = other.run(lambda part: self._other_body(request, place.child("body"), part, exchange.api))
        content_type, body = without_boundary(request.content_type, content_type, body)
        return Request(request.method, path, query, content_type, body)

    @staticmethod
    def _other_body(request: Request, place: Place, part: PartRewriter, api: str) -> Body:
        """A body that is no JSON object; that of a form reads like a query."""
        if isinstance(request.body, TextBody) and is_form(request.content_type):
            return TextBody(part.query(request.body.text, place), request.body.reason)
        return rewrite_documents(request.body, place, part, api)

    def _place(self, *part: str | int) -> Place:
        """A part of the exchange that is being read."""
        return Place(("exchange", self._index, *part))

    def _rewriter(self, marks: fields.Marks) -> PartRewriter:
        made = self._part_rewriter(self._matcher, self._values, marks, self._times)
        made.keeps_words = self._in_process
        return made

    def _rewritten(self, exchange: Exchange, first: Rewriter) -> Request:
        """The request with all rewritten by `first` that is no part: parts are when they are looked at."""
        request, place = exchange.request, self._place("request")
        body = request.body
        if not (isinstance(body, JsonBody) and isinstance(body.value, dict)):
            body = rewrite_body(body, place.child("body"), first, exchange.api)
        return msgspec.structs.replace(
            request,
            path=rewrite_text(request.path, place.child("path"), first),
            query=first.query(request.query, place.child("query")) if request.query else "",
            content_type=rewrite_text(request.content_type, place.child("content_type"), first),
            body=body,
        )

    def _request_body(self, exchange: Exchange, body: JsonBody) -> JsonBody:
        """The body's parts rewritten. Where a member's name changed, the recorded order of members is told anew."""
        made, renamed = self._request_parts(exchange, body.value)
        if not renamed:
            return body if made == body.value else JsonBody(made, body.order)
        made, _ = self._request_parts(exchange, with_order(body.value, body.order))
        return JsonBody(made, order_of(made))

    def _request_parts(self, exchange: Exchange, value: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """The body made of rewritten parts, in the order of members of `value`; whether any name changed."""
        parts = split_request(exchange.api, value)
        known = exchange.api != OPAQUE
        frame = fields.message_marks if known else no_marks
        at = places_in(exchange.api, parts)
        # A system prompt is one part, also where it is a list of messages or blocks.
        system = None if parts.system is msgspec.UNSET else self._part(parts.system, frame, at.system)
        tools = [self._part(tool, no_marks, "tools", index) for index, tool in enumerate(_items(parts.tools))]
        messages = [
            self._part(message, frame, at.messages, index)
            for index, message in enumerate(_items(parts.messages), at.first_message)
        ]
        rest = self._part(parts.rest, fields.rest_marks if known else no_marks)
        joined = join_request(
            exchange.api,
            RequestParts(
                rest=rest.value,
                system=msgspec.UNSET if system is None else system.value,
                tools=_unset_or(parts.tools, tools),
                messages=_unset_or(parts.messages, messages),
            ),
        )
        names = [name for name in value if name in joined]
        made = {name: joined[name] for name in dict.fromkeys([*names, *joined])}
        return made, any(part.renamed for part in (rest, *tools, *messages, *([system] if system else [])))

    def _part(self, value: Any, marks: Callable[[Any], fields.Marks], *at: str | int) -> _Part:
        """The part `at` a place of the body. One that was rewritten before is made of the same values, so it becomes
        the same again."""
        key = word_for((value, marks.__name__, self._in_process))
        part = self._parts.get(key)
        if part is None:
            place = self._place("request", "body", *at)
            given = value if self._first is None else rewrite_value(value, place, self._first)
            rewriter = self._rewriter(marks(given))
            made = rewriter.run(lambda part: rewrite_value(given, place, part))
            part = self._parts[key] = _Part(made, rewriter.renamed)
        return part

    def _response(self, exchange: Exchange) -> Response:
        body = exchange.response.body
        merged = merged_of(body, exchange.api) if self._part_rewriter is PartRewriter else None
        if merged is not None and not self._matcher.asks_personal:
            made = self._answer(exchange, EventsBody(merged.events), merged.rewritten)
            if made.body is not None:
                return made
        return self._answer(exchange, body, partial(rewrite_documents, body))

    def _answer(
        self, exchange: Exchange, body: Body, rewritten: Callable[[Place, PartRewriter, str], Body]
    ) -> Response:
        """The response, its body made by `rewritten` and marked as `body` says."""
        response = exchange.response
        place = self._place("response")
        marks = fields.response_marks(response.headers, body if exchange.api != OPAQUE else None)
        rewriter = self._part_rewriter(self._matcher, self._values, marks)
        rewriter.keeps_words = self._in_process

        def walk(part: PartRewriter) -> Response:
            return msgspec.structs.replace(
                response,
                content_type=rewrite_text(response.content_type, place.child("content_type"), part),
                headers=rewrite_value(response.headers, place.child("headers"), part),
                body=rewritten(place.child("body"), part, exchange.api),
            )

        made = rewriter.run(walk)
        content_type, body = without_boundary(response.content_type, made.content_type, made.body)
        return msgspec.structs.replace(made, content_type=content_type, body=body)


class _Part(NamedTuple):
    """A rewritten part, and whether a member's name changed in it."""

    value: Any
    renamed: bool


def _items(part: Any) -> list[Any]:
    return part if isinstance(part, list) else []


def _unset_or(part: Any, made: list[_Part]) -> Any:
    return [item.value for item in made] if isinstance(part, list) else msgspec.UNSET


def no_marks(value: Any) -> fields.Marks:  # noqa: ARG001
    """Of a part that holds no fields of a provider's own."""
    return {}

"""What an instrumented model call was asked and answered: its step and its exchange read together.

The exchange holds the plain values, as they have been redacted and normalised there; the step what else it takes to
make the program's own objects of them.

| member of the step | the exchange is |
|---|---|
| absent ``arguments`` | the request's body as it is |
| ``{"$py": "asked", "value": SHAPE}`` | the request's body, to be wrapped in SHAPE |
| absent ``result`` | the response's JSON body as it is, or its text |
| ``{"$py": "answer", "value": SHAPE}`` | the response's JSON body, to be wrapped in SHAPE |
| ``{"$py": "answer", "form": "stream", "value": [[COUNT, SHAPE], …], "stream": {…}}``, or with the form ``generator`` |
an event for each item, the next COUNT of them to be wrapped in SHAPE; and the other members of the stream's own tag |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from stepfork.canonical.order import with_order
from stepfork.trace.body import EventsBody, JsonBody, JsonValue, TextBody
from stepfork.trace.exchange import Exchange
from stepfork.trace.step import Step
from stepfork.trace.wrapped import TAG, wrapped

ASKED, ANSWER = "asked", "answer"
STREAMS = ("stream", "generator")
"""Kinds of tags whose items are the events of an exchange."""

_DATA = re.compile(r"(?m)^data: ?(.*)$")


def told_arguments(step: Step, exchanges: Sequence[Exchange]) -> JsonValue | msgspec.UnsetType:
    """The tagged arguments of an instrumented step; UNSET where nothing holds them."""
    exchange = _exchange(step, exchanges)
    return step.arguments if exchange is None else arguments_in(exchange, step.arguments)


def told_result(step: Step, exchanges: Sequence[Exchange]) -> JsonValue | msgspec.UnsetType:
    """The tagged result of an instrumented step; UNSET where nothing holds one. A failed one has what it streamed."""
    exchange = _exchange(step, exchanges)
    if exchange is None or (step.error is not None and _kind(step.result) != ANSWER):
        return step.result
    return result_in(exchange, step.result)


def arguments_in(exchange: Exchange, told: JsonValue | msgspec.UnsetType) -> JsonValue | msgspec.UnsetType:
    """The tagged arguments that a step tells with its exchange."""
    if told is not msgspec.UNSET and _kind(told) != ASKED:
        return told
    body = exchange.request.body
    if not isinstance(body, JsonBody):
        return msgspec.UNSET
    return wrapped(_ordered(body), [] if told is msgspec.UNSET else _list(told.get("value")))


def result_in(exchange: Exchange, told: JsonValue | msgspec.UnsetType) -> JsonValue | msgspec.UnsetType:
    """The tagged result that a step tells with its exchange."""
    body = exchange.response.body
    if told is not msgspec.UNSET and _kind(told) != ANSWER:
        return told
    if told is msgspec.UNSET:
        told = {}
    match told.get("form"), body:
        case None, TextBody(text):
            return text
        case None, EventsBody(events, separator):
            return separator.join(events)
        case ("stream" | "generator") as kind, EventsBody(events):
            own = told.get("stream")
            items = list(_items(events, _list(told.get("value"))))
            return {TAG: kind, "value": items, **(own if isinstance(own, dict) else {})}
        case None, JsonBody():
            return wrapped(_ordered(body), _list(told.get("value")))
    return msgspec.UNSET


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _exchange(step: Step, exchanges: Sequence[Exchange]) -> Exchange | None:
    known = step.exchange is not None and 0 <= step.exchange < len(exchanges)
    return exchanges[step.exchange] if known and step.exchange is not None else None


def _kind(value: Any) -> Any:
    return value.get(TAG) if isinstance(value, dict) else None


def _ordered(body: JsonBody) -> JsonValue:
    return body.value if body.order is None else with_order(body.value, body.order)


def _items(events: Sequence[str], runs: list[Any]) -> Iterator[JsonValue]:
    """What the stream's events spell; one that spells nothing is an empty text."""
    at = 0
    for row in runs:
        if not (isinstance(row, list) and len(row) == 2 and type(row[0]) is int and isinstance(row[1], list)):
            continue
        for event in events[at : at + row[0]]:
            yield wrapped(_data(event), row[1])
        at += row[0]


def _data(event: str) -> JsonValue:
    try:
        return json.loads("\n".join(_DATA.findall(event)))
    except ValueError:
        return ""

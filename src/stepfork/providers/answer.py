"""What a model answered, read from the body or the event stream of any of the three APIs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from stepfork.providers.answer_chat import join_chat, read_chat
from stepfork.providers.answer_messages import join_messages, read_messages
from stepfork.providers.answer_other import usage_and_cost
from stepfork.providers.answer_responses import join_responses, read_responses
from stepfork.providers.apis import asks_for_stream
from stepfork.providers.calls import Answer, Outcome
from stepfork.providers.failures import MESSAGE_LIMIT, failed_response, failure_in
from stepfork.providers.legible import legible
from stepfork.providers.sse import SseEvent, events_of, json_data
from stepfork.providers.streams import is_error_object
from stepfork.trace.body import Body, EventsBody
from stepfork.trace.exchange import IN_PROCESS, Exchange
from stepfork.trace.step import StepError

UNREADABLE = "unreadable_answer"
"""The error type of a success status whose body is not an answer of its API, as an SDK would fail on it."""

_Read = Callable[[dict[str, Any]], Answer | None]
_Join = Callable[[Iterable[Any]], tuple[dict[str, Any], bool]]
_APIS: dict[str, tuple[_Read, _Join]] = {
    "chat_completions": (read_chat, join_chat),
    "responses": (read_responses, join_responses),
    "messages": (read_messages, join_messages),
}


def answer_of(exchange: Exchange) -> Answer:
    """The answer of an exchange; for an ``other`` API an empty one whose outcome is the status. Never raises.

    Nothing is called ok that was not seen to be: a stream needs its last event, and a body the shape of its API.
    """
    response = exchange.response
    if not response.status:  # the agent left before there was any
        return Answer(outcome="unfinished")
    if not 200 <= response.status < 300:
        return Answer(outcome="error", error=failed_response(response.status, response.body))
    broken = response.ending in ("truncated", "reset", "unreadable")
    if exchange.api not in _APIS:
        outcome: Outcome = "unfinished" if response.ending != "complete" else "ok"
        if exchange.request.method != IN_PROCESS:
            return Answer(outcome=outcome)
        usage, cost = usage_and_cost(_said(response.body))
        return Answer(outcome=outcome, usage=usage, cost_usd=cost)
    read, join = _APIS[exchange.api]
    if isinstance(response.body, EventsBody):
        return _read_stream(response.body, read, join, broken=broken)
    if broken or response.ending == "client_closed" or (response.body is None and asks_for_stream(exchange.request)):
        return Answer(outcome="unfinished")
    value = legible(response.body)
    answer = read(value) if isinstance(value, dict) else None
    return answer or Answer(outcome="error", error=StepError(UNREADABLE))


def _said(body: Body) -> list[Any]:
    return [json_data(event) for event in events_of(body)] if isinstance(body, EventsBody) else [legible(body)]


def _read_stream(body: EventsBody, read: _Read, join: _Join, *, broken: bool) -> Answer:
    events = events_of(body)
    values = [json_data(event) for event in events]
    joined, finished = join(values)
    answer = read(joined) or Answer()
    failed = next((error for pair in zip(events, values, strict=True) if (error := _failure(*pair))), None)
    if answer.outcome == "error" or failed:
        return msgspec.structs.replace(answer, outcome="error", error=failed or answer.error)
    done = finished or any(event.data is not None and event.data.strip() == "[DONE]" for event in events)
    return answer if done and not broken else msgspec.structs.replace(answer, outcome="unfinished")


def _failure(event: SseEvent, value: Any) -> StepError | None:
    """The error that one event tells of, in the shape of any API: gateways put their own into the stream."""
    if isinstance(value, dict) and (event.name == "error" or value.get("type") == "error" or is_error_object(value)):
        return failure_in(value, "error")
    if event.name == "error":
        return StepError("error", (event.data or "")[:MESSAGE_LIMIT])
    return None

"""An instrumented model call as an exchange: what was asked and answered in process, in the form it has on the wire."""

from __future__ import annotations

import json
from typing import Any, TypeGuard

import msgspec

from stepfork.canonical.order import order_of
from stepfork.capture.told_api import api_of_answer
from stepfork.providers.apis import MODEL_APIS
from stepfork.providers.paths import PATHS
from stepfork.trace.body import Body, EventsBody, JsonBody, JsonValue, TextBody
from stepfork.trace.call import Call, Outcome
from stepfork.trace.exchange import IN_PROCESS, Exchange, Request, Response
from stepfork.trace.in_process import ANSWER, ASKED, STREAMS
from stepfork.trace.stream import SEPARATOR, cut_events
from stepfork.trace.wrapped import TAG, Shape, unwrapped

_NAMED = frozenset({"responses", "messages"})
"""APIs whose events say their type in a line of its own."""
_PROVIDERS = {"chat_completions": "openai", "responses": "openai", "messages": "anthropic"}
_ENDS_WITH_DONE = frozenset({"chat_completions"})


class ToldExchange(msgspec.Struct, frozen=True):
    """An exchange, and what of the call it does not hold: tagged ``arguments`` and ``result`` of the step, UNSET where
    the exchange says all (see ``stepfork.trace.in_process``)."""

    exchange: Exchange
    arguments: JsonValue | msgspec.UnsetType = msgspec.UNSET
    result: JsonValue | msgspec.UnsetType = msgspec.UNSET


def told_exchange(call: Call) -> ToldExchange:
    """The exchange of a model call. An error has the status that the exception names, else 500; a call that never
    ended has none."""
    asked = call.asked
    body, shape = unwrapped(asked.arguments)
    outcome = call.outcome
    answered = msgspec.UNSET if outcome is None else outcome.result
    api = asked.api if asked.api in MODEL_APIS else api_of_answer(body, answered)
    request = Request(
        method=IN_PROCESS,
        path=PATHS.get(api, f"/{asked.name}"),
        content_type="application/json",
        body=JsonBody(body),
    )
    response, result = _response(outcome, api)
    return ToldExchange(
        Exchange(asked.provider or _PROVIDERS.get(api, "python"), api, request, response),
        {TAG: ASKED, "value": shape} if shape else msgspec.UNSET,
        result,
    )


def _json(value: JsonValue) -> JsonBody:
    return JsonBody(value, order_of(value))


def _response(outcome: Outcome | None, api: str) -> tuple[Response, JsonValue | msgspec.UnsetType]:
    if outcome is None:
        return Response(status=0, ending="reset"), msgspec.UNSET
    if outcome.error is not None and _is_stream(outcome.result) and outcome.result["value"]:
        return _stream(outcome.result, api, failed=True)
    if outcome.error is not None:
        told = {"error": {"type": outcome.error.type, "message": outcome.error.message}}
        return Response(_status(outcome.raised), "application/json", {}, _json(told)), msgspec.UNSET
    value = None if outcome.result is msgspec.UNSET else outcome.result
    if _is_stream(value):
        return _stream(value, api, failed=False)
    if isinstance(value, str):
        body: Body = EventsBody(*_cut(value)) if value.startswith(("data:", "event:")) else TextBody(value)
        return Response(200, "text/event-stream" if isinstance(body, EventsBody) else "", {}, body), msgspec.UNSET
    plain, shape = unwrapped(value)
    told_shape: Any = {TAG: ANSWER, "value": shape} if shape else msgspec.UNSET
    return Response(200, "application/json", {}, _json(plain)), told_shape


def _is_stream(result: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(result, dict) and result.get(TAG) in STREAMS and isinstance(result.get("value"), list)


def _cut(text: str) -> tuple[tuple[str, ...], str]:
    events, separator = cut_events(text)
    return tuple(events), separator


def _stream(tag: dict[str, Any], api: str, *, failed: bool) -> tuple[Response, JsonValue]:
    """Each item is an event. Items of one shape, one after the other, are told together: how many, and the shape."""
    events: list[str] = []
    runs: list[tuple[int, Shape]] = []
    for item in tag["value"]:
        plain, shape = unwrapped(item)
        events.append(_event(plain, api))
        if runs and runs[-1][1] == shape:
            runs[-1] = (runs[-1][0] + 1, shape)
        else:
            runs.append((1, shape))
    others = {name: held for name, held in tag.items() if name not in (TAG, "value")}
    if api in _ENDS_WITH_DONE and not failed:
        events.append("data: [DONE]")
    body = EventsBody((*events, ""), SEPARATOR)
    told: dict[str, Any] = {TAG: ANSWER, "form": tag[TAG], "value": [[count, shape] for count, shape in runs]}
    if others:
        told["stream"] = others
    ending = "reset" if failed else "complete"
    return Response(200, "text/event-stream", {}, body, ending), told  # type: ignore[arg-type]  # a literal


def _event(plain: JsonValue, api: str) -> str:
    line = "data: " + json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    name = plain.get("type") if isinstance(plain, dict) and api in _NAMED else None
    return "\n".join(["event: " + name, line]) if isinstance(name, str) else line


def _status(raised: Any) -> int:
    """The HTTP status that an exception holds, as the SDKs' own do; else 500."""
    waiting = [raised]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            found = node.get("status_code")
            if type(found) is int and 400 <= found < 600:
                return found
            waiting.extend(held for held in node.values() if isinstance(held, dict))
    return 500

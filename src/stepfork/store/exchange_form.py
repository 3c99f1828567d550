"""An exchange as a document and back.

The document holds what the call added: the appended messages, the other request fields, the response. What it shares
with earlier calls (messages kept, system prompt, tools) is named by the manifest, so that an edited prompt leaves the
documents of fifty calls alone. It is flat, and what is as usual is left out: deep indentation and repeated headers
were a quarter of its bytes.
"""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from stepfork.canonical.order import with_order
from stepfork.errors import CanonicalError, DamagedError
from stepfork.providers.split import RequestParts, join_request, split_request
from stepfork.store.shapes import member, only
from stepfork.trace.body import Body, JsonBody
from stepfork.trace.exchange import Ending, Exchange, Request, Response
from stepfork.trace.wire import body_from_json, body_to_json

Part = Any
"""A JSON value, or UNSET for a part that a request does not have."""

_REQUEST_BODY = {
    "json": "request",
    "text": "request_text",
    "reason": "request_reason",
    "base64": "request_base64",
    "events": "request_events",
    "separator": "request_separator",
}
_RESPONSE_BODY = {
    "json": "response",
    "order": "response_order",
    "text": "response_text",
    "reason": "response_reason",
    "base64": "response_base64",
    "events": "events",
    "separator": "separator",
}
_PARTS = ("messages", "system", "tools")
_OTHER = ("api", "ending", "headers", "method", "path", "provider", "query", "request_type", "response_type", "status")
_MEMBERS = frozenset((*_REQUEST_BODY.values(), *_RESPONSE_BODY.values(), *_PARTS, *_OTHER))
_USUAL_TYPE = {"json": "application/json", "events": "text/event-stream"}


def parts_of(exchange: Exchange) -> RequestParts | None:
    """The parts of a request whose body is a JSON object, None for any other."""
    body = exchange.request.body
    if isinstance(body, JsonBody) and isinstance(body.value, dict):
        return split_request(exchange.api, body.value)
    return None


def exchange_document(exchange: Exchange, parts: RequestParts | None, kept: int) -> dict[str, Any]:
    """The document of an exchange that continues `kept` messages; `parts` are those to be held in the document."""
    request, response = exchange.request, exchange.response
    asked = body_to_json(request.body) or {}
    asked.pop("order", None)
    answered = body_to_json(response.body) or {}
    document: dict[str, Any] = {"api": exchange.api, "provider": exchange.provider, "path": request.path}
    document |= _named(asked, _REQUEST_BODY) | _named(answered, _RESPONSE_BODY)
    if parts is not None:
        document["request"] = parts.rest
        shared = {"system": parts.system, "tools": parts.tools}
        document |= {name: part for name, part in shared.items() if part is not msgspec.UNSET}
        if parts.messages is not msgspec.UNSET:
            document["messages"] = parts.messages[kept:]
    unusual: tuple[tuple[str, Any, Any], ...] = (
        ("method", request.method, "POST"),
        ("query", request.query, ""),
        ("request_type", request.content_type, _usual_type(asked)),
        ("status", response.status, 200),
        ("response_type", response.content_type, _usual_type(answered)),
        ("headers", response.headers, {}),
        ("ending", response.ending, "complete"),
    )
    return document | {name: value for name, value, usual in unusual if value != usual}


def read_exchange(document: Any, kept: list[Any], system: Part, tools: Part) -> tuple[Exchange, list[Any] | None]:
    """The exchange of a document, and its whole conversation (None where it has none).

    `kept` are the messages continued; `system` and `tools` the parts that the manifest names. Raises DamagedError.
    """
    only(document, _MEMBERS)
    api = member(document, "api", str)
    asked = _unnamed(document, _REQUEST_BODY)
    answered = _unnamed(document, _RESPONSE_BODY)
    body, messages = _request_body(document, asked, kept, system=system, tools=tools)
    headers = member(document, "headers", dict, {})
    ending = member(document, "ending", str, "complete")
    if not all(isinstance(value, str) for value in headers.values()) or ending not in get_args(Ending):
        raise DamagedError("a response is of a wrong type")
    request = Request(
        method=member(document, "method", str, "POST"),
        path=member(document, "path", str),
        query=member(document, "query", str, ""),
        content_type=member(document, "request_type", str, _usual_type(asked)),
        body=body,
    )
    response = Response(
        status=member(document, "status", int, 200),
        content_type=member(document, "response_type", str, _usual_type(answered)),
        headers=headers,
        body=_body(answered),
        ending=ending,  # type: ignore[arg-type]  # one of the endings: it was looked up
    )
    return Exchange(member(document, "provider", str), api, request, response), messages


def _request_body(
    document: dict[str, Any], asked: dict[str, Any], kept: list[Any], *, system: Part, tools: Part
) -> tuple[Body, list[Any] | None]:
    rest = asked.get("json")
    if not isinstance(rest, dict):
        if kept or not (system is tools is msgspec.UNSET) or not document.keys().isdisjoint(_PARTS):
            raise DamagedError("a request that is not a JSON object has parts of one")
        return _body(asked), None
    if asked.keys() != {"json"}:
        raise DamagedError("a request has more than one body")
    messages: Any = msgspec.UNSET
    if "messages" in document:
        messages = [*kept, *member(document, "messages", list)]
    elif kept:
        raise DamagedError("a request without messages continues some")
    api = document["api"]
    parts = RequestParts(
        rest,
        system=_either(document, "system", system),
        tools=_either(document, "tools", tools),
        messages=messages,
    )
    if api == "chat_completions" and not isinstance(parts.system, list | msgspec.UnsetType):
        raise DamagedError("a system prompt is of a wrong type")
    return JsonBody(join_request(api, parts)), None if messages is msgspec.UNSET else messages


def _either(document: dict[str, Any], name: str, named: Part) -> Part:
    if name in document and named is not msgspec.UNSET:
        raise DamagedError(f"a request has its {name} twice")
    return document.get(name, named)


def _body(stored: dict[str, Any]) -> Body:
    try:
        body = body_from_json(stored or None)
        if isinstance(body, JsonBody) and body.order is not None:
            with_order(body.value, body.order)
    except CanonicalError as error:
        raise DamagedError(error.what) from None
    return body


def _named(stored: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {names[kind]: value for kind, value in stored.items()}


def _unnamed(document: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {kind: document[name] for kind, name in names.items() if name in document}


def _usual_type(stored: dict[str, Any]) -> str:
    return next((usual for kind, usual in _USUAL_TYPE.items() if kind in stored), "")

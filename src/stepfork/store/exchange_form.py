"""An exchange as a document and back.

The document holds what the call added: the appended messages, the other request fields, the response. What it shares
with earlier calls (messages kept, system prompt, tools) is named by the manifest, so that an edited prompt leaves the
documents of fifty calls alone.
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

_BODY = ("json", "order", "text", "reason", "base64", "events", "separator")
_REQUEST = ("method", "path", "query", "content_type", "messages", "system", "tools", *_BODY)
_RESPONSE = ("status", "content_type", "headers", "ending", *_BODY)


def parts_of(exchange: Exchange) -> RequestParts | None:
    """The parts of a request whose body is a JSON object, None for any other."""
    body = exchange.request.body
    if isinstance(body, JsonBody) and isinstance(body.value, dict):
        return split_request(exchange.api, body.value)
    return None


def exchange_document(exchange: Exchange, parts: RequestParts | None, kept: int) -> dict[str, Any]:
    """The document of an exchange that continues `kept` messages; `parts` are those to be held in the document."""
    request, response = exchange.request, exchange.response
    asked: dict[str, Any] = {"method": request.method, "path": request.path}
    _put(asked, query=request.query, content_type=request.content_type)
    if parts is None:
        asked |= _body_members(request.body)
        asked.pop("order", None)
    else:
        asked["json"] = parts.rest
        shared = {"system": parts.system, "tools": parts.tools}
        asked |= {name: part for name, part in shared.items() if part is not msgspec.UNSET}
        if parts.messages is not msgspec.UNSET:
            asked["messages"] = parts.messages[kept:]
    answered: dict[str, Any] = {"status": response.status} | _body_members(response.body)
    _put(answered, content_type=response.content_type, headers=response.headers)
    if response.ending != "complete":
        answered["ending"] = response.ending
    return {"api": exchange.api, "provider": exchange.provider, "request": asked, "response": answered}


def read_exchange(document: Any, kept: list[Any], system: Part, tools: Part) -> tuple[Exchange, list[Any] | None]:
    """The exchange of a document, and its whole conversation (None where it has none).

    `kept` are the messages continued; `system` and `tools` the parts that the manifest names. Raises DamagedError.
    """
    only(document, ("api", "provider", "request", "response"))
    api = member(document, "api", str)
    asked = only(document.get("request"), _REQUEST)
    answered = only(document.get("response"), _RESPONSE)
    body, messages = _request_body(api, asked, kept, system, tools)
    request = Request(
        method=member(asked, "method", str),
        path=member(asked, "path", str),
        query=member(asked, "query", str, ""),
        content_type=member(asked, "content_type", str, ""),
        body=body,
    )
    headers = member(answered, "headers", dict, {})
    ending = member(answered, "ending", str, "complete")
    if not all(isinstance(value, str) for value in headers.values()) or ending not in get_args(Ending):
        raise DamagedError("a response is of a wrong type")
    response = Response(
        status=member(answered, "status", int),
        content_type=member(answered, "content_type", str, ""),
        headers=headers,
        body=_body(answered),
        ending=ending,  # type: ignore[arg-type]  # one of the endings: it was looked up
    )
    return Exchange(member(document, "provider", str), api, request, response), messages


def _request_body(
    api: str, asked: dict[str, Any], kept: list[Any], system: Part, tools: Part
) -> tuple[Body, list[Any] | None]:
    rest = asked.get("json")
    if not isinstance(rest, dict):
        if kept or not (system is tools is msgspec.UNSET) or asked.keys() & {"messages", "system", "tools"}:
            raise DamagedError("a request that is not a JSON object has parts of one")
        return _body(asked), None
    if asked.keys() & set(_BODY) != {"json"}:
        raise DamagedError("a request has more than one body")
    messages: Any = msgspec.UNSET
    if "messages" in asked:
        messages = [*kept, *member(asked, "messages", list)]
    elif kept:
        raise DamagedError("a request without messages continues some")
    parts = RequestParts(
        rest,
        system=_either(asked, "system", system),
        tools=_either(asked, "tools", tools),
        messages=messages,
    )
    if api == "chat_completions" and not isinstance(parts.system, list | msgspec.UnsetType):
        raise DamagedError("a system prompt is of a wrong type")
    return JsonBody(join_request(api, parts)), None if messages is msgspec.UNSET else messages


def _either(asked: dict[str, Any], name: str, named: Part) -> Part:
    if name in asked and named is not msgspec.UNSET:
        raise DamagedError(f"a request has its {name} twice")
    return asked.get(name, named)


def _body(members: dict[str, Any]) -> Body:
    stored = {name: members[name] for name in _BODY if name in members}
    try:
        body = body_from_json(stored or None)
        if isinstance(body, JsonBody) and body.order is not None:
            with_order(body.value, body.order)
    except CanonicalError as error:
        raise DamagedError(error.what) from None
    return body


def _body_members(body: Body) -> dict[str, Any]:
    stored = body_to_json(body)
    return {} if stored is None else dict(stored)


def _put(document: dict[str, Any], **members: Any) -> None:
    document.update({name: value for name, value in members.items() if value})

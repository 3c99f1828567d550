"""A request in the one form in which requests are compared, whatever API it speaks.

Nothing of a body is lost: two bodies have equal forms only where they differ in no more than

- the order of members, and the order of tools of different names
- ``cache_control`` of the body, of a tool, of a message or of a content block
- a string for a content that is a lone text block of that text, and the reverse
- null for an absent ``content`` (of a message or result), and the reverse
- Responses: a string for an input of one user message; the type ``message`` of a message, which may be left out
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from stepfork.providers.normal_chat import chat_message
from stepfork.providers.normal_content import is_lone_text, read_block, without_cache_control
from stepfork.providers.normal_form import NormalMessage, NormalRequest
from stepfork.providers.normal_messages import anthropic_message
from stepfork.providers.normal_responses import responses_item
from stepfork.providers.normal_tools import tools_by_name
from stepfork.providers.shapes import is_list_of_dicts
from stepfork.providers.split import RequestParts, split_request
from stepfork.trace.body import Body, JsonBody, JsonValue
from stepfork.trace.exchange import Exchange, Request

_ReadMessage = Callable[[dict[str, Any], dict[str, str]], NormalMessage]
_APIS: dict[str, tuple[_ReadMessage, str]] = {
    "chat_completions": (chat_message, "/chat/completions"),
    "responses": (responses_item, "/responses"),
    "messages": (anthropic_message, "/messages"),
}


def normal_request(exchange: Exchange) -> NormalRequest:
    """The normal form of an exchange's request. An API that is not known is wholly under ``other``, but for a call that
    was told in process with a list of messages: those read like the most common ones."""
    request, api = exchange.request, exchange.api
    body = request.body
    if api not in _APIS and exchange.in_process and isinstance(body, JsonBody) and _has_messages(body.value):
        api = "chat_completions"
    if api not in _APIS:
        return NormalRequest(other={"method": request.method, **_where(request), **_whole(body)})
    read, path = _APIS[api]
    other: dict[str, JsonValue] = _where(request)
    if request.path in (path, f"/v1{path}"):
        del other["path"]
    if not (isinstance(body, JsonBody) and isinstance(body.value, dict)):
        return NormalRequest(other=other | _whole(body))
    value = without_cache_control(body.value)
    model = value.pop("model") if isinstance(value.get("model"), str) else None
    parts = split_request(api, _spelled_out(api, value))
    names: dict[str, str] = {}
    messages = () if parts.messages is msgspec.UNSET else tuple(read(item, names) for item in parts.messages)
    if not messages and parts.messages is not msgspec.UNSET:
        other["messages"] = []
    tools, others = ({}, []) if parts.tools is msgspec.UNSET else tools_by_name(parts.tools)
    if others or (not tools and parts.tools is not msgspec.UNSET):
        other["tools"] = others
    system, shape = _system(api, parts)
    if shape is not None:
        other["system"] = shape
    return NormalRequest(model, parts.rest, system, tools, messages, other)


def _has_messages(value: JsonValue) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else None
    return bool(messages) and is_list_of_dicts(messages)


def _where(request: Request) -> dict[str, JsonValue]:
    return {"path": request.path} | ({"query": request.query} if request.query else {})


def _whole(body: Body) -> dict[str, JsonValue]:
    if body is None:
        return {}
    if isinstance(body, JsonBody):
        return {"body": {"json": body.value}}
    from stepfork.trace.wire import body_to_json

    return {"body": body_to_json(body)}


def _spelled_out(api: str, value: dict[str, Any]) -> dict[str, Any]:
    if api == "responses" and isinstance(value.get("input"), str):
        return value | {"input": [{"role": "user", "content": value["input"]}]}
    return value


def _system(api: str, parts: RequestParts) -> tuple[tuple[str, ...], JsonValue]:
    """The texts of the system prompt, and the shape of its messages or blocks where these are not plain."""
    system = parts.system
    if system is msgspec.UNSET:
        return (), None
    if isinstance(system, str):
        return (system,), None
    if api == "chat_completions":
        told = [chat_message(message, {}) for message in system]
        plain = all(message == NormalMessage("system", message.text) for message in told)
        return tuple(message.text for message in told), None if plain else [_besides(message) for message in told]
    texts: list[str] = []
    shape = [read_block(block, texts) for block in system]
    plain = bool(shape) and (all(entry == "text" for entry in shape) or is_lone_text(shape))
    return tuple(texts), None if plain else shape


def _besides(message: NormalMessage) -> JsonValue:
    told = msgspec.to_builtins(message)
    del told["text"]
    return told

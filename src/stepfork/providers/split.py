"""A request body cut into the parts that are stored apart, and put together again.

A conversation's calls repeat their system prompt, their tool schemas and all messages so far; what is left is small.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from stepfork.providers.shapes import is_list_of_dicts
from stepfork.trace.body import JsonValue

SYSTEM_ROLES = frozenset({"system", "developer"})
"""Roles of Chat Completions messages that hold the author's instructions."""


class RequestParts(msgspec.Struct, frozen=True):
    """A part that is UNSET is absent from the body. What has another type than the API documents stays in ``rest``.

    ``system`` of Chat Completions is the leading run of system and developer messages (a list, never empty), of
    Responses the string ``instructions``, of Messages the string or list ``system``. ``messages`` are the messages
    after those (Responses: the items of ``input``); ``tools`` is the list of tools.
    """

    rest: dict[str, JsonValue]
    system: JsonValue | msgspec.UnsetType = msgspec.UNSET
    tools: JsonValue | msgspec.UnsetType = msgspec.UNSET
    messages: list[Any] | msgspec.UnsetType = msgspec.UNSET


class Places(NamedTuple):
    """Where parts stand in the body: the members that hold `system` and `messages`, and which item of its list the
    first message is."""

    system: str
    messages: str
    first_message: int


def split_request(api: str, body: dict[str, JsonValue]) -> RequestParts:
    """The parts of a request body of `api`; ``join_request`` is the exact inverse. `body` is not changed."""
    rest = dict(body)
    system: JsonValue | msgspec.UnsetType = msgspec.UNSET
    tools: JsonValue | msgspec.UnsetType = msgspec.UNSET
    messages: list[Any] | msgspec.UnsetType = msgspec.UNSET
    if isinstance(body.get("tools"), list):
        tools = rest.pop("tools")
    name = _messages_name(api)
    if is_list_of_dicts(body.get(name)):
        messages = list(rest.pop(name))
    if api == "chat_completions" and messages is not msgspec.UNSET:
        count = _leading_system(messages)
        if count:
            system, messages = messages[:count], messages[count:]
    elif api == "responses" and isinstance(body.get("instructions"), str):
        system = rest.pop("instructions")
    elif api == "messages" and isinstance(body.get("system"), str | list):
        system = rest.pop("system")
    return RequestParts(rest, system, tools, messages)


def join_request(api: str, parts: RequestParts) -> dict[str, JsonValue]:
    """The request body that was split into `parts`, equal in value and type (the order of members is not kept)."""
    body = dict(parts.rest)
    messages = parts.messages
    if parts.system is not msgspec.UNSET:
        if api == "chat_completions":
            messages = [*parts.system, *([] if messages is msgspec.UNSET else messages)]
        else:
            body["instructions" if api == "responses" else "system"] = parts.system
    if messages is not msgspec.UNSET:
        body[_messages_name(api)] = messages
    if parts.tools is not msgspec.UNSET:
        body["tools"] = parts.tools
    return body


def places_in(api: str, parts: RequestParts) -> Places:
    """Where the parts of a request body of `api` stood before it was split."""
    messages = _messages_name(api)
    if api == "chat_completions":
        return Places(messages, messages, len(parts.system) if isinstance(parts.system, list) else 0)
    return Places("instructions" if api == "responses" else "system", messages, 0)


def _messages_name(api: str) -> str:
    return "input" if api == "responses" else "messages"


def _leading_system(messages: list[Any]) -> int:
    roles = (message.get("role") for message in messages)
    return next((i for i, role in enumerate(roles) if not _is_system(role)), len(messages))


def _is_system(role: JsonValue) -> bool:
    return isinstance(role, str) and role in SYSTEM_ROLES

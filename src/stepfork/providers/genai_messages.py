"""What a span repeats of the conversation: needed only where no exchange was recorded beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from stepfork.providers.calls import ToolCall
from stepfork.providers.genai_values import exact_value
from stepfork.providers.shapes import dict_of, dicts_in, json_text, str_of
from stepfork.trace.body import JsonValue
from stepfork.trace.span import Span

_INPUTS = ("gen_ai.input.messages", "gen_ai.prompt", "pydantic_ai.all_messages", "all_messages_events")
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "pydantic_ai.all_messages", "all_messages_events")


class Said(msgspec.Struct, frozen=True):
    """``calls`` the model asked for, ``answered`` the ids of the calls whose results it was given (in order), ``own``
    those of calls whose results its answer has: its provider ran them. ``first_user`` and ``last_text`` are the first
    text of a user and the last of the model ('' where there is none)."""

    calls: tuple[ToolCall, ...] = ()
    answered: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    first_user: str = ""
    last_text: str = ""


def said(span: Span) -> Said:
    """What the messages in a span's attributes and events say, in whichever of the known forms they are."""
    given = _messages(span, _INPUTS) or [*_events(span, given=True)]
    made = _messages(span, _OUTPUTS) or [*_events(span, given=False)]
    users = (text for message in given if message.get("role") == "user" if (text := _text(message)))
    texts = [text for message in made if message.get("role") in (None, "assistant") if (text := _text(message))]
    return Said(
        calls=tuple(call for message in made for call in _calls(message)),
        answered=tuple(name for message in given for name in _answered(message)),
        own=tuple(name for message in made for name in _answered(message)),
        first_user=next(users, ""),
        last_text=texts[-1] if texts else "",
    )


def _messages(span: Span, names: tuple[str, ...]) -> list[dict[str, Any]]:
    return next((found for name in names if (found := _read(span.attributes.get(name)))), [])


def _read(value: JsonValue) -> list[dict[str, Any]]:
    value = exact_value(value) if isinstance(value, str) else value
    if isinstance(value, dict):
        held = value.get("messages", value.get("choices"))
        value = held if isinstance(held, list) else [value]
    return [_opened(message) for message in dicts_in(value)]


def _opened(message: dict[str, Any]) -> dict[str, Any]:
    inner = message.get("message")
    return inner if isinstance(inner, dict) else message


def _events(span: Span, *, given: bool) -> Iterator[dict[str, Any]]:
    """Messages as events: ``gen_ai.user.message`` and the like, ``gen_ai.choice`` for the answer, and the details
    event that carries the attributes of the current conventions."""
    for event in span.events:
        if event.name == "gen_ai.client.inference.operation.details":
            yield from _read(event.attributes.get("gen_ai.input.messages" if given else "gen_ai.output.messages"))
        elif (event.name == "gen_ai.choice") is not given and event.name.startswith("gen_ai."):
            role = "assistant" if not given else event.name.split(".")[1]
            body = {name: exact_value(v) if isinstance(v, str) else v for name, v in event.attributes.items()}
            yield {"role": role} | _opened(body)


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    parts = dicts_in(message.get("parts"))
    return parts or dicts_in(message.get("content"))


def _text(message: dict[str, Any]) -> str:
    content = message.get("content", message.get("text"))
    if isinstance(content, str):
        return content
    texts = (str_of(part.get("content")) or str_of(part.get("text")) for part in _parts(message) if _is_text(part))
    return "\n\n".join(text for text in texts if text)


def _is_text(part: dict[str, Any]) -> bool:
    return part.get("type") in (None, "text", "output_text", "input_text")


def _calls(message: dict[str, Any]) -> Iterator[ToolCall]:
    for part in _parts(message):
        if part.get("type") in ("tool_call", "tool_use", "function_call"):
            yield _call(part, part.get("arguments", part.get("input")))
    for call in dicts_in(message.get("tool_calls")):
        function = dict_of(call.get("function"))
        yield (
            _call(function | {"id": call.get("id")}, function.get("arguments"))
            if function
            else _call(call, call.get("arguments", call.get("args")))
        )


def _call(holder: dict[str, Any], arguments: JsonValue) -> ToolCall:
    text = arguments if isinstance(arguments, str) else json_text(arguments)
    return ToolCall(str_of(holder.get("id")), str_of(holder.get("name")), text)


def _answered(message: dict[str, Any]) -> Iterator[str]:
    names = [message.get("tool_call_id"), message.get("id") if message.get("role") == "tool" else None]
    for part in _parts(message):
        if part.get("type") in ("tool_call_response", "tool_result"):
            names += [part.get("id"), part.get("tool_use_id")]
    yield from (name for name in names if isinstance(name, str) and name)

"""The tools that a recorded answer asks for, whichever way a client may read it.

A fixture is untrusted, and this is what stands between it and the tools that run. An answer that says nothing to a
careful reader (text in place of JSON, members of the same name, another encoding, lines that end in another way, a
second choice) may say something to an SDK, so each reading counts: one tool too many in a list costs a word, one too
few runs what nobody allowed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from stepfork.providers.answer import answer_of
from stepfork.providers.answer_chat import join_chat
from stepfork.providers.apis import MODEL_APIS, OPAQUE
from stepfork.providers.shapes import dict_of, dicts_in, str_of
from stepfork.providers.sse import events_of, json_data
from stepfork.trace.body import Body, EventsBody, JsonBody
from stepfork.trace.exchange import Exchange
from stepfork.trace.wire import body_bytes, read_events

_CALLS = ("tool_calls", "toolCalls", "functionCall", "function_call", "toolUse", "tool_use", "tool_call", "toolCall")
_NAME = re.compile(r'"name"\s*:\s*("(?:[^"\\]|\\.)*")')


def asked_tools(exchange: Exchange) -> Iterator[str]:
    """The names of the tools that an answer of a model asks for, one for each call in each reading. What is behind an
    opaque route may be a model too, whose words for a call are looked for anywhere."""
    if exchange.api == OPAQUE:
        for reading in _readings(exchange.response.body):
            yield from (name for value in _values(reading) for name in _called(value))
    if exchange.api not in MODEL_APIS:
        return
    for reading in _readings(exchange.response.body):
        for body in _choices(exchange.api, reading):
            response = msgspec.structs.replace(exchange.response, status=200, ending="complete", body=body)
            answer = answer_of(msgspec.structs.replace(exchange, response=response))
            yield from (call.name for call in answer.tool_calls)
    yield from _buried(exchange.response.body)


def _readings(body: Body) -> Iterator[Body]:
    """The body as it is, and as a client reads it that looks at its bytes alone."""
    yield body
    if body is None or isinstance(body, JsonBody):
        return
    data = body_bytes(body)
    value = _parsed(data)
    if value is not None:
        yield JsonBody(value)
    text = data.decode("utf-8", "replace")
    if "data:" in text:
        yield read_events(text)
        yield read_events("\n".join(text.splitlines()))  # at every line end that Python knows, as some clients do


def _values(body: Body) -> Iterator[Any]:
    if isinstance(body, JsonBody):
        yield body.value
    elif isinstance(body, EventsBody):
        yield from map(json_data, events_of(body))


def _called(value: Any) -> Iterator[str]:
    """The names that stand where one of the usual APIs has those of calls: Gemini's ``functionCall``, Converse's
    ``toolUse``, ``tool_calls`` with or without a ``function``, and items that are called calls."""
    waiting = [value]
    while waiting:
        at = waiting.pop()
        if isinstance(at, list):
            waiting.extend(at)
        if not isinstance(at, dict):
            continue
        waiting.extend(at.values())
        calls = [at] if at.get("type") in _CALLS else []
        for word in _CALLS:
            calls += [dict_of(at.get(word)), *dicts_in(at.get(word))]
        for call in calls:
            names = (str_of(call.get("name")), str_of(dict_of(call.get("function")).get("name")))
            yield from filter(None, names)


def _choices(api: str, body: Body) -> Iterator[Body]:
    """An answer of several choices as several answers."""
    if api != "chat_completions":
        yield body
        return
    if isinstance(body, EventsBody):
        value: Any = join_chat(map(json_data, events_of(body)))[0]
    else:
        value = body.value if isinstance(body, JsonBody) else None
    for choice in dicts_in(dict_of(value).get("choices")):
        yield JsonBody({"choices": [choice]})


def _buried(body: Body) -> Iterator[str]:
    """All names in what nests too deep to be read here, which other languages may read."""
    if body is None or isinstance(body, JsonBody):
        return
    data = body_bytes(body)
    text = data.decode("utf-8", "replace")
    pieces = [event.data or "" for event in events_of(read_events(text))] if "data:" in text else [text]
    if any(_is_too_deep(piece) for piece in pieces):
        yield from (name for quoted in _NAME.findall(text) if isinstance(name := _parsed(quoted), str))


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_too_deep(text: str) -> bool:
    try:
        json.loads(text)
    except RecursionError:
        return True
    except ValueError:
        return False
    return False

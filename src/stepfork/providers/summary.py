"""What an exchange added to its conversation, one line each: the story that a reviewer reads in a manifest."""

from __future__ import annotations

import json
from typing import Any

from stepfork.providers.answer import answer_of
from stepfork.providers.apis import MODEL_APIS
from stepfork.providers.calls import Answer, ToolCall
from stepfork.providers.lines import MAX_LINE, clean_line
from stepfork.providers.normal import normal_request
from stepfork.providers.normal_form import NormalMessage
from stepfork.providers.shapes import dict_of, json_text, list_of, str_of
from stepfork.trace.body import Body, EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange

_LEAST = 16  # characters that a piece gets however many there are; the last ones are cut away
_JSON_LIMIT = 100_000  # a longer text is shown by its beginning, which needs no parsing


def says(exchange: Exchange, kept: int) -> tuple[str, ...]:
    """One line for each message after the first `kept` of the conversation, and one for the answer.

    Every line is at most 120 characters, without control characters, the same for the same exchange. The system
    prompt has no line: the manifest names its object. An API that is not known has one line: what was asked, and the
    status.
    """
    if exchange.in_process and exchange.api not in MODEL_APIS:
        return _told_lines(exchange, kept)
    if exchange.api not in MODEL_APIS:
        request, ending = exchange.request, f" → {exchange.response.status}"
        target = f"{request.path}?{request.query}" if request.query else request.path
        return (clean_line(f"{request.method} {target}", MAX_LINE - len(ending)) + ending,)
    appended = normal_request(exchange).messages[max(kept, 0) :]
    return (*map(_message_line, appended), _answer_line(exchange))


def _told_lines(exchange: Exchange, kept: int) -> tuple[str, ...]:
    """Of a model call that was told in process: the messages that it appended, where it has some, and what came."""
    appended = normal_request(exchange).messages[max(kept, 0) :]
    lines = map(_message_line, appended) if appended else [clean_line(f"asked: {_told(exchange.request.body)}")]
    if exchange.response.status == 200:
        return (*lines, _fitted([f"answered: {_told(exchange.response.body)}"]))
    return (*lines, _answer_line(exchange))


def _told(body: Body) -> str:
    match body:
        case JsonBody(value):
            return json_text(value)[: 2 * MAX_LINE]
        case TextBody(text):
            return text
        case EventsBody(events):
            return " ".join(event.removeprefix("data: ") for event in events[:MAX_LINE])
    return "(nothing)"


def _message_line(message: NormalMessage) -> str:
    pieces = [f"{result.name or 'tool'}: {_shown(result.text) or '(no text)'}" for result in message.tool_results]
    if message.text:
        pieces.append(f"{message.role or 'message'}: {message.text}")
    pieces += map(_call, message.tool_calls)
    return _fitted(pieces or [f"{message.role or 'item'}: {_besides(message)}"])


def _answer_line(exchange: Exchange) -> str:
    answer = answer_of(exchange)
    if answer.outcome == "error" and answer.error:
        status, kind = str(exchange.response.status), answer.error.type
        head = "error" if exchange.response.status < 300 else f"error {status}"
        told = answer.error.message if kind in (status, "error") else kind
        return clean_line(f"{head}: {told}" if told else head)
    pieces = [f"assistant: {answer.text}"] if answer.text else []
    pieces += map(_call, answer.tool_calls)
    return _fitted(pieces or ["assistant: (no text)"], _ending(answer))


def _ending(answer: Answer) -> str:
    if answer.outcome == "ok":
        return ""
    why = f": {', '.join(answer.finish_reasons)}" if answer.outcome == "incomplete" and answer.finish_reasons else ""
    return f" ({clean_line(answer.outcome + why, 50)})"


def _fitted(pieces: list[str], ending: str = "") -> str:
    """All pieces on one line; where that is too long, the longer ones are cut to an equal share of the room."""
    room = MAX_LINE - len(ending)
    lines = [clean_line(piece, room) for piece in pieces]
    left, share = room - sum(len(_joint(line)) for line in lines[1:]), room
    for count, length in zip(range(len(lines), 0, -1), sorted(map(len, lines)), strict=True):
        share = left // count
        if length > share:
            break
        left, share = left - length, room
    lines = [clean_line(line, max(share, _LEAST)) for line in lines]
    return clean_line(lines[0] + "".join(_joint(line) + line for line in lines[1:]), room) + ending


def _joint(line: str) -> str:
    return " " if line.startswith("→") else "; "


def _call(call: ToolCall) -> str:
    return f"→ {call.name} {_shown(call.arguments)}".rstrip(" ")


def _shown(text: str) -> str:
    """JSON text in one spelling, whoever wrote it; any other text as it is."""
    if not text.lstrip().startswith(("{", "[")) or len(text) > _JSON_LIMIT:
        return text
    try:
        return json_text(json.loads(text)) or text
    except (ValueError, RecursionError):
        return text


def _besides(message: NormalMessage) -> str:
    """What stands in a message without text, by its types: ``[image_url]``, ``[reasoning]``."""
    extra = dict_of(message.extra)
    kinds = [_type(extra.get("item"))] if "item" in extra else []
    kinds += [_type(dict_of(entry).get("part")) for entry in list_of(extra.get("content")) if "part" in dict_of(entry)]
    named = [kind for kind in kinds if kind]
    return " ".join(f"[{kind}]" for kind in dict.fromkeys(named)) or "(no text)"


def _type(value: Any) -> str:
    return str_of(dict_of(value).get("type"))

"""Exchanges made of plain values, and streams made of events."""

from __future__ import annotations

import json
from typing import Any

from stepfork.trace.body import Body, EventsBody, JsonBody
from stepfork.trace.exchange import Ending, Exchange, Request, Response

PATHS = {"chat_completions": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}


def exchange(
    api: str,
    request: Any = None,
    answer: Any = None,
    *,
    status: int = 200,
    ending: Ending = "complete",
    provider: str = "openai",
) -> Exchange:
    """An exchange from JSON values; an answer that is a body already stays one."""
    asked = request if isinstance(request, Body | None) else JsonBody(request)
    given = answer if isinstance(answer, Body | None) else JsonBody(answer)
    content_type = "text/event-stream" if isinstance(given, EventsBody) else "application/json"
    return Exchange(
        provider,
        api,
        Request("POST", PATHS.get(api, "/v1/embeddings"), body=asked),
        Response(status, content_type, {}, given, ending),
    )


def stream(*events: Any, names: bool = False) -> EventsBody:
    """A stream of events: a string is written as it is, anything else is the JSON of a data line."""
    return EventsBody((*(event if isinstance(event, str) else _event(event, names) for event in events), ""))


def _event(value: Any, names: bool) -> str:
    head = f"event: {value['type']}\n" if names else ""
    return f"{head}data: {json.dumps(value)}"


DONE = "data: [DONE]"


def chunk(*choices: Any, **more: Any) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "model": "m", "choices": list(choices), **more}


def delta(finish_reason: str | None = None, *, index: int = 0, **members: Any) -> dict[str, Any]:
    return {"index": index, "delta": members, "finish_reason": finish_reason}

"""How providers say no: in the body of an error status, or as an event in the middle of a stream."""

from __future__ import annotations

from typing import Any

from stepfork.providers.shapes import dict_of, str_of
from stepfork.trace.body import Body, EventsBody, JsonBody, TextBody
from stepfork.trace.step import StepError

MESSAGE_LIMIT = 2000
"""Characters kept of an error's message: a proxy may answer with a whole page."""


def failure_in(value: Any, default: str) -> StepError:
    """The error that a JSON body or event tells of; `default` is its type where it names none.

    OpenAI: ``{"error": {"type", "code", "message"}}``, and flat in a Responses ``error`` event; Anthropic:
    ``{"type": "error", "error": {"type", "message"}}``; others put a string there, or ``message`` or ``detail``.
    """
    whole = dict_of(value)
    inner = whole.get("error")
    told = inner if isinstance(inner, dict) else whole
    names = [told.get("type"), told.get("code"), told.get("status")]
    kind = next((name for name in names if isinstance(name, str) and name not in ("", "error")), default)
    texts = [told.get("message"), inner, whole.get("message"), told.get("detail")]
    message = next((text for text in texts if isinstance(text, str) and text), "")
    return StepError(kind, message[:MESSAGE_LIMIT])


def failed_response(status: int, body: Body) -> StepError:
    """The error of a response whose status is not a success."""
    if isinstance(body, JsonBody):
        return failure_in(body.value, str(status))
    text = body.text if isinstance(body, TextBody) else "\n".join(body.events) if isinstance(body, EventsBody) else ""
    return StepError(str(status), str_of(text).strip()[:MESSAGE_LIMIT])

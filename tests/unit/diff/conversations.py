"""Small runs for comparisons: an agent that asks one tool or several in each turn, as Chat Completions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from stepfork.diff.request_diff import diff_forms
from stepfork.diff.units import Forms
from stepfork.diff.values import RequestDiff
from stepfork.providers.normal_form import NormalRequest
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace

Call = tuple[str, dict[str, Any], str]
"""A tool's name, its arguments, its result."""

SYSTEM = "You are a refund agent.\nYou refund once.\nBe kind."
TURNS: list[list[Call]] = [
    [("lookup_order", {"order_id": "O-1042"}, '{"amount": 40.0, "email": "{{email_1}}"}')],
    [("issue_refund", {"order_id": "O-1042", "amount": 40.0}, '{"ok": true}')],
    [("notify_customer", {"email": "{{email_1}}"}, "sent to {{email_1}}")],
    [("close_case", {"order_id": "O-1042"}, "closed")],
]


def diff_requests(old: NormalRequest, new: NormalRequest) -> RequestDiff:
    """Two requests in their normal form, compared alone."""
    forms = Forms()
    return diff_forms(forms.of(old), forms.of(new))


def chat(messages: Sequence[dict[str, Any]], answer: dict[str, Any] | str, **body: Any) -> Exchange:
    """One exchange; `body` are more members of the request."""
    message = {"role": "assistant", "content": answer} if isinstance(answer, str) else answer
    request = {"model": "gpt-4.1", "messages": list(messages), **body}
    response = {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }
    return Exchange(
        "openai",
        "chat_completions",
        Request("POST", "/chat/completions", content_type="application/json", body=JsonBody(request)),
        Response(200, "application/json", body=JsonBody(response)),
    )


def conversation(
    turns: Sequence[Sequence[Call]] = TURNS,
    *,
    system: str = SYSTEM,
    user: str = "Please refund O-1042.",
    final: str = "Done.",
    first_id: int = 1,
    **body: Any,
) -> list[Exchange]:
    """Exchanges of which each carries all messages before it; call ids are numbered as they come."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    made = []
    number = first_id - 1
    for turn in turns:
        calls, results = [], []
        for name, arguments, result in turn:
            number += 1
            call_id = f"call_{{{{id_{number}}}}}"
            function = {"name": name, "arguments": json.dumps(arguments)}
            calls.append({"id": call_id, "type": "function", "function": function})
            results.append({"role": "tool", "tool_call_id": call_id, "content": result})
        answer = {"role": "assistant", "content": None, "tool_calls": calls}
        made.append(chat(messages, answer, **body))
        messages += [answer, *results]
    return [*made, chat(messages, final, **body)]


def fixture(exchanges: Sequence[Exchange], *, name: str = "refund", **source: Any) -> Fixture:
    """A fixture of these exchanges and no step."""
    told = {"command": ("python", "agent.py"), **source}
    return Fixture(name, Run(Source("command", True, **told), Trace("exchanges", ()), tuple(exchanges)))


def asks(text: str, **body: Any) -> Exchange:
    """One call that stands alone."""
    return chat([{"role": "user", "content": text}], "ok", **body)

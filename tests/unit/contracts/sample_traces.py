"""Small made-up runs: a model call, then a tool, and so on, as agents go."""

from __future__ import annotations

from typing import Any

import msgspec

from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace

Called = tuple[str, Any]
ASKED = Exchange("openai", "chat_completions", Request("POST", "/chat/completions"), Response(200))


def tool(name: str, arguments: Any = msgspec.UNSET) -> Step:
    return Step("tool_call", name, 0, 0, arguments=arguments, result="done")


def trace_of(*called: Called, **fields: Any) -> Trace:
    """A model call before each tool call, and one at the end."""
    steps = [step for name, arguments in called for step in (Step("llm_call", "chat", 0, 0), tool(name, arguments))]
    return Trace("spans", (*steps, Step("llm_call", "chat", 0, 0)), **fields)


def run_of(trace: Trace, *, exit_code: int | None = 0, exchanges: tuple[Exchange, ...] = (ASKED,)) -> Run:
    return Run(Source("command", replay_capable=True, exit_code=exit_code), trace, exchanges)


def refund_trace(refunds: int, **fields: Any) -> Trace:
    """The refund agent's run, with as many refunds of one order."""
    order = {"order_id": "O-1042"}
    refund = ("issue_refund", {**order, "amount": 40.0})
    mail = ("notify_customer", {**order, "email": "{{email_1}}"})
    return trace_of(("lookup_order", order), *[refund] * refunds, mail, **fields)

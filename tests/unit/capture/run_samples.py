"""Recorded calls and spans of small made-up runs."""

from __future__ import annotations

import json
import random
from typing import Any

from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.recorded import Recorded
from stepfork.trace.span import Span, SpanEvent

MS = 1_000_000


def call(name: str, arguments: Any = None, call_id: str = "") -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return {"id": call_id or f"call_{name}", "type": "function", "function": {"name": name, "arguments": text}}


def asked(*calls: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "tool_calls": list(calls)}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def result(call_id: str, value: Any) -> dict[str, Any]:
    text = value if isinstance(value, str) else json.dumps(value)
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def recorded(
    messages: list[dict[str, Any]],
    answer: dict[str, Any] | None = None,
    *,
    start: int = 0,
    end: int | None = None,
    name: str = "chatcmpl-1",
    status: int = 200,
    model: str = "gpt-4.1",
) -> Recorded:
    """A Chat Completions call from `start` to `end` milliseconds; without an answer it failed with `status`."""
    finish = "tool_calls" if answer and answer.get("tool_calls") else "stop"
    body: Any = {"error": {"message": "slow down", "type": "rate_limit_error"}}
    if answer is not None:
        body = {
            "id": name,
            "object": "chat.completion",
            "model": f"{model}-2025-04-14",
            "choices": [{"index": 0, "message": answer, "finish_reason": finish}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 2}},
        }
    exchange = Exchange(
        "openai",
        "chat_completions",
        Request("POST", "/chat/completions", "", "application/json", JsonBody({"model": model, "messages": messages})),
        Response(status, "application/json", {}, JsonBody(body)),
    )
    return Recorded(exchange, start * MS, (start + 5 if end is None else end) * MS, 0)


def key(exchange: Exchange) -> bytes:
    """The request without the ids that the samples make up."""
    body = exchange.request.body
    text = json.dumps(body.value) if isinstance(body, JsonBody) else exchange.request.path
    for word in [word for word in text.split('"') if word.startswith(("call_", "chatcmpl-"))]:
        text = text.replace(word, "id")
    return text.encode()


def span(
    name: str,
    start: int,
    end: int,
    *,
    under: str | None = None,
    events: tuple[tuple[str, dict[str, Any]], ...] = (),
    status: str = "unset",
    trace: str = "a",
    **attributes: Any,
) -> Span:
    """A span from `start` to `end` milliseconds, its id made of its name. Keyword `gen_ai__x__y` is `gen_ai.x.y`."""
    return Span(
        trace_id=trace,
        span_id=name,
        parent_id=under,
        name=name,
        start_ns=start * MS,
        end_ns=end * MS,
        attributes={key.replace("__", "."): value for key, value in attributes.items()},
        events=tuple(SpanEvent(event, 0, held) for event, held in events),
        status=status,
    )


def model_span(name: str, start: int, end: int, **more: Any) -> Span:
    return span(name, start, end, **{"gen_ai__operation__name": "chat"} | more)


def tool_span(name: str, start: int, end: int, tool: str = "lookup", **more: Any) -> Span:
    return span(name, start, end, **{"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": tool} | more)


def agent_span(name: str, start: int, end: int, **more: Any) -> Span:
    return span(name, start, end, **{"gen_ai__operation__name": "invoke_agent", "gen_ai__agent__name": name} | more)


def refund_run(
    start: int = 0, *, order: str = "O-1042", seed: int = 0, slow: float = 1.0
) -> tuple[list[Recorded], list[Span]]:
    """An agent that looks an order up, refunds it twice at once, and answers: three calls, one root span. The ids
    are random, as are the pauses; `slow` stretches them."""
    chance = random.Random(seed)

    def made_up(prefix: str) -> str:
        return prefix + "".join(chance.choices("abcdefghijkmnpqrstuvwxyz0123456789", k=20))

    now = float(start)

    def pause() -> int:
        nonlocal now
        now += slow * chance.uniform(1.5, 9)
        return int(now)

    root = made_up("")
    begun = pause()
    messages = [user(f"Refund order {order}.")]
    looked, first, second = made_up("call_"), made_up("call_"), made_up("call_")
    calls: list[Recorded] = []
    spans: list[Span] = []
    answers = [
        asked(call("lookup_order", {"order_id": order}, looked)),
        asked(
            call("issue_refund", {"order_id": order, "part": 1}, first),
            call("issue_refund", {"order_id": order, "part": 2}, second),
        ),
        said(f"Order {order} was refunded."),
    ]
    for answer in answers:
        response, opened = made_up("chatcmpl-"), pause()
        calls.append(recorded([*messages], answer, start=pause(), end=pause(), name=response))
        spans.append(model_span(made_up(""), opened, pause(), under=root, trace=root, gen_ai__response__id=response))
        messages.append(answer)
        tools = []
        for one in answer.get("tool_calls", ()):
            function = one["function"]
            value = {"ok": True, **json.loads(function["arguments"])}
            messages.append(result(one["id"], value))
            tools.append((one["id"], function["name"], function["arguments"], json.dumps(value)))
        opened = pause()
        chance.shuffle(tools)  # tools of one answer run at once, in whatever order
        for call_id, name, arguments, value in tools:
            about = {
                "gen_ai__tool__call__id": call_id,
                "gen_ai__tool__call__arguments": arguments,
                "gen_ai__tool__call__result": value,
            }
            spans.append(
                tool_span(made_up(""), opened + chance.randint(0, 2), pause(), name, under=root, trace=root, **about)
            )
    spans.append(agent_span(root, begun, pause(), trace=root, gen_ai__agent__name="refunds"))
    return calls, spans

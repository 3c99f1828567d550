"""Runs made up for the tests of the store: small, and with every kind of body and sharing."""

from __future__ import annotations

from typing import Any

from stepfork.trace.body import BytesBody, EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Step, Trace, Usage

SYSTEM = "You refund orders, once, after looking them up."
TOOLS = [{"type": "function", "function": {"name": "lookup_order", "parameters": {"type": "object"}}}]


def answer(text: str) -> JsonBody:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return JsonBody({"id": "x", "choices": [choice], "model": "m"}, order="120 .")


def chat(messages: list[Any], text: str = "Done.", *, system: Any = SYSTEM, tools: Any = TOOLS) -> Exchange:
    """A Chat Completions exchange; `system` and `tools` are left out where they are None."""
    lead = [] if system is None else [{"role": "system", "content": system}]
    body: dict[str, Any] = {"model": "gpt-4.1", "messages": [*lead, *messages]}
    if tools is not None:
        body["tools"] = tools
    return Exchange(
        "openai",
        "chat_completions",
        Request("POST", "/chat/completions", content_type="application/json", body=JsonBody(body)),
        Response(200, "application/json", {"x-request-id": "{{request_1}}"}, answer(text)),
    )


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def conversation(turns: int, *, system: Any = SYSTEM, tools: Any = TOOLS, size: int = 40) -> list[Exchange]:
    """`turns` calls, each of which sends everything so far and one more question."""
    messages: list[Any] = []
    exchanges = []
    for turn in range(turns):
        messages = [*messages, user(f"question {turn} ".ljust(size, "q"))]
        text = f"answer {turn} ".ljust(size, "a")
        exchanges.append(chat(messages, text, system=system, tools=tools))
        messages = [*messages, assistant(text)]
    return exchanges


def odd_exchanges() -> list[Exchange]:
    """Exchanges that are no conversation: other bodies, other methods, other APIs."""
    return [
        Exchange("openai", "other", Request("GET", "/models", query="limit=2"), Response(404)),
        Exchange(
            "openai",
            "other",
            Request("POST", "/audio", content_type="application/octet-stream", body=BytesBody(b"\xff\x00\xfe")),
            Response(200, "text/plain", {}, TextBody("68656c6c6f")),
        ),
        Exchange(
            "openai",
            "chat_completions",
            Request("POST", "/chat/completions", body=TextBody('{"a":1,"a":2}', "an object has two members")),
            Response(200, "text/event-stream", {}, EventsBody(("data: {}", "data: [DONE]", "")), "truncated"),
        ),
        Exchange(
            "anthropic",
            "messages",
            Request("POST", "/v1/messages", body=JsonBody({"system": [], "messages": [user([])], "max_tokens": 1.0})),
            Response(200, "text/event-stream", {}, EventsBody(("event: a", "x"), "\r\n\r\n"), "reset"),
        ),
        Exchange(
            "openai", "responses", Request("POST", "/responses", body=JsonBody([1, 1.0, True, None])), Response(500)
        ),
    ]


def run_of(exchanges: list[Exchange], trace: Trace | None = None) -> Run:
    steps = tuple(
        Step("llm_call", "chat", 2 * index, 2 * index + 1, usage=Usage(3, 4), exchange=index)
        for index in range(len(exchanges))
    )
    source = Source("command", True, ("python", "agent.py"), exit_code=0)
    return Run(source, trace or Trace("exchanges", steps, agent="refunds"), tuple(exchanges))


def fixture_of(exchanges: list[Exchange], name: str = "refund", trace: Trace | None = None) -> Fixture:
    return Fixture(name, run_of(exchanges, trace))

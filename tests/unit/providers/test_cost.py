from __future__ import annotations

import json
from typing import Any

import pytest

from stepfork.providers.answer import answer_of
from stepfork.providers.cost import billed, told_cost, total
from stepfork.providers.genai import step_of
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.wire import read_body
from tests.unit.capture.run_samples import agent_span, model_span


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        ({"cost": 0.00482, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.00482}}, 0.00482),
        ({"cost": 0.1, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.2}}, 0.3),
        ({"cost": 0.1, "is_byok": True}, None),
        ({"cost": 0}, 0.0),
        ({"cost": {"input_tokens_cost": 0.1, "total_cost": 0.25}}, 0.25),
        ({"cost_in_usd_ticks": 318319000}, 0.0318319),
        ({"cost": -1}, None),
        ({"cost": True}, None),
        ({"cost": "0.1"}, None),
        ({"cost": 10**400}, None),
        ({"cost": float("inf")}, None),
        ({"prompt_tokens": 3}, None),
        (None, None),
    ],
)
def test_what_an_answer_bills(usage: Any, cost: float | None) -> None:
    assert billed({"usage": usage}) == cost


@pytest.mark.parametrize(
    "name",
    [
        "gen_ai.usage.cost",
        "gen_ai.usage.cost_usd",
        "gen_ai.usage.total_cost",
        "gen_ai.cost.total_cost",
        "litellm.cost.total",
        "operation.cost",
        "llm.cost.total",
    ],
)
def test_what_a_span_tells(name: str) -> None:
    bad: list[str] = []
    assert told_cost({name: 0.000972, "gen_ai.usage.input_tokens": 3}, bad) == 0.000972
    assert told_cost({name: 1}, bad) == 1.0
    assert bad == []
    assert told_cost({name: "cheap", "llm.cost.prompt": 1}, bad) is None
    assert bad == [name]


def test_only_a_model_call_tells_its_own_cost() -> None:
    model, agent = (make("m", 0, 1, gen_ai__usage__cost=0.5) for make in (model_span, agent_span))
    assert [step.cost_usd for span in (model, agent) if (step := step_of(span)) is not None] == [0.5, None]


def test_sums_are_those_of_a_bill_in_any_order() -> None:
    assert total([0.1, 0.2]) == 0.3
    amounts = [0.000972, 0.00113, 0.000752, 0.001118, 1e-9]
    assert total(amounts) == total(amounts[::-1]) == 0.003972001
    assert total([]) == 0.0


CHAT = {"choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}]}
MESSAGE = {"type": "message", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}
RESPONSE = {"status": "completed", "output": []}


@pytest.mark.parametrize(
    ("api", "body"), [("chat_completions", CHAT), ("messages", MESSAGE), ("responses", RESPONSE)], ids=str
)
def test_each_api_can_bill(api: str, body: dict[str, Any]) -> None:
    answered = Response(200, "application/json", {}, JsonBody({**body, "usage": {"cost": 0.25}}))
    assert answer_of(Exchange("openai", api, Request("POST", "/x"), answered)).cost_usd == 0.25


@pytest.mark.parametrize(
    ("api", "events"),
    [
        (
            "chat_completions",
            [
                {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]},
                {"choices": [], "usage": {"cost": 0.25}},
            ],
        ),
        (
            "messages",
            [
                {"type": "message_start", "message": {"usage": {"input_tokens": 1}}},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"cost": 0.25}},
                {"type": "message_stop"},
            ],
        ),
        ("responses", [{"type": "response.completed", "response": {**RESPONSE, "usage": {"cost": 0.25}}}]),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_the_last_events_of_a_stream_bill_once(api: str, events: list[Any]) -> None:
    raw = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    answered = Response(200, "text/event-stream", {}, read_body(raw, "text/event-stream"))
    assert answer_of(Exchange("openai", api, Request("POST", "/x"), answered)).cost_usd == 0.25

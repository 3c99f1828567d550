"""Each model call is paid for once, whoever tells of it."""

from __future__ import annotations

from typing import Any

import msgspec

from stepfork.capture.assemble import assemble
from stepfork.capture.check import check_trace
from stepfork.trace.body import JsonBody
from stepfork.trace.recorded import Recorded
from stepfork.trace.span import Span
from tests.unit.capture.run_samples import agent_span, key, model_span, recorded, said, span, tool_span, user


def cost(calls: list[Recorded], spans: list[Span]) -> float | None:
    return assemble(calls, spans, key=key).trace.cost_usd


def codes(calls: list[Recorded], spans: list[Span]) -> list[str]:
    run = assemble(calls, spans, key=key)
    return [finding.code for finding in check_trace(run.trace, run.exchanges)]


def asked(number: int, usd: float | None = None, **more: Any) -> Recorded:
    """The call `number`, which bills `usd`; its span begins at 20 × `number` and lasts nine milliseconds."""
    made = recorded([user(f"Page {number}?")], said("Yes."), start=20 * number + 2, name=f"chatcmpl-{number}", **more)
    body = made.exchange.response.body
    assert isinstance(body, JsonBody)
    if usd is None:
        return made
    value = {**body.value, "usage": {**body.value["usage"], "cost": usd}}
    response = msgspec.structs.replace(made.exchange.response, body=JsonBody(value))
    return msgspec.structs.replace(made, exchange=msgspec.structs.replace(made.exchange, response=response))


def told(number: int, usd: float | None = None, **more: Any) -> Span:
    about = {"gen_ai__response__id": f"chatcmpl-{number}"} | ({} if usd is None else {"operation__cost": usd})
    return model_span(f"m{number}", 20 * number, 20 * number + 9, **about | more)


def test_spans_tell_what_calls_cost() -> None:
    assert cost([], [told(0, 0.1), told(1, 0.2)]) == 0.3
    assert cost([asked(0), asked(1)], [told(0, 0.1), told(1, 0.2)]) == 0.3


def test_answers_bill_and_the_bill_wins() -> None:
    assert cost([asked(0, 0.5), asked(1, 0.25)], []) == 0.75
    assert cost([asked(0, 0.5), asked(1, 0.25)], [told(0, 0.1), told(1)]) == 0.75
    assert cost([asked(0, 0.5), asked(1)], [told(0), told(1, 0.25)]) == 0.75


def test_a_run_without_costs_says_nothing_and_one_with_gaps_says_so() -> None:
    assert cost([asked(0)], [told(0)]) is None
    assert codes([asked(0)], [told(0)]) == []
    assert cost([asked(0), asked(1)], [told(0, 0.1), told(1)]) is None
    assert codes([asked(0), asked(1)], [told(0, 0.1), told(1)]) == ["cost_incomplete"]
    assert codes([asked(0, 0.5), asked(1)], []) == ["cost_incomplete"]


def test_free_calls_are_known_to_be_free() -> None:
    assert cost([], [told(0, 0.0)]) == 0.0


def test_an_agent_repeats_the_sum_and_is_not_added() -> None:
    agent = agent_span("refunds", 0, 99, gen_ai__usage__cost=0.3)
    assert cost([], [agent, told(0, 0.1, under="refunds"), told(1, 0.2, under="refunds")]) == 0.3
    assert cost([], [agent, told(0, under="refunds")]) is None


def test_two_instrumentations_of_one_call_are_one_call() -> None:
    outer = model_span("outer", 0, 50, gen_ai__usage__cost=0.4)
    middle = span("http", 1, 40, under="outer")
    inner = [told(0, 0.4, under="http"), told(1, 0.1, under="outer")]
    assert cost([], [outer, middle, *inner]) == 0.4
    untold = model_span("outer", 0, 50)
    assert cost([], [untold, middle, *inner]) == 0.5
    assert cost([asked(0), asked(1)], [outer, middle, *inner]) == 0.4


def test_a_span_that_only_repeats_another_still_tells_its_cost() -> None:
    repeated = model_span("inner", 1, 8, under="m0", gen_ai__response__id="chatcmpl-0", operation__cost=0.1)
    assert cost([], [told(0), repeated]) == 0.1
    assert cost([], [told(0, 0.1), repeated]) == 0.1


def test_calls_that_no_span_shows_are_paid_for_too() -> None:
    assert cost([asked(0, 0.5), asked(1, 0.25)], [told(0)]) == 0.75
    assert cost([asked(0, 0.5), asked(1, 0.25)], [tool_span("t", 0, 1)]) == 0.75


def test_attempts_that_failed_cost_nothing_that_anyone_knows() -> None:
    failed = recorded([user("Page 0?")], start=2, status=429)
    assert cost([failed, asked(1, 0.25)], []) == 0.25
    assert cost([], [told(0, status="error"), told(1, 0.25)]) == 0.25
    assert cost([], [told(0, status="error")]) is None


def test_what_is_no_amount_is_mentioned() -> None:
    assert codes([], [told(0, operation__cost="cheap")]) == ["bad_attribute"]


def test_a_chain_of_thousands_of_spans_is_counted() -> None:
    deep = [span("m0", 0, 9, gen_ai__operation__name="chat")]
    deep += [span(f"m{i}", 0, 9, under=f"m{i - 1}", gen_ai__operation__name="chat") for i in range(1, 3000)]
    assert cost([], [*deep, told(5000, 0.5, under="m2999")]) == 0.5

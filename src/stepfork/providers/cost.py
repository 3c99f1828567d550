"""What a model call cost, where the provider bills it in its answer or the instrumentation tells it in its span."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from stepfork.providers.shapes import dict_of
from stepfork.trace.body import JsonValue

# OpenLIT, Langfuse, OpenRouter's own SDK · LiteLLM, 1 and 2 · Pydantic AI and Logfire · OpenInference.
_SPAN_NAMES = (
    "gen_ai.usage.cost",
    "gen_ai.usage.cost_usd",
    "gen_ai.usage.total_cost",
    "gen_ai.cost.total_cost",
    "litellm.cost.total",
    "operation.cost",
    "llm.cost.total",
)
_TICKS = Decimal(10) ** 10


def billed(body: dict[str, Any]) -> float | None:
    """The US dollars that an answer's ``usage`` says it cost, None where it does not say.

    OpenRouter: ``cost``, and where the caller brought a key of its own also what the provider behind it charged to
    that key; Perplexity: ``cost.total_cost``; xAI: ``cost_in_usd_ticks``, ten thousand millionths of a dollar each.
    """
    usage = dict_of(body.get("usage"))
    cost = usage.get("cost")
    amount = _amount(dict_of(cost).get("total_cost") if isinstance(cost, dict) else cost)
    if amount is not None and usage.get("is_byok") is True:
        behind = _amount(dict_of(usage.get("cost_details")).get("upstream_inference_cost"))
        return None if behind is None else total([amount, behind])
    ticks = _amount(usage.get("cost_in_usd_ticks"))
    if amount is None and ticks is not None:
        return float(_written(ticks) / _TICKS)
    return amount


def told_cost(attributes: dict[str, JsonValue], bad: list[str]) -> float | None:
    """The US dollars that the span of a model call says it cost. Names of attributes that are no amount go to `bad`."""
    for name in _SPAN_NAMES:
        if attributes.get(name) is not None:
            amount = _amount(attributes[name])
            if amount is not None:
                return amount
            bad.append(name)
    return None


def total(amounts: list[float]) -> float:
    """Their sum in decimal arithmetic: 0.1 and 0.2 are 0.3, in whatever order they come."""
    return float(sum(map(_written, amounts), Decimal(0)))


def _written(amount: float) -> Decimal:
    return Decimal(repr(amount))


def _amount(value: Any) -> float | None:
    """A finite number that is not negative and below a thousand million million, as a float; never a bool."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15:
        return None
    return float(value) if math.isfinite(value) else None

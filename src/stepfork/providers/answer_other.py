"""Usage and cost of an answer whose API is not known: what a program's own client gave back, in the names that are
usual for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stepfork.providers.cost import billed
from stepfork.providers.shapes import dict_of, int_or_none
from stepfork.trace.step import Usage

_INPUT = ("input_tokens", "prompt_tokens", "prompt_token_count", "promptTokenCount", "inputTokens")
_OUTPUT = (
    "output_tokens", "completion_tokens", "candidates_token_count", "candidatesTokenCount", "outputTokens",
)  # fmt: skip
_CACHED = ("cached_tokens", "cache_read_input_tokens", "cached_content_token_count", "cache_read")
_DETAILS = ("prompt_tokens_details", "input_tokens_details", "input_token_details")
_HOLDERS = ("usage", "usage_metadata", "usageMetadata", "token_usage")
_AROUND = ("response_metadata", "llm_output", "response", "message")


def usage_and_cost(answers: Sequence[Any]) -> tuple[Usage | None, float | None]:
    """What an answer, or the last piece of a streamed one that tells it, was counted and billed."""
    found: Usage | None = None
    cost: float | None = None
    for answer in answers:
        body = dict_of(answer)
        for holder in (
            *_holders(body),
            *(held for name in _AROUND for held in _holders(dict_of(body.get(name)))),
            body,
        ):
            told = _usage(holder)
            if told is not None:
                found = told
                break
        amount = billed(body)
        cost = cost if amount is None else amount
    return found, cost


def _holders(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict_of(body.get(name)) for name in _HOLDERS]


def _usage(counted: dict[str, Any]) -> Usage | None:
    inner = [counted, *(dict_of(counted.get(name)) for name in _DETAILS)]
    usage = Usage(
        input_tokens=_first([counted], _INPUT),
        output_tokens=_first([counted], _OUTPUT),
        cached_tokens=_first(inner, _CACHED),
    )
    return usage if usage.input_tokens is not None or usage.output_tokens is not None else None


def _first(holders: Sequence[dict[str, Any]], names: Sequence[str]) -> int | None:
    counts = (int_or_none(holder.get(name)) for holder in holders for name in names)
    return next((count for count in counts if count is not None), None)

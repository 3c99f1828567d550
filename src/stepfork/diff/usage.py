"""Tokens and cost of answers, as far as the answers say them: unknown is unknown, not 0."""

from __future__ import annotations

from collections.abc import Sequence

from stepfork.diff.values import Usage
from stepfork.providers.calls import Answer
from stepfork.providers.cost import total


def usage_of(answer: Answer) -> Usage | None:
    """What one answer says; None where it says nothing."""
    told = answer.usage
    usage = Usage(
        None if told is None else told.input_tokens, None if told is None else told.output_tokens, answer.cost_usd
    )
    return usage if usage != Usage() else None


def usage_of_all(answers: Sequence[Answer]) -> Usage | None:
    """The sums over all answers of a run, each None where any answer does not say; None where nothing is known."""
    each = [usage_of(answer) or Usage() for answer in answers]
    ins, outs, costs = ([getattr(one, name) for one in each] for name in ("input_tokens", "output_tokens", "cost"))
    usage = Usage(_sum(ins), _sum(outs), None if not costs or None in costs else total(costs))
    return usage if usage != Usage() else None


def usage_difference(old: Usage | None, new: Usage | None) -> Usage | None:
    """New less old, each None where a side does not say; None where nothing can be said."""
    if old is None or new is None:
        return None
    cost = None if old.cost is None or new.cost is None else total([new.cost, -old.cost])
    made = Usage(_less(old.input_tokens, new.input_tokens), _less(old.output_tokens, new.output_tokens), cost)
    return made if made != Usage() else None


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _less(old: int | None, new: int | None) -> int | None:
    return None if old is None or new is None else new - old

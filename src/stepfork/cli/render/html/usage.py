"""Tokens and cost of both sides in one line, with their difference; what is not said is unknown."""

from __future__ import annotations

from stepfork.diff.values import Usage, Usages


def usage_line(usages: Usages, *, one_side: bool = False) -> str:
    """``tokens 3,914 → 4,020 in (+106), 212 in both out``; empty where nothing is known."""
    old, new = (usage or Usage() for usage in usages)
    told = [
        _pair(before, after, way, one_side=one_side)
        for before, after, way in (
            (old.input_tokens, new.input_tokens, "in"),
            (old.output_tokens, new.output_tokens, "out"),
        )
        if (before, after) != (None, None)
    ]
    parts = [f"tokens {', '.join(told)}"] if told else []
    if (old.cost, new.cost) != (None, None):
        parts.append(f"cost {_cost(old.cost, new.cost, one_side=one_side)}")
    return "; ".join(parts)


def _pair(old: int | None, new: int | None, way: str, *, one_side: bool) -> str:
    if old == new or one_side:
        return f"{_number(old if new is None else new)} {way}"
    difference = f" ({new - old:+,})" if old is not None and new is not None else ""
    return f"{_number(old)} → {_number(new)} {way}{difference}"


def _cost(old: float | None, new: float | None, *, one_side: bool) -> str:
    if old == new or one_side:
        return _dollars(old if new is None else new)
    return f"{_dollars(old)} → {_dollars(new)}"


def _number(count: int | None) -> str:
    return "unknown" if count is None else f"{count:,}"


def _dollars(cost: float | None) -> str:
    return "unknown" if cost is None else f"${cost:,}"

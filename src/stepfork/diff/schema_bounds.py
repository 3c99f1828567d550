"""Bounds of numbers, texts, lists and objects in two schemas: which of the new ones let less through."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

_LEAST = {"minLength": "string", "minItems": "array", "minProperties": "object"}
_MOST = {"maxLength": "string", "maxItems": "array", "maxProperties": "object"}
_ANYTHING = ("", ".*", "^.*$", "^.*", ".*$", "^")


def narrowed_bounds(old: dict[str, Any], new: dict[str, Any], kinds: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The keywords of `new` that refuse what `old` let through, each with a phrase; `kinds` are the types that both
    accept, and a bound counts only for its own."""
    told = kinds - {"string"} if "pattern" in old else kinds  # a pattern may say how long a text is
    for keyword, kind in _LEAST.items():
        least = _size(new, keyword)
        if kind in told and least is not None and least > _had_at_least(old, keyword):
            yield keyword, f"has {keyword} {least} now"
    for keyword, kind in _MOST.items():
        most = _size(new, keyword)
        if kind in told and most is not None and most < _had_at_most(old, keyword):
            yield keyword, f"has {keyword} {most} now"
    if "number" in kinds:
        yield from _numbers(old, new)
    unique = new.get("uniqueItems") is True and old.get("uniqueItems") is not True
    if "array" in kinds and unique and _size(old, "maxItems") not in (0, 1):
        yield "uniqueItems", "must have different items now"
    matched = isinstance(new.get("pattern"), str) and "pattern" not in old and new["pattern"] not in _ANYTHING
    if "string" in kinds and matched and _size(old, "maxLength") is None:
        yield "pattern", "must match a pattern now"


def _had_at_least(schema: dict[str, Any], keyword: str) -> int:
    wanted = schema.get("required")
    listed = len(set(map(str, wanted))) if keyword == "minProperties" and isinstance(wanted, list) else 0
    return max(_size(schema, keyword) or 0, listed)


def _had_at_most(schema: dict[str, Any], keyword: str) -> float:
    closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    members = schema.get("properties", {})
    listed = len(members) if keyword == "maxProperties" and closed and isinstance(members, dict) else math.inf
    most = _size(schema, keyword)
    return listed if most is None else min(most, listed)


def _numbers(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, str]]:
    whole = "integer" in (old.get("type"), new.get("type"))
    for least in (True, False):
        before, after = _limit(old, least=least, whole=whole), _limit(new, least=least, whole=whole)
        if before is None or after is None:  # a form of another draft
            continue
        if after > before:
            keyword = ("exclusiveMinimum", "minimum") if least else ("exclusiveMaximum", "maximum")
            name = next(name for name in keyword if _number(new.get(name)) is not None)
            yield name, f"has {name} {new[name]} now"
    step, before_step = _number(new.get("multipleOf")), _number(old.get("multipleOf"))
    if step is not None and step > 0:
        known = before_step if before_step is not None else 1 if whole and old.get("type") == "integer" else None
        if known is None or not _divides(step, known):
            yield "multipleOf", f"has multipleOf {new['multipleOf']} now"


def _limit(schema: dict[str, Any], *, least: bool, whole: bool) -> tuple[float, bool] | None:
    """The bound, the greater the stricter, with whether it is itself refused; None where it cannot be read."""
    plain, strict = ("minimum", "exclusiveMinimum") if least else ("maximum", "exclusiveMaximum")
    sign = 1 if least else -1
    found: list[tuple[float, bool]] = [(-math.inf, False)]
    for name in (plain, strict):
        if name not in schema:
            continue
        value = _number(schema[name])
        if value is None:
            return None
        bound = sign * value
        if whole:
            found.append((math.floor(bound) + 1 if name == strict else math.ceil(bound), False))
        else:
            found.append((bound, name == strict))
    return max(found)


def _divides(step: float, known: float) -> bool:
    """Whether each multiple of `known` is one of `step`; yes where rounding does not let one tell."""
    ratio = known / step
    return abs(ratio - round(ratio)) < 1e-9 and round(ratio) != 0


def _size(schema: dict[str, Any], keyword: str) -> int | None:
    value = _number(schema.get(keyword))
    return int(value) if value is not None and value >= 0 and float(value).is_integer() else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
        return None
    return value if math.isfinite(value) else None

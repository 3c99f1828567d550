"""What a body says that is kept as text because JSON cannot carry it exactly: for telling a run, never for equality."""

from __future__ import annotations

import json
import math
from typing import Any

from stepfork.trace.body import Body, JsonBody, JsonValue, TextBody

_DEPTH = 200  # as deep as a body that is kept as JSON may be


def legible(body: Body) -> JsonValue | None:
    """The JSON value of a body, None where it has none (or is null).

    A body that is kept as text is read too: half a character becomes U+FFFD, a number past 64 bits or not finite the
    text of its digits. None where members are repeated, which reads in more than one way, and where it is no JSON or
    nests deeper than a body that is kept as JSON may. Never raises.
    """
    if isinstance(body, JsonBody):
        return body.value
    if not isinstance(body, TextBody) or body.reason is None:
        return None
    try:
        value = json.loads(
            body.text, object_pairs_hook=_members, parse_int=_integer, parse_float=_float, parse_constant=str
        )
        return _whole(value, _DEPTH)
    except (ValueError, RecursionError):
        return None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("members of the same name")
    return members


def _integer(text: str) -> int | str:
    number = int(text) if len(text) <= 20 else None
    return text if number is None or not -(1 << 63) <= number < 1 << 64 else number


def _float(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def _whole(value: Any, levels: int) -> Any:
    match value:
        case str() if not value.isascii():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case dict() | list() if not levels:
            raise ValueError("nested too deep")
        case dict():
            return {_whole(name, levels): _whole(held, levels - 1) for name, held in value.items()}
        case list():
            return [_whole(held, levels - 1) for held in value]
    return value

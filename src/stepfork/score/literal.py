"""JSON values out of Python literals, read from syntax trees: nothing is run.

What JSON has no word for is refused rather than guessed at: names, calls, sums, f-strings, sets, bytes, numbers that
are not finite or do not fit 64 bits, half characters, keys that are no text or come twice. A tuple is a list, as it is
to the comparison that the test makes. Texts that stand one after another are one text.
"""

from __future__ import annotations

import ast
import math

from stepfork.canonical.encode import MAX_DEPTH
from stepfork.errors import UsageError
from stepfork.trace.body import JsonValue


def literal(node: ast.expr, name: str, where: str) -> JsonValue:
    """The value of the expression that is assigned to `name` in the file `where`. Raises UsageError."""
    return _value(node, _Place(name, where), 0)


class _Place:
    """What is read, for messages."""

    def __init__(self, name: str, where: str) -> None:
        self.name = name
        self.where = where

    def refuse(self, node: ast.expr, what: str) -> UsageError:
        return UsageError(
            f"{self.name} {what}", where=f"{self.where}:{node.lineno}", fix="write a literal of JSON values"
        )


def _value(node: ast.expr, place: _Place, depth: int) -> JsonValue:
    if depth > MAX_DEPTH:
        raise place.refuse(node, f"is nested more than {MAX_DEPTH} levels deep")
    match node:
        case ast.Constant():
            return _scalar(node, node.value, place)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=int() | float() as number)):
            if not isinstance(number, bool):
                return _scalar(node, -number if isinstance(sign, ast.USub) else number, place)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, place, depth + 1) for item in items]
        case ast.Dict():
            return _object(node, place, depth)
    raise place.refuse(node, "is not a literal of JSON values")


def _object(node: ast.Dict, place: _Place, depth: int) -> dict[str, JsonValue]:
    made: dict[str, JsonValue] = {}
    for key, item in zip(node.keys, node.values, strict=True):
        name = _scalar(key, key.value, place) if isinstance(key, ast.Constant) else None
        if not isinstance(name, str):
            raise place.refuse(key or item, "has a key that is not a text")
        if name in made:
            raise place.refuse(key or item, "has a key twice")
        made[name] = _value(item, place, depth + 1)
    return made


def _scalar(node: ast.expr, value: object, place: _Place) -> JsonValue:
    match value:
        case None | bool():
            return value
        case int():
            if not -(2**63) <= value < 2**64:
                raise place.refuse(node, "has an integer that does not fit 64 bits, which equals no output")
            return value
        case float():
            if not math.isfinite(value):
                raise place.refuse(node, "has a number that is not finite, which equals no output")
            return value
        case str():
            if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
                raise place.refuse(node, "has half a character (a lone surrogate), which equals no output")
            return value
    raise place.refuse(node, "is not a literal of JSON values")

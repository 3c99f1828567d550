"""Canonical JSON: UTF-8, keys by code point, two-space indentation, LF, one newline at the end.

orjson writes the bytes. Two of its habits are not in the format: it writes NaN as null, which is looked for in ways
that run in C, and older releases leave the plus sign out of exponents, which is asked once and then put in.
"""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec
import orjson

from stepfork.errors import CanonicalError

MAX_DEPTH = 240
"""Nested containers in one document. orjson stops writing at 254."""

_OPTIONS = (
    orjson.OPT_INDENT_2
    | orjson.OPT_SORT_KEYS
    | orjson.OPT_APPEND_NEWLINE
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)
_KNOWN = frozenset({str, bool, type(None), int, float, dict, list, tuple})
# Newlines inside strings are escaped, so a line that ends in a digit ends in a number.
_BARE_EXPONENT = re.compile(rb"e([0-9]+,?\n)")
_ADDS_PLUS = orjson.dumps(1e16) == b"1e16"
# MessagePack writes a float as 0xCB and eight bytes, the highest first: infinity and NaN begin with 7F or FF.
_LARGE_FLOAT = re.compile(rb"\xcb[\x7f\xff]")
_pack = msgspec.msgpack.Encoder().encode


def dumps(value: Any) -> bytes:
    """Canonical bytes of a JSON value.

    Raises CanonicalError, naming the rule, for non-finite numbers, integers outside -2**63 .. 2**64-1, lone
    surrogates, keys that are not strings, other Python types and nesting past MAX_DEPTH.
    """
    out = plain_dumps(value)
    if out is None:
        survey(value)
        raise CanonicalError("a lone surrogate has no canonical form")
    return out


def plain_dumps(value: Any, limit: int = MAX_DEPTH) -> bytes | None:
    """Canonical bytes, or None where there are none; `survey` then says why (or it is a lone surrogate)."""
    try:
        out = orjson.dumps(value, option=_OPTIONS)
    except TypeError:
        return None
    if b"null" in out and _holds_non_finite(value):
        return None
    # Indentation alone makes a document that nests too deep longer than this, and its deepest lines begin like this.
    if len(out) > limit * limit and b" " * (2 * limit) in out and _depth_exceeds(value, limit):
        return None
    return _BARE_EXPONENT.sub(rb"e+\1", out) if _ADDS_PLUS else out


def _holds_non_finite(value: Any) -> bool:
    if _LARGE_FLOAT.search(_pack(value)) is None:
        return False
    try:
        survey(value)
    except CanonicalError:
        return True
    return False


def survey(value: Any, limit: int = MAX_DEPTH) -> None:
    """Raise CanonicalError for all that `dumps` refuses, lone surrogates apart."""
    if _depth_exceeds(value, limit):
        raise CanonicalError(f"nested more than {limit} levels deep")
    stack: list[Any] = [value]
    while stack:
        node = stack.pop()
        if type(node) not in _KNOWN:
            raise CanonicalError(f"a {type(node).__name__} has no canonical form")
        if isinstance(node, float) and not math.isfinite(node):
            raise CanonicalError("a number that is not finite has no canonical form")
        if isinstance(node, int) and not -(2**63) <= node < 2**64:
            raise CanonicalError("an integer outside 64 bits has no canonical form")
        if isinstance(node, dict):
            if not all(type(key) is str for key in node):
                raise CanonicalError("a key that is not a string has no canonical form")
            stack.extend(node.values())
        elif isinstance(node, list | tuple):
            stack.extend(node)


def _depth_exceeds(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        containers = [node for node in level if isinstance(node, dict | list | tuple)]
        if not containers:
            return False
        level = [child for node in containers for child in (node.values() if isinstance(node, dict) else node)]
    return any(isinstance(node, dict | list | tuple) for node in level)

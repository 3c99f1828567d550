"""Text that is JSON, and when it may be taken for its value."""

from __future__ import annotations

import json

from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError
from stepfork.trace.body import JsonValue

DEPTH = 200
"""Levels of nesting in a value that a trace holds; deeper text stays text."""

_STARTS = frozenset('{["-0123456789tfn')


def exact_value(text: str) -> JsonValue:
    """The value of `text` where it is a JSON document that says no more than its value does, else `text` itself.

    Canonical JSON must carry the value exactly (no duplicate keys, no integers past 64 bits), and a bare number must
    be spelled as its value is written: a tool that answers ``1.10`` answered a version or a price, not 1.1.
    """
    stripped = text.strip()
    if stripped[:1] not in _STARTS or not stripped:
        return text
    try:
        value = parse(stripped, limit=DEPTH)
    except (CanonicalError, UnicodeEncodeError):
        return text
    if isinstance(value, dict | list | str) or json.dumps(value) == stripped:
        return value
    return text


def structured(text: str) -> JsonValue:
    """The object or array that `text` is, else `text`: what an agent answered in JSON."""
    value = exact_value(text)
    return value if isinstance(value, dict | list) else text

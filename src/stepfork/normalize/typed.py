"""Ids that a value's own type tells: UUID objects that a program made, in what its instrumentation recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_MADE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[1467][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
"""Versions that hold a clock or chance (RFC 9562); the others are computed from names, and are the same in each run."""


def made_uuids(value: Any) -> Iterator[str]:
    """The texts of UUID objects in a tagged value that another run would make anew."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            told = node.get("value") if node.get("$py") == "uuid" else None
            if isinstance(told, str) and _MADE.fullmatch(told):
                yield told
            stack.extend(held for held in node.values() if isinstance(held, dict | list))
        elif isinstance(node, list):
            stack.extend(held for held in node if isinstance(held, dict | list))

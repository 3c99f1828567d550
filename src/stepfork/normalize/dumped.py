"""Messages that a framework keeps as data, or prints: their ids are its own, wherever they stand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from stepfork.normalize.reprs import ids_in_reprs

MARK = "additional_kwargs"
"""A member that only LangChain writes."""


def message_ids(value: Any) -> Iterator[str]:
    """The ids of LangChain messages in a value, and in the JSON text in it; and those of printed values."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if MARK in node and isinstance(node.get("id"), str):
                yield node["id"]
            stack.extend(node.values())
        elif isinstance(node, list | tuple):
            stack.extend(node)
        elif isinstance(node, str):
            found = _read(node) if MARK in node else None
            if found is not None:
                stack.append(found)
            yield from (node[start:end] for start, end in ids_in_reprs(node))


def _read(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[", '"')):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None

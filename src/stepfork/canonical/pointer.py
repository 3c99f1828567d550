"""RFC 6901 pointers: how the way to a value inside a document is written. Standard library only."""

from __future__ import annotations


def pointer(above: str, step: str | int) -> str:
    """The pointer of a member or an item of the value at the pointer `above`; the whole document's is empty."""
    return f"{above}/{str(step).replace('~', '~0').replace('/', '~1')}"

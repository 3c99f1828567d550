"""The content of a message: its text, and the shape that the text alone does not tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from stepfork.trace.body import JsonValue

TEXT_TYPES = frozenset({"text", "input_text", "output_text"})
"""Types of blocks that hold nothing but a text."""

TakeBlock = Callable[[dict[str, Any]], JsonValue]
"""Takes a block that is a call or a result and says its entry in the shape; None where it is neither."""


class Content(NamedTuple):
    """``shape`` is None where the content is a string, a lone text block, or absent."""

    text: str
    shape: JsonValue


def read_content(value: JsonValue, take: TakeBlock | None = None) -> Content:
    """The content of a message. A string and a lone text block are one; so are null and an absent content.

    An empty text has a shape (``""``), so that it differs from no text.
    """
    if value is None:
        return Content("", None)
    if isinstance(value, str):
        return Content(value, None if value else "")
    if not isinstance(value, list):
        return Content("", {"value": value})
    texts: list[str] = []
    shape = [read_block(block, texts, take) for block in value]
    text = "\n\n".join(texts)
    if is_lone_text(shape):
        return Content(text, None if text else "")
    # The number of texts is in the shape, so a text that falls apart at the joints again needs nothing else.
    if len(texts) > 1 and text.split("\n\n") != texts:
        shape.append({"lines": [part.count("\n") for part in texts]})
    return Content(text, shape)


def without_cache_control(value: dict[str, Any]) -> dict[str, Any]:
    """A copy without ``cache_control``, which says how a request is billed and nothing about what it asks."""
    return {name: member for name, member in value.items() if name != "cache_control"}


def is_lone_text(shape: list[JsonValue]) -> bool:
    """Whether the shape of a list of blocks is that of a single plain text."""
    return len(shape) == 1 and isinstance(shape[0], str) and shape[0] in TEXT_TYPES


def read_block(block: JsonValue, texts: list[str], take: TakeBlock | None = None) -> JsonValue:
    """The entry of one block in the shape; its text, if it has one, is added to `texts`."""
    if not isinstance(block, dict):
        return {"part": block}
    plain = without_cache_control(block)
    kind = plain.get("type")
    if isinstance(kind, str) and kind in TEXT_TYPES and isinstance(plain.get("text"), str):
        texts.append(plain.pop("text"))
        return kind if len(plain) == 1 else {"text": plain}
    taken = take(plain) if take else None
    return {"part": plain} if taken is None else taken

"""Results that give item after item: which they are, and how they are recorded on their way to the consumer."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from stepfork.instrument import generators
from stepfork.instrument.context import Here
from stepfork.instrument.named import class_name
from stepfork.instrument.session import Opened
from stepfork.instrument.tape import Tape
from stepfork.instrument.watched import watched
from stepfork.trace.body import JsonValue

Tag = dict[str, JsonValue]

_FILES_AND_CURSORS = ("read", "readline", "fetchone")
"""What has these gives items too, but is more than a stream of them."""


def shape_of(result: Any) -> Tag | None:
    """What the tag of a streaming result says besides its items; None for any other result."""
    kind = type(result)
    if kind is types.GeneratorType:
        return {"$py": "generator"}
    if kind is types.AsyncGeneratorType:
        return {"$py": "generator", "async": True}
    try:
        is_sync, is_async = hasattr(kind, "__next__"), hasattr(kind, "__anext__")
        if not (is_sync or is_async) or any(hasattr(kind, name) for name in _FILES_AND_CURSORS):
            return None
    except Exception:  # a metaclass of the value's
        return None
    made: Tag = {"$py": "stream", "type": class_name(kind)}
    return (
        made | ({"async": True} if is_async and not is_sync else {}) | ({"both": True} if is_async and is_sync else {})
    )


def recorded(result: Any, shape: Tag, opened: Opened, encode: Callable[[Any], JsonValue], inside: Here) -> Any:
    """What the consumer gets in place of `result`: the same items, written down as they pass."""
    tape = Tape(opened, encode, shape)
    if shape["$py"] == "stream":
        return watched(result, tape, inside)
    if "async" in shape:
        return generators.arecorded(result, tape, inside)
    return generators.recorded(result, tape, inside)

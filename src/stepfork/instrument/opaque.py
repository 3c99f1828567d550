"""What stands for a value that a recording does not hold, or whose class this process has not loaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from stepfork.instrument.named import class_name
from stepfork.trace.body import JsonValue

MAX_TEXT = 2000
"""Characters that are kept of what an opaque value says of itself."""

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class Opaque:
    """A stand-in. Its attributes are those that the recording holds; any other is an AttributeError that says so.

    It is encoded as what it was decoded from, and equal to what has the same tag.
    """

    __slots__ = ("_read", "_tag")
    _tag: dict[str, JsonValue]

    def __init__(self, tag: dict[str, JsonValue], read: Callable[[JsonValue], Any]) -> None:
        object.__setattr__(self, "_tag", tag)
        object.__setattr__(self, "_read", read)

    def __getattr__(self, name: str) -> Any:
        tag = self._tag
        if tag.get("$py") == "enum" and name in {"value", "name"} and name in tag:
            return self._read(tag[name])
        fields = tag.get("value")
        if tag.get("$py") != "opaque" and isinstance(fields, dict) and "$py" not in fields and name in fields:
            return self._read(fields[name])
        raise AttributeError(f"the recording holds no attribute {name!r} of a {tag.get('type')}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a recorded {self._tag.get('type')} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(other) is Opaque and other._tag == self._tag

    def __hash__(self) -> int:
        return hash((self._tag.get("$py"), str(self._tag.get("type"))))

    def __repr__(self) -> str:
        return f"<recorded {self._tag.get('type')}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Opaque, (self._tag, self._read)


def tag_of(value: Opaque) -> dict[str, JsonValue]:
    """What `value` was decoded from."""
    return value._tag


def unsaid(value: Any) -> dict[str, JsonValue]:
    """The tag of what is not asked what it says: a list that holds itself a million times would say it."""
    return {"$py": "opaque", "type": class_name(type(value)), "value": ""}


def opaque(value: Any) -> dict[str, JsonValue]:
    """The tag of what has no other: its class, and what it says of itself, without addresses. Never raises."""
    kind: Any = type(value)
    try:
        text = "" if kind.__repr__ is object.__repr__ else _ADDRESS.sub("", repr(value))
        text = str.__str__(text)[:MAX_TEXT]
    except Exception:
        text = ""
    return {"$py": "opaque", "type": class_name(kind), "value": text.encode("utf-8", "backslashreplace").decode()}

"""Any Python value as one that a trace can hold. Whatever an agent made was paid for: nothing raises here, and what
has no JSON form is kept as a person would want to read it."""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any
from uuid import UUID

from stepfork.trace.body import JsonValue

MAX_DEPTH = 100
"""Levels of nesting that are kept; a deeper container is told by its type. Canonical JSON carries 240."""

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_BY_TEXT = (Decimal, Fraction, UUID, PurePath, dt.timedelta, complex)
_NOT_SCALAR = object()


def plain(value: Any) -> JsonValue:
    """A copy of `value` that canonical JSON can carry, which later changes of `value` do not reach.

    JSON values are themselves. Numbers that are not finite and integers past 64 bits become their text; bytes their
    text, or ``{"base64": …}``; dates ISO 8601; enums their value; dataclasses, models (pydantic, attrs, msgspec) and
    named tuples objects; sets lists in an order of their own; keys that are no strings their text; anything else its
    ``repr`` without addresses. Never raises, whatever the value's own methods do.
    """
    return _plain(value, ())


def message_of(error: BaseException) -> str:
    """What an exception says; nothing where it cannot say it."""
    try:
        return _text(str(error))
    except Exception:
        return ""


def _plain(value: Any, above: tuple[int, ...]) -> JsonValue:
    try:
        made = _scalar(value)
        if made is not _NOT_SCALAR:
            return made
        if id(value) in above:
            return f"<{_name(value)} that holds itself>"
        if len(above) >= MAX_DEPTH:
            return f"<{_name(value)} nested more than {MAX_DEPTH} levels deep>"
        return _container(value, (*above, id(value)))
    except Exception:  # a method of the value, or a recursion that goes on for ever
        return f"<{_name(value)}>"


def _scalar(value: Any) -> Any:
    """The form of what holds no other values; _NOT_SCALAR for what does, or is not known."""
    match value:
        case None | True | False:
            return value
        case Enum():
            return _plain(value.value, ())
        case str():
            return _text(str.__str__(value))
        case int():
            return _integer(int.__int__(value))
        case float():
            number = float.__float__(value)
            return number if math.isfinite(number) else repr(number)
        case bytes() | bytearray() | memoryview():
            return _bytes(bytes(value))
        case dt.date() | dt.time():
            return value.isoformat()
        case BaseException():
            return {"type": _name(value), "message": message_of(value)}
    return _text(str(value)) if isinstance(value, _BY_TEXT) else _NOT_SCALAR


def _container(value: Any, above: tuple[int, ...]) -> JsonValue:
    if isinstance(value, Mapping):
        return _object(value.items(), above)
    if isinstance(value, Set):
        return sorted((_plain(item, above) for item in value), key=repr)
    names = None if isinstance(value, type) else _field_names(type(value))
    if names is not None:
        return _object(((name, getattr(value, name, None)) for name in names), above)
    if hasattr(value, "dtype") and hasattr(value, "tolist"):  # numpy's arrays and numbers
        return _plain(value.tolist(), above)
    if isinstance(value, Sequence) and not isinstance(value, range):
        return [_plain(item, above) for item in value]
    return _text(_ADDRESS.sub("", repr(value)))  # iterators too: they would be used up


def _field_names(kind: type) -> list[str] | None:
    """The names of what is made of named fields; None for anything else."""
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind)]
    if isinstance(fields := getattr(kind, "model_fields", None), dict):  # pydantic
        return [*fields]
    if isinstance(fields := getattr(kind, "__struct_fields__", None), tuple):  # msgspec
        return [*fields]
    if isinstance(fields := getattr(kind, "__attrs_attrs__", None), tuple):
        return [field.name for field in fields]
    if issubclass(kind, tuple) and isinstance(fields := getattr(kind, "_fields", None), tuple):
        return [*fields]
    return None


def _object(items: Iterable[tuple[Any, Any]], above: tuple[int, ...]) -> dict[str, JsonValue]:
    """Two keys that read alike stay two."""
    made: dict[str, JsonValue] = {}
    for key, item in items:
        name = first = _key(key)
        count = 1
        while name in made:
            count += 1
            name = f"{first} ({count})"
        made[name] = _plain(item, above)
    return made


def _key(key: Any) -> str:
    form = _plain(key, ())
    return form if isinstance(form, str) else repr(form)


def _text(text: str) -> str:
    """`text`, with half a character (a lone surrogate) spelled out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _integer(value: int) -> int | str:
    if -(2**63) <= value < 2**63:
        return value
    try:
        return str(value)
    except ValueError:  # more digits than Python turns into text
        return hex(value)


def _bytes(value: bytes) -> JsonValue:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def _name(value: Any) -> str:
    return _text(type(value).__name__)

"""Values that hold no other values, as tags: the exact text of each, and back."""

from __future__ import annotations

import base64
import datetime as dt
import math
import pathlib
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

from stepfork.trace.body import JsonValue

Tag = dict[str, JsonValue]

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(\\|u[0-9a-f]{4})")
_HEX_FROM_BITS = 4096
"""Integers of more bits are written in base 16: Python turns no more than some thousand digits into decimal text."""


def text(value: str) -> JsonValue:
    """A string as itself, or, where it has half a character in it, with those (and backslashes) escaped."""
    if value.isascii() or _SURROGATE.search(value) is None:
        return value
    escaped = value.replace("\\", "\\\\").encode("utf-8", "backslashreplace").decode("utf-8")
    return {"$py": "str", "escaped": escaped}


def integer(value: int) -> JsonValue:
    """An integer as itself, or past 64 bits as text."""
    if -(2**63) <= value < 2**64:
        return value
    return {"$py": "int", "value": hex(value) if value.bit_length() > _HEX_FROM_BITS else str(value)}


def real(value: float) -> JsonValue:
    """A float as itself, or ``nan``, ``inf``, ``-inf``."""
    return value if math.isfinite(value) else {"$py": "float", "value": repr(value)}


def read_text(tag: Tag) -> str:
    """What `text` escaped."""
    return _ESCAPE.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), tag["escaped"])


def read_integer(tag: Tag) -> int:
    """What `integer` wrote as text."""
    digits = tag["value"]
    return int(digits, 16 if "x" in digits else 10)


def octets(value: bytes) -> Tag:
    """Bytes as their text where they are one, so that it can be read and redacted; else in base 64."""
    try:
        return {"$py": "bytes", "value": value.decode("utf-8")}
    except UnicodeDecodeError:
        return {"$py": "bytes", "base64": base64.b64encode(value).decode("ascii")}


def read_octets(tag: Tag) -> bytes:
    """What `octets` wrote."""
    return base64.b64decode(tag["base64"]) if "base64" in tag else tag["value"].encode("utf-8")


def _moment(value: dt.datetime | dt.time) -> Tag:
    made: Tag = {"$py": "datetime" if isinstance(value, dt.datetime) else "time", "value": value.isoformat()}
    key = getattr(value.tzinfo, "key", None)  # a zone of zoneinfo
    if isinstance(key, str):
        made["zone"] = key
    if value.fold:
        made["fold"] = 1
    return made


def _read_moment(kind: Any) -> Callable[[Tag], Any]:
    def read(tag: Tag) -> Any:
        value = kind.fromisoformat(tag["value"]).replace(fold=tag.get("fold", 0))
        if "zone" in tag:
            from zoneinfo import ZoneInfo

            value = value.replace(tzinfo=ZoneInfo(tag["zone"]))
        return value

    return read


def _path(value: pathlib.PurePath) -> Tag:
    made: Tag = {"$py": "path", "value": text(str(value))}
    if not isinstance(value, pathlib.Path):
        made["pure"] = "windows" if isinstance(value, pathlib.PureWindowsPath) else "posix"
    return made


def _read_path(tag: Tag) -> pathlib.PurePath:
    value = tag["value"]
    spelled = read_text(value) if isinstance(value, dict) else value
    pure = {"windows": pathlib.PureWindowsPath, "posix": pathlib.PurePosixPath}
    return pure[tag["pure"]](spelled) if "pure" in tag else pathlib.Path(spelled)


def _by_text(name: str) -> Callable[[Any], Tag]:
    return lambda value: {"$py": name, "value": str(value)}


WRITERS: dict[type, Callable[[Any], JsonValue]] = {
    str: text,
    int: integer,
    float: real,
    bytes: octets,
    bytearray: lambda value: {**octets(bytes(value)), "mutable": True},
    dt.datetime: _moment,
    dt.time: _moment,
    dt.date: lambda value: {"$py": "date", "value": value.isoformat()},
    dt.timedelta: lambda value: {"$py": "timedelta", "value": [value.days, value.seconds, value.microseconds]},
    Decimal: _by_text("decimal"),
    Fraction: lambda value: {"$py": "fraction", "value": [integer(value.numerator), integer(value.denominator)]},
    UUID: _by_text("uuid"),
    complex: lambda value: {"$py": "complex", "value": [repr(value.real), repr(value.imag)]},
    **dict.fromkeys((pathlib.PurePosixPath, pathlib.PureWindowsPath, type(pathlib.Path())), _path),
}
"""By exact class: a subclass may say of itself whatever it likes."""


def _whole(part: JsonValue) -> int:
    number = read_integer(part) if isinstance(part, dict) else part
    if type(number) is not int:  # of a text Fraction makes a power of ten as large as it says
        raise TypeError(type(number))
    return number


READERS: dict[str, Callable[[Tag], Any]] = {
    "str": read_text,
    "int": read_integer,
    "float": lambda tag: float(tag["value"]),
    "bytes": lambda tag: bytearray(read_octets(tag)) if tag.get("mutable") else read_octets(tag),
    "datetime": _read_moment(dt.datetime),
    "time": _read_moment(dt.time),
    "date": lambda tag: dt.date.fromisoformat(tag["value"]),
    "timedelta": lambda tag: dt.timedelta(*tag["value"]),
    "decimal": lambda tag: Decimal(tag["value"]),
    "fraction": lambda tag: Fraction(*map(_whole, tag["value"])),
    "uuid": lambda tag: UUID(tag["value"]),
    "complex": lambda tag: complex(*map(float, tag["value"])),
    "path": _read_path,
}

"""Members of an OTLP/JSON document. Each reader raises OtlpError, with the path, for a value of another type."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from stepfork.errors import OtlpError
from stepfork.otlp.values import UnreadableValueError, from_bytes, number

_STATUS = {
    None: "unset",
    0: "unset",
    1: "ok",
    2: "error",
    "STATUS_CODE_UNSET": "unset",
    "STATUS_CODE_OK": "ok",
    "STATUS_CODE_ERROR": "error",
}
_DECIMAL = re.compile(r"-?[0-9]{1,20}")
_FLOATS = ("NaN", "Infinity", "-Infinity")


def array_in(holder: dict[str, Any], name: str, where: str) -> list[Any]:
    """The items of a member that is an array; none where it is absent or null."""
    items = holder.get(name)
    if items is None:
        return []
    if not isinstance(items, list):
        raise OtlpError("must be an array", where=f"{where}.{name}".lstrip("."))
    return items


def objects_in(holder: dict[str, Any], name: str, where: str) -> list[tuple[int, dict[str, Any]]]:
    """The objects of a member that is an array of objects, with their places."""
    items = array_in(holder, name, where)
    for i, item in enumerate(items):
        if not isinstance(item, dict):
            raise OtlpError("must be an object", where=f"{where}.{name}[{i}]".lstrip("."))
    return list(enumerate(items))


def object_in(holder: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    """A member that is an object; an empty one where it is absent or null."""
    item = holder.get(name)
    if item is None:
        return {}
    if not isinstance(item, dict):
        raise OtlpError("must be an object", where=f"{where}.{name}")
    return item


def hex_id(text: Any, digits: int, where: str) -> str:
    """An id of that many hexadecimal digits, in lower case. Base64, as plain protobuf JSON has it, is refused."""
    if isinstance(text, str) and len(text) == digits and re.fullmatch(r"[0-9a-fA-F]+", text) and text.strip("0"):
        return text.lower()
    raise OtlpError(f"must be {digits} hexadecimal digits that are not all zero", where=where)


def time_in(holder: dict[str, Any], name: str, where: str) -> int:
    """A member that is a time in Unix nanoseconds; 0 where it is absent or null."""
    value = holder.get(name)
    return 0 if value is None else integer(value, 0, 2**64, f"{where}.{name}")


def integer(value: Any, low: int, high: int, where: str) -> int:
    """An integer of ``[low, high)``, given as a number or as decimal digits."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        value = int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value < high:
        raise OtlpError("must be a 64-bit integer, as a number or as decimal digits in a string", where=where)
    return value


def double(value: Any, where: str) -> float:
    """A finite double, given as a number or as text. Raises UnreadableValueError for one that is not finite."""
    if isinstance(value, str) and (value in _FLOATS or re.fullmatch(r"-?[0-9.]+([eE][-+]?[0-9]+)?", value)):
        try:
            value = float(value)
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise OtlpError("must be a number", where=where)
    try:
        return number(float(value))
    except OverflowError:
        raise UnreadableValueError("a number past the range of a double") from None


def text_of_base64(value: Any, where: str) -> str:
    """The text that base64 stands for; see `stepfork.otlp.values.from_bytes`."""
    try:
        if isinstance(value, str):
            return from_bytes(base64.b64decode(value, validate=True))
    except (binascii.Error, ValueError):
        pass
    raise OtlpError("must be base64", where=where)


def status(code: Any, where: str) -> str:
    """The status that a number or a name stands for; unset for numbers of a later version."""
    if isinstance(code, str) or code is None:
        if code not in _STATUS:
            raise OtlpError("is not the name of a status code", where=where)
        return _STATUS[code]
    if isinstance(code, bool) or not isinstance(code, int):
        raise OtlpError("must be the number or the name of a status code", where=where)
    return _STATUS.get(code, "unset")  # numbers of a later version are open

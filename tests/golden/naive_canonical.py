"""A second encoder of canonical JSON, written from docs/reference/format.md alone: slow, plain, no library."""

from __future__ import annotations

from typing import Any

_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def encode(value: Any) -> bytes:
    return (_value(value, "") + "\n").encode("utf-8")


def _value(value: Any, indent: str) -> str:
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return _string(value)
    deeper = indent + "  "
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: [ord(char) for char in key])
        items = [f"{_string(key)}: {_value(value[key], deeper)}" for key in keys]
        opening, closing = "{", "}"
    else:
        items = [_value(item, deeper) for item in value]
        opening, closing = "[", "]"
    if not items:
        return opening + closing
    lines = ",\n".join(deeper + item for item in items)
    return f"{opening}\n{lines}\n{indent}{closing}"


def _string(text: str) -> str:
    out = []
    for char in text:
        if char in _SHORT:
            out.append(_SHORT[char])
        elif ord(char) < 0x20:
            out.append(f"\\u{ord(char):04x}")
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def _float(number: float) -> str:
    """The shortest decimal digits that read back as the same number, placed by the size of the number."""
    sign, shortest = ("-", repr(number)[1:]) if repr(number).startswith("-") else ("", repr(number))
    mantissa, _, exponent = shortest.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0").rstrip("0")
    if not digits:
        return sign + "0.0"
    first = whole.lstrip("0")
    point = len(first) if first else -(len(fraction) - len(fraction.lstrip("0")))
    point += int(exponent or 0)  # the decimal point stands after so many digits
    if -5 < point <= 16:
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        return f"{sign}{digits[:point].ljust(point, '0')}.{digits[point:] or '0'}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    power = point - 1
    return f"{sign}{digits[0]}{rest}e{'+' if power > 0 else '-'}{abs(power)}"

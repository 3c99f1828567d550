"""Attribute values that canonical JSON can carry, whichever wire form they came in."""

from __future__ import annotations

import base64
import math
import re

_SURROGATES = re.compile("[\ud800-\udfff]")


class UnreadableValueError(Exception):
    """An attribute value that is dropped from its span with a note; never leaves this package."""


def number(value: float) -> float:
    """`value`. Raises UnreadableValueError for NaN and the infinities, which no JSON document can hold."""
    if not math.isfinite(value):
        raise UnreadableValueError("a number that is not finite")
    return value


def from_bytes(data: bytes) -> str:
    """The text that the bytes are (some exporters send JSON text so), else their base64."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(data).decode()


def whole(text: str) -> str:
    """`text` with each half of a character (a lone surrogate, left by a cut in UTF-16) replaced by U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)

"""The name of a byte string: its BLAKE3-256, 64 lower-case hex digits, as ``b3sum`` prints it."""

from __future__ import annotations

import re

from blake3 import blake3

_ID = re.compile(r"[0-9a-f]{64}")


def name_of(data: bytes) -> str:
    """BLAKE3-256 of `data` in lower-case hex."""
    return blake3(data).hexdigest()


def hasher(data: bytes = b"") -> blake3:
    """A running BLAKE3 of what it is given, for digests that are no object's name."""
    return blake3(data)


def is_name(text: object) -> bool:
    """Whether `text` could be the name of an object."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None

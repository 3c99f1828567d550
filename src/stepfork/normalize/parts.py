"""Parts that the calls of a run repeat, told apart so that each is read once."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

_pack = msgspec.msgpack.Encoder().encode


def word_for(value: Any) -> bytes:
    """Equal bytes for equal values of equal types, quicker than canonical ones; few, also for a large value."""
    packed = _pack(value)
    return packed if len(packed) < 1024 else hashlib.blake2b(packed, digest_size=32).digest()

"""Where in the bytes of a large text, as it stands, a token may stand that is found by the sign inside it."""

from __future__ import annotations

from stepfork.redact.pattern import pattern
from stepfork.redact.shape import LONGEST_LED
from stepfork.redact.shaped import in_bytes, led_and_followed
from stepfork.redact.tokens import HEAD, LED, LETTERS, SIGNS, WORD, is_other, unknown_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNS = tuple(pattern(sign.encode()) for sign in SIGNS)
_LETTERS = LETTERS.encode()
_WORD = pattern(WORD.encode())
_LED = {prefix.encode(): shapes for prefix, shapes in LED.items()}
_LEAD, _FOLLOWING = 200, 400
"""Bytes that are looked at on both sides of a sign."""
_SMALL, _FEWEST = 16_000, 14
"""Bytes of a text whose words are counted first, and letters, digits, ``-`` and ``_`` around any sign."""
_WORDS = bytes(byte if (chr(byte).isalnum() and byte < 128) or byte in b"-_" else 32 for byte in range(256))
_SHORT = 12
"""Bytes of a prefix that is remembered."""


def token_spots(data: bytes) -> Iterator[int]:
    """Where a sign stands in the bytes of a text, escapes and all, that may belong to what `tokens_in` finds in what
    the text stands for; nowhere if it finds nothing."""
    if len(data) < _SMALL and all(len(word) < _FEWEST for word in data.translate(_WORDS).split()):
        return  # most small files have no word so long: no regular expression is loaded for them
    for sign in _SIGNS:
        for match in sign.finditer(data):
            at = match.start()
            if _is_led(data, at) or _is_unknown(data, at):
                yield at


def _is_led(data: bytes, at: int) -> bool:
    for size in range(1, LONGEST_LED + 1):
        start = at + 1 - size
        for shape in _LED.get(data[start : at + 1], ()):
            if not shape.has_lead and _goes_on_to_the_left(data, start):
                continue
            if in_bytes(shape).match(data, start) is not None:
                text, first = _around(data, at)
                if led_and_followed(shape, text, start - first):
                    return True
    return False


def _goes_on_to_the_left(data: bytes, start: int) -> bool:
    """Whether a word begins before `start`, and no escape of another character may end there."""
    before = data[max(0, start - 6) : start]
    return before[-1:].isalnum() and b"\\" not in before and before[-3:-2] != b"%"


def _is_unknown(data: bytes, at: int) -> bool:
    head = data[max(0, at - HEAD) : at]
    prefix = head[len(head.rstrip(_LETTERS)) :]
    if len(prefix) == HEAD or not prefix or prefix in _dull:  # the middle of a blob, or seen before
        return False
    escaped = head[-len(prefix) - 1 : len(head) - len(prefix)] in (b"\\", b"%")
    if not escaped and _WORD.match(prefix + b"_") is None:
        return False
    text, first = _around(data, at)
    if unknown_at(text, at - first, escaped=escaped) is not None:
        return True
    if len(prefix) < _SHORT and is_other(prefix.decode("latin-1").lower().replace("-", "_").split("_")) and not escaped:
        _dull.add(prefix)
    return False


_dull: set[bytes] = set()
"""Prefixes of ids, which stand in every line of a trace."""


def _around(data: bytes, at: int) -> tuple[str, int]:
    """The text around a sign, and where it begins."""
    first = max(0, at - _LEAD)
    return data[first : at + _FOLLOWING].decode("latin-1"), first

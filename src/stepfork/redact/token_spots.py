"""Where in the bytes of a large text, as it stands, a token may stand that is found by the sign inside it."""

from __future__ import annotations

from stepfork.redact.notation import ALPHABETS, pieces
from stepfork.redact.pattern import pattern
from stepfork.redact.shape import LONGEST_LED
from stepfork.redact.shaped import in_bytes, led_and_followed, may_follow, may_lead, may_stand_alone
from stepfork.redact.tokens import HEAD, LED, LETTERS, SIGNS, WORD, is_other, unknown_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from stepfork.redact.shape import Shape

_SIGNS = tuple(pattern(sign.replace(":[", "(?::|%3[Aa])[").encode()) for sign in SIGNS)
_LETTERS = LETTERS.encode()
_WORD = pattern(WORD.encode())
_LED = {prefix.encode(): shapes for prefix, shapes in LED.items()}
_LEAD, _FOLLOWING = 200, 400
"""Bytes that are looked at on both sides of a sign."""
_SMALL, _FEWEST = 16_000, 14
"""Bytes of a text whose words are counted first, and letters, digits, ``-`` and ``_`` around any sign."""
_WORDS = bytes(byte if (chr(byte).isalnum() and byte < 128) or byte in b"-_" else 32 for byte in range(256))
_BLOB = 126
"""So many of them before a sign make it a part of a blob."""
_SHORT, _MOST = 24, 50_000
"""Bytes of a word that is remembered, and how many are."""
_POINT = ord(".")
_ALONE = ("_", "-", ".")


def token_spots(data: bytes, begin: int, end: int) -> Iterator[int]:
    """Where a sign stands between `begin` and `end` in the bytes of a text, escapes and all, that may belong to what
    `tokens_in` finds in what the text stands for; nowhere if it finds nothing."""
    if len(data) < _SMALL and all(len(word) < _FEWEST for word in data.translate(_WORDS).split()):
        return  # most small files have no word so long: no regular expression is loaded for them
    for sign in _SIGNS:
        for match in sign.finditer(data, begin, min(len(data), end + _FOLLOWING)):
            at = match.start()
            head = data[max(0, at - _BLOB) : at]
            word = head[len(head.rstrip(_LETTERS)) :]
            if at >= end or len(word) == _BLOB:
                continue
            shapes = _shapes_at(data[max(0, at + 1 - LONGEST_LED) : at + 1])
            if (shapes and _is_led(data, at, shapes, len(word))) or (word not in _dull and _is_unknown(data, at, word)):
                yield at


def _shapes_at(led: bytes) -> list[tuple[Shape, int, int]]:
    """The shapes of which a prefix ends these bytes, each with the prefix's length, and how many letters must stand
    before its sign."""
    found = _by_end.get(led)
    if found is None:
        if len(_by_end) > _MOST:
            _by_end.clear()
        sizes = range(1, len(led) + 1)
        found = _by_end[led] = [
            (shape, size, _least_before(shape)) for size in sizes for shape in _LED.get(led[len(led) - size :], ())
        ]
    return found


_by_end: dict[bytes, list[tuple[Shape, int, int]]] = {}


def _least_before(shape: Shape) -> int:
    """How many letters, digits, ``-`` and ``_`` must stand before a sign that is a prefix, as far as that is plain."""
    if not shape.lead or shape.prefixes[0] not in _ALONE:
        return 0
    kind, size = list(pieces(shape.lead))[-1]
    alphabet, _, count = size.partition(" ")
    is_plain = kind == "sized" and not set(ALPHABETS.get(alphabet, "/")) - set(LETTERS)
    least = count.partition("-")[0].rstrip("+")
    return int(least) if is_plain and least.isdigit() else 0


def _is_led(data: bytes, at: int, shapes: list[tuple[Shape, int, int]], before: int) -> bool:
    for shape, size, least in shapes:
        start = at + 1 - size
        if before < least or (not shape.has_lead and not may_stand_alone(data, start)):
            continue
        if not may_follow(shape, data[start : at + 1], data, start, at + 1):
            continue
        if shape.has_lead and not may_lead(shape, data, start):
            continue
        text, first = _around(data, at)
        is_spelled = in_bytes(shape).match(data, start) is None
        if is_spelled or led_and_followed(shape, text, start - first):
            return True
    return False


def _is_unknown(data: bytes, at: int, word: bytes) -> bool:
    """Whether a token of no known service may have the sign at `at`, before which that word stands."""
    if not word or len(word) >= HEAD or data[at] == _POINT:
        return False
    escaped = len(word) < at and data[at - len(word) - 1 : at - len(word)] in (b"\\", b"%")
    if not escaped and (_WORD.match(word + b"_") is None or _is_other(word)):
        if len(word) < _SHORT and len(_dull) < _MOST:
            _dull.add(word)
        return False
    text, first = _around(data, at)
    return unknown_at(text, at - first, escaped=escaped) is not None


def _is_other(word: bytes) -> bool:
    return is_other(word.decode("latin-1").lower().replace("-", "_").split("_"))


_dull: set[bytes] = set()
"""Words of ids, which stand in every line of a trace."""


def _around(data: bytes, at: int) -> tuple[str, int]:
    """The text around a sign, and where it begins."""
    first = max(0, at - _LEAD)
    return data[first : at + _FOLLOWING].decode("latin-1"), first

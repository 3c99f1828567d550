"""How a text spells bytes, in base64 or hex, and others in the same way: alphabet, padding, line length."""

from __future__ import annotations

import binascii

from stepfork.redact.magic import KNOWN, kind_by_head
from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LATIN_GZIP = "\x1f\x8b\x08"
"""What gzip data begin with that were written as characters, before there were bytes."""
_BODY = pattern(r"[A-Za-z0-9+/_-]+={0,2}\Z")
_HEX = pattern(r"(?:[0-9a-f]{2}){10,}\Z|(?:[0-9A-F]{2}){10,}\Z")
_URL_SAFE = str.maketrans("-_", "+/")
_TO_URL_SAFE = str.maketrans("+/", "-_")


def spelled(text: str, *, whatever: bool) -> tuple[bytes, Callable[[bytes], str]] | None:
    """The bytes of a text in hex, base64 or (from before there were bytes) Latin-1, and how to spell others; only those
    whose beginning says something, unless `whatever` they are will do. None where it spells none."""
    if text.startswith(LATIN_GZIP):
        try:
            return text.encode("latin-1"), lambda data: data.decode("latin-1")
        except UnicodeEncodeError:
            return None
    kind = kind_of("".join(text[:200].split())[:64])
    if kind == KNOWN or not (kind or whatever):
        return None
    compact = "".join(text.split())
    if _HEX.match(compact):
        upper = compact != compact.lower()
        return bytes.fromhex(compact), lambda data: _wrapped(data.hex().upper() if upper else data.hex(), text)
    return _base64(compact, text) if _BODY.match(compact) else None


def kind_of(head: str) -> str:
    """What the first 64 characters of hex or base64 show: the name of a coding, ``text``, `KNOWN`, or nothing."""
    return next((kind for kind in map(kind_by_head, (_unhexed(head), _decoded(head))) if kind), "")


def _base64(compact: str, text: str) -> tuple[bytes, Callable[[bytes], str]] | None:
    body = compact.rstrip("=")
    data = _decoded(body)
    if not data:
        return None
    url_safe, padded = "-" in body or "_" in body, len(compact) % 4 == 0

    def spell(data: bytes) -> str:
        made = binascii.b2a_base64(data, newline=False).decode("ascii")
        made = made.translate(_TO_URL_SAFE) if url_safe else made
        return _wrapped(made if padded else made.rstrip("="), text)

    return data, spell


def _decoded(body: str) -> bytes:
    """The bytes of base64 of either alphabet; none where it is not base64."""
    body = body.rstrip("=")
    try:
        return binascii.a2b_base64(body.translate(_URL_SAFE) + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return b""


def _unhexed(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def _wrapped(made: str, like: str) -> str:
    """`made` in lines of the length that those of `like` have, with the white space around it."""
    inner = like.strip()
    start = like[: len(like) - len(like.lstrip())]
    end = like[len(like.rstrip()) :]
    first = inner.split(None, 1)
    if len(first) == 2:
        width = len(first[0])
        gap = inner[width : len(inner) - len(first[1])]
        made = gap.join(made[index : index + width] for index in range(0, len(made), width))
    return start + made + end

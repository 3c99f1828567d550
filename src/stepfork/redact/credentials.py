"""Credentials that stand after a scheme's name or inside a URL: Bearer, Basic, ``scheme://user:password@``."""

from __future__ import annotations

import binascii

from stepfork.redact.judging import is_telling
from stepfork.redact.marker import is_stand_in
from stepfork.redact.pattern import pattern
from stepfork.redact.randomness import looks_random
from stepfork.redact.span import Span

BEARER = ("earer", "EARER")
BASIC = ("asic ", "ASIC ", "asic\t")
URL = ("://",)

_BEARER = pattern(r"(?i)earer(?:\s+|:\s*)([A-Za-z0-9._~+/-]{16,}=*)")
_BASIC = pattern(r"(?i)asic\s+([A-Za-z0-9+/_-]{8,}={0,2})")
_USERINFO = pattern(r"""://[^\s/?#@:"'<>`\\|]*:([^\s/?"'<>`|]+)@(?=[A-Za-z0-9\[_.-])""")
_USER = pattern(r"://([A-Za-z0-9_.-]{20,}):?@(?=[A-Za-z0-9\[])")
_SCHEME_NAME = pattern(r"[A-Za-z][A-Za-z0-9+.-]*\Z")


def bearer_at(text: str, start: int, _end: int) -> Span | None:
    """The token of ``Bearer TOKEN`` whose name goes on at `start`; prose about bearers has none."""
    match = _BEARER.match(text, start)
    if match is None or start == 0 or text[start - 1] not in "bB":
        return None
    first, last = match.span(1)
    while text[last - 1] in ".-/":
        last -= 1
    token = text[first:last]
    if len(token) < 16 or not looks_random(token) or is_stand_in(token):
        return None
    return Span(first, last, "bearer token")


def basic_at(text: str, start: int, _end: int) -> Span | None:
    """The credentials of ``Basic BASE64`` whose name goes on at `start`: they decode to ``user:password``."""
    match = _BASIC.match(text, start)
    if match is None or start == 0 or text[start - 1] not in "bB":
        return None
    encoded = match.group(1).rstrip("=").translate(_STANDARD)
    try:
        decoded = binascii.a2b_base64(encoded + "=" * (-len(encoded) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
    user, colon, password = decoded.partition(":")
    if not colon or not password or not (user + password).isprintable():
        return None
    return Span(*match.span(1), "basic credentials")


_STANDARD = str.maketrans("-_", "+/")


def userinfo_at(text: str, start: int, _end: int) -> Span | None:
    """The password of ``scheme://<user>:<password>@<host>`` whose ``://`` stands at `start`; or the token that stands
    there as a user without a password."""
    match = _USERINFO.match(text, start)
    if match is None:
        match = _USER.match(text, start)
        if match is None or not is_telling(match.group(1)):
            return None
    if not _SCHEME_NAME.search(text, max(0, start - 40), start) or is_stand_in(match.group(1)):
        return None
    return Span(*match.span(1), "password in a URL")

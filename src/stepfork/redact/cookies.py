"""Cookies that stand for a session: their name says so, and their value looks drawn by lot."""

from __future__ import annotations

from stepfork.redact.judging import is_telling
from stepfork.redact.marker import is_stand_in
from stepfork.redact.pattern import pattern
from stepfork.redact.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RULE = "cookie"
ANCHORS = ("ookie", "OOKIE")
LISTED = ("httpOnly",)
"""What browsers say of each cookie that they list."""
_OPENS = pattern(r"""(?i)ookies?["'\]]{0,2}[ \t]*[:=,][ \t]*[\[({]?[ \t]*["']?(?=[\w.$-]{1,80}=)""")
_OPTION = pattern(r"""(?i)ookie[ \t]+["']?(?=[\w.$-]{1,80}=)""")
_LINE = pattern(r"""[^\r\n"']*""")
_PAIR = pattern(r"""(?:\A|[;,][ \t]*)([\w.$-]{1,80})=(?:s%3A|s:|j%3A)?([^;,\s]+)""")
_SESSION = pattern(r"(?i)sess|sid\Z|auth|token|jwt|login|remember|identity|ticket|secret|credential|__host-|\.asp")
"""What a name says of a cookie that lets somebody in; others tell a visitor, a machine or a choice."""


def is_cookie_name(name: str) -> bool:
    """Whether a member of this name holds cookies: ``Cookie``, ``set-cookie``, ``setCookie``."""
    return len(name) < 20 and name.lower().replace("-", "").replace("_", "").rstrip("s") in ("cookie", "setcookie")


def names_session(name: str) -> bool:
    """Whether a cookie of this name lets somebody in."""
    return _SESSION.search(name) is not None


def cookie_secrets(text: str, start: int = 0, end: int | None = None) -> Iterator[Span]:
    """The values of the cookies that stand from `start` to `end` of a text."""
    line = text[start:end]
    for match in _PAIR.finditer(line):
        name, value = match.groups()
        if names_session(name) and is_telling(value) and not is_stand_in(value):
            yield Span(start + match.start(2), start + match.end(2), RULE)


_MAY_OPEN = pattern(
    rb"""(?i)ookies?(?:\\*["'\]]){0,2}(?:\s|\\+t)*(?P<sign>[:=,])(?:\s|\\+[nrt])*+(?P<list>[\[({](?:\s|\\+[nrt])*+)?+"""
    rb"""[bu]?+(?:(?P<slashes>\\*)(?P<quote>["']))?"""
)
_MAY_HOLD = pattern(
    rb"(?i)(?:(?:sess|auth|token|jwt|login|remember|identity|ticket|secret|credential|__host-|\.asp)[\w.$-]*|sid)"
    rb"(?:=|%3d|\\+u003d|\\+x3d|&)|\\+[ux](?!2[267]|002[267])|%[4-7]|&#"
)
"""Such a name in a text whose escapes are not undone, or an escape of a letter."""
_WORDS = tuple(
    b"sess auth token jwt login remember identity ticket secret credential __host- .asp sid \\u \\x % &#".split()
)
"""What is quick to look for, as part of that; the last are those of escapes."""
_ESCAPED = pattern(rb"(?:\\+[\"'\]]){0,2}s?(?:%|&|\\+[ux0-9])")
_MEMBER = pattern(rb"[\"'](?:\s|\\+[nrt])*:")
_LAST = pattern(rb"s?\\*\"(?:\s|\\+[nrt])*\}")
_REACH = 1 << 16
"""Bytes after a name that may hold cookies."""


def may_be_cookies(data: bytes, start: int, end: int) -> bool:
    """Whether cookies of sessions may stand after the name that goes on at `start`, in a list or beside it, in a text
    whose escapes are not undone."""
    opened = _MAY_OPEN.match(data, start)
    if opened is None:
        return (
            _ESCAPED.match(data, end) is not None
            or (_LAST.match(data, end) is not None and _is_whole(data, start))
            or (b"--" in data[max(0, start - 4) : start] and data[end : end + 1] in (b" ", b"\t"))
        )
    begin = opened.end()
    if opened["list"] and _is_whole(data, start):
        return True
    closing = (opened["slashes"] or b"") + (opened["quote"] or b"\n")
    at = data.find(closing, begin, begin + _REACH)
    while at > 0 and data[at - 1 : at] == b"\\":  # a quote inside the value
        at = data.find(closing, at + 1, begin + _REACH)
    if at >= 0 and opened["sign"] == b"," and _MEMBER.match(data, at + len(closing) - 1):
        return _is_whole(data, start)
    if at >= 0:
        value = data[begin:at].lower()
        if not any(word in value for word in _WORDS):
            return False
    return _MAY_HOLD.search(data, begin, at if at >= 0 else begin + _REACH) is not None


def _is_whole(data: bytes, start: int) -> bool:
    """Whether what goes on at `start` begins right behind a quote."""
    head = data[max(0, start - 16) : start]
    return head[head.rfind(b'"') + 1 :].translate(None, b"-_:= ").lower() in (b"c", b"setc")


def cookies_at(text: str, start: int, _end: int) -> Iterator[Span]:
    """The same of ``Cookie: …`` and ``Set-Cookie: …`` whose name goes on at `start`."""
    if text[start - 1 : start] not in ("c", "C"):
        return
    opened = _OPENS.match(text, start)
    if opened is None and "--" in text[max(0, start - 4) : start]:
        opened = _OPTION.match(text, start)
    if opened is not None:
        line = _LINE.match(text, opened.end())
        yield from cookie_secrets(text, opened.end(), line.end() if line else opened.end())

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


def may_be_listed(text: str, start: int, end: int) -> bool:
    """Whether cookies may stand here that only a parsed document tells: in a list, or beside the header's name. What
    stands at `start` is one of `ANCHORS` or `LISTED`."""
    if text[start:end] in LISTED:
        return True
    after = text[end : end + 40].lstrip("sS")
    if after[:1] not in ("'", '"', "\\"):
        return False
    after = after.replace("\\n", "").lstrip("\"'\\ \t\r\n")
    return after[:1] in (",", "}", "]") or (after[:1] == ":" and after[1:].lstrip()[:1] in ("[", "{"))


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

"""Where the value begins and ends that follows the name of a secret in a text, in quotes or without."""

from __future__ import annotations

from stepfork.redact.judging import is_plausible
from stepfork.redact.marker import MARKER
from stepfork.redact.names import OWN, PASSWORD
from stepfork.redact.pattern import pattern
from stepfork.redact.span import Span

RULE = "named secret"
_LONGEST = 8192

_OPEN = pattern(r"""(?:[bruf]{1,2}(?=["']))?(?P<quote>\\*(?:\"\"\"|'''|["'`]))""")
_BARE = pattern(
    r"""[^\s\x00-\x1f\x7f"'`<>\\,;|(){}\[\]\u0080-\u00bf\u2000-\u2fff\u3000-\u303f\uff00-\uffef\U0001f000-\U0001ffff]+"""
)
_BARE_PASSWORD = pattern(
    r"""[^\s\x00-\x1f\x7f"'`<>\\\u00a0-\u00bf\u2000-\u2fff\u3000-\u303f\uff00-\uffef\U0001f000-\U0001ffff]+"""
)
_SCHEME = pattern(
    r"(?i)(?:Bearer|Basic|Token(?: token=)?|ApiKey|Api-Key|Key|Digest|Negotiate|SSWS|GoogleLogin(?: auth=)?|Splunk|Bot"
    r"|AWS4-HMAC-SHA256|GenieKey|App|OAuth|JWT|AccessKey|SharedKey(?:Lite)?|sso-key|Zoho-\w+|[A-Za-z]+-(?:API|Auth)-Key"
    r"|H?MAC(?:-SHA(?:1|256|512))?)(?:\s+|(?<==))"
)
"""What may stand between a name and its value: how a header says what kind of credential follows."""
_LINE_END = pattern(r"[\r\n]|\Z")
_LINE = pattern(r"[^\r\n]*[^\s]")
_NEXT_PARAMETER = pattern(r"&[A-Za-z0-9_.-]{1,40}=|;[A-Za-z][A-Za-z0-9 _.-]{1,40}=")
_CALL = pattern(r"[A-Za-z_][A-Za-z0-9_.:]*[(\[]|\([A-Za-z_]")
_ASSIGNED = pattern(r"[ \t]*=(?!=)")


def value_at(text: str, start: int, kind: str, name: str = "", *, in_query: bool = False) -> Span | None:
    """The secret of a name of strength `kind` whose value begins at `start`; `in_query`: it ends at the next ``&``."""
    opening = _OPEN.match(text, start)
    if opening is not None:
        begin = opening.end()
        end = until(text, begin, opening["quote"])
        if kind == OWN and end == begin and not text.startswith(opening["quote"], begin):  # cut short
            end = _LINE_END.search(text, begin).start()  # type: ignore[union-attr]
        return checked(text, begin, end, kind, name)
    scheme = _SCHEME.match(text, start)
    begin = scheme.end() if scheme else start
    bare = (_BARE_PASSWORD if kind in (PASSWORD, OWN) else _BARE).match(text, begin, begin + _LONGEST)
    if bare is None or MARKER in bare.group():
        return None
    end = bare.end()
    parameter = _NEXT_PARAMETER.search(text, begin, end)
    if parameter is not None:
        end = parameter.start()
    elif in_query and "&" in text[begin:end]:
        end = text.index("&", begin)
    while end > begin and text[end - 1] in ".,:;)}]|":
        end -= 1
    if text[end : end + 1] == "(" or _CALL.match(text, begin, end) or _is_assigned(text, start, end):
        return None  # code that fetches a secret, not the secret
    return checked(text, begin, end, kind, name, is_bare=True)


def _is_assigned(text: str, start: int, end: int) -> bool:
    """Whether what stands there is the name at the beginning of the next line of a program."""
    before = text[max(0, start - 42) : start]
    return "\n" in before[len(before.rstrip()) :] and _ASSIGNED.match(text, end) is not None


def line_value(text: str, begin: int, start: int) -> Span | None:
    """What follows the name of a header that begins its line, or a text in quotes, as far as that goes; None where the
    name stands elsewhere, or the value has quotes of its own."""
    before = text[max(0, begin - 20) : begin].rpartition("\n")[2].strip(" \t<>")
    if before[-1:] not in ("", '"', "'", "`") or is_quoted(text, start):
        return None
    line = _LINE.match(text, start, start + _LONGEST)
    if line is None:
        return None
    first, last = line.span()
    closing = before[-1:] or ('"' if line.group().count('"') % 2 else "")
    end = text.find(closing, first, last) if before else text.rfind(closing, first, last)
    end = last if not closing or end < 0 else end
    return checked(text, first, first + len(text[first:end].rstrip(" \t\\")), OWN)


def is_quoted(text: str, start: int) -> bool:
    """Whether a value in quotes begins at `start`."""
    return _OPEN.match(text, start) is not None


def until(text: str, start: int, closing: str) -> int:
    """Where `closing` next stands and is no part of the value, or `start` when it is too far away.

    A quote with as many backslashes as opened the value ends it, and so does one that follows escaped backslashes.
    """
    end = text.find(closing, start, start + _LONGEST)
    depth = len(closing) - len(closing.lstrip("\\"))
    while end >= 0:
        before = text[start:end]
        if (len(before) - len(before.rstrip("\\"))) % (2 * depth + 2) == 0:
            return end
        end = text.find(closing, end + 1, start + _LONGEST)
    return start


def checked(text: str, start: int, end: int, kind: str, name: str = "", *, is_bare: bool = False) -> Span | None:
    """What stands from `start` to `end`, the name of a scheme aside, if it is a secret."""
    if end <= start or MARKER in text[max(0, start - 1) : end + 1]:
        return None
    value = text[start:end]
    scheme = _SCHEME.match(value)
    if scheme is not None:
        start += scheme.end()
        value = value[scheme.end() :]
    return Span(start, end, RULE) if is_plausible(value, kind, name, is_bare=is_bare) else None

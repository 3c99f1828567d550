"""Secrets that only their name gives away: ``api-key: 0f3a…``, ``DB_PASSWORD=…``, ``{"client_secret": "…"}``."""

from __future__ import annotations

from stepfork.redact.beside import may_be_beside, value_beside
from stepfork.redact.marker import MARKER, is_stand_in, is_template
from stepfork.redact.names import (
    OWN,
    PASSWORD,
    STRONG,
    WEAK,
    introduces,
    is_secret_parameter,
    is_secret_variable,
    qualified,
    strength,
)
from stepfork.redact.pattern import pattern
from stepfork.redact.randomness import looks_random, mixed_share
from stepfork.redact.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ANCHORS = (
    *("key", "Key", "KEY", "token", "Token", "TOKEN", "secret", "Secret", "SECRET"),
    *("pass", "Pass", "PASS", "pwd", "Pwd", "PWD", "_pw", "_PW", "uth", "UTH"),
    *("credential", "Credential", "CREDENTIAL", "dsn", "DSN", "sig=", "ignature=", "_pat", "_PAT", "jwt", "JWT"),
)
"""Literals of which one stands in every name that introduces a secret; ``uth`` is that of auth and authorization."""

RULE = "named secret"
_LONGEST = 8192
_JUDGED = 512
"""So much of a value is looked at to tell whether it is one."""

_NAME_LEFT = pattern(r"[A-Za-z0-9_.-]{0,80}\Z")
_NAME_RIGHT = pattern(r"[A-Za-z0-9_-]{0,40}")
_NAME = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_AFTER = pattern(r"""(?P<quote>\\*["'`])?\]?[ \t]*(?P<sign>=>|:=|==?|:)(?P<space>\s{0,40}(?:\\\s+)?)""")
_OPEN = pattern(r"""(?:[bruf]{1,2}(?=["']))?(?P<quote>\\*(?:\"\"\"|'''|["'`]))""")
_BARE = pattern(
    r"""[^\s"'`<>\\,;|(){}\[\]\u0080-\u00bf\u2000-\u2fff\u3000-\u303f\uff00-\uffef\U0001f000-\U0001ffff]+"""
)
_BARE_PASSWORD = pattern(r"""[^\s"'`<>\\\u00a0-\u00bf\u2000-\u2fff\u3000-\u303f\uff00-\uffef\U0001f000-\U0001ffff]+""")
_SCHEME = pattern(
    r"(?i)(?:Bearer|Basic|Token|ApiKey|Api-Key|Key|Digest|Negotiate|SSWS|GoogleLogin|AWS4-HMAC-SHA256)\s+"
)
_LINE_END = pattern(r"[\r\n]|\Z")
_LINE = pattern(r"[^\r\n]*[^\s]")
_FORM_FIELD = pattern(r""""(?:;[^\r\n]*)?\r?\n(?:[A-Za-z-]+:[^\r\n]*\r?\n)*\r?\n(?P<value>[^\r\n]*)""")
"""What follows the name of a field in a form of several parts."""
_OPENS_PAIR = pattern(r"""(?:\(|[\[(,]\s{0,3}\[)[bu]?["']\Z""")
_SECOND = pattern(r"""["']\s{0,3},\s{0,20}[bu]?(?P<quote>["'])(?P<value>[^"'\n]*)(?P=quote)\s{0,3}[)\]]""")
"""What stands around a name and its value in a list of pairs, as a program prints headers."""
_SHORT_SCHEMES = ("basic", "token", "key", "ssws")
"""The schemes of _SCHEME that are shorter than a value: what they introduce stands after them."""
_NEXT_PARAMETER = pattern(r"&[A-Za-z0-9_.-]{1,40}=")
_FLAG_GAP = pattern(r"[ \t]+(?=[^-\s])")
_VARIABLE = pattern(r"[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z_$][A-Za-z0-9_$]*)+\Z|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_CALL = pattern(r"[A-Za-z_][A-Za-z0-9_.]*[(\[]")
_WORDLIKE = pattern(r"[A-Za-z][a-z]*(?:[-_ .][A-Za-z]?[a-z]*)*\Z")
_LOCATION = pattern(r"(?:[A-Za-z][A-Za-z0-9+.-]*://|[~/]|\.{1,2}/|[A-Za-z]:[\\/])")


def named_at(text: str, start: int, end: int, kind_of: Callable[[str], str | None] = strength) -> Span | None:
    """The secret that a name introduces of which an anchor stands at `start` to `end` of `text`, if there is one;
    `kind_of` tells the strength of a name."""
    left = _NAME_LEFT.search(text, max(0, start - 80), start)
    begin = left.start() if left else start
    stop = end if text[end - 1] == "=" else _NAME_RIGHT.match(text, end).end()  # type: ignore[union-attr]
    name = text[begin:stop].rstrip("=").strip(".-")
    kind = kind_of(name)
    if kind is None:
        return _parameter_at(text, begin, stop, name)
    beside = value_beside(text, begin, stop) if may_be_beside(text, begin, stop) else None
    if beside is not None:
        return _checked(text, *beside, kind)
    found = _FORM_FIELD.match(text, stop) if text.endswith('name="', 0, begin) else None
    if kind == OWN and found is None and _OPENS_PAIR.search(text, max(0, begin - 12), begin):
        found = _SECOND.match(text, stop)
    if found is not None:
        return _checked(text, *found.span("value"), kind)
    opened = text[begin - 1] if begin else ""
    if opened == "<" and text[stop : stop + 1] == ">":
        return _checked(text, stop + 1, _until(text, stop + 1, "<"), kind)
    after = _AFTER.match(text, stop)
    if after is None:
        return _flag_value(text, begin, stop, kind)
    if kind == OWN and after["sign"] == ":" and not after["quote"]:
        return _line_value(text, begin, after.end()) or _value_at(text, after.end(), kind, in_query=False)
    if after["sign"] == ":" and kind != OWN and not (after["space"] or after["quote"] or _quoted_at(text, after.end())):
        return _parameter_at(text, begin, stop, name)
    return _value_at(text, after.end(), kind, in_query=opened in "?&" and bool(opened))


def may_be_named(text: str, start: int, end: int) -> bool:
    """Whether a name of which an anchor stands at `start` to `end` may introduce a secret, in a text with escapes.

    Asked of every `total_tokens` of a file, so it reads character by character and loads nothing.
    """
    anchor = text[start:end].partition("=")[0].partition("%")[0]
    signed = len(anchor) < end - start
    before = text[max(0, start - 80) : start]
    head = before[len(before.rstrip(_NAME)) :]
    tail = "" if signed else text[end : end + 40]
    name = head + anchor + tail[: len(tail) - len(tail.lstrip(_NAME))]
    begin = start - len(head)
    escaped = begin > 0 and text[begin - 1] in "\\%"
    spellings = (name, name[1:], name[2:], name[5:]) if escaped else (name,)
    if not any(introduces(one.strip(".-")) for one in spellings):
        return False
    stop = end if signed else begin + len(name)
    if _value_follows(text, stop, signed=signed) or "--" in text[max(0, begin - 2) : begin + 2]:
        return True
    return may_be_beside(text, begin, stop)


def _value_follows(text: str, index: int, *, signed: bool) -> bool:
    """Whether after a name comes a sign and a value of six characters or more, however quoted and escaped."""
    limit = index + 12
    while index < min(len(text), limit) and (text[index] in "\\\"'`]" or text[index].isspace()):
        index += 1
    if not signed:
        if text[index : index + 3] in ("%3A", "%3a", "%3D", "%3d") or text.startswith("&", index):
            return True
        if text[index : index + 1] not in (":", "=", ">"):
            return False
    limit, closing = index + 60, ""
    while index < min(len(text), limit) and (text[index] in ":=>[\"'`\\" or text[index].isspace()):
        if text[index] in "\"'`":
            closing = text[index]
        index += 2 if text[index] == "\\" and text[index + 1 : index + 2] in ("n", "r", "t") else 1
    length = _length(text, index, closing or "\"'`")
    return length >= 6 or text[index : index + length].lower() in _SHORT_SCHEMES


def _length(text: str, index: int, closing: str) -> int:
    """How many characters of a value stand at `index`, counted as far as it matters; an escape is one."""
    count = 0
    while count < 6 and index < len(text) and not text[index].isspace() and text[index] not in closing:
        index += 2 if text[index] == "\\" else 1
        count += 1
    return count


def is_named_secret(name: str, value: str) -> bool:
    """Whether `value`, which stands alone under `name`, is a secret as a whole."""
    kind = strength(name)
    return kind is not None and _plausible(value, kind)


def is_variable_secret(name: str, value: str) -> bool:
    """Whether an environment variable holds a secret: whatever the value where the end of its name says so, and where
    the name goes on (see `qualified`) if the value looks like one."""
    if is_secret_variable(name):
        return True
    kind = qualified(name)
    return kind is not None and _plausible(value, STRONG if kind == PASSWORD else kind)


def _value_at(text: str, start: int, kind: str, *, in_query: bool) -> Span | None:
    opening = _OPEN.match(text, start)
    if opening is not None:
        begin = opening.end()
        end = _until(text, begin, opening["quote"])
        if kind == OWN and end == begin and not text.startswith(opening["quote"], begin):  # cut short
            end = _LINE_END.search(text, begin).start()  # type: ignore[union-attr]
        return _checked(text, begin, end, kind)
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
    if text[end : end + 1] == "(" or _CALL.match(text, begin, end):
        return None  # code that fetches a secret, not the secret
    return _checked(text, begin, end, kind)


def _line_value(text: str, begin: int, start: int) -> Span | None:
    """What follows the name of a header that begins its line, or a text in quotes, as far as that goes; None where the
    name stands elsewhere, or the value has quotes of its own."""
    before = text[max(0, begin - 20) : begin].rpartition("\n")[2].strip(" \t<>")
    if before[-1:] not in ("", '"', "'", "`") or _quoted_at(text, start):
        return None
    line = _LINE.match(text, start, start + _LONGEST)
    if line is None:
        return None
    first, last = line.span()
    closing = before[-1:] or ('"' if line.group().count('"') % 2 else "")
    end = text.find(closing, first, last) if before else text.rfind(closing, first, last)
    end = last if not closing or end < 0 else end
    return _checked(text, first, first + len(text[first:end].rstrip(" \t\\")), OWN)


def _flag_value(text: str, begin: int, stop: int, kind: str) -> Span | None:
    """``--api-key VALUE``, as a shell has it."""
    if not text.startswith("--", begin) and text[max(0, begin - 2) : begin] != "--":
        return None
    gap = _FLAG_GAP.match(text, stop)
    return _value_at(text, gap.end(), kind, in_query=False) if gap else None


def _parameter_at(text: str, begin: int, stop: int, name: str) -> Span | None:
    """``?key=VALUE`` and ``&sig=VALUE`` in a URL that stands in a text."""
    if not begin or text[begin - 1] not in "?&;" or text[stop - 1 : stop + 1].find("=") < 0:
        return None
    if not is_secret_parameter(name):
        return None
    start = text.index("=", stop - 1) + 1
    return _value_at(text, start, WEAK, in_query=True)


def _quoted_at(text: str, start: int) -> bool:
    return _OPEN.match(text, start) is not None


def _until(text: str, start: int, closing: str) -> int:
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


def _checked(text: str, start: int, end: int, kind: str) -> Span | None:
    if end <= start or MARKER in text[max(0, start - 1) : end + 1]:
        return None
    value = text[start:end]
    scheme = _SCHEME.match(value)
    if scheme is not None:
        start += scheme.end()
        value = value[scheme.end() :]
    return Span(start, end, RULE) if _plausible(value, kind) else None


def _plausible(value: str, kind: str) -> bool:
    """Whether a value under a name of this strength is a secret and not a word, a type, a path or a piece of code."""
    if kind == OWN:
        return bool(value.strip()) and not is_template(value) and not _NO_VALUE.match(value)
    if is_stand_in(value) or _has_blank(value) or _VARIABLE.match(value):
        return False
    value = value[:_JUDGED]
    if _LOCATION.match(value) and ("://" in value or mixed_share(value) < 0.6):
        return False
    if kind == PASSWORD:
        return len(value) >= 6 and not _WORDLIKE.match(value)
    if not any(char.isdigit() for char in value) or not any(char.isalpha() for char in value):
        return len(value) >= 20 and looks_random(value)
    if len(value) < 8 or _looks_like_date(value):
        return False
    return kind == STRONG or (len(value) >= 16 and looks_random(value) and not _FILE.search(value))


_NO_VALUE = pattern(
    r"(?i)(?:none|null|nil|true|false|undefined|str|string|bytes|int|any|unset|empty)\s*(?:[=,;|].*)?\Z"
)
_FILE = pattern(r"/.*\.[A-Za-z0-9]{1,5}\Z")
_DATE = pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _has_blank(value: str) -> bool:
    return value.split(None, 1) != [value]


def _looks_like_date(value: str) -> bool:
    return _DATE.match(value) is not None

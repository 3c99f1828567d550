"""Whether a name that stands in the bytes of a text, escapes and all, may be that of a secret.

Most are not (``total_tokens``, ``cache_key``), and that costs little to tell. What may follow a name in text is told by
`may_be_named`; here is told as well what it may be in JSON, where a name is all that stands between two quotes and its
value may stand anywhere after it. Standard library only.
"""

from __future__ import annotations

from stepfork.redact.labels import LAST_WORDS
from stepfork.redact.matcher import finds
from stepfork.redact.named import may_be_named, named_at
from stepfork.redact.names import introduces
from stepfork.redact.pattern import pattern

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_HEAD, _TAIL, _WHOLE = 80, 40, 140
"""Bytes of a name before a literal and after it, and of a text that is one, with its escapes."""
_SEEN_BEFORE, _SEEN_AFTER = 24, 18
"""Bytes around a literal by which a name that introduces nothing is known again."""
_MOST_SEEN = 20_000
_BEFORE, _AFTER = 320, 600
"""Bytes around a literal that are read as text."""

_MEMBER = pattern(
    rb"(?P<slashes>\\*)\"\s*(?:\\+[nrt]\s*)*:\s*(?:\\+[nrt]\s*)*"
    rb"(?:[\[{]|(?P=slashes)\"(?s:(?!(?<!\\)(?P=slashes)\").){6}|-?[0-9][0-9.eE+-]{5})"
)
"""The end of a member's name, and a value that is no short one: a text, a number, or a list or object of some."""
_SHORT = pattern(
    rb"(?:\\*[\"'`]|\]|\s)*[:=]\s*(?:(?P<slashes>\\*)(?P<quote>[\"'`])(?:(?!(?P=slashes)(?P=quote)).){0,5}"
    rb"(?<!\\)(?P=slashes)(?P=quote)(?![\"'`])|(?:null|true|false|-?[0-9]{1,5}(?:\.[0-9]*)?)(?=[\s,}\])\\\"']))"
)
"""A sign and a value that is too short for any name."""
_SHORT_ITEM = pattern(
    rb"(?P<slashes>\\*)\"(?:\s|\\+[nrt])*,(?:\s|\\+[nrt])*(?P=slashes)\"(?:(?!(?P=slashes)\")[^\n]){0,15}"
    rb"(?<!\\)(?P=slashes)\"(?:\s|\\+[nrt])*[,\]]"
)
"""In a list, the next item is too short to show that it is a secret."""
_ESCAPE = pattern(rb"\\+(?:u[0-9a-fA-F]{4}|.)")
_ENDS = pattern(rb"\"(?:\s|\\+[nrt])*[:,\]})]")
_BEFORE_PARAMETER = (b"?", b"&", b";", b'"', b"'")
_PARAMETER = pattern(rb"(?:\]|%5[Dd])*=[^&#\s\"'\\]")
"""A parameter of a query has a value of any length."""


class Naming:
    """Remembers the surroundings in which a name introduces nothing: the same few stand in every event of a stream."""

    __slots__ = ("_dull",)

    def __init__(self) -> None:
        self._dull: set[bytes] = set()

    def may_name(self, data: bytes, start: int, end: int) -> bool:
        """Whether the name may introduce a secret of which a literal of `named` stands at `start` to `end`."""
        around = data[start - _SEEN_BEFORE : end + _SEEN_AFTER] if start >= _SEEN_BEFORE else b""
        if around in self._dull:
            return False
        literal = data[start:end].partition(b"=")[0].partition(b"%")[0]
        head, tail = _word(data, start, end, is_signed=len(literal) < end - start)
        begin, stop = start - len(head), start + len(literal) + len(tail)
        name = (head + literal + tail).decode("ascii")
        before = data[begin - 1 : begin] if begin else b""
        spellings = (name, name[1:], name[2:], name[5:]) if before in (b"\\", b"%") else (name,)
        if any(introduces(one.strip(".-")) for one in spellings):
            return _has_value(data, start, end, begin, stop)
        if before == b'"':
            if around and len(head) < _SEEN_BEFORE - 1 and len(tail) < _SEEN_AFTER - 1:
                if len(self._dull) > _MOST_SEEN:
                    self._dull.clear()
                self._dull.add(around)
            return False
        if name.lower() in LAST_WORDS and _may_be_said(data, start, end, stop):
            return True
        return _in_text(data, begin, stop)


def _word(data: bytes, start: int, end: int, *, is_signed: bool) -> tuple[bytes, bytes]:
    """What belongs to a name before and after a part of it."""
    before = data[max(0, start - _HEAD) : start]
    after = b"" if is_signed else data[end : end + _TAIL]
    return before[len(before.rstrip(_LETTERS)) :], after[: len(after) - len(after.lstrip(_LETTERS))]


def _has_value(data: bytes, start: int, end: int, begin: int, stop: int) -> bool:
    if data[begin - 1 : begin] in _BEFORE_PARAMETER and _PARAMETER.match(data, stop):
        return True
    if _SHORT.match(data, stop) or _SHORT_ITEM.match(data, stop):
        return False
    if _may_be_said(data, start, end, stop) or _MEMBER.match(data, stop) is not None:
        return True
    return data[stop : stop + 1] != b'"' and _in_text(data, begin, stop)


def _may_be_said(data: bytes, start: int, end: int, stop: int) -> bool:
    """Whether a value may follow in text. What a word follows is no member's name, so that it can be told."""
    around = _around(data, start, end)
    if not may_be_named(*around):
        return False
    following = data[stop : stop + 2]
    is_prose = following[:1] in (b" ", b"\t") and following[1:].isalpha()
    return not is_prose or finds(named_at, *around)


def _in_text(data: bytes, begin: int, stop: int) -> bool:
    """Whether a name is a part of a text of its own, such as ``"api keys (new)"``, that is the name of a secret: of a
    member, or of what stands beside it."""
    last = _quote_after(data, stop)
    if last < 0:
        return False
    first = begin
    for _ in range(3):  # it may have quotes in it
        first = data.rfind(b'"', max(0, begin - _WHOLE), first)
        if first < 0:
            return False
        whole = _ESCAPE.sub(b" ", data[first + 1 : last]).decode("utf-8", "replace")
        if introduces(whole.strip().strip("-:=")):
            return True
        if data[first - 1 : first] != b"\\":
            return False
    return False


def _quote_after(data: bytes, stop: int) -> int:
    """Where a quote stands after a name that a member's value, another item or the end of both may follow."""
    last = data.find(b'"', stop, stop + _WHOLE)
    while last >= 0 and _ENDS.match(data, last) is None:
        last = data.find(b'"', last + 1, stop + _WHOLE)
    return last


def _around(data: bytes, start: int, end: int) -> tuple[str, int, int]:
    before = data[max(0, start - _BEFORE) : start].decode("utf-8", "replace")
    literal = data[start:end].decode("utf-8", "replace")
    after = data[end : end + _AFTER].decode("utf-8", "replace")
    return before + literal + after, len(before), len(before) + len(literal)

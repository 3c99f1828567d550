"""Whether a name that stands in the bytes of a text, escapes and all, may be that of a secret.

Most are not (``total_tokens``, ``cache_key``), and that costs little to tell. What may follow a name in text is told by
`may_be_named`; here is told as well what it may be in JSON, where a name is all that stands between two quotes and its
value may stand anywhere after it. Standard library only.
"""

from __future__ import annotations

from stepfork.redact.beside import NAME_WORDS, VALUE_WORDS, shows_itself
from stepfork.redact.gaps import may_have_gap
from stepfork.redact.labels import LAST_WORDS
from stepfork.redact.matcher import finds
from stepfork.redact.named import is_named_secret, may_be_named, named_at
from stepfork.redact.names import STRONG, introduces, strength
from stepfork.redact.pattern import pattern
from stepfork.redact.values import checked

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_HEAD, _TAIL, _WHOLE = 80, 40, 140
"""Bytes of a name before a literal and after it, and of a text that is one, with its escapes."""
_SEEN_BEFORE, _SEEN_AFTER = 24, 18
"""Bytes around a literal by which a name that introduces nothing is known again."""
_MOST_SEEN, _MOST_FOUND = 20_000, 2000
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
_BLANKS = rb"(?:\s|\\+[nrt])*"
_PLAIN_VALUE = pattern(
    rb"(?P<slashes>\\*)\"" + _BLANKS + rb"(?P<sign>[:,])" + _BLANKS + rb"(?P=slashes)\""
    rb"(?P<value>[^\"\\%&\x00-\x1f]{0,400})(?P=slashes)\"" + _BLANKS + rb"[,\]}]"
)
"""The end of a name and a text without escapes, which follows it in a list or is its value."""
_PLAIN_OBJECT = pattern(rb"\\*\"" + _BLANKS + rb":" + _BLANKS + rb"\{(?P<inside>[^{}\[\]%&\x00-\x1f]{0,400})\}")
_HOLDS_VALUE = pattern(rb"(?<![A-Za-z0-9])(?i:" + VALUE_WORDS.encode() + rb")(?![A-Za-z0-9])|\\+[^\"nrt\\]")
_ESCAPE = pattern(rb"\\+(?:u[0-9a-fA-F]{4}|.)")
_ENDS = pattern(rb"\"(?:\s|\\+[nrt])*[:,}]")
_PERCENT = pattern(rb"%([0-9A-Fa-f]{2})")
_QUOTE = pattern(rb"\\*\"")
_IS_VALUE = pattern(rb":(?:\s|\\+[nrt])*\\*\Z")
"""What stands before a text that is the value of a member."""
_SAYS_NAME = pattern(rb"(?<![A-Za-z0-9])(?i:" + NAME_WORDS.encode() + rb")\Z")
"""The end of a member's name whose text may say what the value beside it is."""
_PROSE = pattern(rb" (?!(?:is|was|are|ist|lautet|est|es)\b)[a-z]{2,}[ ,.;?!]")
"""What follows a word in a sentence and says nothing of it."""
_BEFORE_PARAMETER = (b"?", b"&", b";", b'"', b"'")
_PARAMETER = pattern(rb"(?:\]|%5[Dd])*=[^&#\s\"'\\]")
"""A parameter of a query has a value of any length."""


class Naming:
    """Remembers the surroundings in which a name introduces nothing: the same few stand in every event of a stream."""

    __slots__ = ("_dull", "_found")

    def __init__(self) -> None:
        self._dull: set[bytes] = set()
        self._found: dict[tuple[str, int], bool] = {}

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
        if before == b"+" or data[stop : stop + 1] == b"+":
            return _in_form(data, start, end, literal.decode())
        if before == b" " and _PROSE.match(data, stop) and _is_prose(data, begin, name):
            return _in_text(data, begin, stop)
        spellings = (name, name[1:], name[2:], name[5:]) if before in (b"\\", b"%") else (name,)
        if any(introduces(one.strip(".-")) for one in spellings):
            return self._has_value(data, start, end, begin, stop)
        if before == b'"':
            if around and len(head) < _SEEN_BEFORE - 1 and len(tail) < _SEEN_AFTER - 1:
                if len(self._dull) > _MOST_SEEN:
                    self._dull.clear()
                self._dull.add(around)
            return False
        if name.lower() in LAST_WORDS and self._may_be_said(data, start, end, stop):
            return True
        return _in_text(data, begin, stop)

    def _has_value(self, data: bytes, start: int, end: int, begin: int, stop: int) -> bool:
        if data[begin - 1 : begin] in _BEFORE_PARAMETER and _PARAMETER.match(data, stop):
            return True
        if _SHORT.match(data, stop):
            return False
        told = _told(data, begin, stop)
        if told is not None:
            return told
        if self._may_be_said(data, start, end, stop) or _MEMBER.match(data, stop) is not None:
            return True
        is_whole = data[begin - 1 : begin] == b'"' and _QUOTE.match(data, stop) is not None
        return not is_whole and _in_text(data, begin, stop)

    def _may_be_said(self, data: bytes, start: int, end: int, stop: int) -> bool:
        """Whether a value may follow in text. What a word follows is no member's name, so that it can be told."""
        text, first, last = _around(data, start, end)
        if not may_be_named(text, first, last):
            return False
        following = data[stop : stop + 2]
        if following[:1] not in (b" ", b"\t") or not following[1:].isalpha():
            return True
        found = self._found.get((text, first))
        if found is None:
            if len(self._found) > _MOST_FOUND:
                self._found.clear()
            found = self._found[text, first] = finds(named_at, text, text[first:last])
        return found


def _is_prose(data: bytes, begin: int, name: str) -> bool:
    """Whether words stand before a name as well, of which none lets a value follow after a blank."""
    before = data[max(0, begin - 200) : begin].decode("latin-1")
    return before[-2:-1].isalnum() and not may_have_gap(before, name, " ")


def _word(data: bytes, start: int, end: int, *, is_signed: bool) -> tuple[bytes, bytes]:
    """What belongs to a name before and after a part of it."""
    before = data[max(0, start - _HEAD) : start]
    after = b"" if is_signed else data[end : end + _TAIL]
    return before[len(before.rstrip(_LETTERS)) :], after[: len(after) - len(after.lstrip(_LETTERS))]


def _told(data: bytes, begin: int, stop: int) -> bool | None:
    """Whether what a name in quotes introduces is a secret; None where that is not plain to see."""
    if data[begin - 1 : begin] != b'"':
        return None
    found = _PLAIN_VALUE.match(data, stop)
    if found is None:
        inside = _PLAIN_OBJECT.match(data, stop)
        return False if inside is not None and _HOLDS_VALUE.search(inside["inside"]) is None else None
    value = found["value"].decode("utf-8", "replace")
    if found["sign"] == b":":
        name = data[begin:stop].decode("ascii")
        return is_named_secret(name, value) or checked(value, 0, len(value), strength(name) or STRONG, name) is not None
    return None if _IS_VALUE.search(data, max(0, begin - _TAIL), begin - 1) else shows_itself(value)


def _in_text(data: bytes, begin: int, stop: int) -> bool:
    """Whether a name is a part of a text of its own, such as ``"api keys (new)"``, that is the name of a secret: of a
    member, or of what stands beside it."""
    last = _quote_after(data, stop)
    if last < 0:
        return False
    first, fewest = begin, _WHOLE
    while fewest:
        first = data.rfind(b'"', max(0, begin - _WHOLE), first)
        if first < 0:
            return False
        head = data[max(0, first - _HEAD) : first]
        slashes = len(head) - len(head.rstrip(b"\\"))
        if slashes >= fewest:  # a quote inside the text has more
            continue
        fewest = slashes
        member = _member_before(head)
        if member is None or _SAYS_NAME.search(member):
            whole = _ESCAPE.sub(b" ", data[first + 1 : last]).decode("utf-8", "replace")
            if introduces(whole.strip().strip("-:=")):
                found = None if member is not None else _PLAIN_VALUE.match(data, last)
                return found is None or found["sign"] != b"," or shows_itself(found["value"].decode("utf-8", "replace"))
    return False


def _member_before(head: bytes) -> bytes | None:
    """The end of a member's name, if `head` is what stands before its text."""
    head = head.rstrip(b"\\ \t\r\n")
    if not head.endswith(b":"):
        found = _IS_VALUE.search(head) if head[-1:] in (b"n", b"r", b"t") else None  # a line's end with its escape
        if found is None:
            return None
        head = head[: found.start() + 1]
    return head[-40:-1].rstrip(b'"\\ \t\r\n')


def _quote_after(data: bytes, stop: int) -> int:
    """Where a quote stands after a name that a member's value, another item or the end of an object may follow."""
    last = data.find(b'"', stop, stop + _WHOLE)
    while last >= 0 and _ENDS.match(data, last) is None:
        last = data.find(b'"', last + 1, stop + _WHOLE)
    return last


def _in_form(data: bytes, start: int, end: int, name: str) -> bool:
    """Whether that part of a name introduces something where a plus stands for a blank, as in forms."""
    before, after = data[max(0, start - _BEFORE) : start], data[end : end + _AFTER]
    literal = data[start:end].replace(b"%3D", b"=").replace(b"%3d", b"=")
    text = _PERCENT.sub(lambda match: bytes.fromhex(match[1].decode()), (before + literal + after).replace(b"+", b" "))
    return finds(named_at, text.decode("utf-8", "replace"), name)


def _around(data: bytes, start: int, end: int) -> tuple[str, int, int]:
    before = data[max(0, start - _BEFORE) : start].decode("utf-8", "replace")
    literal = data[start:end].decode("utf-8", "replace")
    after = data[end : end + _AFTER].decode("utf-8", "replace")
    return before + literal + after, len(before), len(before) + len(literal)

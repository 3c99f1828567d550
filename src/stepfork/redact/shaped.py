"""How a credential of a known shape is told where an anchor of it stands."""

from __future__ import annotations

from stepfork.redact.judging import is_plausible
from stepfork.redact.names import PASSWORD
from stepfork.redact.pattern import pattern
from stepfork.redact.randomness import is_mixed, is_varied, looks_random
from stepfork.redact.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from stepfork.redact.shape import Shape

_BLOB = 120
"""So many characters of a base64 run before a match make it a part of the blob, such as an image."""
_LEAD = 200
"""So many characters before an anchor may belong to a credential."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

_compiled: dict[str, tuple[re.Pattern[str], re.Pattern[str] | None]] = {}


def shape_at(shape: Shape, text: str, start: int) -> Span | None:
    """The credential of kind `shape` of which an anchor stands at `start` of `text`, if there is one."""
    if not shape.has_lead and not stands_alone(text, start):
        return None
    pattern, before = _patterns(shape)
    match = pattern.match(text, start)
    return None if match is None else _span(shape, text, match, before)


def led_and_followed(shape: Shape, text: str, start: int) -> bool:
    """Whether what a shape wants stands on both sides of `start` in a text with escapes."""
    pattern, before = _patterns(shape)
    if pattern.match(text, start) is None:
        return False
    return before is None or before.search(text[max(0, start - _LEAD) : start]) is not None


def pattern_of(shape: Shape) -> re.Pattern[str]:
    """The pattern of what stands from an anchor on."""
    return _patterns(shape)[0]


def in_bytes(shape: Shape) -> re.Pattern[bytes]:
    """The same pattern for the bytes of a text."""
    made = _in_bytes.get(shape.name)
    if made is None:
        import re

        made = _in_bytes[shape.name] = re.compile(shape.pattern.encode())
    return made


def may_follow(shape: Shape, literal: bytes, data: bytes, start: int, end: int) -> bool:
    """Whether at `start` in the bytes of a text with escapes may stand what begins with `literal`, which is spelled
    there up to `end`."""
    if end - start == len(literal) and in_bytes(shape).match(data, start) is not None:
        return True
    if end - start == len(literal) and not shape.has_quotes and _SPELLED.match(data, end, end + _AFTER) is None:
        return False
    word = (data[end : end + _AFTER].split(None, 1) or [b""])[0] if not data[end : end + 1].isspace() else b""
    return _LETTER.match(word) is not None or in_bytes(shape).match(literal + _undone(word)) is not None


def _undone(data: bytes) -> bytes:
    """`data` as it reads in a URL, in HTML or in JSON text at any depth, as far as signs go."""
    for spelled, sign in ((b"&quot;", b'"'), (b"&#34;", b'"'), (b"&#39;", b"'"), (b"&#x27;", b"'"), (b"&amp;", b"&")):
        data = data.replace(spelled, sign)
    data = _PERCENT.sub(lambda match: bytes.fromhex(match[1].decode()), data)
    return _SLASHES.sub(b"", data)


_AFTER = 600
_PERCENT = pattern(rb"%([2-7][0-9A-Fa-f])")
_SLASHES = pattern(rb"\\+(?=[\"'/])")
_SPELLED = pattern(rb"[^\s\"'\\%&]*(?:\\+[^\"'nrt\\]|%(?!2[027]|0[AaDd])|&)")
"""A word with an escape in it."""
_LETTER = pattern(rb"[A-Za-z0-9_.~+/=:$|@-]*(?:\\+[^A-Za-z0-9\s\"'\\/]|\\+[ux]|&#)")
"""A word with an escape of a sign or a letter that no encoder needs."""
_in_bytes: dict[str, re.Pattern[bytes]] = {}
_ESCAPED = r"""(?:\\+[^A-Za-z0-9\s"'\\]|%(?!20|0[AaDd]|2[27])[0-9A-Fa-f]{2}|&#)[A-Za-z0-9_.~+/=:-]{0,90}"""
_leads: dict[str, re.Pattern[bytes]] = {}


def may_lead(shape: Shape, data: bytes, start: int) -> bool:
    """Whether what stands before `start` in the bytes of a text with escapes may be what leads to a prefix."""
    lead = _leads.get(shape.name)
    if lead is None:
        import re

        lead = _leads[shape.name] = re.compile(f"(?:{shape.before}|{_ESCAPED})\\Z".encode())
    return lead.search(data[max(0, start - _LEAD) : start]) is not None


def may_stand_alone(data: bytes, start: int) -> bool:
    """False where what begins at `start` in the bytes of a text with escapes is a later part of a word or of a blob in
    what the text stands for, see `stands_alone`."""
    left = data[max(0, start - 1) : start]
    if not left or not data[start : start + 1].isalnum():
        return True
    if left.isalnum():
        return _ends_escape(data, start)
    alphabet = _BLOBS.get(left)
    if alphabet is None:
        return True
    window = data[max(0, start - _BLOB) : start]
    return len(window) - len(window.rstrip(alphabet)) < _BLOB


_BLOBS = dict.fromkeys((b"+", b"/"), (_LETTERS + "+/").encode()) | dict.fromkeys(
    (b"-", b"_"), (_LETTERS + "-_").encode()
)


def _ends_escape(data: bytes, start: int) -> bool:
    """Whether the letter or digit before `start` may end an escape: ``\\n``, ``\\u0022``, ``\\x41``, ``%20``."""
    before = data[max(0, start - 10) : start]
    return (
        before[-2:-1] == b"\\"
        or before[-3:-2] == b"%"
        or before[-6:-4] == b"\\u"
        or before[-4:-2] == b"\\x"
        or before[-4:-3] == b"\\"
        or before[-10:-8] == b"\\U"
    )


def _patterns(shape: Shape) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Patterns are compiled when a text first calls for them: a clean file pays for none."""
    made = _compiled.get(shape.name)
    if made is None:
        import re

        before = re.compile(f"(?:{shape.before})\\Z") if shape.has_lead else None
        made = _compiled[shape.name] = (re.compile(shape.pattern), before)
    return made


def _span(shape: Shape, text: str, match: re.Match[str], before: re.Pattern[str] | None) -> Span | None:
    start, end = match.span()
    secret = match.span(1) if match.re.groups else None
    if before is not None:
        left = max(0, start - _LEAD)
        lead = before.search(text[left:start])
        if lead is None:
            return None
        start = left + lead.start()
        if before.groups:
            secret = (left + lead.start(1), left + lead.end(1))
        if not stands_alone(text, start):
            return None
    first, last = secret or (start, end)
    while last > first and text[last - 1] == ".":
        last -= 1
    drawn = text[first:last]
    if not secret and before is None:
        prefix = max((prefix for prefix in shape.prefixes if text.startswith(prefix, start)), key=len)
        if prefix[:-1] in _WORDS and text[start - 1 : start] in ("-", "_"):
            return None
        drawn = drawn[len(prefix) :]
    return Span(first, last, shape.name) if _looks_right(shape, drawn) else None


_WORDS = frozenset("api app auto console dataset inference key live mob pat rel sdk secret sig test web".split())  # noqa: SIM905
"""Prefixes that are words: after another word (``cache_key_…``) they begin nothing."""


def stands_alone(text: str, start: int) -> bool:
    """Whether what begins at `start` is no later part of a word, a number or a base64 blob; what begins with a sign
    (``discord.com/api/webhooks/…``, a line of armour) is none, whatever stands before it."""
    if start == 0 or not text[start].isalnum():
        return True
    left = text[start - 1]
    if left.isascii() and left.isalnum():
        return False
    if left in "\\%":  # an escape, which another view of the text undoes
        return False
    if left in "+/":
        return _run(text, start, _LETTERS + "+/") < _BLOB
    if left in "-_":
        return _run(text, start, _LETTERS + "-_") < _BLOB
    return True


def _run(text: str, end: int, alphabet: str) -> int:
    """How many characters of `alphabet` stand before `end`, as far as it matters."""
    window = text[max(0, end - _BLOB) : end]
    return len(window) - len(window.rstrip(alphabet))


def _looks_right(shape: Shape, secret: str) -> bool:
    needs = shape.needs
    if not needs:
        return True
    if needs == "value":
        return is_plausible(secret, PASSWORD)
    if needs == "varied":
        return is_varied(secret)
    if needs == "mixed":
        return is_mixed(secret)
    if needs == "digit" and not any(char.isdigit() for char in secret):
        return False
    return looks_random(secret)

"""Which literals make a place of a text worth reading, and what must hold around one, escapes and all.

A text is looked at as it stands in its file, as bytes: what is JSON, a URL or a repr in it keeps its escapes. A look
answers False only where no rule can find anything that its literal belongs to, whatever undoes the escapes. It costs
little: it is asked of every ``path`` and every ``total_tokens``. Standard library only.
"""

from __future__ import annotations

from stepfork.redact.cookies import LISTED, cookies_at, may_be_cookies
from stepfork.redact.credentials import basic_at, bearer_at, userinfo_at
from stepfork.redact.encoded_spots import ANCHORS as ENCODED
from stepfork.redact.encoded_spots import CODINGS, may_be_encoded
from stepfork.redact.escapes import ESCAPES, SOFT_BREAKS, is_in_word
from stepfork.redact.folds import unbroken
from stepfork.redact.matcher import RULES, finds
from stepfork.redact.named import named_at
from stepfork.redact.naming import Naming
from stepfork.redact.pattern import pattern
from stepfork.redact.programs import program_at
from stepfork.redact.shaped import may_follow, may_lead, may_stand_alone
from stepfork.redact.shapes import SHAPES
from stepfork.redact.spelling import anchor_of, forms_of, runs_of, spellings, value_spellings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from stepfork.redact.known import Known
    from stepfork.redact.matcher import Matcher
    from stepfork.redact.shape import Shape

    Look = Callable[[bytes, int, int], bool]

_BEFORE, _AFTER, _FAR = 320, 600, 17_000
"""Bytes before a literal that are decoded for a look, bytes after it, and where those hold a value without an end."""

_ESCAPED = pattern(
    rb"""[A-Za-z0-9_.~+/=:$|@-]*(?:\\+[^A-Za-z0-9\s"'\\]|&[#A-Za-z]|%(?!20|22|27|0[AaDd]|3[CcEe]|7[BbDd])[0-9A-Fa-f])"""
)
"""A word with an escape of a sign of which credentials are made, so that it reads otherwise than it stands."""
_BLANK = pattern(rb"""[\s\\%+:&\x80-\xff]""")
_END = pattern(rb"""[\s"'`<>]""")
_AT = pattern(rb"""[^\s/?"'<>`]*(?:@|%40)|%|\\+/""")
_TAGGED = pattern(rb"""\\*"\s*:\s*\\*"(?:dict|bytes)\\*\"""")
"""What follows the tag of an object that instrumentation wrote as pairs, each first item the name of the second, and
of bytes, whose value has a name of its own."""

_SIGNS = "-_.~:=+$|@!#*,;?^()[]{}<>"
_KINDS = ("Secret", "kty", *LISTED)
"""What says in a parsed document of which kind an object is; the values beside it have names that say nothing."""

BESIDE, KIND, ABOVE = 1, 2, 3
"""How many of the containers around a literal count: what stands beside the text that it is; what stands beside a
member that says what kind of object this is; and what stands in the message whose header it is."""


class Hint:
    """A literal's `look`. `levels` of the containers around it count as well; `is_word` tells that ten more characters
    of a word must follow, which is what most literals in a clean file lack."""

    __slots__ = ("is_word", "levels", "look")

    def __init__(self, look: Look, *, levels: int = 0, is_word: bool = False) -> None:
        self.look = look
        self.levels = levels
        self.is_word = is_word


_ANY = Hint(lambda _data, _start, _end: True)


class Hints:
    """The literals of all rules of a matcher; `is_worth` tells whether a text is worth reading that stands encoded in
    another."""

    __slots__ = ("_signs", "by_literal", "is_complete")

    def __init__(self, matcher: Matcher, is_worth: Callable[[str], bool]) -> None:
        self.by_literal: dict[bytes, list[Hint]] = {}
        self._signs = set("-_.=:")
        self.is_complete = True
        """False where a known value or a project's pattern has no part that can be looked for."""
        for shape in SHAPES:
            self._add_shape(shape)
        self._add_rules()
        encoded = _for_text(lambda text, start, end: may_be_encoded(text, start, end, is_worth))
        for anchor in ENCODED:
            self._add_bytes(anchor.encode(), Hint(encoded, levels=ABOVE if anchor in CODINGS else BESIDE))
        self._add_known(matcher.known)
        for literal in matcher.patterns.literals:
            self.is_complete = self.is_complete and bool(literal)
            self._add([literal] if literal else [], _ANY)
        for escape, may_hide in ESCAPES.items():
            self._add_bytes(escape, Hint(may_hide, levels=BESIDE))
        for sign in sorted(self._signs.intersection(_SIGNS)):
            self._add_bytes(b"\\" + sign.encode(), Hint(is_in_word, levels=BESIDE))

    def _add_rules(self) -> None:
        hints = {
            named_at: Hint(Naming().may_name, levels=BESIDE),
            cookies_at: Hint(may_be_cookies, levels=BESIDE),
            bearer_at: Hint(_for_scheme(bearer_at)),
            basic_at: Hint(_for_scheme(basic_at)),
            userinfo_at: Hint(_has_user),
        }
        for anchors, look in RULES:
            for literal in {anchor.rstrip() for anchor in anchors} if look is basic_at else anchors:
                self._add([literal], Hint(_for_program(literal)) if look is program_at else hints.get(look, _ANY))
        for literal in _KINDS:
            self._add_bytes(literal.encode(), Hint(_is_quoted, levels=KIND))
            self._add_bytes(literal.encode(), Hint(_is_quoted_within))
        self._add_bytes(b"$py", Hint(_is_tagged, levels=ABOVE))

    def _add_known(self, known: Known) -> None:
        for soft_break in SOFT_BREAKS if known.plain else ():
            self._add_bytes(soft_break, _ANY)
        for spelling in known.plain:
            self._add_value(spelling)
        for core in known.base64:
            for part in unbroken(core):
                self._add_value(part)

    def _add_bytes(self, literal: bytes, hint: Hint) -> None:
        self.by_literal.setdefault(literal, []).append(hint)

    def _add(self, literals: Iterable[str], hint: Hint) -> None:
        for literal in literals:
            self._signs.update(literal)
            for spelling in spellings(literal):
                self._add_bytes(spelling, hint)

    def _add_shape(self, shape: Shape) -> None:
        for anchor in shape.anchors:
            hint = Hint(_for_shape(shape, anchor.encode()), is_word=not shape.has_lead)
            self._add([anchor], _ANY if shape.spans_lines else hint)

    def _add_value(self, value: str) -> None:
        anchor = anchor_of(value)
        self.is_complete = self.is_complete and bool(anchor)
        hint = Hint(_for_value(value))
        for spelling in value_spellings(anchor):
            self._add_bytes(spelling, hint)


def _is_quoted(data: bytes, start: int, end: int) -> bool:
    """Whether a literal is all that stands in quotes."""
    return data[start - 1 : start] == b'"' == data[end : end + 1]


def _is_quoted_within(data: bytes, start: int, end: int) -> bool:
    """The same in a text that stands in another."""
    return data[end : end + 1] == b"\\" and data[start - 1 : start] == b'"'


def _is_tagged(data: bytes, _start: int, end: int) -> bool:
    """Whether a tag says that what a name names stands elsewhere than beside it."""
    return _TAGGED.match(data, end) is not None


def _for_shape(shape: Shape, anchor: bytes) -> Look:
    def look(data: bytes, start: int, end: int) -> bool:
        if shape.has_lead:
            return may_follow(shape, anchor, data, start, end) and may_lead(shape, data, start)
        return may_stand_alone(data, start) and may_follow(shape, anchor, data, start, end)

    return look


def _for_scheme(find: Callable[[str, int, int], object]) -> Look:
    def look(data: bytes, start: int, end: int) -> bool:
        if _BLANK.match(data, end) is None:
            return False
        if data[end : end + 1] in b"\\%+&" or _ESCAPED.match(data, end + 1, end + _AFTER):
            return True
        return find(*_around(data, start, end)) is not None

    return look


def _for_program(literal: str) -> Look:
    return lambda data, start, end: finds(program_at, _around(data, start, end)[0], literal)


def _for_text(look: Callable[[str, int, int], bool]) -> Look:
    return lambda data, start, end: look(*_around(data, start, end))


def _has_user(data: bytes, _start: int, end: int) -> bool:
    """Whether what follows ``://`` may be a user and a password."""
    return _AT.match(data, end) is not None


def _for_value(value: str) -> Look:
    """All that a value consists of stands near its part that was found, in one spelling or another."""
    runs = [run.encode() for run in runs_of(value) if len(run) > 1]
    signs = [forms_of(char) for char in sorted(set(value)) if not char.isascii()]
    reach = 24 * len(value) + 64

    def look(data: bytes, start: int, end: int) -> bool:
        near = data[max(0, start - reach) : end + reach]
        return all(run in near for run in runs) and all(any(form in near for form in forms) for forms in signs)

    return look


def _around(data: bytes, start: int, end: int) -> tuple[str, int, int]:
    """What stands around a literal as text, with the literal's place in it."""
    before = data[max(0, start - _BEFORE) : start].decode("utf-8", "replace")
    literal = data[start:end].decode("utf-8", "replace")
    ended = _END.search(data, end + _AFTER, end + _FAR)
    after = data[end : ended.end() if ended else end + _FAR].decode("utf-8", "replace")
    return before + literal + after, len(before), len(before) + len(literal)

"""Whether a large text is worth a closer look: one pass for literals over the text as it stands, escapes and all.

Most files hold no secret, and most of what looks like the name of one (``total_tokens``, ``cache_key``) introduces
none. Here each literal is checked where it stands, at the price of a few characters, and only what passes is read
with its escapes undone. A text that is called clean here is one in which the matcher finds nothing.
"""

from __future__ import annotations

from stepfork.redact.automaton import Automaton
from stepfork.redact.cookies import ANCHORS as COOKIES
from stepfork.redact.cookies import LISTED, may_be_listed
from stepfork.redact.credentials import BEARER, URL, basic_at, bearer_at
from stepfork.redact.encoded_spots import ANCHORS as ENCODED
from stepfork.redact.encoded_spots import may_be_encoded
from stepfork.redact.folds import has_soft_breaks
from stepfork.redact.manifests import ANCHORS as MANIFESTS
from stepfork.redact.named import ANCHORS as NAMES
from stepfork.redact.named import may_be_named
from stepfork.redact.pattern import pattern
from stepfork.redact.programs import ANCHORS as PROGRAMS
from stepfork.redact.shapes import SHAPES, may_have_unanchored, pattern_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from stepfork.redact.matcher import Matcher
    from stepfork.redact.shape import Shape

    Check = Callable[[str, int, int], bool]

_LEFT = 260
"""Characters before a literal that a rule may look at."""
_NEAR, _FAR = 600, 12_000
"""Characters after a literal that are read first, and that are read where those hold a value without an end."""

_BY_NUMBER = pattern(
    r"\\(?:u00|x)(?!2[2267]|3[ceCE])[2-7][0-9a-fA-F]|\\(?:u\{|U000000|[01][0-7][0-7])"
    r"|&#(?!(?:0*(?:34|38|39|60|62|160)|[xX]0*(?:2[267]|3[cCeE]|[aA]0));)|%(?:3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])"
    r"|&(?:colon|sol|bsol|equals|plus|lowbar|hyphen|dash|period|dollar|percnt|commat|num);"
)
_END = pattern(r"[\s\"'`<>]")


class Prefilter:
    """Answers for one `Matcher`."""

    __slots__ = ("_automaton", "_checks", "_encoded", "_listed", "_matcher")

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        checks = _checks(matcher)
        self._automaton = Automaton(list(checks))
        self._checks = [tuple(found) for found in checks.values()]
        self._encoded = frozenset(index for index, literal in enumerate(checks) if literal in ENCODED)
        self._listed = frozenset(index for index, literal in enumerate(checks) if literal in (*COOKIES, *LISTED))

    def may_hold_secret(self, text: str) -> bool:
        """False where no rule can find anything in `text`, however it is parsed; True where one does or might."""
        if self._matcher.known.anchors is None or _spells_ascii_by_number(text):
            return True
        if _has_deltas(text):
            return True  # what several deltas spell out together stands nowhere in one piece
        if (
            may_have_unanchored(text)
            or "\0" in text
            or "\\u0000" in text
            or (self._matcher.known.plain and has_soft_breaks(text))
        ):
            return True
        if self._matcher.names.may_stand_in(text) or self._matcher.patterns.may_match(text):
            return True
        spots: list[tuple[int, int]] = []
        for index, start, end in self._automaton.find(text):
            if any(check(text, start, end) for check in self._checks[index]):
                spots.append((start, end))
            if index in self._encoded and may_be_encoded(text, start, end, self.may_hold_secret):
                return True
            if index in self._listed and may_be_listed(text, start, end):
                return True
        return any(self._matcher.find(text[left:right]) for left, right in _windows(text, sorted(spots)))


def _windows(text: str, spots: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What must be read around each spot, as disjoint stretches: as far as a value reaches that has not ended."""
    left = right = 0
    for start, end in spots:
        if right and start - _LEFT > right:
            yield left, right
            right = 0
        if not right:
            left = max(0, start - _LEFT)
        if right < end + _NEAR:
            ended = _END.search(text, end + _NEAR, end + _FAR)
            right = ended.end() if ended else end + _FAR
    if right:
        yield left, right


def _spells_ascii_by_number(text: str) -> bool:
    """Whether a letter, digit or sign is spelled ``\\u0041`` or ``\\x41``; encoders do so for quotes, & and < alone."""
    return ("\\" in text or "&" in text or "%" in text) and _BY_NUMBER.search(text) is not None


def _has_deltas(text: str) -> bool:
    """Whether an event of a stream stands in a text whose data says within a thousand characters that it is a delta."""
    for opening in ("data: {", "data:{"):
        start = text.find(opening)
        while start >= 0:
            if text.find("delta", start, start + 1000) >= 0:
                return True
            start = text.find(opening, start + 1)
    return False


def _checks(matcher: Matcher) -> dict[str, list[Check]]:
    """For each literal as it may stand in a text with escapes, what must hold beside it."""
    checks: dict[str, list[Check]] = {}

    def add(literals: Iterable[str], check: Check) -> None:
        for literal in literals:
            for spelling in _spellings(literal):
                checks.setdefault(spelling, []).append(check)

    for shape in SHAPES:
        add(shape.anchors, _for_shape(shape))
    add(NAMES, may_be_named)
    add(BEARER, _for_look(bearer_at))
    add(("asic", "ASIC"), _for_look(basic_at))
    add(URL, _has_at)
    add(COOKIES, _always)
    add(PROGRAMS, _always)
    add(MANIFESTS, _always)
    add(matcher.known.anchors or (), _always)
    for literal in (*ENCODED, *LISTED):
        checks.setdefault(literal, [])
    return checks


_ESCAPES = {
    "/": ("\\/", "\\\\/", "\\\\\\/", "%2F", "%2f"),
    ":": ("%3A", "%3a"),
    "=": ("%3D", "%3d"),
    "+": ("%2B", "%2b"),
    "~": ("%7E", "%7e"),
    "$": ("%24", "%24"),
    " ": ("%20", "+"),
}
"""How the characters of literals that are not left alone by every encoder may be spelled."""


def _spellings(literal: str) -> set[str]:
    """A literal as it is, and with one way of spelling used throughout."""
    special = [char for char in _ESCAPES if char in literal]
    made = {literal}
    for style in range(max((len(_ESCAPES[char]) for char in special), default=0)):
        spelled = literal
        for char in special:
            ways = _ESCAPES[char]
            spelled = spelled.replace(char, ways[min(style, len(ways) - 1)])
        made.add(spelled)
    if "://" in literal:
        made |= {literal.replace("://", "%3A%2F%2F"), literal.replace("://", "%3a%2f%2f")}
        made |= {literal.replace("/", slash) for slash in _ESCAPES["/"][:3]}
    return made


def _for_shape(shape: Shape) -> Check:
    if "\\s" in shape.pattern:
        return _always
    if shape.before:
        return lambda text, start, end: pattern_of(shape).match(text, start) is not None or _escaped(text, start, end)
    return lambda text, start, end: (
        _goes_on(text, end) and (pattern_of(shape).match(text, start) is not None or _escaped(text, start, end))
    )


def _goes_on(text: str, end: int) -> bool:
    """Whether ten more characters of a word follow: what most literals that stand in a clean file lack."""
    following = text[end : end + 10]
    return len(following) == 10 and following.split(None, 1) == [following] and '"' not in following


def _for_look(look: Callable[[str, int, int], object]) -> Check:
    return lambda text, start, end: look(text, start, end) is not None or _escaped(text, start, end)


def _escaped(text: str, start: int, end: int) -> bool:
    """Whether the word around a literal has an escape in it, so that it reads otherwise than it stands."""
    if "%" in text[start:end] or "\\" in text[start : end + 1]:
        return True
    for index in range(end, min(len(text), end + 400)):
        char = text[index]
        if char == "\\":
            return text[index : index + 8].lstrip("\\")[:1] not in _ENDS
        if char in "%&":
            return True
        if char.isspace() or char in "\"'`<>{}":
            return False
    return False


_ENDS = frozenset("nrt\"'")
"""An escape of a character that ends a word."""


def _has_at(text: str, _start: int, end: int) -> bool:
    """Whether what follows ``://`` may be a user and a password."""
    if text.startswith(("%", "\\/"), end):
        return True
    at = text.find("@", end, end + 262)
    return at >= 0 and not any(char.isspace() or char in "/?\"'<>`" for char in text[end:at])


def _always(_text: str, _start: int, _end: int) -> bool:
    return True

"""Whether a large text is worth a closer look: one pass for literals over the text as it stands, escapes and all.

Most files hold no secret, and most of what looks like the name of one (``total_tokens``, ``cache_key``) introduces
none. Here each literal is checked where it stands, at the price of a few characters, and only what passes is read
with its escapes undone. A text that is called clean here is one in which the matcher finds nothing.
"""

from __future__ import annotations

from stepfork.redact.automaton import Automaton
from stepfork.redact.credentials import BEARER, URL
from stepfork.redact.named import ANCHORS as NAMES
from stepfork.redact.named import may_be_named
from stepfork.redact.pattern import pattern
from stepfork.redact.shapes import SHAPES, may_have_unanchored, pattern_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from stepfork.redact.matcher import Matcher
    from stepfork.redact.shape import Shape

    Check = Callable[[str, int, int], bool]

_LEFT = 260
"""Characters before a literal that a rule may look at."""
_NEAR, _FAR = 600, 12_000
"""Characters after a literal that are read first, and that are read where those hold a value without an end."""

_RESERVED = frozenset("/+=:@~$\\s ")
_END = pattern(r"[\s\"'`<>]")


class Prefilter:
    """Answers for one `Matcher`."""

    __slots__ = ("_automaton", "_checks", "_matcher")

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        checks = _checks(matcher)
        self._automaton = Automaton(list(checks))
        self._checks = [tuple(found) for found in checks.values()]

    def may_hold_secret(self, text: str) -> bool:
        """False where no rule can find anything in `text`, however it is parsed; True where one does or might."""
        if self._matcher.known.anchors is None or _spells_ascii_by_number(text):
            return True
        if "data:" in text and "delta" in text:
            return True  # what several deltas spell out together stands nowhere in one piece
        if may_have_unanchored(text):
            return True
        return any(self._passes(text, index, start, end) for index, start, end in self._automaton.find(text))

    def _passes(self, text: str, index: int, start: int, end: int) -> bool:
        if not any(check(text, start, end) for check in self._checks[index]):
            return False
        left = max(0, start - _LEFT)
        if self._matcher.find(text[left : end + _NEAR]):
            return True
        near = text[end : end + _NEAR]
        ends_early = len(near) < _NEAR or _END.search(near, 40) is not None
        return not ends_early and bool(self._matcher.find(text[left : end + _FAR]))


def _checks(matcher: Matcher) -> dict[str, list[Check]]:
    """For each literal as it may stand in a text with escapes, what must hold beside it."""
    checks: dict[str, list[Check]] = {}

    def add(literals: Iterable[str], check: Check) -> None:
        for literal in literals:
            checks.setdefault(literal, []).append(check)

    for shape in SHAPES:
        if _is_plain(shape):
            add(shape.anchors, _for_shape(shape))
        else:
            add({_core(anchor) for anchor in shape.anchors}, _always)
    add(NAMES, may_be_named)
    add({_core(anchor) for anchor in BEARER}, _always)
    add(("asic", "ASIC"), _always)
    add(URL, _has_at)
    add((r":\/\/", "%3A%2F%2F", "%3a%2f%2f"), _always)
    add(("sig%3D", "sig%3d", "ignature%3D", "ignature%3d"), _always)
    add(matcher.known.anchors or (), _always)
    return checks


def _spells_ascii_by_number(text: str) -> bool:
    """Whether a visible ASCII character is spelled ``\\u0041`` or ``\\x41``, as no encoder does for a letter."""
    return any(mark + digit in text for mark in ("\\u00", "\\x") if mark in text for digit in "234567")


def _is_plain(shape: Shape) -> bool:
    """Whether no character of the credential is ever spelled as an escape, so that its pattern reads raw text."""
    return not _RESERVED.intersection(shape.pattern + "".join(shape.anchors))


def _core(literal: str) -> str:
    """The longest run of a literal that no escape changes."""
    kept = "".join(char if char.isalnum() or char in "_.-" else " " for char in literal)
    return max(kept.split(), key=len)


def _for_shape(shape: Shape) -> Check:
    return lambda text, start, _end: pattern_of(shape).match(text, start) is not None


def _has_at(text: str, _start: int, end: int) -> bool:
    """Whether what follows ``://`` may be a user and a password."""
    if text.startswith(("%", "\\/"), end):
        return True
    at = text.find("@", end, end + 262)
    return at >= 0 and not any(char.isspace() or char in "/?#\"'<>`" for char in text[end:at])


def _always(_text: str, _start: int, _end: int) -> bool:
    return True

"""Credentials that are known by their shape: where in a text one stands."""

from __future__ import annotations

from stepfork.redact.shape import Shape, looks_random
from stepfork.redact.shapes_business import BUSINESS_SHAPES
from stepfork.redact.shapes_code import CODE_SHAPES
from stepfork.redact.shapes_forms import FORM_SHAPES
from stepfork.redact.shapes_models import MODEL_SHAPES
from stepfork.redact.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

SHAPES: tuple[Shape, ...] = MODEL_SHAPES + CODE_SHAPES + BUSINESS_SHAPES + FORM_SHAPES
"""Every shape, in the order of the documentation."""

UNANCHORED: tuple[Shape, ...] = tuple(shape for shape in SHAPES if not shape.anchors)
"""Shapes without a literal of their own: their pattern, which begins with a dot, is searched for in every text."""

_BLOB = 120
"""So many characters of a base64 run before a match make it a part of the blob, such as an image."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

_compiled: dict[str, tuple[re.Pattern[str], re.Pattern[str] | None]] = {}


def shape_at(shape: Shape, text: str, start: int) -> Span | None:
    """The credential of kind `shape` of which an anchor stands at `start` of `text`, if there is one."""
    pattern, before = _patterns(shape)
    match = pattern.match(text, start)
    return None if match is None else _span(shape, text, match, before)


def unanchored_in(text: str) -> Iterator[Span]:
    """Credentials whose kind has no anchor."""
    for shape in UNANCHORED:
        pattern, before = _patterns(shape)
        for match in pattern.finditer(text):
            span = _span(shape, text, match, before)
            if span is not None:
                yield span


def may_have_unanchored(text: str) -> bool:
    """Whether a text as it stands, escapes and all, may hold a credential whose kind has no anchor.

    There is one such kind, Discord's: a dot, six or seven characters, another dot, 27 characters or more.
    """
    dot = text.find(".")
    while dot >= 0:
        paired = text.startswith(".", dot + 7) or text.startswith(".", dot + 8)
        if paired and any(_led_and_followed(shape, text, dot) for shape in UNANCHORED):
            return True
        dot = text.find(".", dot + 1)
    return False


def _led_and_followed(shape: Shape, text: str, start: int) -> bool:
    pattern, before = _patterns(shape)
    if pattern.match(text, start) is None:
        return False
    return before is None or before.search(text[max(0, start - 60) : start]) is not None


def pattern_of(shape: Shape) -> re.Pattern[str]:
    """The pattern of what stands from an anchor on."""
    return _patterns(shape)[0]


def _patterns(shape: Shape) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Patterns are compiled when a text first calls for them: a clean file pays for none."""
    made = _compiled.get(shape.name)
    if made is None:
        import re

        before = re.compile(f"(?:{shape.before})\\Z") if shape.before else None
        made = _compiled[shape.name] = (re.compile(shape.pattern), before)
    return made


def _span(shape: Shape, text: str, match: re.Match[str], before: re.Pattern[str] | None) -> Span | None:
    start, end = match.span()
    secret = match.span(1) if match.re.groups else None
    if before is not None:
        left = max(0, start - 200)
        lead = before.search(text[left:start])
        if lead is None:
            return None
        start = left + lead.start()
        if before.groups:
            secret = (left + lead.start(1), left + lead.end(1))
    first, last = secret or (start, end)
    while last > first and text[last - 1] == ".":
        last -= 1
    if not _stands_alone(text, start) or not _looks_right(shape, text[first:last]):
        return None
    return Span(first, last, shape.name)


def _stands_alone(text: str, start: int) -> bool:
    """Whether what begins at `start` is no later part of a word, a number or a base64 blob; what begins with a sign
    (``discord.com/api/webhooks/…``, a line of armour) is none, whatever stands before it."""
    if start == 0 or not text[start].isalnum():
        return True
    left = text[start - 1]
    if left.isascii() and left.isalnum():
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
    if not shape.needs:
        return True
    if shape.needs == "digit" and not any(char.isdigit() for char in secret):
        return False
    return looks_random(secret)

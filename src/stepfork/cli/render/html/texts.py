"""Two texts side by side: what both have once, what changed line by line and word by word, long parts folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stepfork.cli.escape import escape_fully
from stepfork.cli.render.diff_clean import Clean
from stepfork.cli.render.diff_words import number
from stepfork.cli.render.html.elements import NOTHING, Html, element, join, user, words
from stepfork.cli.render.look import look_alike
from stepfork.diff.lcs import common
from stepfork.diff.line_pairs import paired
from stepfork.diff.text_diff import Piece, joined, word_diff

CONTEXT = 3
"""Lines shown on each side of a change."""
SHORT_LINES = 12
SHORT = 1_200
"""Lines and characters of a text that is shown without being opened."""
LONGEST = 20_000
"""Characters of one text that are in the page; how many more there are is said."""
CHANGED_LINES = 400
"""Changed lines of one text that are in the page; how many more there are is said."""
LINE = 400
"""Characters of a changed line that are shown whole; a longer one is cut to what surrounds its changes."""


def text_pair(old: str | None, new: str | None, clean: Clean) -> Html:
    """Both texts, or the only one (whole as recorded; they are redacted here)."""
    if old is None or new is None:
        only, side = (new or "", "ins") if old is None else (old, "del")
        return element("div", element(side, block(clean(only))), class_="p")
    shown = clean(old), clean(new)
    if old == new:
        return block(shown[0])
    if shown[0] == shown[1]:
        return join([block(shown[0]), note("differs in what is redacted")])
    return element("div", *_differing(shown[0].split("\n"), shown[1].split("\n")), class_="d")


def hunk(old: Sequence[str], new: Sequence[str]) -> Iterator[Html]:
    """Lines that stand for one another, redacted already: each beside its counterpart, changed words marked."""
    left_out = max(0, len(old) - CHANGED_LINES) + max(0, len(new) - CHANGED_LINES)
    for a, b in _pairs(old[:CHANGED_LINES], new[:CHANGED_LINES]):
        before, after = NOTHING, NOTHING
        if a is not None and b is not None:
            before, after = _line_pair(old[a], new[b])
        elif a is not None:
            before = _cut(old[a])
        elif b is not None:
            after = _cut(new[b])
        gone = element("del", _SIGN_OLD, before) if a is not None else NOTHING
        come = element("ins", _SIGN_NEW, after) if b is not None else NOTHING
        yield element("div", gone, come, class_="p")
    if left_out:
        yield note(f"… {number(left_out, 'more changed line')}")


def block(text: str) -> Html:
    """A text that is redacted already; a long one is folded under its first line."""
    pre = _pre(text)
    lines = text.count("\n") + 1
    if lines <= SHORT_LINES and len(text) <= SHORT:
        return pre
    first = next((line for line in text.split("\n") if line.strip()), "")[:80]
    size = f" {number(lines, 'line')}, {number(len(text), 'character')}"
    return element("details", element("summary", user(first), element("i", words(f"…{size}"))), pre)


def note(text: str) -> Html:
    """A remark of the program's own."""
    return element("p", words(text), class_="note")


_SIGN_OLD = element("i", words("− "))
_SIGN_NEW = element("i", words("+ "))


def _pre(text: str) -> Html:
    shown = join((user(line) for line in text[:LONGEST].split("\n")), "\n")
    more = note(f"… {number(len(text) - LONGEST, 'more character')}") if len(text) > LONGEST else NOTHING
    return join([element("pre", Html("\n"), shown), more])  # a parser drops the first line end


def _differing(old: Sequence[str], new: Sequence[str]) -> Iterator[Html]:
    left = right = 0
    same: list[str] = []
    changed = 0
    for a, b in [*common(old, new), (len(old), len(new))]:
        if a > left or b > right:
            yield from _unchanged(same, first=not changed)
            same = []
            if changed < CHANGED_LINES:
                yield from hunk(old[left:a], new[right:b])
            changed += a - left + b - right
        same += old[a : a + 1]
        left, right = a + 1, b + 1
    if changed > CHANGED_LINES:
        yield note(f"{number(changed, 'changed line')} in all")
    yield from _unchanged(same, first=not changed, last=True)


def _unchanged(lines: Sequence[str], *, first: bool = False, last: bool = False) -> Iterator[Html]:
    head, tail = 0 if first else CONTEXT, 0 if last else CONTEXT
    if len(lines) <= head + tail + 2:
        if lines:
            yield _pre("\n".join(lines))
        return
    if head:
        yield _pre("\n".join(lines[:head]))
    middle = lines[head : len(lines) - tail]
    told = element("summary", words(number(len(middle), "unchanged line")))
    yield element("details", told, _pre("\n".join(middle)), class_="gap")
    if tail:
        yield _pre("\n".join(lines[len(lines) - tail :]))


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Which line stands for which, all of them in order."""
    left = right = 0
    for a, b in [*paired(old, new), (len(old), len(new))]:
        yield from ((at, None) for at in range(left, a))
        yield from ((None, at) for at in range(right, b))
        if a < len(old):
            yield a, b
        left, right = a + 1, b + 1


def _line_pair(old: str, new: str) -> tuple[Html, Html]:
    if old == new:
        return user(old), join([user(new), element("i", words(" (differs in what is redacted)"))])
    pair = word_diff(old, new, LINE)
    if look_alike(joined(pair.old), joined(pair.new)):
        return tuple(element("em", words(escape_fully(joined(side)))) for side in (pair.old, pair.new))  # type: ignore[return-value]
    return _marked(pair.old, marked=pair.akin), _marked(pair.new, marked=pair.akin)


def _marked(pieces: Sequence[Piece], *, marked: bool) -> Html:
    return join(element("em", user(piece.text)) if piece.changed and marked else user(piece.text) for piece in pieces)


def _cut(line: str) -> Html:
    if len(line) <= LONGEST:
        return user(line)
    more = element("i", words(f"… {number(len(line) - LONGEST, 'more character')}"))
    return join([user(line[:LONGEST]), more])

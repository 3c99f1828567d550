"""A text as it reads after its escapes are undone, with the way back to the characters as they stand.

A secret inside JSON text, a Python repr or a URL is spelled with escapes: ``\\n`` before it hides the boundary, ``%2F``
or ``\\"`` inside it hides the value. Rules therefore read each view of a text and report spans of the text itself.
"""

from __future__ import annotations

from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

MAX_DEPTH = 4
"""Backslash escapes are undone this often: JSON text in JSON text in JSON text, and one level that no SDK writes."""

_ESCAPE = pattern(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrtbf\"'\\/])"
)
_PERCENT = pattern(r"(?:%[0-9a-fA-F]{2})+")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


class View:
    """`text` as it reads; where its characters begin in the original, `original` says.

    What was decoded tells where it stood: character ``made[i]`` of this view and those after it, up to ``made[i + 1]``,
    stand in the view above from ``stood[i]`` on. So a large text with a few escapes costs its own length, not a number
    for each character.
    """

    __slots__ = ("above", "made", "stood", "text")

    def __init__(
        self, text: str, above: View | None = None, made: Sequence[int] = (), stood: Sequence[int] = ()
    ) -> None:
        self.text = text
        self.above = above
        self.made = made
        self.stood = stood

    def original(self, index: int) -> int:
        """The position in the original of position `index` of this view, its end included."""
        if self.above is None:
            return index
        from bisect import bisect_right

        nearest = bisect_right(self.made, index) - 1
        return self.above.original(index if nearest < 0 else self.stood[nearest] + index - self.made[nearest])


def views(text: str) -> Iterator[View]:
    """`text` as it stands, then with each level of escapes undone."""
    view = View(text)
    for _ in range(MAX_DEPTH + 1):
        yield view
        if "%" in view.text:
            decoded = _decoded(view, _PERCENT, _from_percent)
            if decoded is not None:
                yield decoded
        if "\\" not in view.text:
            return
        deeper = _decoded(view, _ESCAPE, _from_escape)
        if deeper is None:
            return
        view = deeper


def undone(text: str) -> str:
    """`text` with every escape undone, percent-encoding too, until none is left (or too many were)."""
    for _ in range(MAX_DEPTH):
        *_, deepest = views(text)
        percent = _decoded(deepest, _PERCENT, _from_percent)
        made = deepest.text if percent is None else percent.text
        if made == text:
            break
        text = made
    return text


def _decoded(view: View, pattern: re.Pattern[str], decode: Decoder) -> View | None:
    """The view with each match decoded; None where there was nothing to decode."""
    from array import array  # with all that it loads it takes longer than a clean file that has no escapes

    text = view.text
    pieces: list[str] = []
    made, stood = array("q"), array("q")
    cursor = length = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        pieces.append(text[cursor:start])
        length += start - cursor
        for piece, width in decode(match.group()):
            pieces.append(piece)
            made.append(length)
            stood.append(start)
            length += 1
            start += width
        cursor = end
        made.append(length)
        stood.append(cursor)
    if cursor == 0:
        return None
    pieces.append(text[cursor:])
    return View("".join(pieces), view, made, stood)


def _from_escape(escape: str) -> list[tuple[str, int]]:
    letter = escape[1]
    if letter in "ux":
        if len(escape) == 12:
            high, low = int(escape[2:6], 16), int(escape[8:], 16)
            return [(chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), 12)]
        return [(chr(int(escape[2:], 16)), len(escape))]  # noqa: FURB166 (the prefix is a backslash and a letter)
    return [(_SHORT.get(letter, letter), 2)]


def _from_percent(run: str) -> list[tuple[str, int]]:
    """The characters of a run of percent-encoded bytes; bytes that are no UTF-8 stand for themselves."""
    data = bytes.fromhex(run.replace("%", ""))
    try:
        decoded = data.decode("utf-8")
    except UnicodeDecodeError:
        return [(chr(byte), 3) for byte in data]
    return [(char, 3 * len(char.encode("utf-8"))) for char in decoded]


if TYPE_CHECKING:
    from collections.abc import Callable

    Decoder = Callable[[str], list[tuple[str, int]]]

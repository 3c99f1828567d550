"""A text as it reads after its escapes are undone, with the way back to the characters as they stand.

A secret inside JSON text, a Python repr, a URL or HTML is spelled with escapes: ``\\n`` before it hides the boundary,
``%2F``, ``&amp;`` or ``\\"`` inside it hides the value. Rules therefore read each view of a text and report spans of
the text itself.
"""

from __future__ import annotations

from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

MAX_DEPTH = 4
"""Escapes are undone this often: JSON text in JSON text in JSON text, and one level that no SDK writes."""
_MOST = 36
"""So many views of a text are read: each kind of escape may stand inside each other, and the most part do not."""

_ESCAPE = pattern(
    r"\\(?:[nrtbf !-/:-@\[-`{-~]"
    r"|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|U[0-9a-fA-F]{8}"
    r"|(?:x[0-9a-fA-F]{2}|[0-3][0-7]{2})(?:\\(?:x[0-9a-fA-F]{2}|[0-3][0-7]{2}))*)"
)
_BYTE = pattern(r"\\(?:x(..)|(...))")
_PERCENT = pattern(r"(?:%[0-9a-fA-F]{2})+")
_FORM = pattern(r"(?<![A-Za-z0-9+/]{40})\+(?![A-Za-z0-9+/]{40})|(?:%[0-9a-fA-F]{2})+")
"""In a form a plus is a blank; inside a long run of base64 it is none."""
_ENTITY = pattern(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_WIDE = pattern(r"[\t\n\r -~](?:\0[\t\n\r -~]){7,}\0?")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "nbsp": "\xa0"}


class View:
    """`text` as it reads; where its characters begin in the original, `original` says.

    What was decoded tells where it stood: character ``made[i]`` of this view and those after it, up to ``made[i + 1]``,
    stand in the view above from ``stood[i]`` on. Where something was left out, two tell of one character: where that
    began, and where it ended. So a large text with a few escapes costs its own length, not a number
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
        """The position in the original of the character at `index` of this view."""
        if self.above is None:
            return index
        from bisect import bisect_right

        return self.above.original(self._above(index, bisect_right(self.made, index) - 1))

    def original_end(self, index: int) -> int:
        """Where in the original that ends which ends before `index`: what was left out behind it stays apart."""
        if self.above is None:
            return index
        from bisect import bisect_left

        at = bisect_left(self.made, index)
        return self.above.original_end(self._above(index, at if index in self.made[at : at + 1] else at - 1))

    def _above(self, index: int, nearest: int) -> int:
        return index if nearest < 0 else self.stood[nearest] + index - self.made[nearest]


def views(text: str) -> Iterator[View]:
    """`text` as it stands, then with escapes undone, of each kind and in each order that makes a difference."""
    first = View(text)
    yield first
    if not any(sign in text for sign in _SIGNS):
        return
    count, waiting = 1, [(first, -1)]
    for _ in range(MAX_DEPTH):
        deeper = []
        for view, last in waiting:
            for kind, (signs, escapes, decode) in enumerate(_KINDS):
                if not all(sign in view.text for sign in signs) or (kind < last and not _brought(view, signs[0])):
                    continue
                made = decoded_view(view, escapes, decode)
                if made is not None and made.text != view.text:
                    yield made
                    deeper.append((made, kind))
                    count += 1
                    if count == _MOST:
                        return
        waiting = deeper


def _brought(view: View, sign: str) -> bool:
    """Whether what was undone last brought a sign of escapes of another kind. Else these were there before, and are
    undone where that comes first."""
    return view.above is not None and view.text.count(sign) > view.above.text.count(sign)


def undone(text: str) -> str:
    """`text` with every escape undone, of whatever kind, until none is left (or too many were)."""
    for _ in range(2 * MAX_DEPTH):
        before = text
        for signs, escapes, decode in _KINDS:
            made = decoded_view(View(text), escapes, decode) if signs[0] in text and len(signs) == 1 else None
            text = text if made is None else made.text
        if text == before:
            break
    return text


def decoded_view(view: View, pattern: re.Pattern[str], decode: Decoder) -> View | None:
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
        decoded = decode(match.group())
        if not decoded:
            made.append(length)
            stood.append(start)
        for piece, width in decoded:
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
    if letter == "x" or (letter.isdigit() and len(escape) > 2):
        data = bytes(
            int(hexadecimal, 16) if hexadecimal else int(octal, 8) for hexadecimal, octal in _BYTE.findall(escape)
        )
        return characters(data, 4)
    if letter in "uU" and len(escape) > 2:
        if len(escape) == 12:
            high, low = int(escape[2:6], 16), int(escape[8:], 16)
            return [(chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), 12)]
        return _character(escape[2:].strip("{}"), 16, len(escape))
    return [(_SHORT.get(letter, letter), 2)]


def _from_percent(run: str) -> list[tuple[str, int]]:
    return characters(bytes.fromhex(run.replace("%", "")), 3)


def _from_form(run: str) -> list[tuple[str, int]]:
    return [(" ", 1)] if run == "+" else _from_percent(run)


def _from_entity(entity: str) -> list[tuple[str, int]]:
    name = entity[1:-1]
    if name.startswith("#"):
        return _character(name[2:], 16, len(entity)) if name[1] in "xX" else _character(name[1:], 10, len(entity))
    if name not in _NAMED:
        from html.entities import html5  # a table of two thousand names that hardly anything uses

        _NAMED[name] = html5.get(f"{name};", entity)
    said = _NAMED[name]
    return [(char, len(entity) if index == len(said) - 1 else 0) for index, char in enumerate(said)]


def _from_wide(run: str) -> list[tuple[str, int]]:
    """ASCII in UTF-16: each character beside a zero byte."""
    return [(char, 2) for char in run[::2]]


def _character(digits: str, base: int, width: int) -> list[tuple[str, int]]:
    code = int(digits, base)
    return [(chr(code) if code < 0x110000 else "\ufffd", width)]


def characters(data: bytes, width: int) -> list[tuple[str, int]]:
    """The characters of bytes that are spelled with `width` characters each; what is no UTF-8 stands for itself."""
    try:
        decoded = data.decode("utf-8")
    except UnicodeDecodeError:
        return [(chr(byte), width) for byte in data]
    return [(char, width * len(char.encode("utf-8"))) for char in decoded]


_KINDS = (
    (("\\",), _ESCAPE, _from_escape),
    (("%",), _PERCENT, _from_percent),
    (("%", "+"), _FORM, _from_form),
    (("&",), _ENTITY, _from_entity),
    (("\0",), _WIDE, _from_wide),
)
"""Signs that stand in every text with escapes of a kind, the escapes, and what they stand for."""
_SIGNS = tuple(signs[0] for signs, _, _ in _KINDS)

if TYPE_CHECKING:
    from collections.abc import Callable

    Decoder = Callable[[str], list[tuple[str, int]]]

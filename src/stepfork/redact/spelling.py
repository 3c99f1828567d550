"""How a literal may be spelled in a text whose escapes are not undone, and which part of a value is looked for there.

Letters and digits are spelled as they are by every encoder, and nearly all leave ``-``, ``_`` and ``.`` alone: a text
in which one does otherwise is told by the escape itself (see `escapes`). Every other sign may be escaped in JSON text
at any depth, in a Python repr, in a URL, in HTML. Standard library only.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_PLAIN = _LETTERS | set("-_.")
_PLAIN_SIGNS = "".join(_PLAIN)
_ANCHOR = 8
"""Characters of a known value that are looked for; longer ones take more room and tell little more."""
_FEWEST, _LEAST = 5, 2
"""A shorter run of letters and digits stands in many texts: signs around it are taken in. What is shorter still, is no
anchor at all."""
_MOST = 900
"""Spellings of one literal that are looked for."""
_SLASHES = (1, 2, 3, 7)
"""Backslashes before a slash in JSON text, a repr, and each in the other."""
_DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 15, 16)
"""Those before another sign, or before the letter of a control character."""
_SHORT = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_ENTITIES = {
    "&": ("&amp;", "&#38;", "&#x26;"),
    "<": ("&lt;", "&#60;", "&#x3c;", "&#x3C;"),
    ">": ("&gt;", "&#62;", "&#x3e;", "&#x3E;"),
    '"': ("&quot;", "&#34;", "&#x22;"),
    "'": ("&apos;", "&#39;", "&#x27;", "&#039;"),
}


def spellings(literal: str) -> set[bytes]:
    """The literal of a rule in every way in which its signs may be spelled."""
    if not literal.strip(_PLAIN_SIGNS):  # most, and a hook pays for each
        return {literal.encode()}
    return _product(map(_forms_of_a_rule, literal)) or _alike(literal)


def _alike(literal: str) -> set[bytes]:
    """The same where those are too many: each sign is spelled as the other ones are."""
    made = {literal.encode()}
    for count in _SLASHES:
        made.add(literal.replace("/", "\\" * count + "/").encode())
    for form in ("%%%02X", "%%%02x"):
        made.add("".join(char if char in _PLAIN else form % ord(char) for char in literal).encode())
    return made


def value_spellings(anchor: str) -> set[bytes]:
    """The same for a part of a known value, which may hold any character."""
    return _product(map(_forms, _segments(anchor))) or set()


def anchor_of(value: str) -> str:
    """The part of `value` that is looked for in its place; empty where each part may be spelled in too many ways.

    Of the runs of letters and digits it is the end of the one that stands in the fewest texts; a value of short runs
    gets the part with the fewest spellings.
    """
    best = max(runs_of(value), key=lambda run: (_rarity(run), len(run), run), default="")
    if len(best) >= _FEWEST:
        return best[-_ANCHOR:]
    for width in range(min(_FEWEST, len(value)), _LEAST - 1, -1):
        parts = [value[at : at + width] for at in range(len(value) - width + 1)]
        sizes = [_size(part) for part in parts]
        if min(sizes) <= _MOST:
            return parts[sizes.index(min(sizes))]
    return best if len(best) >= _LEAST else ""


def runs_of(text: str) -> list[str]:
    """The runs of letters and digits of a text."""
    return "".join(char if char in _LETTERS else " " for char in text).split()


def forms_of(char: str) -> tuple[bytes, ...]:
    """How a character may be spelled."""
    return _forms(char)


def _rarity(run: str) -> int:
    """How little a run looks like a word: kinds of characters in its end, if it is long enough to be looked for."""
    end = run[-_ANCHOR:]
    kinds = (str.islower, str.isupper, str.isdigit)
    return sum(any(map(kind, end)) for kind in kinds) * len(end) if len(end) >= _FEWEST else 0


def _segments(text: str) -> list[str]:
    """The characters of a text, those outside of ASCII together: they are spelled in one way."""
    segments: list[str] = []
    for char in text:
        if segments and not char.isascii() and not segments[-1].isascii():
            segments[-1] += char
        else:
            segments.append(char)
    return segments


def _size(text: str) -> int:
    made = 1
    for segment in _segments(text):
        made *= len(_forms(segment))
    return made


def _product(forms: Iterable[tuple[bytes, ...]]) -> set[bytes] | None:
    """Each segment in each of its forms; None where those are too many."""
    made = [b""]
    for some in forms:
        if len(made) * len(some) > _MOST:
            return None
        made = [head + form for head in made for form in some]
    return set(made)


def _forms_of_a_rule(char: str) -> tuple[bytes, ...]:
    raw = char.encode()
    if char in _PLAIN:
        return (raw,)
    slashes = tuple(b"\\" * count + raw for count in _SLASHES) if char in "/\"'" else ()
    if char in _ENTITIES:
        numbers = (b"\\" * count + b"u%04x" % ord(char) for count in _SLASHES[:2])
        slashes = (*slashes, *numbers, *(entity.encode() for entity in _ENTITIES[char]))
    spaces = (b"+",) if char == " " else ()
    return tuple(dict.fromkeys((raw, *slashes, *spaces, b"%%%02X" % ord(char), b"%%%02x" % ord(char))))


_known: dict[str, tuple[bytes, ...]] = {}


def _forms(segment: str) -> tuple[bytes, ...]:
    forms = _known.get(segment)
    if forms is None:
        if segment in _LETTERS:
            made: Iterable[bytes] = (segment.encode(),)
        else:
            made = _forms_of_a_sign(segment) if segment.isascii() else _forms_of_others(segment)
        forms = _known[segment] = tuple(dict.fromkeys(made))
    return forms


def _forms_of_a_sign(char: str) -> Iterator[bytes]:
    raw = char.encode()
    yield raw
    if char.isprintable() and char != " ":
        yield from (b"\\" * count + raw for count in _DEPTHS)
    if char == " ":
        yield b"+"
    if char in _SHORT:
        yield from (b"\\" * count + _SHORT[char].encode() for count in _DEPTHS)
    yield from (form % ord(char) for form in (b"%%%02X", b"%%%02x", b"=%02X"))
    yield from (entity.encode() for entity in _ENTITIES.get(char, ()))
    if char in _ENTITIES or not char.isprintable():
        yield from (
            b"\\" * count + form % ord(char) for count in (1, 2, 4, 8) for form in (b"u%04x", b"u%04X", b"x%02x")
        )


def _forms_of_others(segment: str) -> Iterator[bytes]:
    """Characters outside of ASCII as they are, as ``\\u00e9`` at each depth, in URLs and in quoted-printable text.

    Other ways (``\\xc3\\xa9``, ``&eacute;``) are told by the escape itself.
    """
    raw = segment.encode("utf-8", "surrogatepass")
    yield raw
    units = segment.encode("utf-16-be", "surrogatepass")
    codes = [units[index] << 8 | units[index + 1] for index in range(0, len(units), 2)]
    for count in (1, 2, 4, 8):
        for form in (b"u%04x", b"u%04X"):
            yield b"".join(b"\\" * count + form % code for code in codes)
    for form in (b"%%%02X", b"%%%02x", b"=%02X"):
        yield b"".join(form % byte for byte in raw)
    if max(map(ord, segment)) < 0x100:
        for form in (b"%%%02X", b"%%%02x"):
            yield b"".join(form % ord(char) for char in segment)

"""Persons whom a project names: their whole name, in the spellings and orders in which people write one."""

from __future__ import annotations

import unicodedata

from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

_BETWEEN = r"\s+"
_COMMA = r"\s*,\s*"
_GIVEN, _FAMILY = "Given", "Family"
LAYOUT = f"{_GIVEN} {_FAMILY}"
"""How a name is written in the configuration."""
_SPACED = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN", "HEBREW", "ARABIC", "DEVANAGARI", "DIGIT")
"""Scripts that put a space between words: in others a name has no boundary to be found at."""


class Persons:
    """Finds names. A layout says how one stands in a text: ``GIVEN FAMILY``, ``Family, Given``."""

    def __init__(self, names: Sequence[str]) -> None:
        self._persons: list[tuple[str, str, re.Pattern[str], dict[str, str]]] = []
        self.numbers: dict[str, int] = {}
        for number, name in enumerate(names, 1):
            self.add(name, number)

    def add(self, name: str, number: int = 0) -> None:
        """Look for one more name, the `number`-th of the project's list."""
        written = as_written(name)
        if written and written not in self.numbers:
            self.numbers[written] = number
            layouts: dict[str, str] = {}
            for layout in _layouts(written):
                layouts.setdefault(spell_name(written, layout) or written, layout)
            longest_first = sorted(layouts, key=lambda spelling: (-len(spelling), spelling))
            made = pattern("|".join(map(_pattern_of, longest_first)))
            self._persons.append((written, _anchor(written), made, layouts))

    def may_stand_in(self, text: str) -> bool:
        """Whether a name may stand in a text without its escapes. One that is not all ASCII is told by a part of it."""
        folded = text.lower()
        return any(
            anchor in folded and (not name.isascii() or made.search(text) is not None)
            for name, anchor, made, _ in self._persons
        )

    def find(self, text: str) -> Iterator[tuple[int, int, str, str]]:
        """Start, end, name (as the configuration writes it) and layout of each name in a text."""
        folded = text.lower()
        for name, anchor, made, layouts in self._persons:
            if anchor in folded:
                for match in made.finditer(text):
                    yield *match.span(), name, _layout_of(match.group(), layouts)


def as_written(name: str) -> str:
    """A configured name in one form: composed, single spaces, the given name first."""
    words = " ".join(unicodedata.normalize("NFC", name).split())
    family, comma, given = words.partition(",")
    return f"{given.strip()} {family.strip()}".strip() if comma else words


def spell_name(name: str, layout: str) -> str | None:
    """A name as a layout has it, None where the layout is none for it."""
    words, parts = name.split(), layout.replace(",", "").split()
    if len(parts) > len(words) and layout.lower() != LAYOUT.lower():
        return None
    count = sum(part.lower() == _FAMILY.lower() for part in parts)
    if layout[:1] in "Gg":  # a name of one word, too, is in the order of its words
        count = min(count, len(words) - 1)
        made = _cased(words[: len(words) - count], parts[0]) + _cased(words[len(words) - count :], parts[-1])
        return " ".join(made)
    family, given = _cased(words[-count:], parts[0]), _cased(words[:-count], parts[-1])
    return f"{' '.join(family)}{', ' if ',' in layout else ' '}{' '.join(given)}" if given else None


def _cased(words: list[str], like: str) -> list[str]:
    change = str.upper if like.isupper() else str.lower if like.islower() else str
    return [change(word) for word in words]


def _layouts(name: str) -> Iterator[str]:
    """The layouts that a name can stand in. Of more than two words each may be the first of the family name."""
    count = len(name.split())
    for family, given in ((_FAMILY, _GIVEN), (_FAMILY.upper(), _GIVEN.upper()), (_FAMILY.lower(), _GIVEN.lower())):
        yield f"{given} {family}"
        for words in range(1, count):
            yield f"{' '.join([family] * words)}, {given}"
        if count == 2:
            yield f"{family} {given}"
    if count > 1:
        family = _FAMILY.upper()
        yield from (f"{_GIVEN} {family}", f"{family}, {_GIVEN}", f"{family} {_GIVEN}")


def _layout_of(text: str, layouts: dict[str, str]) -> str:
    plain = " ".join(unicodedata.normalize("NFC", text).replace(",", ", ").split()).replace(" ,", ",")
    return layouts.get(plain, LAYOUT)


def _pattern_of(spelling: str) -> str:
    parts = spelling.replace(", ", " , ").split()
    words = ["," if part == "," else "".join(map(_sign, part)) for part in parts]
    joined = _BETWEEN.join(words).replace(f"{_BETWEEN},{_BETWEEN}", _COMMA)
    before = r"(?<![^\W_])(?<![\u0300-\u036f])" if _has_words(spelling[0]) else ""
    after = r"(?![^\W_]|[\u0300-\u036f])" if _has_words(spelling[-1]) else ""
    return before + joined + after


def _sign(char: str) -> str:
    """A character in either of its Unicode forms, composed or not; an apostrophe however it is curved."""
    if char in "'\u2019":
        return "['\u2019]"
    apart = unicodedata.normalize("NFD", char)
    escaped = char if char.isalnum() else f"\\{char}"
    return escaped if apart == char else f"(?:{escaped}|{apart})"


def _has_words(char: str) -> bool:
    return unicodedata.name(char, "").startswith(_SPACED) or (char.isascii() and char.isalnum())


def _anchor(name: str) -> str:
    """The longest stretch of ASCII letters of a name, which every spelling has, in lower case."""
    return max(
        "".join(char if char.isascii() and char.isalnum() else " " for char in name).split(), key=len, default=""
    ).lower()

"""Classes of personal data that a project asks for: where they stand in a text, which value, and how it is written.

    classes: phone, card, iban; name where persons are named

A value is the same however it is written; its layout is what writes it that way again (``+44 ## #### ####``).
"""

from __future__ import annotations

from itertools import islice

from stepfork.redact.cards import find_cards, is_card
from stepfork.redact.ibans import find_ibans
from stepfork.redact.pattern import pattern
from stepfork.redact.persons import Persons
from stepfork.redact.phone_forms import NUMBER, read_phone
from stepfork.redact.phones import find_phones
from stepfork.redact.views import views
from stepfork.redact.wording import is_listed, names_other, names_telephone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NAME = "name"
RULES = {"phone": "phone number", "card": "payment card", "iban": "IBAN"}
"""What a finding of a class is called; one of a name is called after its place in the list, never after the name."""


class Found:
    """`start` to `end` of a text is `value`, of the class `kind`; `layout` is how it is written there, in a URL's
    encoding where it is `encoded`."""

    __slots__ = ("encoded", "end", "kind", "layout", "start", "value")

    def __init__(self, start: int, end: int, kind: str, value: str, layout: str, *, encoded: bool = False) -> None:
        self.start = start
        self.end = end
        self.kind = kind
        self.value = value
        self.layout = layout
        self.encoded = encoded

    def __repr__(self) -> str:
        return f"Found({self.start}, {self.end}, {self.kind!r})"


class Personal:
    """Finds what a project asks for."""

    def __init__(self, classes: Sequence[str], names: Sequence[str]) -> None:
        self.classes = set(classes)
        self.persons = Persons(names)
        self._telling: dict[str, bool] = {}

    def __bool__(self) -> bool:
        return bool(self.classes or self.persons.numbers)

    def find(self, text: str, name: str | None = None) -> list[Found]:
        """What stands in `text`, the value of the nearest member called `name`; in order, and apart from each other."""
        return _apart(self._all(text, name))

    def find_spelled(self, text: str, name: str | None = None) -> list[Found]:
        """As `find`, with what stands in escapes too, where it stands there."""
        if not any(sign in text for sign in _SIGNS):
            return self.find(text, name)
        return _apart(
            Found(start, end, found.kind, found.value, found.layout, encoded=_is_encoded(text[start + 1 : end]))
            for view in islice(views(text), _VIEWS)
            for found in self.find(view.text, name)
            for start, end in ((view.original(found.start), view.original(found.end)),)
        )

    def number(self, value: int | float, name: str | None = None) -> Found | None:
        """What a number in JSON is; None for data."""
        digits = str(value) if type(value) is int and value > 0 else ""
        if "card" in self.classes and is_card(digits) and not names_other(name):
            return Found(0, len(digits), "card", digits, NUMBER)
        if "phone" in self.classes and 7 <= len(digits) <= 15 and names_telephone(name):
            return Found(0, len(digits), "phone", read_phone(digits)[0], NUMBER)
        return None

    def may_stand_in(self, text: str) -> bool:
        """False where nothing of it stands in a text, however that is parsed; True where something does or might. What
        a stream spells in pieces is not looked for."""
        for spelled, sign in _SPELLED_SIGNS:
            text = text.replace(spelled, sign)
        text = _ESCAPES.sub(" ", text)
        if self.persons.may_stand_in(text) or next(self._accounts(text, None), None):
            return True
        return "phone" in self.classes and (
            is_listed(text) or next(find_phones(text, suspicious=True), None) is not None
        )

    def is_telling(self, name: str) -> bool:
        """Whether the name of a member says what a number under it is."""
        told = self._telling.get(name)
        if told is None:
            told = self._telling[name] = names_telephone(name) or names_other(name)
        return told

    def rule(self, found: Found) -> str:
        """What a finding is called."""
        return RULES.get(found.kind) or f"name {self.persons.numbers[found.value]}"

    def look_for(self, kind: str, value: str) -> None:
        """From here on `value`, and others of its class, are looked for."""
        if kind == NAME:
            self.persons.add(value)
        else:
            self.classes.add(kind)

    def _all(self, text: str, name: str | None) -> Iterator[Found]:
        if len(text) >= _SHORTEST:
            told = list(self._accounts(text, name))
            yield from told
            if "phone" in self.classes:
                for found in told:  # what is told by a check digit is no part of a telephone number beside it
                    text = text[: found.start] + _BLANK * (found.end - found.start) + text[found.end :]
                for start, end in find_phones(text, name):
                    yield Found(start, end, "phone", *read_phone(text[start:end]))
        for start, end, person, layout in self.persons.find(text):
            yield Found(start, end, NAME, person, layout)

    def _accounts(self, text: str, name: str | None) -> Iterator[Found]:
        if "card" in self.classes:
            for start, end in find_cards(text, name):
                yield Found(start, end, "card", *_read(text[start:end]))
        if "iban" in self.classes:
            for start, end in find_ibans(text):
                yield Found(start, end, "iban", *_read(text[start:end]))


def _apart(found: Iterable[Found]) -> list[Found]:
    kept: list[Found] = []
    for one in sorted(found, key=lambda found: (found.start, -found.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _is_encoded(text: str) -> bool:
    return "%" in text or "+" in text


_VIEWS = 8
"""So many views of a text are read: as it stands, with each kind of escape undone, with some undone twice."""
_SIGNS = ("\\", "%", "&")
_SPELLED_SIGNS = (
    ("%2B", "+"), ("%2b", "+"), ("%28", "("), ("%29", ")"), ("%2D", "-"), ("%2d", "-"), ("%2E", "."), ("%2e", "."),
    ("%2F", "/"), ("%2f", "/"), ("\\u002b", "+"), ("\\u002B", "+"), ("&#43;", "+"),
)  # fmt: skip
"""Signs of a telephone number that an encoder spells otherwise; every other escape counts as a blank."""
_ESCAPES = pattern(
    r"\\+(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^0-9A-Za-z]|[A-Za-z])|%[0-9a-fA-F]{2}|&(?:#?[0-9A-Za-z]{1,8};)"
)
_BLANK = "\0"
_SHORTEST = 7
"""Characters of the shortest telephone number."""


def _read(text: str) -> tuple[str, str]:
    """Value and layout of a card or an account: its letters and digits, and what stands between them."""
    signs = [char.isascii() and char.isalnum() for char in text]
    value = "".join(char for char, counts in zip(text, signs, strict=True) if counts).upper()
    layout = "".join("#" if counts else _PLAIN.get(char, char) for char, counts in zip(text, signs, strict=True))
    return value, layout


_PLAIN = dict.fromkeys("\u00a0\u2007\u2009\u202f", " ") | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")

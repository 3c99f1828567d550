"""Placeholders: how they are spelled, how they are read, and how text that only looks like one stays apart.

    {{id_3}}  {{email_1}}  {{timestamp_2:YYYY-MM-DD hh:mm:ss}}  {{cwd}}        placeholders
    {{!id_3}}                                                                   the literal text {{id_3}}

Normalised text is a sequence of literal pieces, written through `escape`, and placeholders, written as ``str``; `parse`
gives that sequence back. The grammar is documented in ``docs/reference/placeholders.md``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from stepfork.redact.rules import CLASSES

PERSONAL = (*CLASSES, "name")
"""Kinds of personal data that a project asks for (see personal.py); text is taken for one only with its number."""

BY_VALUE = ("id", "email", "conversation", "device", "account", "session", "opaque", *PERSONAL)
"""Kinds that are numbered over the whole run: one number for one value."""

SPELLINGS: dict[str, tuple[str, ...]] = {"email": ("url", "uri")}
"""How a value of a kind may be spelled otherwise: its placeholder has that for a shape, and the number of the value."""

BY_POSITION = "timestamp"
"""The kind that is numbered by position inside each stored part, whatever its value."""

CONSTANT = (
    "cwd", "cwd_slug", "home", "tmp", "host", "user", "listener", "listener_token", "today", "boundary", "fingerprint",
)  # fmt: skip
"""Kinds of which a run has one value (or whose value says nothing): they have no number."""

_NAMES = "|".join(rf"{kind}(?=_[0-9])" if kind in PERSONAL else kind for kind in (*BY_VALUE, BY_POSITION, *CONSTANT))
LOOK_ALIKE = re.compile(r"\{\{(!*)(" + _NAMES + r")(?:_([0-9]+))?(?::([^{}]*))?\}\}")
"""Text that is a placeholder, or would be read as one. Braces cannot stand inside, so that a match never reaches from a
literal piece into a placeholder beside it."""

_SHAPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ,.:/+-]{0,47}")
_LAYOUT = re.compile(r"[#A-Za-z0-9+(][#A-Za-z0-9 +().,;:=/-]{0,47}")
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


class Placeholder(msgspec.Struct, frozen=True):
    """`number` is None for the constant kinds; `shape` is how the value was spelled (see times.py, SPELLINGS, and
    personal.py)."""

    kind: str
    number: int | None = None
    shape: str | None = None

    @property
    def plain(self) -> Placeholder:
        """The same value in its usual spelling."""
        return Placeholder(self.kind, self.number)

    def __str__(self) -> str:
        number = "" if self.number is None else f"_{self.number}"
        shape = "" if self.shape is None else f":{self.shape}"
        return f"{{{{{self.kind}{number}{shape}}}}}"


Typed = tuple[str | Placeholder, ...]
"""Literal pieces and placeholders, in order; no two literal pieces in a row, none empty."""


def as_placeholder(match: re.Match[str]) -> Placeholder | None:
    """The placeholder that a match of LOOK_ALIKE spells, None where it is escaped or not well-formed."""
    marks, kind, number, shape = match.groups()
    if marks or (number is None) is not (kind in CONSTANT):
        return None
    if number is not None and not _NUMBER.fullmatch(number):
        return None
    if shape is not None and not _is_shape(kind, shape):
        return None
    return Placeholder(kind, None if number is None else int(number), shape)


def _is_shape(kind: str, shape: str) -> bool:
    if kind in PERSONAL:
        return is_layout(shape)
    return bool(_SHAPE.fullmatch(shape)) if kind == BY_POSITION else shape in SPELLINGS.get(kind, ())


def is_layout(text: str) -> bool:
    """Whether a placeholder of personal data can have a text for its shape."""
    return _LAYOUT.fullmatch(text) is not None


def read(text: str) -> Placeholder | None:
    """The placeholder that the whole of a text is, None where it is none."""
    match = LOOK_ALIKE.fullmatch(text)
    return as_placeholder(match) if match else None


def escape(literal: str) -> str:
    """`literal` with one more mark in all that would be read as a placeholder or as an escaped one."""
    return LOOK_ALIKE.sub(lambda match: f"{{{{!{match.group()[2:]}", literal) if "{{" in literal else literal


def unescape(literal: str) -> str:
    """The inverse of `escape`."""
    return LOOK_ALIKE.sub(_less, literal) if "{{!" in literal else literal


def _less(match: re.Match[str]) -> str:
    return match.group().replace("!", "", 1) if match.group(1) else match.group()


def parse(text: str) -> Typed:
    """The typed form of normalised text. What is no placeholder is literal, so that every text can be read."""
    return tuple(_joined(_pieces(text)))


def _joined(typed: Iterable[str | Placeholder]) -> Iterator[str | Placeholder]:
    """The pieces with neighbouring literals put together and empty ones left out."""
    literal = ""
    for piece in typed:
        if isinstance(piece, str):
            literal += piece
            continue
        if literal:
            yield literal
        literal = ""
        yield piece
    if literal:
        yield literal


def give_back(text: str, value: Callable[[Placeholder], str | None]) -> str:
    """Normalised text with placeholders given back: `value` says what one stands for, None to leave it as it is.

    Where any was given back, the literals are unescaped too, so that the result is the original text.
    """
    if "{{" not in text:
        return text
    given = [(piece, piece if isinstance(piece, str) else value(piece)) for piece in parse(text)]
    return "".join(str(piece) if back is None else back for piece, back in given)


def _pieces(text: str) -> Iterator[str | Placeholder]:
    cursor = 0
    for match in LOOK_ALIKE.finditer(text):
        found = as_placeholder(match)
        yield text[cursor : match.start()]
        yield unescape(match.group()) if found is None else found
        cursor = match.end()
    yield text[cursor:]

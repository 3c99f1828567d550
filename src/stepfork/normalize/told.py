"""Values that a run's own structure calls an id: told by a field, they are found in every text of the run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stepfork.normalize import rules
from stepfork.normalize.own import NO_OWN, OwnRules
from stepfork.normalize.prefixes import PREFIXES

_SHORTEST = 8
_LONGEST = 200
_WORD = re.compile(r"[A-Za-z0-9_-]+")
SMALLEST_TOLD = 10_000
"""The smallest number that is looked for in text."""
_PLAIN = re.compile(r"[^\W\d_]+(?:[ _.-][^\W\d_]+)*|-?[0-9]{1,4}")
"""A word or several, or a smaller number: what stands in a text by chance."""


class Told:
    """Told values with their kinds. `own` are the project's rules: what they call literal is never told."""

    def __init__(self, own: OwnRules = NO_OWN) -> None:
        self.own = own
        self._kinds: dict[str, str] = {}
        self._parts: dict[str, list[tuple[int, str]]] = {}
        self._whole: dict[str, str] = {}
        self._fielded: set[str] = set()
        self._tokens = rules.TOKEN
        self._shortest = _SHORTEST

    def add(self, kind: str, value: object) -> None:
        """A value that one of the providers' fields tells; nothing where it is no text, or such as people write."""
        if isinstance(value, str) and is_distinctive(value):
            self._add(kind, value)

    def add_short(self, kind: str, value: object, *, fielded: bool) -> None:
        """A value that such a field tells and that is too short, or of too odd a form, to be looked for in text: it is
        found where it is the whole of one. What people write (``call_1``) is data, but where it is `fielded` the same
        word in a field of that kind is the same id."""
        if not isinstance(value, str) or not value or is_distinctive(value) or self.own.holds_literal(value):
            return
        if not is_ordinary(value):
            self._whole[value] = kind
        elif fielded:
            self._fielded.add(value)

    def whole(self, text: str) -> str | None:
        """The kind of a text that as a whole is a value of `add_short`; None for any other."""
        return self._whole.get(text)

    def is_fielded(self, text: str) -> bool:
        """Whether a word is an id where a field says that it is one."""
        return text in self._fielded

    def add_own(self, value: str) -> None:
        """An id that a rule of the project's tells."""
        if len(value) < 4 or len(value) > _LONGEST or _PLAIN.fullmatch(value):
            return
        words = list(_WORD.finditer(value))
        if not words:
            return
        longest = max(words, key=lambda word: len(word[0]))
        if longest[0] != value:
            self._parts.setdefault(longest[0], []).append((longest.start(), value))
        if len(longest[0]) < self._shortest:
            self._shortest = len(longest[0])
            self._tokens = re.compile(rf"[A-Za-z0-9_-]{{{self._shortest},}}")
        self._add("id", value)

    def give(self, kind: str, value: str) -> None:
        """A value of a kind, whatever it looks like."""
        self._kinds[value] = kind

    def take(self, value: str) -> None:
        """It is none."""
        self._kinds.pop(value, None)

    def kind(self, value: str) -> str | None:
        """The kind of a value, None where it is not told."""
        return self._kinds.get(value)

    def __len__(self) -> int:
        return len(self._kinds)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __contains__(self, value: str) -> bool:
        return value in self._kinds

    def tokens(self, text: str) -> Iterator[Token]:
        """The tokens of a text that could be ids, with the kind of those that are told; words that are not told are
        left out, since each generated id has a digit."""
        kinds, parts = self._kinds, self._parts
        for match in self._tokens.finditer(text):
            token = match[0]
            kind = kinds.get(token)
            if kind is not None or not token.isalpha():
                yield Token(match.start(), match.end(), token, kind)
            if kind is None and token in parts:
                yield from self._longer(text, match.start(), token)

    def _longer(self, text: str, at: int, token: str) -> Iterator[Token]:
        """Told values of which a token is a part, where the whole of them stands."""
        for offset, value in self._parts[token]:
            start, kind = at - offset, self._kinds.get(value)
            end = start + len(value)
            if kind is not None and start >= 0 and text.startswith(value, start) and _is_whole(text, start, end):
                yield Token(start, end, value, kind)

    def _add(self, kind: str, value: str) -> None:
        if value not in self._kinds and not self.own.holds_literal(value):
            self._kinds[value] = kind


class Token(NamedTuple):
    """`start` to `end` of a text; `kind` is None where it is not told."""

    start: int
    end: int
    text: str
    kind: str | None


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a value neither begins nor ends in the middle of a word."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    return not (_WORD.match(text[start]) and _WORD.match(before)) and not (
        _WORD.match(text[end - 1]) and _WORD.match(after)
    )


def is_ordinary(value: str) -> bool:
    """Whether an id is a word or a small number that a scripted server or a person writes: elsewhere it is data."""
    return rules.ORDINARY_ID.fullmatch(value) is not None and not is_distinctive(value)


def is_distinctive(value: str) -> bool:
    """Whether a told id is random enough to be looked for in text: nobody would write it by chance."""
    if len(value) > _LONGEST or not rules.TOKEN.fullmatch(value):
        return False
    prefix = PREFIXES.of(value)
    body = value[len(prefix) :]
    # A random id of 24 letters and digits has no digit in one case of sixty, one of nine in one of five.
    if body.isalpha() and len(body) >= (16 if prefix else 9) and not rules.WORDS.fullmatch(body):
        return True
    return any(mark.isdigit() for mark in value) and not rules.ORDINARY_ID.fullmatch(value)

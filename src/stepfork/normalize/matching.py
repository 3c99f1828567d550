"""What in one text is volatile: spans, found by rule, none overlapping another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from stepfork.normalize import rules
from stepfork.normalize.emails import find_emails
from stepfork.normalize.known import Context, Known, find_known, known_values
from stepfork.normalize.placeholders import LOOK_ALIKE, Placeholder, as_placeholder
from stepfork.normalize.times import USUAL, is_near, moments

LITERAL: Final = "literal"
FIXED: Final = "fixed"
TRACEPARENT: Final = "traceparent"

_TODAY = str(Placeholder("today"))
_LONGEST_ID = 200
_TRACEPARENT = re.compile(r"(?<![0-9A-Za-z-])00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?![0-9A-Za-z-])")


class Span(msgspec.Struct, frozen=True):
    """`start` to `end` of a text is a value of `kind` (a kind of placeholders.py).

    ``kept`` stands in front of the placeholder (an id's prefix). ``value`` is what is numbered, or for a timestamp its
    shape. Kind ``fixed`` is written as it is (`value`); ``literal`` is text to be escaped.
    """

    start: int
    end: int
    kind: str
    value: str
    kept: str = ""


class Matcher:
    """Finds spans in decoded text. One for a run: it remembers texts, which repeat from call to call.

    `declared` maps values that the run's own structure calls an id (or a session, a conversation) to their kind.
    `templated` says that the text was normalised before: placeholders in it are read as such, not escaped.
    """

    def __init__(self, context: Context | None, declared: Mapping[str, str], *, templated: bool = False) -> None:
        self._context = context
        self._declared = declared
        self._templated = templated
        self._known: tuple[Known, ...] = known_values(context) if context else ()
        self._seen: dict[str, tuple[Span, ...]] = {}

    def spans(self, text: str) -> tuple[Span, ...]:
        """The spans of a text, in order."""
        found = self._seen.get(text)
        if found is None:
            found = self._seen[text] = _apart(list(self._find(text)))
        return found

    def forget(self, value: str) -> None:
        """Texts that hold `value`, which has just been declared, are looked at again."""
        self._seen = {text: spans for text, spans in self._seen.items() if value not in text}

    def known_spans(self, text: str) -> tuple[Span, ...]:
        """Known values of the run alone, and literals: for what must be given back exactly, such as a command. A date
        that somebody typed stays that date."""
        known = (span for span in self._find_known(text) if span.value != _TODAY)
        return _apart([*self._placeholders(text), *known])

    def id_span(self, text: str, kind: str) -> Span | None:
        """The whole text as one id, None where it was templated before."""
        if self._templated and "{{" in text:
            return None
        return Span(0, len(text), self._declared.get(text, kind), text, kept_prefix(text) if kind == "id" else "")

    def _find(self, text: str) -> Iterator[Span]:
        yield from self._placeholders(text)
        yield from self._find_known(text)
        yield from _claude_code_users(text)
        yield from _traceparents(text)
        yield from self._ids(text)
        for start, end in find_emails(text):
            yield Span(start, end, "email", text[start:end])
        if self._context is not None:
            for moment in moments(text):
                if is_near(moment.when, self._context.started_ns, self._context.ended_ns):
                    yield Span(moment.start, moment.end, "timestamp", moment.shape)

    def _placeholders(self, text: str) -> Iterator[Span]:
        if "{{" not in text:
            return
        for match in LOOK_ALIKE.finditer(text):
            found = as_placeholder(match) if self._templated else None
            if found is not None:
                yield _placeholder_span(match, found)
            elif not self._templated:
                yield Span(match.start(), match.end(), LITERAL, match.group())

    def _find_known(self, text: str) -> Iterator[Span]:
        for start, end, placeholder in find_known(text, self._known):
            yield Span(start, end, FIXED, str(placeholder))

    def _ids(self, text: str) -> Iterator[Span]:
        for match in rules.TOKEN.finditer(text):
            token = match.group()
            if len(token) > _LONGEST_ID:
                continue
            kind = self._declared.get(token)
            if kind is not None:
                yield Span(match.start(), match.end(), kind, token, kept_prefix(token) if kind == "id" else "")
                continue
            if token.isalpha():  # a word, as most tokens are: each generated id has a digit
                continue
            known = rules.ID.fullmatch(token)
            if known:
                yield Span(match.start(), match.end(), "id", token, next(filter(None, known.groups())))


def kept_prefix(value: str) -> str:
    """The known prefix of an id, which stays in front of its placeholder; empty where it has none."""
    return next((prefix for prefix in rules.PREFIXES_BY_LENGTH if value.startswith(prefix)), "")


def uuid_spans(text: str) -> tuple[Span, ...]:
    """Every UUID of a text as an id."""
    return tuple(Span(match.start(), match.end(), "id", match.group()) for match in rules.UUID.finditer(text))


def is_distinctive(value: str) -> bool:
    """Whether a declared id is random enough to be looked for in text: nobody would write it by chance."""
    if len(value) > _LONGEST_ID or not rules.TOKEN.fullmatch(value):
        return False
    prefix = kept_prefix(value)
    body = value[len(prefix) :]
    # A random id of 24 letters and digits has no digit in one case of sixty.
    if prefix and len(body) >= 16 and body.isalpha() and not body.islower() and not body.isupper():
        return True
    return any(mark.isdigit() for mark in value) and not rules.ORDINARY_ID.fullmatch(value)


def _placeholder_span(match: re.Match[str], found: Placeholder) -> Span:
    if found.number is None:
        return Span(match.start(), match.end(), FIXED, match.group())
    if found.kind == "timestamp":
        return Span(match.start(), match.end(), "timestamp", found.shape or USUAL)
    return Span(match.start(), match.end(), found.kind, match.group())


def _claude_code_users(text: str) -> Iterator[Span]:
    if "_account_" not in text:
        return
    for match in rules.CLAUDE_CODE_USER.finditer(text):
        for kind, value in match.groupdict().items():
            if value:
                yield Span(match.start(kind), match.end(kind), kind, value)


def _traceparents(text: str) -> Iterator[Span]:
    """W3C trace context: both ids are numbered in their own width, so that the header stays well-formed."""
    if "00-" not in text:
        return
    for match in _TRACEPARENT.finditer(text):
        for group in (1, 2):
            yield Span(match.start(group), match.end(group), TRACEPARENT, match.group(group))


def _apart(spans: list[Span]) -> tuple[Span, ...]:
    """The spans in order; of two that overlap the one that begins first, then the longer one, then the earlier rule."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):  # stable: the order of rules decides ties
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)

"""What in one text is volatile: spans, found by rule, none overlapping another."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from stepfork.normalize import rules
from stepfork.normalize.durations import without_length
from stepfork.normalize.emails import find_emails
from stepfork.normalize.fields import LONGEST_VALUE
from stepfork.normalize.known import Context, Known, find_known, known_values
from stepfork.normalize.own import NO_OWN
from stepfork.normalize.own_marks import OwnMark, field_mark
from stepfork.normalize.own_texts import OwnTexts
from stepfork.normalize.personal import layout_of, personal_of
from stepfork.normalize.placeholders import LOOK_ALIKE, Placeholder, as_placeholder
from stepfork.normalize.prefixes import Prefixes
from stepfork.normalize.random_names import random_name
from stepfork.normalize.reprs import ids_in_reprs, pointers
from stepfork.normalize.times import USUAL, is_near, moments, time_shape
from stepfork.normalize.told import SMALLEST_TOLD, Told
from stepfork.redact.personal import Found

LITERAL: Final = "literal"
FIXED: Final = "fixed"
TRACEPARENT: Final = "traceparent"

_TODAY = str(Placeholder("today"))
_TRACEPARENT = re.compile(r"(?<![0-9A-Za-z-])00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?![0-9A-Za-z-])")


class Span(msgspec.Struct, frozen=True):
    """`start` to `end` of a text is a value of `kind` (a kind of placeholders.py).

    ``kept`` stands in front of the placeholder (an id's prefix). ``value`` is what is numbered, or for a timestamp its
    shape. Kind ``fixed`` is written as it is (`value`); ``literal`` is text to be escaped. `spelling` is a shape of
    SPELLINGS, `layout` how personal data are written.
    """

    start: int
    end: int
    kind: str
    value: str
    kept: str = ""
    spelling: str | None = None
    layout: str | None = None


class Matcher:
    """Finds spans in decoded text. One for a run: it remembers texts, which repeat from call to call.

    `told` are values that the run's own structure calls an id (or a session, a conversation). `templated` says that
    the text was normalised before: placeholders in it are read as such, not escaped.
    """

    def __init__(self, context: Context | None, told: Told, *, templated: bool = False) -> None:
        self.own = context.own if context else NO_OWN
        self.prefixes = Prefixes(self.own.prefixes)
        self._texts = OwnTexts(self.own.names)
        self._context = context
        self._told = told
        self._templated = templated
        self._known: tuple[Known, ...] = known_values(context) if context else ()
        self._personal = personal_of(context)
        self._seen: dict[str, tuple[Span, ...]] = {}

    def spans(self, text: str, name: str | None = None) -> tuple[Span, ...]:
        """The spans of a text, in order. What a project calls literal comes before all, then its own ids, then the
        rules that everybody has. `name` is that of the nearest member, which may say what a number is."""
        if name is not None and self._personal and self._personal.is_telling(name):
            return self._kept(text, self._own_ids(text) if self.own else (), self._find(text, name))
        found = self._seen.get(text)
        if found is None:
            own = list(self._own_ids(text)) if self.own else []
            found = self._seen[text] = self._kept(text, own, self._find(text))
        return found

    @property
    def asks_personal(self) -> bool:
        """Whether personal data are looked for."""
        return bool(self._personal)

    def number_span(self, value: int | float, name: str | None) -> Span | None:
        """A number in JSON that is personal data, None for any other."""
        found = self._personal.number(value, name) if self._personal else None
        return None if found is None else _personal_span(found)

    def look_for(self, kind: str, value: str) -> None:
        """From here on personal data of a kind are looked for too, `value` among them."""
        self._personal.look_for(kind, value)
        self._seen.clear()

    def forget(self, value: str) -> None:
        """Texts that hold `value`, which has just been told, are looked at again."""
        self._seen = {text: spans for text, spans in self._seen.items() if value not in text}

    def literals(self, text: str) -> tuple[Span, ...]:
        """What has to be escaped in a text that is not templated otherwise; placeholders of one that was normalised
        before."""
        return self._kept(text)

    def known_spans(self, text: str) -> tuple[Span, ...]:
        """Known values of the run alone, and literals: for what must be given back exactly, such as a command. A date
        that somebody typed stays that date."""
        known = (span for span in self._find_known(text) if span.kind == FIXED and span.value != _TODAY)
        return self._kept(text, known)

    def uuid_spans(self, text: str) -> tuple[Span, ...]:
        """Every UUID of a text as an id."""
        found = (Span(match.start(), match.end(), "id", match.group()) for match in rules.UUID.finditer(text))
        return self._kept(text, found)

    def id_span(self, text: str, kind: str) -> Span | None:
        """The whole text as one id, None where it was templated before."""
        if self.is_templated(text):
            return None
        kind = self._told.kind(text) or kind
        return Span(0, len(text), kind, text, self.prefixes.of(text) if kind == "id" else "")

    def is_templated(self, text: str) -> bool:
        """Whether a text may hold placeholders already."""
        return self._templated and "{{" in text

    def number_name(self, value: int) -> str:
        """What is numbered for an id that is a number: itself, or in a text that was normalised before the placeholder
        whose number it is, which is never a large one."""
        numbered = self._templated and 0 < value < SMALLEST_TOLD
        return str(Placeholder("id", value)) if numbered else str(value)

    def _kept(self, text: str, *tiers: Iterable[Span]) -> tuple[Span, ...]:
        """The spans that stay: placeholders, then those of each tier in turn; none that a literal of the project's
        touches."""
        kept = _apart(self._placeholders(text))
        literals = list(self._literals(text)) if self.own else []
        if self.is_templated(text):
            literals += [match.span() for match in LOOK_ALIKE.finditer(text)]
        for tier in tiers:
            found = list(tier)
            if found and (kept or literals):
                taken = _Taken([*literals, *((span.start, span.end) for span in kept)])
                found = [span for span in found if not taken.touches(span.start, span.end)]
            kept = sorted([*kept, *_apart(found)], key=lambda span: span.start) if found else kept
        return tuple(kept)

    def _literals(self, text: str) -> Iterator[tuple[int, int]]:
        for pattern in self.own.literal_patterns:
            yield from (match.span() for match in pattern.finditer(text))
        if self.own.literal_fields:
            yield from (
                (field.start, field.end) for field in self._texts.find(text) if field.name in self.own.literal_fields
            )

    def _own_ids(self, text: str) -> Iterator[Span]:
        for field in self._texts.find(text):
            span = own_span(field_mark(self.own, field.name), field.start, field.text, self.prefixes)
            if span is not None:
                yield span
        for pattern in self.own.id_patterns:
            for match in pattern.finditer(text):
                if match.group():
                    yield Span(match.start(), match.end(), "id", match.group(), self.prefixes.of(match.group()))

    def _find(self, text: str, name: str | None = None) -> Iterator[Span]:
        yield from self._find_known(text)
        yield from _claude_code_users(text)
        yield from _traceparents(text)
        for start, end in pointers(text):
            yield Span(start, end, FIXED, "0")
        yield from self._ids(text)
        if "@" in text or "%40" in text:
            for email in find_emails(text):
                yield Span(email.start, email.end, "email", email.value, spelling=email.spelling)
        if self._personal:
            yield from map(_personal_span, self._personal.find_spelled(text, name))
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
            name = random_name(text, end) if placeholder.kind == "tmp" else None
            if name is not None:
                yield Span(*name, "id", text[name[0] : name[1]])

    def _ids(self, text: str) -> Iterator[Span]:
        for start, end, token, kind in self._told.tokens(text):
            if kind is not None:
                yield Span(start, end, kind, token, self.prefixes.of(token) if kind == "id" else "")
                continue
            known = rules.ID.fullmatch(token)
            if known:
                yield Span(start, end, "id", token, next(filter(None, known.groups())))
        for start, end in ids_in_reprs(text):
            yield Span(start, end, "id", text[start:end], self.prefixes.of(text[start:end]))


def own_span(mark: OwnMark | None, start: int, text: str, prefixes: Prefixes) -> Span | None:
    """The whole text of a field that a project names, which begins at `start`; None where it is no such value."""
    end = start + len(text)
    if not text or len(text) > LONGEST_VALUE:
        return None
    if mark == "id":
        return Span(start, end, "id", text, prefixes.of(text))
    if mark == "time":
        shape = time_shape(text)
        return None if shape is None else Span(start, end, "timestamp", shape)
    zero = without_length(text) if mark == "duration" else None
    return None if zero is None else Span(start, end, FIXED, zero)


def _placeholder_span(match: re.Match[str], found: Placeholder) -> Span:
    if found.number is None:
        return Span(match.start(), match.end(), FIXED, match.group())
    if found.kind == "timestamp":
        return Span(match.start(), match.end(), "timestamp", found.shape or USUAL)
    return Span(match.start(), match.end(), found.kind, str(found.plain), spelling=found.shape)


def _personal_span(found: Found) -> Span:
    return Span(found.start, found.end, found.kind, found.value, layout=layout_of(found))


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


def _apart(spans: Iterable[Span]) -> list[Span]:
    """The spans in order; of two that overlap the one that begins first, then the longer one, then the earlier rule."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):  # stable: the order of rules decides ties
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


class _Taken:
    """Characters that are spoken for, as ranges that may overlap."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(ranges):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def touches(self, start: int, end: int) -> bool:
        """Whether any character from `start` to `end` is taken."""
        at = bisect_right(self._ends, start)
        return at < len(self._starts) and self._starts[at] < end

"""What in one text is volatile: spans, found by rule, none overlapping another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from stepfork.normalize import rules
from stepfork.normalize.emails import find_emails
from stepfork.normalize.known import Context, Known, find_known, known_values
from stepfork.normalize.own import NO_OWN
from stepfork.normalize.own_spans import OwnSpans
from stepfork.normalize.personal import layout_of, personal_of
from stepfork.normalize.placeholders import LOOK_ALIKE, Placeholder, as_placeholder
from stepfork.normalize.prefixes import Prefixes
from stepfork.normalize.random_names import random_name
from stepfork.normalize.reprs import durations_in_reprs, ids_in_reprs, pointers
from stepfork.normalize.spans import FIXED, LITERAL, TRACEPARENT, Span, Taken, apart
from stepfork.normalize.times import USUAL, is_near, moments
from stepfork.normalize.told import SMALLEST_TOLD, Told
from stepfork.redact.personal import Found

_TODAY = str(Placeholder("today"))
_FINGERPRINT = str(Placeholder("fingerprint"))
_TRACEPARENT = re.compile(r"(?<![0-9A-Za-z-])00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?![0-9A-Za-z-])")


class Matcher:
    """Finds spans in decoded text. One for a run: it remembers texts, which repeat from call to call.

    `told` are values that the run's own structure calls an id (or a session, a conversation). `templated` says that
    the text was normalised before: placeholders in it are read as such, not escaped. `any_time`: date-times count
    whether a clock of the run could have said them or not.
    """

    def __init__(self, context: Context | None, told: Told, *, templated: bool = False, any_time: bool = False) -> None:
        self.own = context.own if context else NO_OWN
        self.prefixes = Prefixes(self.own.prefixes)
        self._own_spans = OwnSpans(self.own, self.prefixes)
        self._context = context
        self._told = told
        self._templated = templated
        self._any_time = any_time
        self._known: tuple[Known, ...] = known_values(context) if context else ()
        self._personal = personal_of(context)
        self._seen: dict[str, tuple[Span, ...]] = {}

    def spans(self, text: str, name: str | None = None) -> tuple[Span, ...]:
        """The spans of a text, in order. What a project calls literal comes before all, then its own ids, then the
        rules that everybody has. `name` is that of the nearest member, which may say what a number is."""
        if name is not None and self._personal and self._personal.is_telling(name):
            return self._kept(text, self._own_spans.found(text) if self.own else (), self._find(text, name))
        found = self._seen.get(text)
        if found is None:
            own = list(self._own_spans.found(text)) if self.own else []
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

    def is_fielded(self, text: str) -> bool:
        """Whether a word is an id where a field says so."""
        return self._told.is_fielded(text)

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
        kept = apart(self._placeholders(text))
        literals = list(self._own_spans.literals(text)) if self.own else []
        if self.is_templated(text):
            literals += [match.span() for match in LOOK_ALIKE.finditer(text)]
        for tier in tiers:
            found = list(tier)
            if found and (kept or literals):
                taken = Taken([*literals, *((span.start, span.end) for span in kept)])
                found = [span for span in found if not taken.touches(span.start, span.end)]
            kept = sorted([*kept, *apart(found)], key=lambda span: span.start) if found else kept
        return tuple(kept)

    def _find(self, text: str, name: str | None = None) -> Iterator[Span]:
        yield from self._find_known(text)
        yield from _claude_code_users(text)
        yield from _traceparents(text)
        for start, end in (*pointers(text), *durations_in_reprs(text)):
            yield Span(start, end, FIXED, "0")
        if "fp_" in text:
            yield from (Span(*match.span(1), FIXED, _FINGERPRINT) for match in rules.FINGERPRINT.finditer(text))
        yield from self._ids(text)
        if "@" in text or "%40" in text:
            for email in find_emails(text):
                yield Span(email.start, email.end, "email", email.value, spelling=email.spelling)
        if self._personal:
            yield from map(_personal_span, self._personal.find_spelled(text, name))
        if self._context is not None:
            for moment in moments(text):
                if self._any_time or is_near(moment.when, self._context.started_ns, self._context.ended_ns):
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
        kind = self._told.whole(text)
        if kind is not None:
            yield Span(0, len(text), kind, text, self.prefixes.of(text))
            return
        for start, end, token, kind in self._told.tokens(text):
            if kind is not None:
                yield Span(start, end, kind, token, self.prefixes.of(token) if kind == "id" else "")
                continue
            known = rules.ID.fullmatch(token)
            if known:
                yield Span(start, end, "id", token, next(filter(None, known.groups())))
        for start, end in ids_in_reprs(text):
            yield Span(start, end, "id", text[start:end], self.prefixes.of(text[start:end]))


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

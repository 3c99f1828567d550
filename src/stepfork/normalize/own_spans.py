"""What a project's own rules find in one text."""

from __future__ import annotations

from collections.abc import Iterator

from stepfork.normalize.durations import without_length
from stepfork.normalize.fields import LONGEST_VALUE
from stepfork.normalize.own import OwnRules
from stepfork.normalize.own_marks import OwnMark, field_mark
from stepfork.normalize.own_texts import OwnTexts
from stepfork.normalize.prefixes import Prefixes
from stepfork.normalize.spans import FIXED, Span
from stepfork.normalize.times import time_shape


class OwnSpans:
    """Finds what `own` rules say of texts; `prefixes` know theirs."""

    def __init__(self, own: OwnRules, prefixes: Prefixes) -> None:
        self._own = own
        self._prefixes = prefixes
        self._texts = OwnTexts(own.names)

    def literals(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of what is never templated."""
        for pattern in self._own.literal_patterns:
            yield from (match.span() for match in pattern.finditer(text))
        if self._own.literal_fields:
            for field in self._texts.find(text):
                if field.name in self._own.literal_fields:
                    yield field.start, field.end

    def found(self, text: str) -> Iterator[Span]:
        """Values of fields that a text quotes, and ids by their patterns."""
        for field in self._texts.find(text):
            span = own_span(field_mark(self._own, field.name), field.start, field.text, self._prefixes)
            if span is not None:
                yield span
        for pattern in self._own.id_patterns:
            for match in pattern.finditer(text):
                if match.group():
                    yield Span(match.start(), match.end(), "id", match.group(), self._prefixes.of(match.group()))


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

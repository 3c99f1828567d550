"""The rewriter of one part: marks decide by field, the matcher decides by text, numbers are given out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from stepfork.normalize.durations import without_length
from stepfork.normalize.fields import LONGEST_VALUE, Mark, Path, metadata_mark
from stepfork.normalize.kept_answers import kept_marks
from stepfork.normalize.matching import Matcher
from stepfork.normalize.numbering import TimeNumbers, Times, ValueNumbers
from stepfork.normalize.own_marks import OwnMark, own_mark
from stepfork.normalize.own_spans import own_span
from stepfork.normalize.placeholders import Placeholder, escape
from stepfork.normalize.queries import query_edits
from stepfork.normalize.rules import ID_FIELDS, UUID_FIELDS
from stepfork.normalize.spans import FIXED, LITERAL, TRACEPARENT, Span
from stepfork.normalize.times import timestamp, whole_moment
from stepfork.normalize.told import is_ordinary
from stepfork.rewrite.place import Edit, Place, Rewriter, apply_edits
from stepfork.rewrite.text import find_edits
from stepfork.trace.body import JsonValue

T = TypeVar("T")

FINGERPRINT = "fp_" + str(Placeholder("fingerprint"))


class PartRewriter(Rewriter):
    """Rewrites one stored part of a run; times are numbered inside it, unless `times` says otherwise.

    `keeps_words`: an id that people write (``call_1``) stays in a provider's field. So it is where a model was asked in
    process: the program has the same word wherever it likes, and nobody can tell there that it is an id.
    """

    keeps_words = False

    def __init__(
        self, matcher: Matcher, values: ValueNumbers, marks: Mapping[Path, Mark], times: Times | None = None
    ) -> None:
        self._matcher = matcher
        self._values = values
        self._marks = marks
        self._times = times or TimeNumbers()
        self.renamed = False
        self.reads_across = matcher.asks_personal

    def run(self, walk: Callable[[PartRewriter], T]) -> T:
        """What `walk` makes with this rewriter, walked again where the times turned out to stand in another order."""
        made = walk(self)
        return walk(self) if self._times.settle() else made

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a text: as its field says, else as the rules find them in it."""
        own = self.own_mark(place)
        if own == "literal":
            return self._edits(self._matcher.literals(text), place, text)
        mark = self.field_mark(place, text)
        if (own or mark) and not self._matcher.own.holds_literal(text):
            edits = self._own(own, text, place) if own else None
            if edits is None and mark is not None:
                edits = self._marked(mark, text, place)
            if edits is not None:
                return edits
        return self._edits(self._spans(text, place), place, text)

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a member's name: ids and addresses are linked across names too. Names that the project's rules
        speak of stay."""
        literal = text in self._matcher.own.names or self.own_mark(place) == "literal"
        spans = self._matcher.literals(text) if literal else self._matcher.spans(text)
        edits = self._edits(spans, place.child(text), text)
        self.renamed = self.renamed or bool(edits)
        return edits

    def number(self, value: int | float, place: Place) -> JsonValue:
        """A time becomes its number and a duration 0, both of the type they had, and so does an id that the project's
        rules name; other numbers are data."""
        mark = self.own_mark(place) or self.field_mark(place, value)
        if mark == "time":
            return type(value)(self._times.number(place.path, 0, ""))
        if mark == "id" and isinstance(value, int):
            number = self._values.number("id", self._matcher.number_name(value))
            return str(Placeholder("id", number)) if self._values.spelled else number
        if mark == "duration":
            return type(value)(0)
        span = self._matcher.number_span(value, place.key) if mark is None else None
        return value if span is None else self._placeholder(span)

    def query(self, query: str, place: Place) -> str:
        """A query string with its values rewritten. What in the raw text looks like a placeholder is escaped; what
        only says so when it is decoded is none."""
        if "%7b%7b" in query.lower():
            return apply_edits(query, self.text(query, place))

        return apply_edits(query, list(query_edits(query, place, partial(find_edits, rewriter=self))))

    def document(self, value: JsonValue, place: Place) -> None:
        """A provider's answer that is kept as data has the fields of its envelope there."""
        found = kept_marks(value, place)
        if found:
            self._marks = {**found, **self._marks}

    def field_mark(self, place: Place, value: JsonValue) -> Mark | None:
        """What a provider's structure says of the value at a place."""
        found = self._marks.get(place.path) or metadata_mark(place.path, value)
        if found == "id" and self.keeps_words and isinstance(value, str) and is_ordinary(value):
            return None
        if found is None and isinstance(value, str) and place.key in ID_FIELDS and place.part == ("trace",):
            return "id" if self._matcher.is_fielded(value) else None
        return found

    def own_mark(self, place: Place) -> OwnMark | None:
        """What the project's rules say of the value at a place."""
        own = self._matcher.own
        return own_mark(own, place) if own.names else None

    def _spans(self, text: str, place: Place) -> Sequence[Span]:
        if place.key in UUID_FIELDS:
            found = self._matcher.uuid_spans(text)
            if found:
                return found
        return self._matcher.spans(text, place.key)

    def _marked(self, mark: Mark, text: str, place: Place) -> Sequence[Edit] | None:
        """Edits of a field's whole text; None where the text is not what the field should hold."""
        if mark in ("id", "opaque", "conversation"):
            span = self._matcher.id_span(text, mark)
            return None if span is None else self._edits((span,), place, text)
        if mark == "time":
            shape = whole_moment(text)
            return None if shape is None else self._edits((Span(0, len(text), "timestamp", shape),), place, text)
        if mark == "duration":
            return (Edit(0, len(text), without_length(text) or "0"),) if text else ()
        whole = FINGERPRINT if mark == "fingerprint" else ""
        return () if text == whole else (Edit(0, len(text), whole),)

    def _own(self, mark: OwnMark, text: str, place: Place) -> Sequence[Edit] | None:
        """Edits of the whole text of a field that the project names; None where it is no such value."""
        if self._matcher.is_templated(text):
            return None
        span = self._matcher.id_span(text, "id") if mark == "id" else own_span(mark, 0, text, self._matcher.prefixes)
        return None if span is None or len(text) > LONGEST_VALUE else self._edits((span,), place, text)

    def _edits(self, spans: Sequence[Span], place: Place, text: str) -> list[Edit]:
        edits = []
        times = 0
        for span in spans:
            if span.kind == FIXED:
                made = span.value
            elif span.kind == LITERAL:
                made = escape(span.value)
            elif span.kind == TRACEPARENT:
                width = span.end - span.start
                made = f"{self._values.number(f'{TRACEPARENT}{width}', span.value):0{width}x}"
            elif span.kind == "timestamp":
                number = self._times.number(place.path, times, text[span.start : span.end])
                made = str(timestamp(number, span.value))
                times += 1
            else:
                made = span.kept + self._placeholder(span)
            edits.append(Edit(span.start, span.end, made))
        return edits

    def _placeholder(self, span: Span) -> str:
        number = self._values.number(span.kind, span.value)
        shape = span.spelling if span.layout is None else self._values.shape(span.kind, number, span.layout)
        return str(Placeholder(span.kind, number, shape))


class SourceRewriter(Rewriter):
    """Rewrites the command line: only known values of the run, which a refresh gives back; an address or an id in an
    argument is what the user typed."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher

    def text(self, text: str, place: Place) -> Sequence[Edit]:  # noqa: ARG002
        """Edits of one argument."""
        return [
            Edit(span.start, span.end, escape(span.value) if span.kind == LITERAL else span.value)
            for span in self._matcher.known_spans(text)
        ]

"""The rewriter of one part: marks decide by field, the matcher decides by text, numbers are given out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from stepfork.normalize.fields import Mark, Path
from stepfork.normalize.matching import FIXED, LITERAL, TRACEPARENT, Matcher, Span, uuid_spans
from stepfork.normalize.numbering import TimeNumbers, Times, ValueNumbers
from stepfork.normalize.placeholders import Placeholder, escape
from stepfork.normalize.rules import UUID_FIELDS
from stepfork.normalize.times import timestamp, whole_moment
from stepfork.rewrite.place import Edit, Place, Rewriter
from stepfork.trace.body import JsonValue

T = TypeVar("T")

FINGERPRINT = "fp_" + str(Placeholder("fingerprint"))


class PartRewriter(Rewriter):
    """Rewrites one stored part of a run; times are numbered inside it, unless `times` says otherwise."""

    def __init__(
        self, matcher: Matcher, values: ValueNumbers, marks: Mapping[Path, Mark], times: Times | None = None
    ) -> None:
        self._matcher = matcher
        self._values = values
        self._marks = marks
        self._times = times or TimeNumbers()
        self.renamed = False

    def run(self, walk: Callable[[PartRewriter], T]) -> T:
        """What `walk` makes with this rewriter, walked again where the times turned out to stand in another order."""
        made = walk(self)
        return walk(self) if self._times.settle() else made

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a text: as its field says, else as the rules find them in it."""
        mark = self._marks.get(place.path)
        if mark is not None:
            edits = self._marked(mark, text, place)
            if edits is not None:
                return edits
        return self._edits(self._spans(text, place), place, text)

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a member's name: ids and addresses are linked across names too."""
        edits = self._edits(self._matcher.spans(text), place.child(text), text)
        self.renamed = self.renamed or bool(edits)
        return edits

    def number(self, value: int | float, place: Place) -> JsonValue:
        """A time becomes its number and a duration 0, both of the type they had; other numbers are data."""
        mark = self._marks.get(place.path)
        if mark == "time":
            return type(value)(self._times.number(place.path, 0, ""))
        return type(value)(0) if mark == "duration" else value

    def _spans(self, text: str, place: Place) -> Sequence[Span]:
        if place.key in UUID_FIELDS:
            found = uuid_spans(text)
            if found:
                return found
        return self._matcher.spans(text)

    def _marked(self, mark: Mark, text: str, place: Place) -> Sequence[Edit] | None:
        """Edits of a field's whole text; None where the text is not what the field should hold."""
        if mark in ("id", "opaque", "conversation"):
            span = self._matcher.id_span(text, mark)
            return None if span is None else self._edits((span,), place, text)
        if mark == "time":
            shape = whole_moment(text)
            return None if shape is None else self._edits((Span(0, len(text), "timestamp", shape),), place, text)
        if mark == "duration":
            return (Edit(0, len(text), "0"),) if text else ()
        whole = FINGERPRINT if mark == "fingerprint" else ""
        return () if text == whole else (Edit(0, len(text), whole),)

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
                made = span.kept + str(Placeholder(span.kind, self._values.number(span.kind, span.value)))
            edits.append(Edit(span.start, span.end, made))
        return edits


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

"""One pass over a text for the literals of all rules, then a look at each place where one was found."""

from __future__ import annotations

from stepfork.redact.automaton import Automaton
from stepfork.redact.credentials import BASIC, BEARER, URL, basic_at, bearer_at, userinfo_at
from stepfork.redact.known import Known, blob_at
from stepfork.redact.named import ANCHORS, named_at
from stepfork.redact.shapes import SHAPES, shape_at, unanchored_in
from stepfork.redact.span import Span, merge
from stepfork.redact.views import views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stepfork.redact.own_names import OwnNames
    from stepfork.redact.own_patterns import OwnPatterns
    from stepfork.redact.personal import Personal

    Look = Callable[[str, int, int], "Span | None"]


class Matcher:
    """Finds every secret of a text: known values, shapes, credentials of schemes and URLs, named secrets; `names` and
    `patterns` are a project's own, `personal` what it asks for of personal data."""

    __slots__ = ("_automaton", "_looks", "known", "names", "patterns", "personal")

    def __init__(self, known: Known, names: OwnNames, patterns: OwnPatterns, personal: Personal | None = None) -> None:
        self.known = known
        self.names = names
        self.patterns = patterns
        self.personal = personal
        self._automaton: Automaton | None = None
        self._looks: list[tuple[Look, ...]] = []

    def find(self, text: str, name: str | None = None) -> list[Span]:
        """Disjoint spans of the secrets of `text`, in order; the same for the same text and known values. `name` is
        that of the nearest member, which says what a number is."""
        found = self.spans(text, name)
        return merge(found) if found else found

    def spans(self, text: str, name: str | None = None) -> list[Span]:
        """As `find`, each span as its rule found it: they may overlap."""
        return [
            Span(view.original(span.start), view.original(span.end), span.rule)
            for view in views(text)
            for span in self._in_view(view.text, name)
        ]

    def _in_view(self, text: str, name: str | None) -> Iterator[Span]:
        if self.personal is not None:
            for found in self.personal.find(text, name):
                yield Span(found.start, found.end, self.personal.rule(found))
        for index, start, end in self._literals().find(text):
            for look in self._looks[index]:
                span = look(text, start, end)
                if span is not None:
                    yield span
        yield from unanchored_in(text)
        yield from self.patterns.find(text)

    def _literals(self) -> Automaton:
        """Made when first asked: a check of clean files needs none."""
        if self._automaton is None:
            looks = _looks(self.known, self.names)
            self._looks = [tuple(found) for found in looks.values()]
            self._automaton = Automaton(list(looks))
        return self._automaton


def _looks(known: Known, names: OwnNames) -> dict[str, list[Look]]:
    """For each literal, what to look at where it stands."""
    looks: dict[str, list[Look]] = {}
    for shape in SHAPES:
        for anchor in shape.anchors:
            looks.setdefault(anchor, []).append(_for_shape(shape))
    for anchors, look in ((ANCHORS, named_at), (BEARER, bearer_at), (BASIC, basic_at), (URL, userinfo_at)):
        for anchor in anchors:
            looks.setdefault(anchor, []).append(look)
    for anchor in names.anchors:
        looks.setdefault(anchor, []).append(lambda text, start, end: named_at(text, start, end, names.kind))
    for spelling, rule in known.plain.items():
        looks.setdefault(spelling, []).append(_for_value(rule))
    for core, rule in known.base64.items():
        looks.setdefault(core, []).append(_for_base64(rule))
    return looks


def _for_shape(shape: Shape) -> Look:
    return lambda text, start, _end: shape_at(shape, text, start)


def _for_value(rule: str) -> Look:
    return lambda _text, start, end: Span(start, end, rule)


def _for_base64(rule: str) -> Look:
    return lambda text, start, end: blob_at(text, start, end, rule)


if TYPE_CHECKING:
    from stepfork.redact.shape import Shape

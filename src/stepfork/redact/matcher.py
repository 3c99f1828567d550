"""One pass over a text for the literals of all rules, then a look at each place where one was found."""

from __future__ import annotations

from stepfork.redact.automaton import Automaton
from stepfork.redact.cookies import ANCHORS as COOKIES
from stepfork.redact.cookies import cookies_at
from stepfork.redact.credentials import BASIC, BEARER, URL, basic_at, bearer_at, userinfo_at
from stepfork.redact.folds import folds
from stepfork.redact.known import Known, blob_at
from stepfork.redact.manifests import ANCHORS as MANIFESTS
from stepfork.redact.manifests import manifest_at
from stepfork.redact.named import ANCHORS, named_at
from stepfork.redact.programs import ANCHORS as PROGRAMS
from stepfork.redact.programs import program_at
from stepfork.redact.shapes import SHAPES, shape_at, unanchored_in
from stepfork.redact.span import Span, merge
from stepfork.redact.views import views

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from stepfork.redact.own_names import OwnNames
    from stepfork.redact.own_patterns import OwnPatterns
    from stepfork.redact.personal import Personal
    from stepfork.redact.views import View

    Look = Callable[[str, int, int], "Span | Iterator[Span] | None"]


class Matcher:
    """Finds every secret of a text: known values, shapes, credentials of schemes and URLs, named secrets; `names` and
    `patterns` are a project's own, `personal` what it asks for of personal data."""

    __slots__ = ("_all", "_exact", "known", "names", "patterns", "personal")

    def __init__(self, known: Known, names: OwnNames, patterns: OwnPatterns, personal: Personal | None = None) -> None:
        self.known = known
        self.names = names
        self.patterns = patterns
        self.personal = personal
        self._all = _Literals(lambda: _looks(known, names))
        self._exact = _Literals(lambda: _known_looks(known))

    def find(self, text: str, name: str | None = None) -> list[Span]:
        """Disjoint spans of the secrets of `text`, in order; the same for the same text and known values. `name` is
        that of the nearest member, which says what a number is, and what an id."""
        found = self.spans(text, name)
        return merge(found) if found else found

    def spans(self, text: str, name: str | None = None) -> list[Span]:
        """As `find`, each span as its rule found it: they may overlap."""
        found = [
            Span(read.original(span.start), read.original_end(span.end), span.rule)
            for view in views(text)
            for read, spans in self._readings(view, name)
            for span in spans
        ]
        if self.personal is not None:
            personal = self.personal
            found += (Span(one.start, one.end, personal.rule(one)) for one in personal.find_spelled(text, name))
        return found

    def _readings(self, view: View, name: str | None) -> Iterator[tuple[View, Iterator[Span]]]:
        yield view, self._in_view(view.text, name)
        if self.known.plain:
            for fold in folds(view):
                yield fold, self._exact.find(fold.text)

    def _in_view(self, text: str, name: str | None) -> Iterator[Span]:
        yield from self._all.find(text)
        yield from unanchored_in(text, name)
        yield from self.patterns.find(text)


def _spans(found: Span | Iterator[Span] | None) -> Iterable[Span]:
    if found is None:
        return ()
    return (found,) if isinstance(found, Span) else found


def finds(look: Look, text: str, literal: str) -> bool:
    """Whether a rule finds something where a literal stands in a text: as it is, or with escapes undone."""
    for view in views(text):
        at = view.text.find(literal)
        while at >= 0:
            if any(True for _ in _spans(look(view.text, at, at + len(literal)))):
                return True
            at = view.text.find(literal, at + 1)
    return False


class _Literals:
    """Literals, and what to look at where one stands. Made when first asked: a check of clean files needs none."""

    __slots__ = ("_automaton", "_looks", "_make")

    def __init__(self, make: Callable[[], dict[str, list[Look]]]) -> None:
        self._make = make
        self._automaton: Automaton | None = None
        self._looks: list[tuple[Look, ...]] = []

    def find(self, text: str) -> Iterator[Span]:
        """What is found at the literals that stand in a text."""
        if self._automaton is None:
            looks = self._make()
            self._looks = [tuple(found) for found in looks.values()]
            self._automaton = Automaton(list(looks))
        for index, start, end in self._automaton.find(text):
            for look in self._looks[index]:
                yield from _spans(look(text, start, end))


RULES: tuple[tuple[tuple[str, ...], Look], ...] = (
    (ANCHORS, named_at),
    (BEARER, bearer_at),
    (BASIC, basic_at),
    (URL, userinfo_at),
    (COOKIES, cookies_at),
    (PROGRAMS, program_at),
    (MANIFESTS, manifest_at),
)
"""Literals, and what looks for a secret where one stands; `hints` tells of each when that is worth while."""


def _looks(known: Known, names: OwnNames) -> dict[str, list[Look]]:
    """For each literal, what to look at where it stands."""
    looks: dict[str, list[Look]] = {}
    for shape in SHAPES:
        for anchor in shape.anchors:
            looks.setdefault(anchor, []).append(_for_shape(shape))
    for anchors, look in RULES:
        for anchor in anchors:
            looks.setdefault(anchor, []).append(look)
    for anchor in names.anchors:
        looks.setdefault(anchor, []).append(lambda text, start, end: named_at(text, start, end, names.kind))
    for literal, found in _known_looks(known).items():
        looks.setdefault(literal, []).extend(found)
    return looks


def _known_looks(known: Known) -> dict[str, list[Look]]:
    looks: dict[str, list[Look]] = {spelling: [_for_value(rule)] for spelling, rule in known.plain.items()}
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

"""One pass over a text for the literals of all rules, then a look at each place where one was found."""

from __future__ import annotations

from functools import partial

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

    Look = Callable[[str, int, int], "Span | None"]


class Matcher:
    """Finds every secret of a text: known values, shapes, credentials of schemes and URLs, named secrets."""

    __slots__ = ("_automaton", "_looks", "known")

    def __init__(self, known: Known) -> None:
        self.known = known
        looks = _looks(known)
        self._automaton = Automaton(list(looks))
        self._looks = [tuple(found) for found in looks.values()]

    def find(self, text: str) -> list[Span]:
        """Disjoint spans of the secrets of `text`, in order; the same for the same text and known values."""
        found = [
            Span(view.original(span.start), view.original(span.end), span.rule)
            for view in views(text)
            for span in self._in_view(view.text)
        ]
        return merge(found) if found else found

    def _in_view(self, text: str) -> Iterator[Span]:
        for index, start, end in self._automaton.find(text):
            for look in self._looks[index]:
                span = look(text, start, end)
                if span is not None:
                    yield span
        yield from unanchored_in(text)


def _looks(known: Known) -> dict[str, list[Look]]:
    """For each literal, what to look at where it stands."""
    looks: dict[str, list[Look]] = {}
    for shape in SHAPES:
        for anchor in shape.anchors:
            looks.setdefault(anchor, []).append(partial(_shape, shape))
    for anchors, look in ((ANCHORS, named_at), (BEARER, _bearer), (BASIC, _basic), (URL, _url)):
        for anchor in anchors:
            looks.setdefault(anchor, []).append(look)
    for spelling, rule in known.plain.items():
        looks.setdefault(spelling, []).append(partial(_exactly, rule))
    for core, rule in known.base64.items():
        looks.setdefault(core, []).append(partial(_in_base64, rule))
    return looks


def _shape(shape: Shape, text: str, start: int, _end: int) -> Span | None:
    return shape_at(shape, text, start)


def _bearer(text: str, start: int, _end: int) -> Span | None:
    return bearer_at(text, start)


def _basic(text: str, start: int, _end: int) -> Span | None:
    return basic_at(text, start)


def _url(text: str, start: int, _end: int) -> Span | None:
    return userinfo_at(text, start)


def _exactly(rule: str, _text: str, start: int, end: int) -> Span:
    return Span(start, end, rule)


def _in_base64(rule: str, text: str, start: int, end: int) -> Span:
    return blob_at(text, start, end, rule)


if TYPE_CHECKING:
    from stepfork.redact.shape import Shape

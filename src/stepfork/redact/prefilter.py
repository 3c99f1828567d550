"""Which places of a large text are worth a closer look: one pass for literals over its bytes, escapes and all.

Most files hold no secret, and most of what looks like the name of one (``total_tokens``, ``cache_key``) introduces
none. Here each literal is checked where it stands, at the price of a few characters, and only what is left is parsed
and read. Where no spot is, no rule finds anything, however the text is parsed.
"""

from __future__ import annotations

from stepfork.providers.piece_members import ROOTS
from stepfork.redact.automaton import BytesAutomaton
from stepfork.redact.hints import BESIDE, Hints
from stepfork.redact.pattern import pattern
from stepfork.redact.shapes import unanchored_spots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from stepfork.redact.halves import Found
    from stepfork.redact.hints import Hint
    from stepfork.redact.matcher import Matcher
    from stepfork.redact.pieces import Pieces

_PIECES = (b"data:", *(f'"{root}{end}'.encode() for root in ROOTS for end in ('"', "\\")))
"""The first opens an event; of the others one stands in each that holds a piece, at any depth of JSON text."""
_LARGE = 1 << 16
"""Bytes from which on it is worth while to load what sorts places out before they are looked at."""
_REPEATING, _HUGE = 1 << 20, 8 << 20
"""Bytes in which documents may be repeated, and those for which a second process is worth its start."""
_GOES_ON = pattern(rb"""[^\s"]{10}""")
_GAP = b"\n\x01\n"
"""Stands between texts that are looked at together."""
_NEAR = 800
"""Bytes around a part of a project's own name in which the other parts of it stand."""


class Spot:
    """The bytes `start` to `end` of a text may belong to a secret; `levels` of the containers around them count too."""

    __slots__ = ("end", "levels", "start")

    def __init__(self, start: int, end: int, levels: int = 0) -> None:
        self.start = start
        self.end = end
        self.levels = levels

    def __repr__(self) -> str:
        return f"Spot({self.start}, {self.end}, {self.levels})"


class Prefilter:
    """Answers for one `Matcher`."""

    __slots__ = ("_asked", "_automaton", "_hints", "_is_complete", "_names", "_words")

    def __init__(self, matcher: Matcher) -> None:
        self._asked: list[bytes] = []
        hints = Hints(matcher, self._asks)
        self._names = matcher.names
        self._is_complete = hints.is_complete
        self._automaton = BytesAutomaton([*_PIECES, *hints.by_literal])
        self._hints: list[Sequence[Hint]] = [*(() for _ in _PIECES), *hints.by_literal.values()]
        self._words: list[bool] = []

    def reads_all(self, data: bytes) -> bool:
        """Whether what no literal leads to may stand in a text, so that all of it must be read."""
        return not self._is_complete or self._names.may_be_spelled_otherwise(data)

    @staticmethod
    def may_have_pieces(data: bytes) -> bool:
        """Whether a text may have pieces that spell something only together."""
        return any(literal in data for literal in _PIECES[1:])

    def may_hold_secret(self, text: str) -> bool:
        """False where no rule finds anything in `text`, however it is parsed; True where one does or may."""
        data = text.encode("utf-8", "surrogatepass")
        return self.reads_all(data) or bool(self.spots(data))

    def spots(self, data: bytes, meanwhile: Callable[[], object] = bool) -> list[Spot]:
        """The places that are to be read, in order; `meanwhile` is called where another process is waited for."""
        if len(data) > _REPEATING:
            from stepfork.redact.repeats import repeats_in

            repeats = repeats_in(data)
            found = None if repeats is None else repeats.everywhere(self._found_in(repeats.once, meanwhile))
            if found is not None:
                return _sorted(found)
        return _sorted(self._found_in(data, meanwhile))

    def _found_in(self, data: bytes, meanwhile: Callable[[], object]) -> list[Found]:
        if len(data) <= _HUGE:
            return self._found(data, 0, len(data))
        from stepfork.redact.halves import in_halves

        return in_halves(data, self._found, meanwhile)

    def _asks(self, text: str) -> bool:
        """Whether a text is worth reading that stands encoded in another; it is looked at later, with all others."""
        data = text.encode("utf-8", "surrogatepass")
        self._asked.append(data)
        return self.reads_all(data)

    def _found(self, data: bytes, begin: int, end: int) -> list[Found]:
        """The spots that begin between `begin` and `end`, where no string of JSON is cut."""
        found: list[Found] = []
        within: list[tuple[bytes, Found]] = []
        pieces: Pieces | None = None
        for places in self._automaton.find(data, begin, end):
            streamed = self._look(data, places, found, within, is_large=end - begin > _LARGE)
            if streamed:
                if pieces is None:
                    from stepfork.redact.pieces import Pieces

                    pieces = Pieces(data, begin)
                pieces.read(streamed)
        found += ((at, at + 1, 0) for at in unanchored_spots(data, begin, end))
        if self._names.anchors:
            found += self._own_names(data, begin, end)
        if pieces is not None:
            pieces.finish()
            found += ((first, last, 0) for first, last in pieces.unread)
            within += ((text, (first, last, 0)) for text, first, last in pieces.joined)
        return found + self._found_within(within) if within else found

    def _look(
        self,
        data: bytes,
        places: Iterable[Found],
        found: list[Found],
        within: list[tuple[bytes, Found]],
        *,
        is_large: bool,
    ) -> list[Found]:
        """Look at places and add to `found`, and to `within` the texts that are encoded there; the places of `_PIECES`
        are given back."""
        if is_large and not self._words:
            self._words = [all(hint.is_word for hint in hints) for hints in self._hints]
        streamed: list[Found] = []
        pieces, words, hints, asked = len(_PIECES), self._words, self._hints, self._asked
        goes_on = _GOES_ON.match if is_large else None
        for place in places:
            index, start, end = place
            if index < pieces:
                streamed.append(place)
            elif goes_on is None or not words[index] or goes_on(data, end) is not None:
                for hint in hints[index]:
                    if hint.look(data, start, end):
                        found.append((start, end, hint.levels))
                    elif asked:
                        within += ((text, (start, end, hint.levels)) for text in asked)
                    if asked:
                        asked.clear()
        return streamed

    def _found_within(self, texts: list[tuple[bytes, Found]]) -> list[Found]:
        """The places of those texts, which stand in another one, that have spots themselves."""
        from bisect import bisect_right

        ends: list[int] = []
        length = 0
        for text, _ in texts:
            length += len(text) + len(_GAP)
            ends.append(length)
        joined = _GAP.join(text for text, _ in texts)
        return [texts[bisect_right(ends, start)][1] for start, _, _ in self._found(joined, 0, len(joined))]

    def _own_names(self, data: bytes, begin: int, end: int) -> Iterator[Found]:
        """The places of a project's own names, whatever their case."""
        lower = data[begin:end].lower()
        for word in map(str.encode, self._names.words):
            at = lower.find(word)
            while at >= 0:
                near = lower[max(0, at - _NEAR) : at + _NEAR]
                if self._names.may_stand_in(near.decode("utf-8", "replace")):
                    yield begin + at, begin + at + len(word), BESIDE
                at = lower.find(word, at + 1)


def _sorted(found: Iterable[Found]) -> list[Spot]:
    return [Spot(*one) for one in sorted(set(found))]

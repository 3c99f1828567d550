"""Many literals found in one pass over a text, or over its bytes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import ahocorasick_rs

    Places = Iterable[tuple[int, int, int]]
    """Number of the literal, start and end of each place."""

_SMALL = 16_000
"""Characters in all that are searched literal by literal, which is done before an automaton is built."""
_ASKED = 400
"""Characters that being asked counts for: to look for each of hundreds of literals takes that long in any text."""
_STRETCH = 1 << 20
"""Characters that are searched at a time: a place takes more memory than the literal that stands there."""
_MANY = 100_000
"""Characters of all literals from which on the fastest form of an automaton would take too much room."""


class Automaton:
    """Finds every place of every literal in a text, overlapping ones too. It is built when there is enough to read."""

    __slots__ = ("_built", "_is_exact", "_literals", "_longest", "_read")

    def __init__(self, literals: Sequence[str]) -> None:
        self._literals = list(literals)
        self._is_exact = True
        self._longest = max(map(len, literals), default=0)
        self._built: ahocorasick_rs.AhoCorasick | None = None
        self._read = 0

    def find(self, text: str) -> Places:
        """Each place, in characters of `text`."""
        if self._built is None:
            self._read += len(text) + _ASKED
            if self._read < _SMALL:
                return _one_by_one(enumerate(self._literals), text)
            import ahocorasick_rs

            marked = [_marked(literal) for literal in self._literals]
            self._is_exact = marked == self._literals
            self._built = ahocorasick_rs.AhoCorasick(marked, matchkind=ahocorasick_rs.MatchKind.Standard)
        return self._places(self._built, text) if len(text) <= _STRETCH else self._by_stretches(self._built, text)

    def _places(self, built: ahocorasick_rs.AhoCorasick, text: str) -> Places:
        try:
            found = built.find_matches_as_indexes(text, overlapping=True)
        except UnicodeEncodeError:
            found = built.find_matches_as_indexes(_marked(text), overlapping=True)
        else:
            if self._is_exact:
                return found
        return (place for place in found if text[place[1] : place[2]] == self._literals[place[0]])

    def _by_stretches(self, built: ahocorasick_rs.AhoCorasick, text: str) -> Iterator[tuple[int, int, int]]:
        for begin in range(0, len(text), _STRETCH):
            left = max(0, begin - self._longest)
            for index, start, end in self._places(built, text[left : begin + _STRETCH]):
                if left + end > begin:  # what ends before that was found in the stretch before
                    yield index, left + start, left + end


class BytesAutomaton:
    """The same for bytes, several times as fast: nothing needs to be encoded, and no place to be translated."""

    __slots__ = ("_built", "_literals", "_longest", "_plain", "_read")

    def __init__(self, literals: Sequence[bytes]) -> None:
        self._literals = list(literals)
        self._plain: list[tuple[int, bytes]] | None = None
        self._longest = max(map(len, literals), default=0)
        self._built: ahocorasick_rs.BytesAhoCorasick | None = None
        self._read = 0

    def find(self, data: bytes, begin: int, end: int) -> Iterator[Places]:
        """The places that begin between `begin` and `end` of `data`, stretch by stretch, in order of their ends."""
        if self._built is None:
            self._read += end - begin
            if self._read < _SMALL:
                yield sorted(_one_by_one(self._numbered(data), data), key=lambda place: place[2])
                return
            import ahocorasick_rs

            forms = ahocorasick_rs.Implementation
            form = forms.DFA if sum(map(len, self._literals)) < _MANY else forms.ContiguousNFA
            self._built = ahocorasick_rs.BytesAhoCorasick(self._literals, implementation=form)
        view, longest = memoryview(data), self._longest
        for first in range(begin, end, _STRETCH):
            last = min(first + _STRETCH, end)
            found = self._built.find_matches_as_indexes(view[first : last + longest], overlapping=True)
            width = last - first
            yield [(index, first + start, first + stop) for index, start, stop in found if start < width]

    def _numbered(self, data: bytes) -> Iterable[tuple[int, bytes]]:
        """The literals that may stand in a text: most are those with escapes."""
        if b"\\" in data or b"%" in data or b"+" in data or b"&" in data:
            return enumerate(self._literals)
        if self._plain is None:
            self._plain = [
                (index, literal)
                for index, literal in enumerate(self._literals)
                if b"\\" not in literal and b"%" not in literal and b"+" not in literal and b"&" not in literal
            ]
        return self._plain


def _one_by_one(
    literals: Iterable[tuple[int, str]] | Iterable[tuple[int, bytes]], text: str | bytes
) -> Iterator[tuple[int, int, int]]:
    for index, literal in literals:
        start = text.find(literal)  # type: ignore[arg-type]
        while start >= 0:
            yield index, start, start + len(literal)
            start = text.find(literal, start + 1)  # type: ignore[arg-type]


def _marked(text: str) -> str:
    """`text` with a question mark for each lone surrogate: half of an escaped pair, or a byte that is no text."""
    return text.encode("utf-8", "replace").decode("utf-8")

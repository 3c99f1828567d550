"""Many literals found in one pass over a text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import ahocorasick_rs

_SMALL = 16_000
"""Characters in all that are searched literal by literal, which is done before an automaton is built."""
_STRETCH = 1 << 20
"""Characters that are searched at a time."""


class Automaton:
    """Finds every place of every literal, overlapping ones too. It is built when there is enough to read."""

    __slots__ = ("_built", "_is_exact", "_literals", "_longest", "_read")

    def __init__(self, literals: Sequence[str]) -> None:
        self._literals = list(literals)
        self._is_exact = True
        self._longest = max(map(len, literals), default=0)
        self._built: ahocorasick_rs.AhoCorasick | None = None
        self._read = 0

    def find(self, text: str) -> Iterable[tuple[int, int, int]]:
        """Number of the literal, start and end of each place, in characters of `text`."""
        if self._built is None:
            self._read += len(text)
            if self._read < _SMALL:
                return self._one_by_one(text)
            import ahocorasick_rs

            marked = [_marked(literal) for literal in self._literals]
            self._is_exact = marked == self._literals
            self._built = ahocorasick_rs.AhoCorasick(marked, matchkind=ahocorasick_rs.MatchKind.Standard)
        return self._places(self._built, text) if len(text) <= _STRETCH else self._by_stretches(self._built, text)

    def _places(self, built: ahocorasick_rs.AhoCorasick, text: str) -> Iterable[tuple[int, int, int]]:
        try:
            found = built.find_matches_as_indexes(text, overlapping=True)
        except UnicodeEncodeError:
            found = built.find_matches_as_indexes(_marked(text), overlapping=True)
        else:
            if self._is_exact:
                return found
        return (place for place in found if text[place[1] : place[2]] == self._literals[place[0]])

    def _by_stretches(self, built: ahocorasick_rs.AhoCorasick, text: str) -> Iterator[tuple[int, int, int]]:
        """A place takes more memory than the literal that stands there, so a large text is read bit by bit."""
        for begin in range(0, len(text), _STRETCH):
            left = max(0, begin - self._longest)
            for index, start, end in self._places(built, text[left : begin + _STRETCH]):
                if left + end > begin:  # what ends before that was found in the stretch before
                    yield index, left + start, left + end

    def _one_by_one(self, text: str) -> Iterator[tuple[int, int, int]]:
        for index, literal in enumerate(self._literals):
            start = text.find(literal)
            while start >= 0:
                yield index, start, start + len(literal)
                start = text.find(literal, start + 1)


def _marked(text: str) -> str:
    """`text` with a question mark for each lone surrogate: half of an escaped pair, or a byte that is no text."""
    return text.encode("utf-8", "replace").decode("utf-8")

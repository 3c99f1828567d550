"""Many literals found in one pass over a text."""

from __future__ import annotations

from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import ahocorasick_rs

_SURROGATE = pattern("[\ud800-\udfff]")


_SMALL = 16_000
"""Characters in all that are searched literal by literal, which is done before an automaton is built."""


class Automaton:
    """Finds every place of every literal, overlapping ones too. It is built when there is enough to read."""

    __slots__ = ("_built", "_literals", "_read")

    def __init__(self, literals: Sequence[str]) -> None:
        self._literals = literals
        self._built: ahocorasick_rs.AhoCorasick | None = None
        self._read = 0

    def find(self, text: str) -> list[tuple[int, int, int]]:
        """Number of the literal, start and end of each place, in characters of `text`."""
        if self._built is None:
            self._read += len(text)
            if self._read < _SMALL:
                return list(self._one_by_one(text))
            import ahocorasick_rs

            self._built = ahocorasick_rs.AhoCorasick(self._literals, matchkind=ahocorasick_rs.MatchKind.Standard)
        try:
            return self._built.find_matches_as_indexes(text, overlapping=True)
        except UnicodeEncodeError:  # lone surrogates: half of an escaped pair, or bytes that are no text
            return self._built.find_matches_as_indexes(_SURROGATE.sub("\ufffd", text), overlapping=True)

    def _one_by_one(self, text: str) -> Iterator[tuple[int, int, int]]:
        for index, literal in enumerate(self._literals):
            start = text.find(literal)
            while start >= 0:
                yield index, start, start + len(literal)
                start = text.find(literal, start + 1)

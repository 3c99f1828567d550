"""Many literals found in one pass over a text."""

from __future__ import annotations

from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import ahocorasick_rs

_SURROGATE = pattern("[\ud800-\udfff]")


class Automaton:
    """Finds every place of every literal, overlapping ones too. It is built when it is first asked."""

    __slots__ = ("_built", "_literals")

    def __init__(self, literals: Sequence[str]) -> None:
        self._literals = literals
        self._built: ahocorasick_rs.AhoCorasick | None = None

    def find(self, text: str) -> list[tuple[int, int, int]]:
        """Number of the literal, start and end of each place, in characters of `text`."""
        if self._built is None:
            import ahocorasick_rs

            self._built = ahocorasick_rs.AhoCorasick(self._literals, matchkind=ahocorasick_rs.MatchKind.Standard)
        try:
            return self._built.find_matches_as_indexes(text, overlapping=True)
        except UnicodeEncodeError:  # lone surrogates: half of an escaped pair, or bytes that are no text
            return self._built.find_matches_as_indexes(_SURROGATE.sub("\ufffd", text), overlapping=True)

"""What several texts spell out together and none of them alone: pieces of an unknown stream, blocks of one message."""

from __future__ import annotations

from stepfork.redact.span import Span, merge
from stepfork.rewrite.joined import Joined
from stepfork.rewrite.place import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stepfork.redact.matcher import Matcher

_REACH = 4096
"""Characters of a long text that are read with what stands before or after it."""
_CLOSED = "-----"
"""How a private key ends, which may have been taken for one that was cut off."""
_GAP = "\n\0\n"
"""Stands for the middle of a long text, so that nothing goes through it."""


class _Chunk:
    """`text` stands at `offset` of the text `number`; `cut` says that this begins in the middle of it."""

    __slots__ = ("cut", "number", "offset", "text")

    def __init__(self, number: int, offset: int, text: str, *, cut: bool = False) -> None:
        self.number = number
        self.offset = offset
        self.text = text
        self.cut = cut


class Across:
    """Finds in `texts`, read as one, what `matcher` does not find in each of them."""

    def __init__(self, texts: Sequence[str], matcher: Matcher) -> None:
        self._texts = texts
        self._matcher = matcher
        self._chunks = list(_chunks(texts))
        self._joined = Joined([chunk.text for chunk in self._chunks])
        self._alone: dict[int, list[Span]] = {}

    @property
    def text(self) -> str:
        """What is read."""
        return self._joined.text

    def spans(self) -> list[Span]:
        """Disjoint spans of `text`, in order."""
        return merge(span for span in self._matcher.spans(self.text) if self._counts(span))

    def shares(self, span: Span, marker: str) -> Iterator[tuple[int, Edit]]:
        """The edits of each text, by its number, that put `marker` in the place of a span."""
        for at, share in self._joined.shares(Edit(span.start, span.end, marker)):
            chunk = self._chunks[at]
            yield chunk.number, Edit(chunk.offset + share.start, chunk.offset + share.end, share.text)

    def _counts(self, span: Span) -> bool:
        first, last = self._joined.at(span.start), self._joined.at(span.end - 1)
        chunk, start = self._chunks[first], span.start - self._joined.begin(first)
        if any(between.number < 0 for between in self._chunks[first : last + 1]) or (chunk.cut and not start):
            return False
        alone = self._found_alone(chunk.number)
        begin, end = chunk.offset + start, chunk.offset + start + span.end - span.start
        if first == last:
            whole = len(chunk.text) == len(self._texts[chunk.number])
            return whole and not any(one.start < end and begin < one.end for one in alone)
        # What is whole in itself does not go on in the next text, unless it is known to, or says itself where it ends.
        is_whole = any(one.start <= begin and one.end == len(self._texts[chunk.number]) for one in alone)
        return not is_whole or self._matcher.known.is_rule(span.rule) or self.text.endswith(_CLOSED, 0, span.end)

    def _found_alone(self, number: int) -> list[Span]:
        if number not in self._alone:
            self._alone[number] = self._matcher.find(self._texts[number])
        return self._alone[number]


def _chunks(texts: Sequence[str]) -> Iterator[_Chunk]:
    for number, text in enumerate(texts):
        if len(text) <= 2 * _REACH:
            yield _Chunk(number, 0, text)
            continue
        if number:
            yield _Chunk(number, 0, text[:_REACH])
        yield _Chunk(-1, 0, _GAP)
        if number < len(texts) - 1:
            yield _Chunk(number, len(text) - _REACH, text[-_REACH:], cut=True)

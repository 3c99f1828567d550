"""Several texts read as one, and what is to change in that given back to each. Standard library only."""

from __future__ import annotations

from bisect import bisect_right

from stepfork.rewrite.place import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Joined:
    """`texts` as the one `text` that they spell."""

    __slots__ = ("_ends", "text")

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = "".join(texts)
        self._ends: list[int] = []
        end = 0
        for text in texts:
            end += len(text)
            self._ends.append(end)

    def at(self, index: int) -> int:
        """The number of the text in which character `index` stands; of the last one for the end."""
        return min(bisect_right(self._ends, index), len(self._ends) - 1)

    def begin(self, number: int) -> int:
        """Where text `number` begins."""
        return self._ends[number - 1] if number else 0

    def shares(self, edit: Edit) -> Iterator[tuple[int, Edit]]:
        """An edit of the whole as edits of the texts that it touches, by number: what it puts in stands in the first,
        and the others lose their part."""
        number, cursor, text = self.at(edit.start), edit.start, edit.text
        while cursor < edit.end:
            begin, end = self.begin(number), min(self._ends[number], edit.end)
            if cursor < end:
                yield number, Edit(cursor - begin, end - begin, text)
                text, cursor = "", end
            number += 1

"""Documents that a large file holds more than once: what is told of one is told of all. Standard library only.

Recorded traffic repeats itself: a run that was tried again, a test that records what another one did. Documents of a
file are told apart by the end of a line with a brace on either side, which stands in no string of JSON; two that are
equal byte by byte need to be looked at once.
"""

from __future__ import annotations

from bisect import bisect_right

from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Found = tuple[int, int, int]

_FIRST = 1 << 22
"""Bytes in which the first document of several ends."""
_LEAST = 512
"""Bytes of documents that are taken as one where they have fewer."""
_TOO_MANY = 0.7
"""Where more of a file is told once, it is left as it is."""
_SEPARATOR = pattern(rb"[}\]](,?[ \t]*\r?\n[ \t]*)(?=[{\[]\")")


class Repeats:
    """The text of the file, `once` without what was there before."""

    __slots__ = ("_begins", "_starts", "once")

    def __init__(self, once: bytes, begins: list[int], starts: list[list[int]]) -> None:
        self.once = once
        self._begins = begins
        self._starts = starts

    def everywhere(self, found: Iterable[Found]) -> list[Found] | None:
        """Places of `once` wherever they stand in the file; None where one belongs to no document alone."""
        places: list[Found] = []
        for start, end, levels in found:
            index = bisect_right(self._begins, start) - 1
            begin = self._begins[index]
            if index + 1 < len(self._begins) and end > self._begins[index + 1]:
                return None
            places += ((first + start - begin, first + end - begin, levels) for first in self._starts[index])
        return places


def repeats_in(data: bytes) -> Repeats | None:
    """What a JSON text repeats; None where that is little, or cannot be told."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return None
    separator = _SEPARATOR.search(data, 0, _FIRST)
    if separator is None:
        return None
    seen: dict[int, int] = {}
    starts: list[list[int]] = []
    begins: list[int] = []
    kept = 0
    for start, end in _documents(data, separator[1]):
        document = data[start:end]
        index = seen.setdefault(hash(document), len(starts))
        if index < len(starts) and data.startswith(document, starts[index][0]):
            starts[index].append(start)
            continue
        starts.append([start])
        begins.append(kept)
        kept += end - start
        if kept > len(data) * _TOO_MANY:
            return None
    ends = [*begins[1:], kept]
    firsts = (data[start[0] : start[0] + end - begin] for start, begin, end in zip(starts, begins, ends, strict=True))
    return Repeats(b"".join(firsts), begins, starts)


def _documents(data: bytes, separator: bytes) -> Iterator[tuple[int, int]]:
    """Where each document begins, and the next one."""
    sign, before = separator, 0
    if data.count(b"\n", 0, _FIRST) < 8 * data.count(separator, 0, _FIRST):
        sign, before = b"\n", separator.index(b"\n")  # which is found several times as fast
    start = 0
    at = data.find(sign, _LEAST)
    while at >= 0:
        first, end = at - before, at - before + len(separator)
        if data.startswith(separator, first) and data[first - 1] in b"}]" and data[end : end + 1] in (b"{", b"["):
            yield start, end
            start = end
            at = data.find(sign, end + _LEAST)
        else:
            at = data.find(sign, at + 1)
    yield start, len(data)

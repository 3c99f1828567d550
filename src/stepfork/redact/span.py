"""Where a secret stands in a text, and how spans that overlap become one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Span:
    """The characters `start` to `end` of a text hold a secret of the kind that `rule` names."""

    __slots__ = ("end", "rule", "start")

    def __init__(self, start: int, end: int, rule: str) -> None:
        self.start = start
        self.end = end
        self.rule = rule

    def __repr__(self) -> str:
        return f"Span({self.start}, {self.end}, {self.rule!r})"


def merge(spans: Iterable[Span]) -> list[Span]:
    """Disjoint spans in order of position that cover all that any of `spans` covers.

    Overlapping spans become one, called after the longest of them (of equally long ones: the first by position, then
    one of a known service, whose rule is one word, then by name), so that the result depends on the text alone and
    never on the order in which rules ran. Spans that only touch stay two.
    """
    merged: list[Span] = []
    longest = 0
    for span in sorted(spans, key=lambda item: (item.start, -item.end, " " in item.rule, item.rule)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            if span.end - span.start > longest:
                longest, last.rule = span.end - span.start, span.rule
            last.end = max(last.end, span.end)
        else:
            merged.append(Span(span.start, span.end, span.rule))
            longest = span.end - span.start
    return merged

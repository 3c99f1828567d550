"""Regular expressions of a project's own secrets."""

from __future__ import annotations

from stepfork.redact.pattern import pattern
from stepfork.redact.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ENDS = "?*{+"
_SHORTEST = 3


class OwnPatterns:
    """The `patterns` of a project, compiled when a text first calls for them."""

    __slots__ = ("_patterns", "literals")

    def __init__(self, patterns: Mapping[str, str]) -> None:
        self._patterns = [(name, pattern(patterns[name])) for name in sorted(patterns)]
        self.literals = [leading_literal(source) for source in patterns.values()]
        """What each match of a pattern begins with; empty for one that may begin with anything."""

    def find(self, text: str) -> Iterator[Span]:
        """What the patterns match in a text; of one with groups what the groups took, if any took part."""
        for rule, compiled in self._patterns:
            for match in compiled.finditer(text):
                taken = [match.span(index) for index, group in enumerate(match.groups(), 1) if group]
                yield from (Span(start, end, rule) for start, end in taken or [match.span()] if start < end)


def leading_literal(source: str) -> str:
    """What every match of a regular expression begins with, as far as that is plain: letters, digits, ``-`` and ``_``,
    which no encoder escapes. Empty where it is not plain, or short."""
    body = source.removeprefix("\\b").removeprefix("^")
    length = 0
    while length < len(body) and body[length].isascii() and (body[length].isalnum() or body[length] in "-_"):
        length += 1
    if body[length : length + 1] in tuple(_ENDS):
        length -= 1
    return body[:length] if length >= _SHORTEST and not _has_alternatives(body) else ""


def _has_alternatives(source: str) -> bool:
    """Whether a ``|`` may stand outside of every group and class of a regular expression."""
    depth, index, in_class = 0, 0, False
    while index < len(source):
        char = source[index]
        if char == "\\":
            index += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            index += source.startswith("^", index + 1)
            index += source.startswith("]", index + 1)
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and depth == 0:
            return True
        index += 1
    return False

"""A project's own fields inside text that is no JSON: in JSON and Python values that a text quotes, ``name=value``, and
lines ``name: value``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_VALUE = r"""(?:(?P<quote{0}>\\*["'])(?P<text{0}>[^"'\\\n]*)(?P=quote{0})|(?P<number{0}>-?[0-9][0-9.]*(?![\w.-])))"""


class Field(NamedTuple):
    """The value of a field from `start` to `end` of a text."""

    name: str
    start: int
    end: int
    text: str


class OwnTexts:
    """Finds the values of fields by their `names`."""

    def __init__(self, names: Iterable[str]) -> None:
        words = "|".join(map(re.escape, sorted(names, key=lambda name: (-len(name), name))))
        self._pattern = re.compile(
            rf"(?P<mark>\\*[\"'])(?P<name1>{words})(?P=mark)\s{{0,4}}:\s{{0,4}}{_VALUE.format(1)}"
            rf"|(?<![\w.-])(?P<name2>{words})=(?:{_VALUE.format(2)}|(?P<bare>[\w.:%+-]+))"
            rf"|^[ \t]{{0,40}}(?:- )?(?P<name3>{words}):[ \t]{{1,20}}"
            rf"(?P<line>[^\s\"'{{\[][^\n]{{0,200}}?)[ \t]{{0,9}}\r?$",
            re.MULTILINE,
        )
        self._words = re.compile(words) if words else None

    def find(self, text: str) -> Iterator[Field]:
        """The fields of a text, in order."""
        if self._words is None or not self._words.search(text):
            return
        for match in self._pattern.finditer(text):
            found = match.groupdict()
            name = next(found[key] for key in ("name1", "name2", "name3") if found[key] is not None)
            group = next(key for key in _GROUPS if found[key] is not None)
            value = found[group].rstrip(".,:") if group in ("bare", "line") else found[group]
            if value:
                yield Field(name, match.start(group), match.start(group) + len(value), value)


_GROUPS = ("text1", "number1", "text2", "number2", "bare", "line")

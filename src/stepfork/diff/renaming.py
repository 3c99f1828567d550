"""Placeholders of the new side given the numbers that the same things have on the old side.

Ids and addresses are numbered in order of first appearance, so one inserted call renumbers all that come after it.
What is paired with what is learnt from texts that are equal but for their numbers, each number being paired once on
each side: two ids that trade places cannot both be paired, and show. Times are numbered by position and have no
identity, so their numbers are left out on both sides. See ``docs/reference/diff.md``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from stepfork.diff.lcs import common
from stepfork.normalize.placeholders import BY_POSITION, BY_VALUE

_NUMBERED = re.compile(r"\{\{(" + "|".join(BY_VALUE) + r")_([1-9][0-9]{0,8})((?::[^{}]*)?)\}\}")
_TIME = re.compile(r"\{\{" + BY_POSITION + r"_[1-9][0-9]{0,8}((?::[^{}]*)?)\}\}")
_PIECE = re.compile(r"\{\{[^{}]*\}\}|\w+|\s+|[^\w\s]")

Name = tuple[str, str]
"""A placeholder's kind and number."""


class Renaming:
    """Pairs of placeholders, each used once a side; the first pair that is found stands."""

    def __init__(self) -> None:
        self._to_new: dict[Name, Name] = {}
        self._to_old: dict[Name, Name] = {}
        self._highest: dict[str, int] = {}

    def learn(self, old: str, new: str) -> None:
        """Pair what stands at the same places of two texts, line by line where they differ in more than numbers."""
        if "{{" not in old or "{{" not in new:
            return
        if masked(old) == masked(new):
            self._pair(_names(old), _names(new))
            return
        before, after = _lines(old), _lines(new)
        left = right = 0
        anchors = common([masked(line) for line in before], [masked(line) for line in after])
        for a, b in [*anchors, (len(before), len(after))]:
            for first, second in zip(before[left:a], after[right:b], strict=False):
                self._learn_pieces(first, second)
            if a < len(before):
                self._pair(_names(before[a]), _names(after[b]))
            left, right = a + 1, b + 1

    def _learn_pieces(self, old: str, new: str) -> None:
        if "{{" in old and "{{" in new:
            before, after = _PIECE.findall(old), _PIECE.findall(new)
            pairs = common([masked(piece) for piece in before], [masked(piece) for piece in after])
            self._pair(
                [name for a, _ in pairs for name in _names(before[a])],
                [name for _, b in pairs for name in _names(after[b])],
            )

    def _pair(self, old: list[Name], new: list[Name]) -> None:
        free_old = [name for name in old if name not in self._to_new]
        free_new = [name for name in new if name not in self._to_old]
        if sorted(free_old) == sorted(free_new):  # the same unknown names: in another order somebody swapped them
            old = new = free_old
        for before, after in zip(old, new, strict=True):
            if before not in self._to_new and after not in self._to_old:
                self._to_new[before] = after
                self._to_old[after] = before

    def known(self, text: str) -> None:
        """Numbers that a text of the old side uses, so that what only the new side has gets none of them."""
        for kind, number in _names(text) if "{{" in text else ():
            self._highest[kind] = max(self._highest.get(kind, 0), int(number))

    def text(self, text: str) -> str:
        """A text of the new side in the old side's numbers; what only the new side has is numbered after those."""
        return _NUMBERED.sub(self._renamed, text) if "{{" in text else text

    def _renamed(self, match: re.Match[str]) -> str:
        name = (match[1], match[2])
        if name not in self._to_old:
            free = name
            if name in self._to_new or int(name[1]) <= self._highest.get(name[0], 0):
                self._highest[name[0]] = self._highest.get(name[0], 0) + 1
                free = (name[0], str(self._highest[name[0]]))
            self._to_old[name] = free
            self._to_new.setdefault(free, name)
        return "{{%s_%s%s}}" % (*self._to_old[name], match[3])  # noqa: UP031 (four braces in a row read worse)


def masked(text: str) -> str:
    """A text with its placeholders' numbers left out."""
    return _NUMBERED.sub(r"{{\1\3}}", _TIME.sub(_timeless, text)) if "{{" in text else text


def without_times(text: str) -> str:
    """A text with the numbers of its times left out; their shapes stay."""
    return _TIME.sub(_timeless, text) if "{{" in text else text


def _timeless(match: re.Match[str]) -> str:
    return f"{{{{{BY_POSITION}{match[1]}}}}}"


def _names(text: str) -> list[Name]:
    return [(match[1], match[2]) for match in _NUMBERED.finditer(text)]


def _lines(text: str) -> list[str]:
    """Lines of canonical JSON, and the lines of the texts in it."""
    return text.replace("\\n", "\n").split("\n")


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """`value` (JSON, tuples and structs of it) with each string and key changed; the same object where none was."""
    match value:
        case str():
            return change(value) if "{{" in value else value
        case list() | tuple():
            made = [map_texts(item, change) for item in value]
            if all(new is item for new, item in zip(made, value, strict=True)):
                return value
            return made if isinstance(value, list) else tuple(made)
        case dict():
            pairs = [(map_texts(name, change), map_texts(item, change)) for name, item in value.items()]
            if all(pair[0] is name and pair[1] is value[name] for pair, name in zip(pairs, value, strict=True)):
                return value
            return dict(pairs)
        case msgspec.Struct():
            fields = {name: getattr(value, name) for name in value.__struct_fields__}
            changed = {name: made for name, item in fields.items() if (made := map_texts(item, change)) is not item}
            return msgspec.structs.replace(value, **changed) if changed else value
    return value

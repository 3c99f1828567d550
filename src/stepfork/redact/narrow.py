"""A large JSON document of which only what surrounds some spots is read, with the findings of a reading of all of it.

The way to a spot is told by the containers above it, whose other items are skipped and not parsed; that takes a
fraction of the time that parsing takes. What a spot touches is read in full: a string or a number, what stands under a
member's name, or the object or list in which a text says what another is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from stepfork.redact.file_redactor import is_name_of_events
from stepfork.rewrite.json_text import Token, decode
from stepfork.rewrite.text import MAX_TEXT_DEPTH, find_edits, token_edits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from stepfork.redact.file_redactor import FileRedactor, Told
    from stepfork.redact.prefilter import Prefilter, Spot
    from stepfork.rewrite.place import Place

_SMALL = 1024
"""What has so few bytes is read in full."""
_SHORT = 600
"""Bytes of a text that may be a name, however it is spelled."""
_DEEPEST = 32
"""Containers inside each other that are skipped through; what stands deeper is read in full."""
_MANY = 8 << 20
_DENSE = 6
"""A container of more than so many bytes, of which each of so many is a comma, is read in full: its numbers take less
room than what tells where each of them is."""
_GAP = re.compile(rb"[ \t\r\n,]*")
_NAME = re.compile(rb'[ \t\r\n,]*"((?:[^"\\]|\\.)*+)"[ \t\r\n]*:[ \t\r\n]*')
_SPELLED = re.compile(rb"\\u00[2-7]")
_FAR = 10
"""Containers above a member whose name is spelled by numbers, and may name something in any of them."""
_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_LOOKALIKES = ((b"\\ud", b"\\u0"), (b"\\uD", b"\\u0"), (b"NaN", b"123"), (b"Infinity", b"12345678"))
"""What Python reads and the skipping does not (halves of pairs, numbers that are none), and what takes its room."""
_OPENINGS = (ord("{"), ord("["))
_QUOTE = ord('"')


class _Child(NamedTuple):
    """A member or an item. From `start` on stand its name (if it has one) and from `value` to `end` its value."""

    step: str | int
    start: int
    value: int
    end: int


class _Unit(NamedTuple):
    """What is to be read: a value from `value` to `end` at a place; or, where `start` is less, a member of the object
    at that place with its name."""

    place: Place
    start: int
    value: int
    end: int


class Narrow:
    """Reads the JSON text `data` at its `spots`; `depth` tells in how many JSON texts it stands itself."""

    def __init__(
        self, data: bytes, spots: Sequence[Spot], redactor: FileRedactor, prefilter: Prefilter, depth: int = 0
    ) -> None:
        self._data = self._skipped = data
        self._spots = spots
        self._redactor = redactor
        self._prefilter = prefilter
        self._depth = depth
        self._told: dict[Any, tuple[int, str | int, Told | None]] = {}

    def read(self, place: Place) -> bool:
        """Whether this is a JSON object or array; the redactor keeps what is found in it."""
        start = _GAP.match(self._data).end()  # type: ignore[union-attr]
        end = len(self._data.rstrip(b" \t\r\n"))
        if self._data[start : start + 1] not in (b"{", b"["):
            return False
        if not self._skips(start, end):
            for given, taken in _LOOKALIKES:
                self._skipped = self._skipped.replace(given, taken)
            if not self._skips(start, end):
                return False
        units = self._units(_Child("", start, start, end), place, self._spots, 0)[0] if self._spots else []
        is_list = not place.path and self._data[start] == _OPENINGS[1]
        for unit in units:
            if is_list and unit.place.path:
                self._read_once(unit)
            else:
                self._read(unit)
        return True

    def _read_once(self, unit: _Unit) -> None:
        """What stands at the same place of several items of a list of documents is read in the first of them."""
        data = self._data[unit.start : unit.end]
        item, *below = unit.place.path
        key = (hash(data), unit.value - unit.start, *below)
        start, first, told = self._told.get(key, (0, 0, None))
        if told is not None and self._data.startswith(data, start):
            self._redactor.again(told, len(f"/{first}"), f"/{item}")
        else:
            self._told[key] = unit.start, item, self._redactor.apart(lambda: self._read(unit))

    def _skips(self, start: int, end: int) -> bool:
        try:
            msgspec.json.decode(memoryview(self._skipped)[start:end], type=msgspec.Raw)
        except (msgspec.DecodeError, RecursionError):
            return False
        return True

    def _units(self, here: _Child, place: Place, spots: Sequence[Spot], level: int) -> tuple[list[_Unit], int]:
        """What is to be read in a container, and how many of the containers above it are to be read in full too."""
        whole = [_Unit(place, here.value, here.value, here.end)]
        most = max(spot.levels for spot in spots)
        is_small = here.end - here.value <= _SMALL or level > _DEEPEST
        children = None if is_small else self._children(here.value, here.end, max(spot.end for spot in spots))
        if children is None or (is_name_of_events(place.path) and self._are_texts(children)):
            return whole, most - 1
        units: list[_Unit] = []
        above = 0
        for child, touching in _touched(children, spots):
            found, up = self._in_child(child, place, touching, level)
            units += found
            above = max(above, up)
        return (whole if above else units), above - 1

    def _are_texts(self, children: Sequence[_Child]) -> bool:
        return all(isinstance(child.step, int) and self._data[child.value] == _QUOTE for child in children)

    def _in_child(self, child: _Child, place: Place, spots: Sequence[Spot], level: int) -> tuple[list[_Unit], int]:
        """The same for a member or item; counted from the container in which it is."""
        there = place.child(child.step)
        if child.start < child.value and any(spot.start < child.value for spot in spots):  # on its name
            most = max(spot.levels for spot in spots)
            is_spelled = _SPELLED.search(self._data, child.start, child.value) is not None
            return [_Unit(place, child.start, child.value, child.end)], _FAR if is_spelled else max(0, most - 1)
        if self._data[child.value] in _OPENINGS:
            return self._units(child, there, spots, level + 1)
        levels = max(spot.levels for spot in spots)
        unit = _Unit(there, child.value, child.value, child.end)
        return [unit], levels if levels > 1 or self._tells(child, levels) else 0

    def _tells(self, child: _Child, levels: int) -> bool:
        """Whether a text may say what another text beside it is."""
        if not levels or child.end - child.value > _SHORT or self._data[child.value] != _QUOTE:
            return False
        text = decode(self._data[child.value + 1 : child.end - 1].decode("utf-8", "replace"))
        return self._redactor.tells(text, child.step)

    def _children(self, start: int, end: int, last: int) -> list[_Child] | None:
        """The members or items of a container that begin before `last`; None where they cannot be told apart, or are
        too many."""
        data, skipped = self._data, self._skipped
        if end - start > _MANY and data.count(b",", start, end) * _DENSE > end - start:
            return None
        view = memoryview(skipped)[start:end]
        children: list[_Child] = []
        at = start + 1
        try:
            if data[start] == _OPENINGS[1]:
                for index, item in enumerate(_items(view)):
                    at = _GAP.match(data, at).end()  # type: ignore[union-attr]
                    if at >= last:
                        break
                    children.append(_Child(index, at, at, at + len(item)))
                    at += len(item)
                return children
            for name, member in _members(view).items():
                found = _NAME.match(skipped, at)
                if found is None or _said(found[1]) != name:
                    return None  # two members of one name
                begin, at = found.start(1), found.end()
                children.append(_Child(_said(data[begin : found.end(1)]), begin - 1, at, at + len(member)))
                at += len(member)
        except (msgspec.DecodeError, RecursionError):
            return None
        return children if _GAP.match(data, at).end() == end - 1 else None  # type: ignore[union-attr]

    def _read(self, unit: _Unit) -> None:
        text = self._data[unit.start : unit.end].decode("utf-8", "surrogatepass")
        if unit.start < unit.value:
            find_edits(f"{{{text}}}", unit.place, self._redactor, self._depth)
        elif text[0] in "{[":
            find_edits(text, unit.place, self._redactor, self._depth)
        elif text[0] in '"-0123456789' and not (len(text) > _SMALL and self._reads_inside(text, unit.place)):
            kind = "string" if text[0] == '"' else "number"
            token_edits(text, Token(kind, 0, len(text), ()), unit.place, self._redactor, self._depth)

    def _reads_inside(self, text: str, place: Place) -> bool:
        """Whether a string is JSON text, which is read at its own spots."""
        if text[0] != '"' or self._depth + 1 >= MAX_TEXT_DEPTH:
            return False
        inner = decode(text[1:-1]).encode("utf-8", "surrogatepass")
        if not inner.lstrip().startswith((b"{", b"[")):
            return False
        spots = self._prefilter.spots(inner)
        return Narrow(inner, spots, self._redactor, self._prefilter, self._depth + 1).read(place)


def _said(raw: bytes) -> str:
    text = raw.decode("utf-8", "surrogatepass")
    return decode(text) if "\\" in text else text


def _touched(children: Sequence[_Child], spots: Sequence[Spot]) -> Iterator[tuple[_Child, list[Spot]]]:
    """Each child that spots touch, with those spots."""
    first = 0
    for child in children:
        while first < len(spots) and spots[first].end <= child.start:
            first += 1
        if first == len(spots):
            return
        touching = []
        for index in range(first, len(spots)):
            if spots[index].start >= child.end:
                break
            if spots[index].end > child.start:
                touching.append(spots[index])
        if touching:
            yield child, touching

"""A stream's events that differ in nothing but the piece of text that they bring, read as one event.

A stream of thousands of events says the same around each piece. Such events are merged into one whose text is all their
pieces; what is edited in it is then given back to each: edits of what they share to all, edits of the text to the
pieces that they touch, as if each event had been read alone.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stepfork.normalize.rules import PADDING_FIELDS
from stepfork.providers.streams import delta_places
from stepfork.rewrite.events import event_edits
from stepfork.rewrite.json_text import json_tokens
from stepfork.rewrite.place import Edit, Place, Rewriter
from stepfork.trace.body import Body, EventsBody

_TEXTS = "content|text|delta|arguments|partial_json|thinking|reasoning|reasoning_content|refusal"
_COUNTS = "sequence_number"
_VARIES = re.compile(
    rf'"(?:(?P<text>{_TEXTS})|(?P<padding>{"|".join(sorted(PADDING_FIELDS))}))"\s*:\s*"(?P<said>(?:[^"\\]|\\.)*)"'
    rf'|"{_COUNTS}"\s*:\s*(?P<count>[0-9]+)'
)
_ONE_DATA_LINE = re.compile(r"(?:(?!data)[a-z]*:[^\r\n]*\r?\n)*data: ?([^\r\n]*)\s*\Z")


class _Cut(NamedTuple):
    """An event cut at what varies: the pieces around it, what stands there, and of which kind each is."""

    around: tuple[str, ...]
    varying: tuple[str, ...]
    kinds: tuple[str, ...]


class _Group(NamedTuple):
    """Events `first` to `end` that are cut alike; the text is the varying piece number `text`. A single event has no
    cuts."""

    first: int
    end: int
    cuts: tuple[_Cut, ...] = ()
    text: int = 0


class Merged:
    """The events of a stream, merged. `events` stand for them: edits of those become the events again by `apart`."""

    def __init__(self, body: EventsBody, api: str) -> None:
        self._given = body.events
        self._separator = body.separator
        self._groups = list(_groups(body.events, api))
        self.events = tuple(map(self._one, self._groups))

    def rewritten(self, place: Place, rewriter: Rewriter, api: str) -> Body:
        """The stream as `rewriter` wants it; None where its edits are of a kind that cannot be shared."""
        events = self.apart(event_edits(self.events, place, rewriter, api))
        return None if events is None else EventsBody(events, self._separator)

    def apart(self, edits: Mapping[int, list[Edit]]) -> tuple[str, ...] | None:
        """The events that were given, edited as those that stand for them were; None where an edit is of a kind that
        cannot be shared."""
        made: list[str] = []
        for number, group in enumerate(self._groups):
            found = sorted(edits.get(number, ()), key=lambda edit: (edit.start, -edit.end))
            events = self._edited(group, found)
            if events is None:
                return None
            made += events
        return tuple(made)

    def _one(self, group: _Group) -> str:
        if not group.cuts:
            return self._given[group.first]
        return _spelled(group.cuts[0].around, self._said(group))

    @staticmethod
    def _said(group: _Group) -> list[str]:
        """What stands where the events of a group vary: the whole text; of padding the longest, since none needs no
        edit."""
        said = [max((cut.varying[at] for cut in group.cuts), key=len) for at in range(len(group.cuts[0].varying))]
        said[group.text] = "".join(cut.varying[group.text] for cut in group.cuts)
        return said

    def _edited(self, group: _Group, edits: list[Edit]) -> list[str] | None:
        if not group.cuts:
            return [_edited(self._given[group.first], 0, edits)]
        kinds, said = group.cuts[0].kinds, self._said(group)
        shared: list[str] = []
        padding: dict[int, str] = {}
        pieces = [cut.varying[group.text] for cut in group.cuts]
        left = deque(edits)
        cursor = 0
        for at, text in enumerate(group.cuts[0].around):
            shared.append(_edited(text, cursor, _taken(left, cursor + len(text))))
            cursor += len(text)
            if at == len(said):
                break
            inside = _taken(left, cursor + len(said[at]))
            if at == group.text:
                pieces = _given_back(pieces, cursor, inside)
            elif inside:
                if kinds[at] != "padding" or (inside[0].start, inside[0].end) != (cursor, cursor + len(said[at])):
                    return None
                padding[at] = inside[0].text
            cursor += len(said[at])
        if left:
            return None
        return [
            _spelled(shared, _varying(cut, group.text, piece, padding))
            for cut, piece in zip(group.cuts, pieces, strict=True)
        ]


def merged_of(body: Body, api: str) -> Merged | None:
    """A stream merged, None where that makes it no shorter."""
    if not isinstance(body, EventsBody):
        return None
    merged = Merged(body, api)
    return merged if len(merged.events) < len(body.events) else None


def _varying(cut: _Cut, text: int, piece: str, padding: dict[int, str]) -> list[str]:
    said = [padding.get(number, word) for number, word in enumerate(cut.varying)]
    said[text] = piece
    return said


def _groups(events: Sequence[str], api: str) -> Iterator[_Group]:
    """Neighbours that are cut alike, in order; all others alone."""
    begun: list[_Cut] = []
    first = 0
    for index, event in enumerate((*events, "")):
        cut = _cut(event) if index < len(events) else None
        if begun and cut is not None and (cut.around, cut.kinds) == (begun[0].around, begun[0].kinds):
            begun.append(cut)
            continue
        yield from _group(events, first, index, begun, api)
        begun, first = ([cut] if cut is not None else []), index
        if cut is None and index < len(events):
            yield _Group(index, index + 1)
            first = index + 1


def _group(events: Sequence[str], first: int, end: int, cuts: list[_Cut], api: str) -> Iterator[_Group]:
    if len(cuts) > 1 and _is_piece(events[first], cuts[0], api):
        yield _Group(first, end, tuple(cuts), cuts[0].kinds.index("text"))
    else:
        yield from (_Group(index, index + 1) for index in range(first, end) if cuts)


def _cut(event: str) -> _Cut | None:
    """An event cut at what varies, None where that is not one text."""
    around: list[str] = []
    varying: list[str] = []
    kinds: list[str] = []
    cursor = 0
    for match in _VARIES.finditer(event):
        kind = "text" if match["text"] else "padding" if match["padding"] else "count"
        start, end = match.span("count" if kind == "count" else "said")
        around.append(event[cursor:start])
        varying.append(event[start:end])
        kinds.append(kind)
        cursor = end
    if kinds.count("text") != 1:
        return None
    return _Cut((*around, event[cursor:]), tuple(varying), tuple(kinds))


def _is_piece(event: str, cut: _Cut, api: str) -> bool:
    """Whether the text that varies is a piece of one that goes on in later events."""
    line = _ONE_DATA_LINE.match(event)
    try:
        value = json.loads(line[1]) if line else None
    except (ValueError, RecursionError):
        value = None
    if line is None or value is None:
        return False
    at = cut.kinds.index("text")
    start = sum(map(len, cut.around[: at + 1])) + sum(map(len, cut.varying[:at])) - line.start(1) - 1
    path = next((token.path for token in json_tokens(line[1]) if token.start == start), None)
    return path in {tuple(place) for _, place in delta_places(api, value)}


def _spelled(around: Sequence[str], varying: Sequence[str]) -> str:
    made = [around[0]]
    for said, text in zip(varying, around[1:], strict=True):
        made += (said, text)
    return "".join(made)


def _taken(edits: deque[Edit], end: int) -> list[Edit]:
    """The edits up to `end`, taken out of `edits`; one that reaches further stays there."""
    found: list[Edit] = []
    while edits and edits[0].end <= end:
        found.append(edits.popleft())
    return found


def _edited(text: str, begin: int, edits: Sequence[Edit]) -> str:
    made: list[str] = []
    cursor = 0
    for edit in edits:
        if edit.start - begin >= cursor:
            made += (text[cursor : edit.start - begin], edit.text)
        cursor = max(cursor, edit.end - begin)
    return "".join((*made, text[cursor:]))


def _given_back(pieces: list[str], begin: int, edits: Sequence[Edit]) -> list[str]:
    """The pieces of a text that begins at `begin`, edited: what is put in stands in the first piece that is touched."""
    made: list[str] = []
    cursor = begin
    left = deque(edits)
    for piece in pieces:
        inside: list[Edit] = []
        end = cursor + len(piece)
        while left and left[0].start < end:
            edit = left.popleft()
            inside.append(Edit(edit.start, min(edit.end, end), edit.text))
            if edit.end > end:
                left.appendleft(Edit(end, edit.end, ""))
                break
        made.append(_edited(piece, cursor, inside))
        cursor = end
    return made

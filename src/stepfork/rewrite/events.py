"""An event stream rewritten: the pieces that deltas spell out are joined, edited, and given back to their events.

An edit's text stands in the first delta that it touches and the others lose their part, so that every event stays
readable on its own. An event in which nothing changed keeps its bytes. Standard library only.
"""

from __future__ import annotations

import json
import re

from stepfork.providers.streams import delta_places
from stepfork.rewrite.place import Edit, Place, Rewriter, apply_edits
from stepfork.rewrite.text import (
    Token,
    carry_back,
    decode,
    find_edits,
    is_json_text,
    json_tokens,
    token_edits,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_LINE = re.compile(r"[^\r\n]+")
_DATA = re.compile(r"data: ?")


class _Piece:
    """A delta: the string token at `start` of event `event`, whose raw spelling is `inner`."""

    __slots__ = ("decoded", "event", "inner", "start")

    def __init__(self, event: int, start: int, inner: str) -> None:
        self.event = event
        self.start = start
        self.inner = inner
        self.decoded = decode(inner)


def rewrite_events(events: Sequence[str], place: Place, rewriter: Rewriter, api: str = "") -> tuple[str, ...]:
    """The events as `rewriter` wants them, each still one event."""
    edits: list[list[Edit]] = [[] for _ in events]
    streams: dict[Any, tuple[Place, list[_Piece]]] = {}
    for index, event in enumerate(events):
        here = place.child("events", index)
        for start, text, is_data in _lines(event):
            if is_data and is_json_text(text):
                value = json.loads(text)
                rewriter.document(value, here)
                deltas = {tuple(path): stream for stream, path in delta_places(api, value)}
                for token in json_tokens(text):
                    stream = deltas.get(token.path) if token.kind == "string" else None
                    if stream is None:
                        edits[index] += _shifted(token_edits(text, token, here, rewriter), start)
                    else:
                        piece = _piece(index, start, text, token)
                        streams.setdefault(stream, (here.child(*token.path), []))[1].append(piece)
            else:
                edits[index] += _shifted(find_edits(text, here, rewriter), start)
    for first, pieces in streams.values():
        joined = "".join(piece.decoded for piece in pieces)
        rewriter.stream_begins()
        found = sorted(find_edits(joined, first, rewriter), key=lambda edit: edit.start)
        rewriter.stream_ends([_event_at(edit.start, pieces) for edit in found])
        for edit in found:
            _give_back(edit, pieces, edits)
    return tuple(apply_edits(event, found) for event, found in zip(events, edits, strict=True))


def _lines(event: str) -> list[tuple[int, str, bool]]:
    """Start, text and whether it is data, of each line's value; data over several lines that is JSON counts as one."""
    lines: list[tuple[int, str, bool]] = []
    group: list[tuple[int, str, bool]] = []
    for line in _LINE.finditer(event):
        data = _DATA.match(line.group())
        skip = data.end() if data else 0
        found = (line.start() + skip, line.group()[skip:], data is not None)
        if data is None:
            lines += (*_as_one(group), found)
            group = []
        else:
            group.append(found)
    return lines + _as_one(group)


def _as_one(group: list[tuple[int, str, bool]]) -> list[tuple[int, str, bool]]:
    """Lines of data as one text where that is JSON: what stands between them becomes white space of equal length, so
    that each token keeps its place."""
    if len(group) < 2:
        return group
    start = cursor = group[0][0]
    text = ""
    for begin, line, _ in group:
        text += " " * (begin - cursor) + line
        cursor = begin + len(line)
    return [(start, text, True)] if is_json_text(text) else group


def _piece(index: int, start: int, text: str, token: Token) -> _Piece:
    return _Piece(index, start + token.start + 1, text[token.start + 1 : token.end - 1])


def _shifted(edits: Sequence[Edit], start: int) -> list[Edit]:
    return [Edit(start + edit.start, start + edit.end, edit.text) for edit in edits]


def _event_at(index: int, pieces: list[_Piece]) -> int:
    """The event whose piece holds character `index` of the joined text."""
    for piece in pieces:
        index -= len(piece.decoded)
        if index < 0:
            return piece.event
    return pieces[-1].event


def _give_back(edit: Edit, pieces: list[_Piece], edits: list[list[Edit]]) -> None:
    cursor = 0
    text = edit.text
    for piece in pieces:
        start, end = max(edit.start - cursor, 0), min(edit.end - cursor, len(piece.decoded))
        if start < end:
            edits[piece.event] += carry_back(piece.inner, [Edit(start, end, text)], piece.start)
            text = ""
        cursor += len(piece.decoded)

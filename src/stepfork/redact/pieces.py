"""What the deltas of event streams spell out together, told from the bytes of a file without parsing each event.

A secret that is split over deltas stands nowhere in one piece. So the deltas of each stream are joined here, as they
stand, and the joined text is looked at like any other. The first events of a form are parsed; those like them are read
by a pattern (see `forms`). Where pieces may stand that cannot be told apart so, the place is reported, and what stands
there is read in full.

Which strings are pieces, `delta_places` says; how they are joined, `Series`. A text is read so where `is_event_stream`
or `documents_in` say so, and a list of texts under a name that ends in ``events``.
"""

from __future__ import annotations

from stepfork.providers.streams import delta_places
from stepfork.redact.forms import DEPTHS, OPENING, Forms
from stepfork.redact.pattern import pattern
from stepfork.rewrite.concatenated import documents_in
from stepfork.rewrite.json_text import NO_JSON, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from stepfork.redact.forms import Depth, Form

_LONGEST = 1 << 20
"""Bytes of an event; a longer one is read in full."""
_BACKSLASH = ord("\\")
_LINE_STARTS = b"\n\r\xbf"
"""What an event of a stream that is a file may follow: the last is the end of a byte order mark."""
_BLANK = r"[ ,]|\\+[nrt]|\\+u001e"
_BOUNDARY = pattern(rf"\}}(?:{_BLANK})*\{{".encode())
_FIRST = pattern(rf'(?:{_BLANK}|\\+ufeff|\xef\xbb\xbf)*[\[{{"\\]'.encode("latin-1"))


_COMMA = pattern(rb'"(?:\s|\\+[nrt])*,(?:\s|\\+[nrt])*\\*"')
_BREAK = b""
"""Stands where the pieces come from another text of a list."""


class Pieces:
    """Collects the pieces of the streams in `data` from `begin` on.

    `joined` are texts that pieces spell, each with the first and the last byte of its stream; `unread` are places that
    are to be read in full.
    """

    def __init__(self, data: bytes, begin: int) -> None:
        self._data = data
        self._event = self._own = -1
        self._first = self._last = self._done = begin
        self._beside: dict[int, int] = {}
        self._depth = DEPTHS[0]
        self._forms = Forms()
        self._new: tuple[Form, Any] | None = None
        self._streams: dict[Any, list[bytes]] = {}
        self._lists: dict[int, dict[Any, list[list[bytes]]]] = {}
        self.joined: list[tuple[bytes, int, int]] = []
        self.unread: list[tuple[int, int]] = []

    def read(self, places: Iterable[tuple[int, int, int]]) -> None:
        """Go on with these places, in the order in which they stand: the first literal is `OPENING`, of the others one
        stands in each event that holds a piece."""
        usual = self._forms.usual
        for number, start, _ in places:
            if start < self._done:
                continue
            if number == 0:
                self._event, self._own = start, -1
            elif self._event < 0 or not self._is_usual(usual.get(number), start):
                self._rooted(number, start)
                self._new = None

    def finish(self) -> None:
        """No more events follow in the stream that was read."""
        for pieces in self._streams.values():
            for some in _texts(pieces):
                if len(some) > 1:
                    self.joined.append((self._depth.said(b"".join(some)), self._first, self._last))
        self._streams.clear()
        self._lists.clear()

    def _is_usual(self, forms: list[Form] | None, start: int) -> bool:
        """Whether the event has a form that was met before; its pieces are taken."""
        data, first = self._data, self._event
        for form in forms or ():
            match = form.match(data, start if form.is_local else first)
            if match is None:
                continue
            if form.is_local and data.find(form.depth.line_end, first, start) >= 0:
                return False
            told = match.group(*form.told)
            if told not in form.streams:
                self._new = form, told
                return False
            self._goes_on(first, match.end(), form.depth)
            taken = self._lists.get(id(form))
            if taken is None:
                taken = self._lists[id(form)] = {}
            lists = taken.get(told)
            if lists is None:
                lists = taken[told] = [self._streams.setdefault(stream, []) for stream in form.streams[told]]
            for pieces, group in zip(lists, form.pieces, strict=True):
                if match[group]:
                    pieces.append(match[group])
            if forms and form is not forms[0]:
                forms.remove(form)
                forms.insert(0, form)
            return True
        return False

    def _goes_on(self, first: int, end: int, depth: Depth) -> None:
        """An event stands from `first` to `end`: in the stream that was read, or in another text."""
        done = self._done
        if first - done > 4 and self._data.find(b'"', done, first) >= 0:
            closed = depth.end_of_text(self._data, done, first)
            if closed >= 0 and self._is_in_list(closed, first, depth):
                for pieces in self._streams.values():
                    pieces.append(_BREAK)
            elif closed >= 0:
                self.finish()
        if not self._streams:
            self._first, self._depth = first, depth
        self._last = self._done = end

    def _is_in_list(self, closed: int, first: int, depth: Depth) -> bool:
        """Whether a text that ends at `closed` is followed by others in its list, of which the last goes on to
        `first`: they may be the events of one stream."""
        while closed >= 0:
            comma = _COMMA.match(self._data, closed, first)
            if comma is None:
                return False
            closed = depth.end_of_text(self._data, comma.end(), first)
            if closed < 0:
                return True
        return False

    def _rooted(self, number: int, start: int) -> None:
        """The name of a member that may lead to a piece stands at `start`, with its quote."""
        data, first = self._data, self._event
        slashes = _slashes(data, start)
        depth = DEPTHS.get(slashes)
        if depth is None:
            self.unread.append((start, start + 1))
        elif first < 0 or slashes > self._own_slashes(first):  # or in a text in the event
            self._aside(start, depth)
        elif depth.depth or not first or data[first - 1] in _LINE_STARTS:
            end = self._end_of_event(first, depth)
            if end < start:
                self._event = -1
                self._aside(start, depth)
            else:
                self._parse(number, first, end, depth)

    def _own_slashes(self, first: int) -> int:
        """How many backslashes stand before each quote of the event."""
        if self._own < 0:
            quote = self._data.find(b'"', first)
            self._own = _slashes(self._data, quote) if quote >= 0 else 0
        return self._own

    def _end_of_event(self, first: int, depth: Depth) -> int:
        data = self._data
        limit = min(len(data), first + _LONGEST)
        end = data.find(depth.line_end, first, limit)
        while end > 0 and depth.depth and data[end - 1] == _BACKSLASH:  # an escaped backslash and the letter n
            end = data.find(depth.line_end, end + 2, limit)
        end = limit if end < 0 else end
        closed = depth.end_of_text(data, first, end)
        return end if closed < 0 else closed

    def _parse(self, number: int, first: int, end: int, depth: Depth) -> None:
        """Take the pieces of an event that has no form yet, or one that tells of a stream that was not met."""
        new, self._new = self._new, None
        decoded = depth.decoded(self._data[first:end])
        text = "" if decoded is None else decoded[len(OPENING) :].rstrip()
        value = parsed(text.lstrip(" "))
        if value is NO_JSON or first < self._done:  # or a part of it was read
            self._leave(first, end)
            return
        self._goes_on(first, end, depth)
        streams = {tuple(path): stream for stream, path in delta_places("", value)}
        for path, stream in streams.items():
            piece = value
            for step in path:
                piece = piece[step]
            if piece:
                self._streams.setdefault(stream, []).append(depth.encoded(piece))
        if new is not None:
            new[0].tell(new[1], streams)
            return
        form = self._forms.learn(number, text, value, streams, depth) if isinstance(value, dict) else None
        if form is not None:
            match = form.match(self._data, self._data.find(b'"choices', first) if form.is_local else first)
            if match is not None:
                form.tell(match.group(*form.told), streams)

    def _aside(self, start: int, depth: Depth) -> None:
        """A root in no event: whether the text that it stands in is several documents, which are read together."""
        if not depth.depth or start < self._beside.get(depth.depth, 0):
            return
        data = self._data
        first = data.rfind(b'"', 0, start)
        while first > 0 and data.endswith(depth.quote, 0, first + 1):
            first = data.rfind(b'"', 0, first)
        end = depth.end_of_text(data, start + 1, len(data))
        self._beside[depth.depth] = end = len(data) if end < 0 else end
        if _FIRST.match(data, first + 1, end) and _BOUNDARY.search(data, first, end):
            text = depth.decoded(data[first + 1 : end])
            if text is None or (parsed(text) is NO_JSON and documents_in(text)):
                self._leave(first, end)

    def _leave(self, first: int, end: int) -> None:
        self.unread.append((first, end))
        self._done = max(self._done, end)


def _slashes(data: bytes, at: int) -> int:
    """How many backslashes stand before `at`."""
    first = at
    while first and data[first - 1] == _BACKSLASH:
        first -= 1
    return at - first


def _texts(pieces: list[bytes]) -> Iterator[list[bytes]]:
    """The pieces together, and those of each text of a list: that may be a stream of its own."""
    yield pieces
    while _BREAK in pieces:
        at = pieces.index(_BREAK)
        yield pieces[:at]
        pieces = pieces[at + 1 :]
        if _BREAK not in pieces:
            yield pieces

"""When a program that reads an event stream may take its call for returned: before the stream has ended."""

from __future__ import annotations

from collections.abc import Mapping

from stepfork.providers.sse import parse_events
from stepfork.providers.streams import is_terminal
from stepfork.trace.coding import CodingError, Undo
from stepfork.trace.stream import cut_events
from stepfork.trace.wire import media_type

_SEPARATORS = (b"\n\n", b"\r\n\r\n", b"\r\r")
_LARGEST = 4 << 20
"""Bytes of one event from which on it is not looked at: it is no terminal one."""


class LastEvent:
    """Asked about each piece of a response before the program has it. Costs a look at each event."""

    def __init__(self, api: str, headers: Mapping[str, str]) -> None:
        self._api = api
        self._rest = bytearray()
        self._undo: Undo | None = None
        self._is_stream = media_type(headers.get("content-type", "")) == "text/event-stream"
        coding = headers.get("content-encoding", "")
        if self._is_stream and coding:
            try:
                self._undo = Undo(coding, 1 << 40)
            except CodingError:
                self._is_stream = False

    def is_in(self, piece: bytes) -> bool:
        """Whether `piece` brings an event after which a client of the API has its whole answer."""
        if not self._is_stream:
            return False
        try:
            data = piece if self._undo is None else self._undo.feed(piece)
        except CodingError:
            self._is_stream = False
            return False
        self._rest += data
        fresh = self._rest[-len(data) - 3 :] if data else b""
        if not any(separator in fresh for separator in _SEPARATORS):
            if len(self._rest) > _LARGEST:
                self._rest.clear()
            return False
        events, separator = cut_events(self._rest.decode("utf-8", "replace"))
        del self._rest[: max(self._rest.rfind(separator.encode()), 0)]
        return any(is_terminal(self._api, event) for text in events[:-1] for event in parse_events(text))

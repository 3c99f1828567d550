"""The listener's side of a replay: calls go to a player instead of to the network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus

from stepfork.listener.forwarding import Call
from stepfork.listener.headers import kept
from stepfork.replay.incoming import request_of, whole_body
from stepfork.replay.player import Player
from stepfork.replay.refusal import refusal
from stepfork.replay.report import Miss
from stepfork.trace.body import EventsBody
from stepfork.trace.exchange import Response
from stepfork.trace.wire import body_bytes

URL = "the recording"
"""Where an answer comes from, fit to be shown."""


class ReplayForwarder:
    """Answers calls from a recording and refuses what it does not hold. Opens no connection, whatever is asked.

    See `stepfork.listener.forwarding.Forwarder`.
    """

    def __init__(self, player: Player) -> None:
        self._player = player
        self._calls = 0

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Nothing is needed."""
        yield

    @asynccontextmanager
    async def send(self, call: Call) -> AsyncIterator[RecordedAnswer]:
        """The recorded answer, or the refusal of a miss."""
        number = self._calls
        self._calls += 1
        request = request_of(call, await whole_body(call))
        found = self._player.answer(call.provider, call.api, request, call=number)
        yield answered(found, call)


class RecordedAnswer:
    """A response that is there already; an event stream comes event by event. See
    `stepfork.listener.forwarding.Answer`."""

    framed = True
    url = URL

    def __init__(self, response: Response, method: str) -> None:
        self.status = response.status
        self.reason = _phrase(response.status)
        self._pieces = list(_pieces(response))
        self._at = 0
        media = {"Content-Type": response.content_type} if response.content_type else {}
        # A fixture is untrusted: a Location would send the client out, a Content-Encoding hide what it asks for, and a
        # line end would begin another header.
        headers = ((name, value) for name, value in (media | kept(response.headers)).items() if value.isprintable())
        self.headers: Sequence[tuple[str, str]] = (*headers, *self._framing(response, method))

    def at_hand(self) -> bytes:
        """The first piece."""
        return self._next()

    async def read(self) -> bytes:
        """The next piece."""
        return self._next()

    def at_end(self) -> bool:
        """Whether all was read."""
        return self._at >= len(self._pieces)

    def _next(self) -> bytes:
        if self.at_end():
            return b""
        self._at += 1
        return self._pieces[self._at - 1]

    def _framing(self, response: Response, method: str) -> Iterator[tuple[str, str]]:
        if not isinstance(response.body, EventsBody) and method.upper() != "HEAD" and response.status not in (204, 304):
            yield "Content-Length", str(sum(map(len, self._pieces)))


def answered(found: Response | Miss, call: Call) -> RecordedAnswer:
    """What a player found, as an answer."""
    if isinstance(found, Miss):
        found = refusal(found, anthropic=call.api == "messages" or call.provider == "anthropic")
    return RecordedAnswer(found, call.method)


def _pieces(response: Response) -> Iterator[bytes]:
    body = response.body
    if not isinstance(body, EventsBody):
        whole = body_bytes(body)
        if whole:
            yield whole
        return
    last = len(body.events) - 1
    for index, event in enumerate(body.events):
        piece = event if index == last else event + body.separator
        if piece:
            yield piece.encode()


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""

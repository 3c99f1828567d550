"""A request body on its way to the upstream: kept while it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from aiohttp import web

from stepfork.listener.body import BodyError, TooLargeError, invite, pieces
from stepfork.listener.tape import Tape
from stepfork.listener.transcript import Transcript

_AT_ONCE = 1 << 16  # a body up to this size is read whole and sent with its head, in one packet
_IN_BETWEEN = 4  # pieces that are read ahead of the upstream
_REST_SECONDS = 2.0


class Upload:
    """``fault`` is why the body did not come whole, None for no such thing.

    A larger body is taken in by a task of its own. An upstream may answer before it has all of it (an error, mostly)
    and read no further; what is recorded must not depend on how far it came.
    """

    def __init__(self, request: web.BaseRequest, transcript: Transcript, tape: Tape) -> None:
        self._request = request
        self._transcript = transcript
        self._tape = tape
        self._queue: asyncio.Queue[bytes] = asyncio.Queue(_IN_BETWEEN)
        self._intake: asyncio.Task[None] | None = None
        self._is_wanted = True
        self.fault: BodyError | None = None

    async def body(self) -> bytes | AsyncIterator[bytes]:
        """A small body at once, a larger one as it comes. Raises BodyError."""
        if not self._request.body_exists:
            return b""
        limit = self._tape.limits.request_bytes
        length = self._request.content_length
        if length is not None and length > limit:
            raise TooLargeError
        await invite(self._request)
        if length is not None and length <= _AT_ONCE:
            return b"".join([piece async for piece in self._kept()])
        self._transcript.request_whole = False
        self._intake = asyncio.create_task(self._take_in())
        return self._handed_on()

    async def rest(self) -> None:
        """Takes in what the upstream did not want."""
        if self._intake is not None and not self._intake.done():
            self._is_wanted = False
            while not self._queue.empty():
                self._queue.get_nowait()
            await asyncio.wait((self._intake,), timeout=_REST_SECONDS)

    def close(self) -> None:
        """Nothing more is taken in."""
        if self._intake is not None:
            self._intake.cancel()

    async def _kept(self) -> AsyncIterator[bytes]:
        limits = self._tape.limits
        async for piece in pieces(self._request, limits.request_bytes, limits.idle_seconds):
            self._tape.asked(self._transcript, piece)
            yield piece

    async def _take_in(self) -> None:
        try:
            async for piece in self._kept():
                if self._is_wanted:
                    await self._queue.put(piece)
            self._transcript.request_whole = True
        except BodyError as error:
            self.fault = error
        if self._is_wanted:
            await self._queue.put(b"")

    async def _handed_on(self) -> AsyncIterator[bytes]:
        while piece := await self._queue.get():
            yield piece
        if self.fault is not None:
            raise self.fault

"""The route of the listener on which a program's own decorators tell of their calls, and are answered in a replay."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import msgspec
from aiohttp import web

from stepfork.listener.body import HungUpError, StalledError, TooLargeError, invite, pieces
from stepfork.listener.call_log import CallLog
from stepfork.listener.call_messages import ANSWERED, Begun, Ended, Message, MessageError, Noted, Over, read_message
from stepfork.listener.tape import Tape
from stepfork.listener.witness import AT_ONCE

_OVERHEAD = 1024
"""Bytes that an event takes beside its own, so that many small ones count too."""


class _RejectedError(Exception):
    """A message that is not taken: the status, and why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(status, reason)
        self.status = status
        self.reason = reason


class CallReceiver:
    """Takes one message a request and gives the log's word on it; see `stepfork.listener.call_messages`."""

    def __init__(self, tape: Tape, log: CallLog) -> None:
        self._tape = tape
        self._log = log

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Answers one message. What is refused keeps the run from being a fixture: it has a call that is not told."""
        try:
            data = await self._body(request)
            message = read_message(data)
            noted = self._log.hear(message, self._tape.now_ns())
            await self._tell(message, noted, len(data))
        except MessageError as error:
            return self._refused(request, 400, str(error))
        except _RejectedError as rejected:
            return self._refused(request, rejected.status, rejected.reason)
        except HungUpError:
            self._tape.problem("call_rejected", "an instrumented call was told of in half a message")
            raise
        return web.Response(body=msgspec.json.encode(noted), content_type="application/json")

    async def _tell(self, message: Message, noted: Noted, size: int) -> None:
        """A witness knows of an event before the program has the word on it."""
        witness = self._tape.witness
        if witness is None or noted.refused is not None:
            return
        match message:
            case Begun():
                tell, call = witness.begun, self._log.call(noted.number)
            case Ended(number):
                tell, call = witness.ended, self._log.call(number)
            case Over(line):
                with suppress(Exception):
                    witness.over(line, self._log.waited_for(line))
                return
            case _:
                return
        with suppress(Exception):
            if size > AT_ONCE:
                await asyncio.to_thread(tell, call)
            else:
                tell(call)

    async def _body(self, request: web.BaseRequest) -> bytes:
        if request.method != "POST":
            raise _RejectedError(405, "a message is a POST")
        if request.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise _RejectedError(415, "it is compressed")
        if request.query_string == ANSWERED and not self._log.answers:
            raise _RejectedError(409, "this replay answers no instrumented calls")
        limits = self._tape.limits
        try:
            await invite(request)
            data = b"".join([piece async for piece in pieces(request, limits.request_bytes, limits.idle_seconds)])
        except TooLargeError:
            raise _RejectedError(413, f"it is over {limits.request_bytes} bytes") from None
        except StalledError:
            raise _RejectedError(408, "it did not come whole") from None
        if not self._tape.holds(len(data) + _OVERHEAD):
            raise _RejectedError(413, "the capture is full")
        return data

    def _refused(self, request: web.BaseRequest, status: int, reason: str) -> web.Response:
        self._tape.problem("call_rejected", f"the message of an instrumented call was refused: {reason}")
        response = web.Response(status=status, text=f"stepfork: {reason}\n")
        if not request.content.at_eof():
            response.force_close()
        return response

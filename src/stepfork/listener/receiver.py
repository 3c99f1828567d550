"""The trace receiver: OTLP over HTTP, protobuf or JSON, compressed or not.

An exporter that is not answered within its timeout (often one second) sends the batch again, and one that is answered
429 or 5xx repeats for a minute; some then exit with 1. So an export is acknowledged as soon as it is safe: decoded, if
that takes a moment only (which is how a malformed one can be told so), or else merely stored.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from aiohttp import web

from stepfork.errors import OtlpError
from stepfork.listener.body import HungUpError, StalledError, TooLargeError, invite, pieces
from stepfork.listener.tape import Tape
from stepfork.otlp.decode import decode_export
from stepfork.otlp.reply import Reply, failure, partial_success, success, wire_form
from stepfork.trace.coding import CodingError, Undo
from stepfork.trace.span import Span

_CODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
_PATIENCE_SECONDS = 0.3


class _RejectedError(Exception):
    """An export that is not taken: the status and a short reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(status, reason)
        self.status = status
        self.reason = reason


class Receiver:
    """Takes trace exports and puts their spans on a tape. To be made in the event loop that it serves."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._gate = asyncio.Semaphore(tape.limits.requests_at_once)
        self._count = 0
        self._open = 0
        # One thread: decoding holds the interpreter's lock anyway, and spans keep their order.
        self._decoders = ThreadPoolExecutor(1, "stepfork-otlp")
        self._late: set[asyncio.Future[list[Span]]] = set()

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Answers one export."""
        number = self._count
        self._count += 1
        self._open += 1
        content_type = request.headers.get("Content-Type", "")
        try:
            async with self._gate:
                return _response(200, await self._taken(request, content_type))
        except _RejectedError as rejected:
            self._tape.problem("export_rejected", f"trace export {number} was refused: {rejected.reason}")
            response = _response(rejected.status, failure(content_type, rejected.reason))
            if not request.content.at_eof():
                response.force_close()
            return response
        except HungUpError:
            self._tape.problem("export_rejected", f"trace export {number} broke off")
            raise
        except asyncio.CancelledError:
            self._tape.problem("export_running", f"trace export {number} did not come to its end")
            raise
        finally:
            self._open -= 1

    @property
    def is_busy(self) -> bool:
        """Whether an export is still coming in or being decoded."""
        return self._open > 0 or bool(self._late)

    def close(self) -> None:
        """Lets the decoding thread go. Exports that it has not finished are lost, and said to be."""
        for _ in self._late:
            self._tape.problem("export_running", "a trace export was not decoded when the listener closed")
        self._late.clear()
        self._decoders.shutdown(wait=False, cancel_futures=True)

    async def _taken(self, request: web.BaseRequest, content_type: str) -> Reply:
        if request.method != "POST":
            raise _RejectedError(405, "an export is a POST")
        if wire_form(content_type) is None:
            raise _RejectedError(415, "the content type is neither application/x-protobuf nor application/json")
        data = await self._body(request)
        place = self._tape.export()
        decoding = asyncio.get_running_loop().run_in_executor(self._decoders, decode_export, data, content_type)
        await asyncio.wait((decoding,), timeout=_PATIENCE_SECONDS)
        if not decoding.done():
            self._late.add(decoding)
            decoding.add_done_callback(lambda done: self._put_late(place, done))
            return success(content_type)
        try:
            dropped = self._tape.put(place, decoding.result())
        except OtlpError as error:
            raise _RejectedError(400, str(error)) from None
        except Exception as error:  # a fault of the decoder must not look like one that is worth repeating
            self._tape.problem("internal", f"decoding a trace export raised {type(error).__name__}")
            raise _RejectedError(400, "the export could not be decoded") from None
        if dropped:
            return partial_success(content_type, dropped, f"a capture holds {self._tape.limits.spans} spans")
        return success(content_type)

    def _put_late(self, place: list[Span], done: asyncio.Future[list[Span]]) -> None:
        if done not in self._late:
            return  # the listener closed
        self._late.discard(done)
        if (error := done.exception()) is not None:
            self._tape.problem("export_rejected", f"a trace export does not decode: {type(error).__name__}")
        else:
            self._tape.put(place, done.result())

    async def _body(self, request: web.BaseRequest) -> bytes:
        """The decoded body. Its limit is on what it inflates to, checked piece by piece: memory stays flat."""
        limits = self._tape.limits
        coding = request.headers.get("Content-Encoding", "")
        if coding.strip().lower() not in _CODINGS:
            raise _RejectedError(415, "the content encoding is none of gzip, deflate and identity")
        await invite(request)
        undoing = Undo(coding, limits.request_bytes)
        found: list[bytes] = []
        try:
            async for piece in pieces(request, limits.request_bytes, limits.idle_seconds):
                found.append(undoing.feed(piece))
                if undoing.over:
                    raise TooLargeError
        except TooLargeError:
            raise _RejectedError(413, f"the export is over {limits.request_bytes} bytes") from None
        except StalledError:
            raise _RejectedError(408, "the body did not come") from None
        except CodingError as error:
            raise _RejectedError(400, f"the body {error}") from None
        if not undoing.finished:
            raise _RejectedError(400, "the compressed body breaks off")
        data = b"".join(found)
        if not self._tape.holds(len(data)):
            raise _RejectedError(413, "the capture is full")
        return data


def _response(status: int, reply: Reply) -> web.Response:
    return web.Response(status=status, body=reply.body, headers={"Content-Type": reply.content_type})

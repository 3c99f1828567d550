"""The recording proxy: each model call goes on to the forwarder, and both directions are kept as they pass."""

from __future__ import annotations

import asyncio
import json

from aiohttp import web

from stepfork.listener.body import HungUpError, StalledError, TooLargeError
from stepfork.listener.door import Routed
from stepfork.listener.forwarding import Answer, BrokenOffError, Call, Forwarder, UnreachableError, decoded_path
from stepfork.listener.headers import onward_request, readable
from stepfork.listener.last_event import LastEvent
from stepfork.listener.relay import Relay
from stepfork.listener.tape import Tape
from stepfork.listener.transcript import Transcript
from stepfork.listener.upload import Upload
from stepfork.listener.witness import tell_of_end, tell_of_exchange
from stepfork.providers.apis import api_of
from stepfork.providers.lines import clean_line
from stepfork.trace.coding import supported
from stepfork.trace.exchange import Ending


class Proxy:
    """Relays calls to a forwarder and notes them on a tape. To be made in the event loop that it serves."""

    def __init__(self, forwarder: Forwarder, tape: Tape) -> None:
        self._forwarder = forwarder
        self._tape = tape
        self._gate = asyncio.Semaphore(tape.limits.requests_at_once)
        self._codings = supported()

    async def handle(self, request: web.BaseRequest, routed: Routed, connection: int) -> web.StreamResponse:
        """Answers one model call. A client that goes away cancels this, and with it the call to the upstream."""
        path = decoded_path(routed.path)
        api = api_of(routed.route.dialect, request.method, path)
        transcript = self._tape.call(
            provider=routed.route.name,
            api=api,
            method=request.method,
            path=path,
            query=routed.query,
            connection=connection,
        )
        headers = request.headers
        transcript.request_headers = {
            "content-type": readable(headers.get("Content-Type", "")),
            "content-encoding": readable(headers.get("Content-Encoding", "")),
        }
        try:
            async with self._gate:
                if request.transport is None:
                    raise HungUpError
                return await self._forward(request, routed, transcript)
        except (HungUpError, ConnectionError, asyncio.CancelledError):
            self._over(transcript, "client_closed")
            raise
        except Exception:
            self._over(transcript, "reset", "stepfork could not pass the call on")
            raise

    async def _forward(self, request: web.BaseRequest, routed: Routed, transcript: Transcript) -> web.StreamResponse:
        upload = Upload(request, transcript, self._tape)
        try:
            try:
                return await self._send(request, routed, transcript, upload)
            except UnreachableError as error:
                if upload.fault is None:
                    return await self._unreachable(transcript, error)
                raise upload.fault from None
        except TooLargeError:
            return self._refused(transcript, 413, f"the body is over {self._tape.limits.request_bytes} bytes")
        except StalledError:
            return self._refused(transcript, 408, "the body did not come")
        finally:
            upload.close()

    async def _send(
        self, request: web.BaseRequest, routed: Routed, transcript: Transcript, upload: Upload
    ) -> web.StreamResponse:
        body = await upload.body()
        headers = onward_request(request.headers.items(), self._codings)
        call = Call(
            provider=routed.route.name,
            api=transcript.api,
            method=request.method,
            path=routed.path,
            query=routed.query,
            headers=headers,
            body=body,
            length=request.content_length,
        )
        async with self._forwarder.send(call) as answer:
            transcript.url = answer.url
            transcript.status = answer.status
            transcript.response_headers = {name.lower(): readable(value) for name, value in answer.headers}
            response = await self._relay(request, answer, transcript)
            await upload.rest()
            return response

    async def _relay(self, request: web.BaseRequest, answer: Answer, transcript: Transcript) -> web.StreamResponse:
        tape = self._tape
        piece = answer.at_hand()
        waits = not piece and not answer.at_end()
        response = Relay(answer.status, answer.reason, answer.headers, framed=answer.framed, wait=waits)
        last = LastEvent(transcript.api, transcript.response_headers) if tape.witness is not None else None
        await response.prepare(request)
        try:
            while not answer.at_end():
                if piece:
                    tape.answered(transcript, piece)
                    if last is not None and last.is_in(piece):
                        await self._tell(transcript)
                    await response.write(piece)
                piece = await answer.read()
        except BrokenOffError:
            transcript.end("reset", tape.now_ns())
            await self._tell(transcript)
            response.abandon()
            return response
        if piece:
            tape.answered(transcript, piece)
        # Said before the last bytes go out: an agent that closes as soon as it has them has read the whole answer.
        transcript.end("complete", tape.now_ns())
        await self._tell(transcript)
        await response.write_eof(piece)
        return response

    async def _tell(self, transcript: Transcript) -> None:
        """To be awaited before the program can know that its call has returned: a kill may come right after."""
        await tell_of_exchange(self._tape.witness, transcript, self._tape.limits, self._tape.now_ns())

    def _over(self, transcript: Transcript, ending: Ending, why: str = "") -> None:
        if transcript.ending is None:
            transcript.end(ending, self._tape.now_ns(), why)
            tell_of_end(self._tape.witness, transcript, self._tape.limits, self._tape.now_ns())

    async def _unreachable(self, transcript: Transcript, error: UnreachableError) -> web.Response:
        why = f"the upstream could not be reached at {error.url}: {error.reason}"
        response = _explained(502, why)
        transcript.url = error.url
        transcript.status = 502
        transcript.response_headers = {"content-type": "application/json"}
        self._tape.answered(transcript, _explanation(why))
        transcript.end("reset", self._tape.now_ns(), why)
        await self._tell(transcript)
        return response

    def _refused(self, transcript: Transcript, status: int, reason: str) -> web.Response:
        """Answers a call that did not go on. It is no exchange, but a capture that lacks it is not whole."""
        self._tape.forget(transcript)
        call = clean_line(f"{transcript.method} {transcript.path}")
        self._tape.problem("limit", f"{call} was refused with {status}: {reason}")
        response = _explained(status, reason)
        response.force_close()
        return response


def _explained(status: int, reason: str) -> web.Response:
    return web.Response(status=status, body=_explanation(reason), content_type="application/json")


def _explanation(reason: str) -> bytes:
    # The form that both vendors' clients read a message from.
    return json.dumps({"error": {"type": "stepfork_listener", "message": f"stepfork: {reason}"}}).encode()

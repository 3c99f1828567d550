"""The body of an incoming request: read under a limit, and never waited for without end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from aiohttp import web


class BodyError(Exception):
    """The body did not come whole."""


class TooLargeError(BodyError):
    """The body is larger than the limit."""


class StalledError(BodyError):
    """The client stopped in the middle of the body."""


class HungUpError(BodyError):
    """The connection was lost in the middle of the body."""


async def invite(request: web.BaseRequest) -> None:
    """Tells a client that sent ``Expect: 100-continue``, and holds the body back until then, to send it."""
    if request.headers.get("Expect", "").lower() == "100-continue" and request.version >= (1, 1):
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # the response itself has not begun


async def pieces(request: web.BaseRequest, limit: int, idle_seconds: float) -> AsyncIterator[bytes]:
    """The body as it comes, never an empty piece.

    Raises TooLargeError (before anything is read, where the announced length tells), StalledError and HungUpError.
    """
    length = request.content_length
    if length is not None and length > limit:
        raise TooLargeError
    content = request.content
    size = 0
    while True:
        try:
            piece = content.read_nowait()
            if not piece and not content.at_eof():
                piece = await asyncio.wait_for(content.readany(), idle_seconds)
        except TimeoutError:
            raise StalledError from None
        except (OSError, RuntimeError, web.RequestPayloadError):
            raise HungUpError from None
        if not piece:
            return
        size += len(piece)
        if size > limit:
            raise TooLargeError
        yield piece

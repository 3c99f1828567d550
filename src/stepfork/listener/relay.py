"""A response that is passed on as it comes, with nothing added to what the upstream said."""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Sequence

from aiohttp import HttpVersion11, web
from multidict import CIMultiDict

from stepfork.listener.headers import onward_response

_RESET_ON_CLOSE = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)


class Relay(web.StreamResponse):
    """The head and the pieces of an upstream's response, for the agent.

    `framed`: the upstream's body has a length or is chunked. One that has neither ends with its connection, and so does
    this one: a final chunk of ours would turn a broken body into a finished one. `wait`: no piece of the body is at
    hand, so the head goes out by itself; otherwise it goes with the first piece, in one packet.
    """

    def __init__(
        self, status: int, reason: str, headers: Sequence[tuple[str, str]], *, framed: bool, wait: bool
    ) -> None:
        onward = CIMultiDict(onward_response(headers))
        super().__init__(status=status, reason=reason, headers=onward)
        self._given = frozenset(name.lower() for name in onward)
        self._send_headers_immediately = wait
        if not framed:
            self._length_check = False
            self.force_close()

    async def _prepare_headers(self) -> None:
        await super()._prepare_headers()
        # aiohttp gives each response a media type and its own name as the server; the upstream named none.
        for name in ("Content-Type", "Server"):
            if name.lower() not in self._given:
                self._headers.popall(name, None)

    def abandon(self) -> None:
        """Ends the connection in the middle of the body, so that the agent sees it break off."""
        if self._req is None or (transport := self._req.transport) is None:
            return
        if self._length_check and (self._req.version >= HttpVersion11 or self.content_length is not None):
            transport.close()  # what was written still arrives; the missing final chunk or length tells the rest
            return
        # Without framing, an end and a break look alike unless the connection is reset.
        connection = transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        transport.abort()

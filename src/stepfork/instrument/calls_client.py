"""Messages to a listener over HTTP: a connection for each thread, kept open, none of a process's fork."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from stepfork.listener.call_messages import Message, Noted

if TYPE_CHECKING:
    from http.client import HTTPConnection

_PATIENCE = 60.0
"""Seconds that an answer may take."""
_IDLE = 20.0
"""Seconds after which a connection is made anew: a listener may have closed it, which is noticed too late."""

_decode = msgspec.json.Decoder(Noted).decode


class ClientError(Exception):
    """No answer. ``is_gone`` says that nobody listens."""

    def __init__(self, reason: str, *, is_gone: bool) -> None:
        super().__init__(reason)
        self.is_gone = is_gone


class _Held:
    """A connection of a thread, closed when the thread ends."""

    def __init__(self, connection: HTTPConnection) -> None:
        self.connection = connection
        self.process = os.getpid()
        self.last = 0.0

    def __del__(self) -> None:
        with suppress(Exception):  # the interpreter ends
            self.connection.close()


class CallsClient:
    """Says messages to the listener at `address`, an `http` URL."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._host = parts.hostname or ""
        self._port = parts.port or 80
        self._target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        self._own = threading.local()

    def say(self, message: Message) -> Noted:
        """The listener's word on `message`. Raises ClientError, and what encoding the message raises."""
        from http.client import HTTPException  # not before the first call

        body = msgspec.json.encode(message)
        try:
            status, answer = self._exchanged(body)
        except (OSError, HTTPException) as error:
            self._own.held = None
            raise ClientError(f"stepfork does not answer ({type(error).__name__})", is_gone=True) from None
        if status != 200:
            self._own.held = None
            reason = answer.decode("utf-8", "replace").strip()[:200] if status < 500 else "it failed"
            raise ClientError(reason or f"stepfork answered {status}", is_gone=status == 404)
        try:
            return _decode(answer)
        except msgspec.MsgspecError:
            raise ClientError("another program answers in stepfork's place", is_gone=True) from None

    def _exchanged(self, body: bytes) -> tuple[int, bytes]:
        from http.client import HTTPConnection

        held: _Held | None = getattr(self._own, "held", None)
        now = time.monotonic()
        if held is None or held.process != os.getpid() or now - held.last > _IDLE:
            held = self._own.held = _Held(HTTPConnection(self._host, self._port, timeout=_PATIENCE))
        held.last = now
        connection = held.connection
        connection.request("POST", self._target, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()

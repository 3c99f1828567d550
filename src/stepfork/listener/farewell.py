"""What is left at the address of a listener whose block is over: one that answers, and takes nothing in.

A client or an exporter that was made inside the block may be used after it. At a dead port an exporter repeats each
export for seconds; here it is told at once.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import socket
import threading
from collections import deque
from contextlib import suppress

_MOST = 16  # addresses that are answered at; the oldest one goes
_PATIENCE = 0.5  # seconds for one client
_BODY = json.dumps(
    {
        "error": {
            "type": "stepfork_listener",
            "message": "stepfork: the block in which this client was made is over; make it inside the block",
        }
    }
).encode()
# Neither SDKs nor exporters repeat what is answered 404.
_ANSWER = (
    b"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nx-should-retry: false\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)
)


class Farewell:
    """Answers from a thread of its own, as long as the process lives or until it is closed."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._doors: deque[socket.socket] = deque()
        self._selector = selectors.DefaultSelector()
        self._waker, self._woken = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._serve, name="stepfork-farewell", daemon=True)
        self._thread.start()

    def take(self, door: socket.socket) -> None:
        """Answer at a listening socket from now on."""
        door.setblocking(False)
        self._doors.append(door)
        self._selector.register(door, selectors.EVENT_READ)
        if len(self._doors) > _MOST:
            oldest = self._doors.popleft()
            self._selector.unregister(oldest)
            oldest.close()
        self._waker.send(b"\0")  # what is waited for is another set now

    def close(self) -> None:
        """Answer no more."""
        self._waker.close()
        self._thread.join(_PATIENCE)

    def _serve(self) -> None:
        is_open = True
        while is_open:
            for key, _ in self._selector.select():
                if key.fileobj is self._woken:
                    is_open = bool(self._woken.recv(4096))
                elif isinstance(key.fileobj, socket.socket):
                    with suppress(OSError):  # the client's own business, or the door was closed meanwhile
                        _answer(key.fileobj.accept()[0])
        self._selector.close()
        for each in (*self._doors, self._woken):
            each.close()


def _answer(client: socket.socket) -> None:
    with client:
        client.settimeout(_PATIENCE)
        client.recv(1 << 16)
        client.sendall(_ANSWER)
        client.shutdown(socket.SHUT_WR)
        while client.recv(1 << 16):  # closed with bytes unread, the answer would be lost to a reset
            pass


_farewell: Farewell | None = None


def say_farewell(door: socket.socket) -> None:
    """Answer at `door`, a listening socket that is given away, for as long as this process lives."""
    global _farewell  # noqa: PLW0603 - one thread a process; a fork has none of its parent's
    if _farewell is None or _farewell.process != os.getpid():
        _farewell = Farewell()
        atexit.register(_farewell.close)
    _farewell.take(door)

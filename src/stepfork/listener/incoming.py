"""A request whose client may be gone before it is answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiohttp import web


class Incoming(web.BaseRequest):
    """``on_lost`` is called when the connection is lost while the request is handled.

    aiohttp can cancel the handler then, and makes the body unreadable. For a model call that is right, and asked for
    with ``on_lost``. An export whose program exits without waiting for the answer has been delivered: its body stays
    readable once it is there, and its handler goes on.
    """

    on_lost: Callable[[], Any] | None = None

    def _cancel(self, exc: BaseException) -> None:
        if not self._payload.is_eof():
            super()._cancel(exc)
        if self.on_lost is not None:
            self.on_lost()

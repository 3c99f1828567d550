"""A call as it comes in, as the request that a recording would hold."""

from __future__ import annotations

from collections.abc import Sequence

from stepfork.listener.forwarding import Call, decoded_path
from stepfork.listener.headers import readable
from stepfork.trace.coding import CodingError, Undo
from stepfork.trace.exchange import Request
from stepfork.trace.wire import read_body

_LONGEST = 32 << 20


async def whole_body(call: Call) -> bytes:
    """The body of a call, as sent."""
    if isinstance(call.body, bytes):
        return call.body
    return b"".join([piece async for piece in call.body])


def request_of(call: Call, body: bytes) -> Request:
    """The request of a call; a body whose coding cannot be undone stays as sent."""
    content_type = _header(call.headers, "content-type")
    return Request(
        call.method,
        decoded_path(call.path),
        call.query,
        content_type,
        read_body(_undone(body, _header(call.headers, "content-encoding")), content_type),
    )


def _undone(body: bytes, coding: str) -> bytes:
    if not coding:
        return body
    try:
        undoing = Undo(coding, _LONGEST)
        data = undoing.feed(body)
    except CodingError:
        return body
    return data if undoing.finished and not undoing.over else body


def _header(headers: Sequence[tuple[str, str]], name: str) -> str:
    return next((readable(value) for given, value in headers if given.lower() == name), "")

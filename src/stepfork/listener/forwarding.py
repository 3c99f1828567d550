"""What a proxy needs of the side that answers: an upstream on the network, or later a recording.

The listener is given a Forwarder; it does not know which. Everything runs in the listener's event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol
from urllib.parse import unquote

import msgspec


class Call(msgspec.Struct, frozen=True):
    """A request to be answered. ``path`` follows the route's prefix, percent-encoded as sent; ``query`` is raw.

    ``provider`` is the route's name, ``api`` what `stepfork.providers.apis.api_of` says of the call.
    ``headers`` hold no hop-by-hop or framing header. ``body`` is the whole of it, or its pieces as they come;
    ``length`` is the number of its bytes, None where the client did not say.
    """

    provider: str
    api: str
    method: str
    path: str
    query: str
    headers: Sequence[tuple[str, str]]
    body: bytes | AsyncIterator[bytes]
    length: int | None = None


def decoded_path(path: str) -> str:
    """A path percent-decoded; as sent where that is not UTF-8."""
    try:
        return unquote(path, errors="strict")
    except UnicodeDecodeError:
        return path


class Answer(Protocol):
    """A response whose head has arrived. ``headers`` are as received, ``url`` is where it came from, fit to be shown.

    ``framed`` says whether a broken body can be told from a finished one: it has a length or is chunked.
    """

    status: int
    reason: str
    headers: Sequence[tuple[str, str]]
    url: str
    framed: bool

    def at_hand(self) -> bytes:
        """What of the body has arrived already, b"" for nothing. Raises BrokenOffError."""

    async def read(self) -> bytes:
        """The next piece of the body as soon as there is one, b"" at its end. Raises BrokenOffError."""

    def at_end(self) -> bool:
        """Whether the body has ended and all of it was read."""


class Forwarder(Protocol):
    """Answers calls. `opened` is entered once, before the first call, in the event loop that the calls run in."""

    def opened(self) -> AbstractAsyncContextManager[None]:
        """What the calls need for as long as the listener is open."""

    def send(self, call: Call) -> AbstractAsyncContextManager[Answer]:
        """Sends a call; leaving the context gives up what was not read. Raises UnreachableError."""


class UnreachableError(Exception):
    """No response came. ``reason`` is short and quotes nothing; ``url`` is where it was tried, fit to be shown."""

    def __init__(self, reason: str, url: str) -> None:
        super().__init__(reason, url)
        self.reason = reason
        self.url = url


class BrokenOffError(Exception):
    """The body ended before its end."""

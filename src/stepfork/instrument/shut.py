"""Addresses that this process may not connect to while a block is played back: its models'.

A client that was made before the block still knows where its model is. Name resolution is what Python's clients have in
common, asyncio's among them, so that is where they are stopped; a connection that is open already is not.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

Address = tuple[str, int]
"""A host as a URL names it, in lower case, and a port."""


@contextmanager
def shut(addresses: Collection[Address]) -> Iterator[list[Address]]:
    """Refuse connections to `addresses` from entering to leaving the context; those that were tried are listed."""
    resolve = socket.getaddrinfo
    tried: list[Address] = []
    is_open = True

    def guarded(host: Any, port: Any, *rest: Any, **named: Any) -> Any:
        address = _address(host, port)
        if is_open and address in addresses:
            if address not in tried:
                tried.append(address)
            raise ConnectionRefusedError(
                errno.ECONNREFUSED, "stepfork plays a recording back: make this client inside the block"
            )
        return resolve(host, port, *rest, **named)

    socket.getaddrinfo = guarded
    try:
        yield tried
    finally:
        is_open = False
        if socket.getaddrinfo is guarded:  # else somebody has put another one over it, which still asks this one
            socket.getaddrinfo = resolve


def _address(host: Any, port: Any) -> Address:
    """Host and port as `socket.getaddrinfo` takes them; service names are those of URLs."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    number = {"https": 443, "http": 80}.get(port, port) if isinstance(port, str) else port
    try:
        return name.lower().rstrip("."), int(number)
    except (TypeError, ValueError):
        return name.lower(), 0

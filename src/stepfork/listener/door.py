"""Who may come in, and where to: the rules for a request's peer, host, origin and path, before its body is read.

Any program on the machine, and any page in a browser, can open a connection to a loopback port. What keeps them out is
that the path must begin with a token that only the watched program was given; that a page's requests carry an
``Origin``; and that a name which was rebound to 127.0.0.1 still stands in ``Host``.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import unquote

import msgspec

from stepfork.listener.call_messages import CALLS
from stepfork.listener.routes import BUILT_IN, TRACES, Route

_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[^:\[\]]+)(:[0-9]{1,5})?\Z")

_STRAY_BYTE = re.compile("[\udc80-\udcff]")


class Refusal(msgspec.Struct, frozen=True):
    """A status and one line of reason, to be answered before the body is read."""

    status: int
    reason: str


class Routed(msgspec.Struct, frozen=True):
    """A call of a route: ``path`` is what follows its prefix, as sent (percent-encoded); ``query`` is raw."""

    route: Route
    path: str
    query: str


class TraceExport(msgspec.Struct, frozen=True):
    """A trace export."""


class CallMessage(msgspec.Struct, frozen=True):
    """A message about an instrumented call."""


def admit(peer: str, hosts: Sequence[str], *, has_origin: bool) -> Refusal | None:
    """None for a request from this machine that no web page made. `hosts` are the values of its Host headers."""
    if not _is_loopback(peer):
        return Refusal(403, "only this machine may call")
    if len(hosts) != 1 or not is_loopback_host(hosts[0]):
        return Refusal(403, "Host is not a loopback address")
    if has_origin:
        return Refusal(403, "a web page may not call")
    return None


def find_route(
    target: str, token: str, routes: Sequence[Route] = BUILT_IN
) -> Routed | TraceExport | CallMessage | None:
    """Where a request target leads, None for anything that is not served or does not know the token."""
    # Bytes that are not UTF-8 come as lone surrogates; encoded as they should have been, they can be kept and sent.
    target = _STRAY_BYTE.sub(lambda stray: f"%{ord(stray[0]) - 0xDC00:02X}", target)
    path, _, query = target.partition("?")
    given, slash, _ = path[1:].partition("/")
    if not path.startswith("/") or not slash or not _equal(given, token):
        return None
    rest = path[1 + len(given) :]
    if rest == TRACES:
        return TraceExport()
    if rest == CALLS:
        return CallMessage()
    for route in routes:
        if (rest == route.prefix or rest.startswith(route.prefix + "/")) and not _climbs(rest):
            return Routed(route, rest[len(route.prefix) :], query)
    return None


@lru_cache(maxsize=256)
def is_loopback_host(host: str) -> bool:
    """Whether a Host header names this machine: localhost or a loopback address, with any port or none."""
    match = _HOST.match(host.strip())
    if match is None:
        return False
    name = match["name"].lower()
    return name == "localhost" or _is_loopback(name.strip("[]"))


@lru_cache(maxsize=256)
def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _climbs(path: str) -> bool:
    """A dot segment would leave the prefix that the upstream's base URL stands for."""
    return any(unquote(segment) in (".", "..") for segment in path.split("/"))


def _equal(given: str, token: str) -> bool:
    # In constant time, so that a guess cannot be improved digit by digit.
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), token.encode())

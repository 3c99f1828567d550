"""Which headers go on, in either direction, and which of them are kept in a recording."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

Headers = Iterable[tuple[str, str]]

# RFC 9110, 7.6.1: they speak of one connection, not of the message. Each side writes its own.
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authentication-info",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)

# Host names the listener; Expect was answered here; the length is written anew from what is really sent.
_OF_THIS_LEG = frozenset({"host", "expect", "content-length"})

KEPT = ("retry-after", "retry-after-ms", "x-should-retry", "request-id", "x-request-id")
"""Response headers that a recording keeps: what decides whether a client repeats a call, and ids, which are turned into
placeholders. Everything else changes from call to call (dates, rate limits, durations) or is a secret (cookies)."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?\Z")


def onward_request(headers: Headers, codings: Collection[str]) -> list[tuple[str, str]]:
    """Request headers for the upstream, without those of this leg; `codings` are what may be asked for."""
    pairs = _sendable(headers)
    dropped = _HOP_BY_HOP | _OF_THIS_LEG | _named_by_connection(pairs)
    onward: list[tuple[str, str]] = []
    for name, value in pairs:
        lower = name.lower()
        if lower == "accept-encoding":
            onward.append((name, accepted(value, codings)))
        elif lower not in dropped:
            onward.append((name, value))
    if not any(name.lower() == "accept-encoding" for name, _ in onward):
        # Absent means "any coding" (RFC 9110, 12.5.3), which would be more than the agent can be relied on to undo.
        onward.append(("Accept-Encoding", "identity"))
    return onward


def accepted(value: str, codings: Collection[str]) -> str:
    """An Accept-Encoding value without the codings that could not be undone for the recording.

    A star would let the upstream choose one of those, so it goes as well.
    """
    kept = [
        item.strip() for item in value.split(",") if item.partition(";")[0].strip().lower() in {*codings, "identity"}
    ]
    return ", ".join(kept) or "identity"


def onward_response(headers: Headers) -> list[tuple[str, str]]:
    """Response headers for the agent. Content-Encoding and Content-Length stay: the bytes are relayed as they are."""
    pairs = _sendable(headers)
    dropped = _HOP_BY_HOP | _named_by_connection(pairs)
    framed = any(name.lower() == "transfer-encoding" for name, _ in pairs)
    if framed:
        dropped |= {"content-length"}  # RFC 9112, 6.3: the other framing wins, and only one may be told
    return [(name, value) for name, value in pairs if name.lower() not in dropped]


def readable(value: str) -> str:
    """A header's value for the recording: bytes that are not UTF-8 (read as lone surrogates) become U+FFFD."""
    return value if value.isascii() else value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def kept(headers: Mapping[str, str]) -> dict[str, str]:
    """The response headers that are recorded, names in lower case, in a fixed order.

    A Retry-After that is a date is left out: it is another one in each run.
    """
    found = {name: headers[name] for name in KEPT if name in headers}
    if not _SECONDS.match(found.get("retry-after", "0")):
        del found["retry-after"]
    return found


def _sendable(headers: Headers) -> list[tuple[str, str]]:
    """Without values that are not UTF-8: they were read as lone surrogates, and cannot be written again."""
    return [pair for pair in headers if pair[1].isascii() or not _SURROGATE.search(pair[1])]


def _named_by_connection(pairs: list[tuple[str, str]]) -> frozenset[str]:
    named = (value for name, value in pairs if name.lower() == "connection")
    options = {option.strip().lower() for value in named for option in value.split(",")}
    # A client must not be able to have the framing or its own key taken off the message.
    return frozenset(options - {"", "content-length", "content-encoding", "content-type", "authorization"})

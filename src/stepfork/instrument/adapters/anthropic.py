"""wrap_anthropic: the model calls of a client of the ``anthropic`` package."""

from __future__ import annotations

from typing import TypeVar

from stepfork.instrument.adapters.vendor_client import Vendor, wrap_client

_C = TypeVar("_C")
_CLIENTS = ("Anthropic", "AsyncAnthropic", "AnthropicVertex", "AsyncAnthropicVertex")
_ANTHROPIC = Vendor("anthropic", "anthropic", _CLIENTS)


def wrap_anthropic(client: _C) -> _C:
    """Instrument an ``Anthropic`` or ``AsyncAnthropic`` client (Vertex's too), and
    give the same object back.

    Messages, those of ``beta`` too: created, streamed, parsed, raw; of the client itself and of what ``with_options``
    makes of it. Outside recordings and replays it does what it did. Wrapping twice is wrapping once.

    Raises UsageError for anything else, and for a version of the package that is built otherwise.
    """
    wrap_client(client, _ANTHROPIC, "wrap_anthropic")
    return client

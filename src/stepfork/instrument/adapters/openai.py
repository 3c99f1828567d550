"""wrap_openai: the model calls of a client of the ``openai`` package."""

from __future__ import annotations

from typing import TypeVar

from stepfork.instrument.adapters.vendor_client import Vendor, wrap_client

_C = TypeVar("_C")
_OPENAI = Vendor("openai", "openai", ("OpenAI", "AsyncOpenAI"))


def wrap_openai(client: _C) -> _C:
    """Instrument an ``OpenAI`` or ``AsyncOpenAI`` client (Azure's too), and give the same object back.

    Chat completions and responses: created, parsed, streamed, raw; of the client itself and of what ``with_options``
    makes of it. Outside recordings and replays it does what it did. Wrapping twice is wrapping once.

    Raises UsageError for anything else, and for a version of the package that is built otherwise.
    """
    wrap_client(client, _OPENAI, "wrap_openai")
    return client

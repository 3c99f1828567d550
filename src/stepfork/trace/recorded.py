"""An exchange with the circumstances of its recording, before the run is put in order."""

from __future__ import annotations

import msgspec

from stepfork.trace.exchange import Exchange


class Recorded(msgspec.Struct, frozen=True):
    """``arrived_ns`` and ``ended_ns`` are Unix nanoseconds: the request's head came in, the response was over. They
    never run backwards within a capture, whatever is done to the clock. ``connection`` numbers the agent's TCP
    connections from 0, in order of their first call.
    """

    exchange: Exchange
    arrived_ns: int
    ended_ns: int
    connection: int

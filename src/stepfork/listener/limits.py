"""How much a listener takes from the program that it watches.

A receiver of traces that is over a limit answers 400 or 413, never 429 or a 5xx, since exporters repeat those for a
minute.
"""

from __future__ import annotations

import msgspec

MIB = 1 << 20


class Limits(msgspec.Struct, frozen=True):
    """Sizes are bytes.

    ``requests_at_once`` counts model calls and trace exports apart, so that long streams never hold up an export; one
    more waits for its turn. ``request_bytes`` is a request body as sent and as decoded; ``response_bytes`` is what is
    kept of one response (the rest is relayed all the same); ``capture_bytes`` is what is kept of all together.
    ``idle_seconds`` is how long a half-sent request body may stand still.
    """

    requests_at_once: int = 64
    request_bytes: int = 32 * MIB
    response_bytes: int = 32 * MIB
    capture_bytes: int = 512 * MIB
    spans: int = 20_000
    idle_seconds: float = 30.0

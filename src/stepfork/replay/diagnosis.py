"""Why a request is a miss: what changed, against the recorded exchange that differs least."""

from __future__ import annotations

from stepfork.providers.apis import label
from stepfork.replay.reading import Reading
from stepfork.replay.recorded import Recorded
from stepfork.replay.report import Miss, MissKind
from stepfork.trace.exchange import Exchange


def diagnose(recorded: Recorded, live: Reading, exchange: Exchange, call: int) -> Miss:
    """The miss that a request is."""
    kind: MissKind = "changed" if live.route in recorded.routes else "unrecorded"
    return Miss(call, kind, "exchange", label(exchange))

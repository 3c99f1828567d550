"""What went wrong while a run was watched: each one keeps the run from becoming a fixture."""

from __future__ import annotations

from typing import Literal

import msgspec

ProblemKind = Literal[
    "unfinished", "reset", "unreadable", "export_rejected", "export_running", "call_rejected", "limit", "internal"
]
"""``unfinished``: the program stopped reading a model call; ``reset``: the upstream broke off or could not be reached;
``unreadable``: a stream or a compressed body that does not decode; ``export_rejected``: a trace export that was
refused; ``export_running``: one that was still coming in when the listener closed; ``call_rejected``: an instrumented
call whose message was refused; ``limit``: more than a capture holds; ``internal``: a fault of stepfork itself."""


class Problem(msgspec.Struct, frozen=True):
    """``text`` is one line that names the exchange or the export; it quotes nothing of a body. ``arrived_ns`` is when
    the exchange began, 0 where it is about none."""

    kind: ProblemKind
    text: str
    arrived_ns: int = 0

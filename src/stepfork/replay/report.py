"""What a replay found, as values: every view of a replay is made of these and of nothing else."""

from __future__ import annotations

from typing import Literal

import msgspec

from stepfork.diff.values import RequestDiff

MissKind = Literal["changed", "exhausted", "roles", "unrecorded"]
"""``changed``: no recorded request has that key; ``exhausted``: asked more often than recorded; ``roles``: the
request is recorded, but with addresses in other roles; ``unrecorded``: nothing of that route or API was recorded."""

Component = Literal[
    "model", "params", "system", "tools", "messages", "tool_results", "other", "roles", "count", "exchange"
]


class Served(msgspec.Struct, frozen=True):
    """A live call that was answered: ``call`` numbers live calls from 0 in order of arrival; ``exchange`` is the index
    of the recorded exchange that answered it."""

    call: int
    exchange: int


class Miss(msgspec.Struct, frozen=True):
    """A request that no recorded exchange answers, told once however often it was sent (``times``), as it was or with
    other parameters.

    ``component`` is the first that changed, in the order model, params, system, tools, messages and tool results by
    place, other. ``nearest`` is the index of the recorded exchange that differs least, None where there is none, and
    ``difference`` what differs from it (old is recorded, new is live, both redacted and templated). ``recorded`` and
    ``asked`` count where it is exhausted. ``noise`` are lines of config.toml that would absorb the difference, where
    a rule could.
    """

    call: int
    kind: MissKind
    component: Component
    label: str
    nearest: int | None = None
    difference: RequestDiff = RequestDiff()
    recorded: int = 0
    asked: int = 0
    times: int = 1
    noise: tuple[str, ...] = ()


class Unused(msgspec.Struct, frozen=True):
    """A recorded exchange that no call asked for. ``optional``: a probe, which fails nothing."""

    exchange: int
    label: str
    says: str
    optional: bool = False


class ReplayReport(msgspec.Struct, frozen=True):
    """`served` and `misses` in order of arrival, `unused` in stored order; `exchanges` counts the recorded ones.
    ``optional`` lists probes that were asked for and not recorded: answered as a miss is, they fail nothing."""

    exchanges: int
    served: tuple[Served, ...] = ()
    misses: tuple[Miss, ...] = ()
    unused: tuple[Unused, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Every request hit and every exchange that is not optional was used."""
        return not self.misses and all(unused.optional for unused in self.unused)

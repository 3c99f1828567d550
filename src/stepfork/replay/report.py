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


CallMissKind = Literal["changed", "exhausted", "unrecorded", "closed"]
"""``changed``: recorded with other arguments; ``exhausted``: made more often than recorded; ``unrecorded``: no such
call was recorded; ``closed``: it could not be asked about, see ``why``."""


class CallMiss(msgspec.Struct, frozen=True, omit_defaults=True):
    """An instrumented call that no recorded one answers, and whose body did not run. ``call`` counts the live calls of
    that ``tool`` from 1.

    ``path`` is the first place of the arguments that differs, from those of the recorded call that was expected;
    ``old`` and ``new`` are what either has there, on one line, short and redacted. ``recorded`` and ``asked`` count
    where it is exhausted. ``after`` is how many calls over HTTP had come in by then.
    """

    tool: str
    call: int
    kind: CallMissKind
    path: str = ""
    old: str = ""
    new: str = ""
    recorded: int = 0
    asked: int = 0
    after: int = 0
    why: str = ""

    @property
    def reason(self) -> str:
        """Why it missed, in a few words."""
        match self.kind:
            case "exhausted":
                return f"recorded {self.recorded}×, asked {self.asked}×"
            case "unrecorded":
                return f"no call of {self.tool} was recorded"
            case "changed":
                return f"argument {self.path}"
            case "closed":
                return self.why

    @property
    def says(self) -> str:
        """All of it in one line."""
        differs = f" differs: recorded {self.old}, asked {self.new}" if self.kind == "changed" else ""
        return f"{self.tool}, call {self.call}: {self.reason}{differs}"


class CallUnused(msgspec.Struct, frozen=True):
    """A recorded instrumented call that was not made: ``number`` counts the recorded ones from 0."""

    tool: str
    number: int


class CallsReport(msgspec.Struct, frozen=True):
    """What became of instrumented calls: how many of each tool did not run because they were ``answered``, or were
    inside of one that was; misses in order of arrival; and what was not called, in stored order."""

    answered: dict[str, int] = {}
    misses: tuple[CallMiss, ...] = ()
    unused: tuple[CallUnused, ...] = ()


class ReplayReport(msgspec.Struct, frozen=True):
    """`served` and `misses` in order of arrival, `unused` in stored order; `exchanges` counts the recorded ones.
    ``optional`` lists probes that were asked for and not recorded: answered as a miss is, they fail nothing.
    ``calls`` are the instrumented ones."""

    exchanges: int
    served: tuple[Served, ...] = ()
    misses: tuple[Miss, ...] = ()
    unused: tuple[Unused, ...] = ()
    optional: tuple[str, ...] = ()
    calls: CallsReport = CallsReport()

    @property
    def has_misses(self) -> bool:
        """Whether anything was asked that the recording does not answer."""
        return bool(self.misses or self.calls.misses)

    @property
    def is_whole(self) -> bool:
        """Every request and every instrumented call hit, and all that is not optional was used."""
        unused = self.calls.unused or not all(unused.optional for unused in self.unused)
        return not self.misses and not self.calls.misses and not unused

"""The model calls of a frozen replay that no instrumented call makes: a listener answers them from the recording."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack

from stepfork.replay.forwarder import ReplayForwarder
from stepfork.replay.permitted import Permitted
from stepfork.replay.report import ReplayReport
from stepfork.replay.telling import place_of, reason_of
from stepfork.workflows.in_process import Block
from stepfork.workflows.replay import ReplayRequest, set_stage


class AnsweredHttp:
    """A listener that answers `replayed`, for as long as `stack` is open; the process is turned to it, and to
    `variables`. Raises CaptureError where no port can be had."""

    def __init__(
        self,
        replayed: ReplayRequest,
        permitted: Permitted,
        variables: Mapping[str, str],
        stack: ExitStack,
    ) -> None:
        stage = set_stage(replayed, permitted)
        self._player = stage.player
        self.routes = stage.routes
        block = Block(ReplayForwarder(stage.player), lambda url: {**stage.environment(url), **variables}, stage.routes)
        block.open()
        stack.callback(block.close)
        stack.callback(block.settle)

    @property
    def report(self) -> ReplayReport:
        """What was answered and what was not."""
        return self._player.report()

    def causes(self) -> Iterator[str]:
        """What diverged."""
        report = self.report
        for miss in report.misses:
            yield f"{place_of(miss, report.exchanges)} missed: {reason_of(miss)}"
        for refused in report.calls.misses:
            yield refused.says
        for unused in report.unused:
            if not unused.optional:
                yield f"exchange {unused.exchange} was recorded and not asked for: {unused.says or unused.label}"

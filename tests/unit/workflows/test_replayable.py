from __future__ import annotations

import pytest

from stepfork.config.project import Settings
from stepfork.errors import UsageError
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Ending, Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from stepfork.workflows.replay import check_replayable


@pytest.mark.parametrize(
    ("status", "ending"), [(0, "complete"), (100, "complete"), (10**9, "complete"), (200, "reset"), (200, "truncated")]
)
def test_an_answer_that_no_capture_keeps_is_given_to_nobody(status: int, ending: Ending) -> None:
    request = Request("POST", "/chat/completions", "", "application/json", JsonBody({"model": "m", "messages": []}))
    whole = Exchange("openai", "chat_completions", request, Response(404))
    broken = Exchange("openai", "chat_completions", request, Response(status, ending=ending))
    run = Run(Source("command", True), Trace("exchanges", ()), (whole, broken))
    with pytest.raises(UsageError, match="exchange 1 of 'x' holds no answer"):
        check_replayable(Fixture("x", run), Settings())

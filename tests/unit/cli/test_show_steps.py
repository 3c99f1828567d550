"""Steps as `show` prints them, and the heads of model calls that were made in process."""

from __future__ import annotations

from stepfork.cli.render.call_head import call_head
from stepfork.cli.render.step_lines import WIDE, step_lines
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import IN_PROCESS, Exchange, Request, Response
from stepfork.trace.step import Step, StepError


def test_calls_stand_below_what_called_them_and_groups_have_their_number() -> None:
    steps = [
        Step("tool_call", "book", 1, 6, arguments={"n": 1}, result="ok"),
        Step("tool_call", "fee", 2, 3, parent=0, group=1, result=3),
        Step("tool_call", "tax", 4, 5, parent=0, group=1, error=StepError("KeyError", "x" * 500)),
        Step("llm_call", "m", 7, 8, parent=9),
    ]
    assert list(step_lines(steps)) == [
        '    0  tool_call   book {"n": 1} → ok',
        "    1  tool_call     1| fee → 3",
        f"    2  tool_call     1| tax → KeyError: {'x' * WIDE}…",
        "    3  llm_call    m",
    ]


def test_a_call_that_never_went_over_the_wire_has_no_status() -> None:
    def head(provider: str, api: str, method: str, status: int) -> str:
        request = Request(method, "/llm", body=JsonBody({"model": "m-1"}))
        return call_head(Exchange(provider, api, request, Response(status)))

    assert head("openai", "chat_completions", "POST", 200) == "openai chat_completions m-1   200"
    assert head("openai", "chat_completions", IN_PROCESS, 200) == "openai chat_completions m-1   in process"
    assert head("python", "other", IN_PROCESS, 500) == "m-1   in process, failed"

"""Which tools a replay would run, told before it does."""

from __future__ import annotations

from stepfork.replay.executes import executed_tools, recorded_tools, unlisted_tools
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace


def asking(*tools: str) -> Exchange:
    calls = [{"id": f"call_{at}", "function": {"name": name, "arguments": "{}"}} for at, name in enumerate(tools)]
    answer = {"choices": [{"message": {"tool_calls": calls}, "finish_reason": "tool_calls"}]}
    request = Request("POST", "/chat/completions", body=JsonBody({"model": "m", "messages": []}))
    return Exchange("openai", "chat_completions", request, Response(200, body=JsonBody(answer)))


def run(*exchanges: Exchange, steps: tuple[str, ...] = ()) -> Run:
    told = tuple(Step("tool_call", name, at, at) for at, name in enumerate(steps))
    chat = Step("llm_call", "chat", 0, 0)
    return Run(Source("command", replay_capable=True), Trace("spans", (chat, *told)), exchanges)


def test_steps_come_first_and_each_tool_once() -> None:
    made = run(asking("refund", "look_up"), steps=("look_up", "notify", "look_up"))
    assert recorded_tools(made) == ("look_up", "notify", "refund")


def test_what_only_a_recorded_answer_asks_for_counts() -> None:
    """A fixture of a pull request: its trace is as it was, its answers ask for one tool more."""
    made = run(asking("look_up"), asking("delete_everything"), steps=("look_up",))
    assert unlisted_tools(made, ["look_up"]) == ("delete_everything",)


def test_a_route_serves_tools_and_a_list_allows_them() -> None:
    made = run(asking("look_up", "refund", "notify"))
    assert unlisted_tools(made, ["refund"], ["notify"]) == ("look_up",)
    assert unlisted_tools(run(), ()) == ()


def test_a_servers_name_before_a_tools_own_makes_no_difference() -> None:
    made = run(asking("mcp__orders__look_up"), steps=("look_up",))
    assert recorded_tools(made) == ("look_up",)
    assert unlisted_tools(made, ["mcp__orders__look_up"]) == ()


def test_what_ran_is_counted() -> None:
    assert executed_tools(run(steps=("b", "a", "mcp__x__b")).trace) == {"b": 2, "a": 1}

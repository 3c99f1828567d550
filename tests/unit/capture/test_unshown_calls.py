"""Calls without a tool span: tools that ran unseen fail the check, outputs and handoffs are no tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from stepfork.capture.assemble import assemble
from stepfork.capture.check import check_trace
from stepfork.trace.recorded import Recorded
from stepfork.trace.span import Span
from stepfork.trace.step import Trace
from tests.unit.capture.run_samples import (
    agent_span,
    asked,
    call,
    key,
    model_span,
    recorded,
    result,
    said,
    tool_span,
    user,
)

Message = dict[str, Any]
Agent = tuple[str, str | None, int]
"""The name of an agent's span, what it says came out, and how many model calls it makes."""


def run(answers: Sequence[Message], agents: Sequence[Agent], *, tools: str = "") -> tuple[list[Recorded], list[Span]]:
    """One conversation of `answers`, each call given a result, under the spans of `agents` in turn; each agent begins
    with a word of the user. Only calls of `tools` have spans."""
    calls: list[Recorded] = []
    spans: list[Span] = []
    messages: list[Message] = []
    left = list(answers)
    now = 0
    for number, (name, final, count) in enumerate(agents):
        root, begun = f"{name}{number}", now
        messages.append(user(f"Go on, {number}."))
        for _ in range(count):
            answer, now = left.pop(0), now + 10
            made = [_part(one) for one in answer.get("tool_calls") or []]
            heard = [{"role": "tool", "parts": [_back(one)]} for one in messages if one["role"] == "tool"]
            told = {"gen_ai__output__messages": json.dumps([{"role": "assistant", "parts": made}])}
            told |= {"gen_ai__input__messages": json.dumps(heard), "gen_ai__response__id": f"chatcmpl-{now}"}
            calls.append(recorded([*messages], answer, start=now + 1, end=now + 3, name=f"chatcmpl-{now}"))
            spans.append(model_span(f"m{now}", now, now + 4, under=root, **told))
            messages.append(answer)
            for one in answer.get("tool_calls") or []:
                messages.append(result(one["id"], "done"))
                if one["function"]["name"] in tools.split():
                    about = {"gen_ai__tool__call__id": one["id"]}
                    spans.append(
                        tool_span(f"t{one['id']}", now + 5, now + 6, one["function"]["name"], under=root, **about)
                    )
        now += 10
        more = {} if final is None else {"final_result": final}
        spans.append(agent_span(root, begun, now, gen_ai__agent__name=name, **more))
    return calls, spans


def _part(one: Message) -> Message:
    return {"type": "tool_call", "id": one["id"], "name": one["function"]["name"]}


def _back(one: Message) -> Message:
    return {"type": "tool_call_response", "id": one["tool_call_id"], "result": one["content"]}


LOOK = asked(call("lookup", {"id": 1}, "call_l1"))
OUT = asked(call("final_result", {"ok": True}, "call_f1"))
AGAIN = asked(call("final_result", {"ok": True}, "call_f2"))
OVER = asked(call("transfer_to_b", {}, "call_h1"))
BOTH = asked(call("refund", {"id": 1}, "call_r1"), call("transfer_to_b", {}, "call_h1"))
DONE = said("Done.")


@pytest.mark.parametrize("with_exchanges", [True, False])
@pytest.mark.parametrize(
    ("answers", "agents", "unseen"),
    [
        ([LOOK, OUT, AGAIN], [("a", '{"ok":true}', 2), ("a", '{"ok":true}', 1)], []),
        ([OUT, AGAIN, DONE], [("a", '{"ok":true}', 2), ("a", "Done.", 1)], []),  # the first one was refused
        ([OUT, AGAIN, DONE], [("a", None, 2), ("a", None, 1)], ["final_result", "final_result"]),
        ([OVER, LOOK, DONE], [("a", None, 1), ("b", None, 2)], []),
        ([OVER, LOOK, DONE], [("a", None, 1), ("a", None, 2)], ["transfer_to_b"]),  # a span for each turn of one agent
        ([OVER, LOOK, DONE], [("a", None, 3)], ["transfer_to_b"]),
        ([BOTH, DONE], [("a", None, 1), ("b", None, 1)], ["refund", "transfer_to_b"]),  # which of them ran is not known
        ([LOOK, OVER, DONE], [("a", "Done.", 3)], ["transfer_to_b"]),
    ],
)
def test_what_an_agent_ends_with_is_no_tool(
    answers: list[Message], agents: list[Agent], unseen: list[str], with_exchanges: bool
) -> None:
    calls, spans = run(answers, agents, tools="lookup")
    made = assemble(calls if with_exchanges else [], spans, key=key)
    found = [one for one in check_trace(made.trace, made.exchanges) if one.code == "unpaired_call"]
    said = [f"the model was given a result of {name} that no tool span shows" for name in unseen]
    assert sorted({one.text for one in found}) == sorted(set(said))
    assert all(one.fails for one in found)


def test_the_last_of_several_runs_is_the_one_that_answers() -> None:
    _, spans = run([OUT, AGAIN], [("a", '{"turn":1}', 1), ("a", '{"turn":2}', 1)])
    trace = assemble([], spans, key=key).trace
    assert trace.output == {"turn": 2}
    assert [step.result for step in trace.steps if step.type == "agent_call"] == [{"turn": 1}, {"turn": 2}]


def test_what_a_provider_ran_itself_needs_no_span() -> None:
    parts = [_part(call("web_search", {}, "call_w1")), _back(result("call_w1", "found"))]
    told = json.dumps([{"role": "assistant", "parts": parts}])
    first = model_span("m1", 0, 1, gen_ai__output__messages=told)
    second = model_span("m2", 2, 3, gen_ai__input__messages=told)
    assert check_trace(assemble([], [first, second], key=key).trace, ()) == ()


@pytest.mark.parametrize("reason", ["tool_calls", "tool_call", "tool-calls", "tool_use"])
def test_a_trace_without_any_tool_whose_models_asked_for_some_is_not_whole(reason: str) -> None:
    """Nothing else may be told: spans often leave messages out."""
    asks, ends = (("gen_ai__response__finish_reasons", [one]) for one in (reason, "stop"))

    def found(*spans: Span) -> list[str]:
        return [one.text for one in check_trace(assemble([], spans, key=key).trace, ())]

    asking, ending = model_span("m1", 0, 1, **dict([asks])), model_span("m2", 2, 3, **dict([ends]))
    assert found(asking, ending) == ["1 of 2 model calls asked for tools, and no span shows any"]
    assert found(asking, tool_span("t", 1, 2), ending) == []
    assert found(asking) == []  # it may have ended with that


def test_what_was_asked_last_is_not_known_to_have_run() -> None:
    calls, spans = run([LOOK, BOTH], [("a", None, 2)], tools="lookup refund")
    made = assemble(calls, [], key=key)
    assert [(one.code, one.step, one.fails) for one in check_trace(made.trace, made.exchanges)] == [
        ("open_call", 3, False),
        ("open_call", 4, False),
    ]
    given = msgspec.structs.replace(made.trace, notes=("unpaired_call[3]: the model asked for refund",))
    assert [(one.code, one.step) for one in check_trace(given, made.exchanges)] == [
        ("unpaired_call", 3),
        ("open_call", 4),
    ]
    made = assemble(calls, spans, key=key)
    assert check_trace(made.trace, made.exchanges) == ()


def test_parents_that_are_no_earlier_steps_end_nothing() -> None:
    calls, spans = run([LOOK, OUT, AGAIN], [("a", "x", 2), ("a", "x", 1)])
    made = assemble(calls, spans, key=key)
    for parent in (0, 1, 5, 99, -1):
        steps = tuple(_under(step, parent) for step in made.trace.steps)
        check_trace(Trace("spans", steps), made.exchanges)


def _under(step: Any, parent: int) -> Any:
    return msgspec.structs.replace(step, parent=parent)

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stepfork.capture.assemble import assemble
from stepfork.trace.span import Span
from stepfork.trace.step import Step, StepError, Trace, Usage
from tests.unit.capture.run_samples import agent_span, key, model_span, span, tool_span


def trace_of(*spans: Span) -> Trace:
    return assemble([], spans, key=key).trace


def names(trace: Trace) -> list[str]:
    return [step.name for step in trace.steps]


def test_spans_that_are_no_step_pass_parentage_through() -> None:
    trace = trace_of(
        agent_span("refunds", 0, 90),
        span("workflow", 1, 89, under="refunds", gen_ai__operation__name="chain"),
        span("step 1", 2, 50, under="workflow", gen_ai__operation__name="agent_step"),
        span("http", 3, 49, under="step 1"),
        model_span("chat", 4, 48, under="http"),
        span("step 2", 51, 80, under="workflow", gen_ai__operation__name="unknown"),
        tool_span("execute_tool lookup", 52, 79, under="step 2"),
    )
    assert [(step.type, step.name, step.parent) for step in trace.steps] == [
        ("agent_call", "refunds", None),
        ("llm_call", "chat", 0),
        ("tool_call", "lookup", 0),
    ]


def test_positions_bracket_children_and_are_no_clock() -> None:
    trace = trace_of(
        agent_span("outer", 5_000, 9_000),
        model_span("m1", 5_001, 5_002, under="outer"),
        tool_span("t1", 5_003, 8_000, under="outer"),
        agent_span("inner", 5_004, 7_000, under="t1"),
        model_span("m2", 5_005, 6_000, under="inner"),
        model_span("m3", 8_001, 8_002, under="outer"),
    )
    assert [(step.start, step.end) for step in trace.steps] == [(1, 12), (2, 3), (4, 9), (5, 8), (6, 7), (10, 11)]
    for step in trace.steps:
        assert step.start <= step.end
        if step.parent is not None:
            above = trace.steps[step.parent]
            assert above.start < step.start
            assert step.end < above.end


def test_a_child_may_start_before_its_parent() -> None:
    trace = trace_of(
        model_span("chat", 9, 20, under="agent"), agent_span("agent", 10, 30), tool_span("t", 21, 22, under="agent")
    )
    assert [(step.name, step.parent) for step in trace.steps] == [("agent", None), ("chat", 0), ("lookup", 0)]


def test_order_is_by_parent_then_start_whatever_the_order_of_arrival() -> None:
    spans = [
        agent_span("agent", 0, 90),
        model_span("m1", 1, 2, under="agent", gen_ai__request__model="one"),
        model_span("m2", 3, 4, under="agent", gen_ai__request__model="two"),
        model_span("m3", 5, 6, under="agent", gen_ai__request__model="three"),
    ]
    for arrived in (spans, spans[::-1], [spans[2], spans[0], spans[3], spans[1]]):
        assert [step.model for step in trace_of(*arrived).steps] == [None, "one", "two", "three"]


def test_ties_are_broken_by_content() -> None:
    def tool(name: str, value: str) -> Span:
        return tool_span(name, 5, 9, under="agent", gen_ai__tool__call__arguments=value)

    first, second = tool("x", '{"order": "a"}'), tool("y", '{"order": "b"}')
    root = agent_span("agent", 0, 90)
    assert trace_of(root, first, second).steps == trace_of(second, root, first).steps


def test_c026_a_span_delivered_twice_counts_once() -> None:
    spans = [agent_span("agent", 0, 9), model_span("chat", 1, 2, under="agent"), tool_span("t", 3, 4, under="agent")]
    once = trace_of(*spans)
    assert trace_of(*spans, *spans) == once
    assert once.notes == ()


def test_c026_two_different_spans_under_one_id_are_noted_and_the_later_one_stands() -> None:
    short = model_span("chat", 1, 2, gen_ai__request__model="early")
    whole = model_span("chat", 1, 5, gen_ai__request__model="late")
    for spans in ((short, whole), (whole, short)):
        trace = trace_of(*spans)
        assert [step.model for step in trace.steps] == ["late"]
        assert [note.partition(":")[0] for note in trace.notes] == ["span_conflict"]


def test_two_traces_of_one_run_stand_side_by_side() -> None:
    trace = trace_of(
        model_span("title", 0, 3, trace="b"),
        agent_span("agent", 5, 9, trace="a"),
        model_span("chat", 6, 7, under="agent", trace="a"),
    )
    assert [(step.type, step.parent) for step in trace.steps] == [
        ("llm_call", None),
        ("agent_call", None),
        ("llm_call", 1),
    ]


def test_the_same_call_seen_by_two_instrumentations_is_one_step() -> None:
    trace = trace_of(
        model_span("outer", 0, 9, gen_ai__response__id="resp_1", gen_ai__usage__input_tokens=3),
        model_span("inner", 1, 8, under="outer", gen_ai__response__id="resp_1"),
        tool_span("t", 10, 19, gen_ai__tool__call__id="call_1"),
        tool_span("mcp", 11, 18, under="t", gen_ai__tool__call__id="call_1"),
        agent_span("helper", 12, 17, under="mcp"),
    )
    assert [(step.type, step.parent) for step in trace.steps] == [
        ("llm_call", None),
        ("tool_call", None),
        ("agent_call", 1),
    ]


def test_parents_that_are_missing_or_go_round_in_a_circle_do_no_harm() -> None:
    assert trace_of(model_span("chat", 0, 1, under="lost")).steps[0].parent is None
    circle = [
        agent_span("a", 0, 9, under="b"),
        agent_span("b", 1, 8, under="a"),
        agent_span("self", 2, 3, under="self"),
    ]
    assert sorted(names(trace_of(*circle))) == ["a", "b", "self"]
    unmapped = [span("x", 0, 9, under="y"), span("y", 0, 9, under="x"), model_span("m", 1, 2, under="x")]
    assert len(trace_of(*unmapped).steps) == 1


def test_very_deep_and_very_wide_traces_are_read_in_one_go() -> None:
    deep = [agent_span(f"a{i}", i, 9_000, under=f"a{i - 1}" if i else None) for i in range(3_000)]
    assert [step.parent for step in trace_of(*deep).steps] == [None, *range(2_999)]
    wide = [tool_span(f"t{i}", 5, 9) for i in range(3_000)]
    assert len(trace_of(*wide).steps) == 3_000


def messages(*found: Any) -> str:
    return msgspec.json.encode(found).decode()


def test_without_exchanges_tools_pair_with_what_the_spans_repeat() -> None:
    output = messages(
        {
            "role": "assistant",
            "parts": [
                {"type": "tool_call", "id": "call_b", "name": "refund", "arguments": {"order": "b"}},
                {"type": "tool_call", "id": "call_a", "name": "refund", "arguments": {"order": "a"}},
            ],
        }
    )
    trace = trace_of(
        model_span("m1", 0, 10, gen_ai__output__messages=output),
        tool_span("t1", 11, 20, "refund", gen_ai__tool__call__arguments='{"order": "a"}'),
        tool_span("t2", 11, 20, "refund", gen_ai__tool__call__id="call_b"),
    )
    assert [(step.name, step.call_id, step.group, step.arguments) for step in trace.steps[1:]] == [
        ("refund", "call_b", 1, {"order": "b"}),
        ("refund", "call_a", 1, {"order": "a"}),
    ]


def test_a_group_comes_from_the_answer_never_from_the_clock() -> None:
    def output(call_id: str) -> str:
        return messages(
            {"role": "assistant", "parts": [{"type": "tool_call", "id": call_id, "name": "t", "arguments": {}}]}
        )

    trace = trace_of(
        model_span("m1", 0, 10, gen_ai__output__messages=output("call_a")),
        tool_span("t1", 11, 50, "t", gen_ai__tool__call__id="call_a"),  # still running when the next answer is there
        model_span("m2", 12, 20, gen_ai__output__messages=output("call_b")),
        tool_span("t2", 21, 50, "t", gen_ai__tool__call__id="call_b"),
    )
    assert [step.group for step in trace.steps] == [None] * 4


def test_input_output_agent_and_conversation_from_spans() -> None:
    given = messages(
        {"role": "system", "parts": []}, {"role": "user", "parts": [{"type": "text", "content": "Refund it."}]}
    )
    made = messages({"role": "assistant", "parts": [{"type": "text", "content": '{"done": true}'}]})
    trace = trace_of(
        agent_span("refunds", 0, 9, gen_ai__conversation__id="conv-7"),
        model_span("m", 1, 8, under="refunds", gen_ai__input__messages=given, gen_ai__output__messages=made),
    )
    assert (trace.agent, trace.conversation, trace.input, trace.output) == (
        "refunds",
        "conv-7",
        "Refund it.",
        {"done": True},
    )
    assert (trace.origin, trace.status, trace.error) == ("spans", "completed", None)


def test_a_run_whose_root_failed_has_an_error_and_no_output() -> None:
    made = messages({"role": "assistant", "parts": [{"type": "text", "content": "half"}]})
    thrown = ("exception", {"exception.type": "TimeoutError", "exception.message": "too slow"})
    trace = trace_of(
        agent_span("refunds", 0, 9, status="error", events=(thrown,)),
        model_span("m", 1, 8, under="refunds", gen_ai__output__messages=made),
    )
    assert (trace.status, trace.error) == ("error", StepError("TimeoutError", "too slow"))
    assert trace.output is msgspec.UNSET
    assert trace.steps[0].error == trace.error


def test_an_error_inside_that_the_agent_coped_with_is_the_steps_alone() -> None:
    trace = trace_of(
        agent_span("refunds", 0, 9), tool_span("t", 1, 2, under="refunds", status="error", error__type="KeyError")
    )
    assert trace.status == "completed"
    assert trace.steps[1].error == StepError("KeyError", "")


def test_the_sum_of_an_agent_is_not_kept_as_usage() -> None:
    trace = trace_of(
        agent_span("refunds", 0, 9, gen_ai__usage__input_tokens=30),
        model_span("m", 1, 2, under="refunds", gen_ai__usage__input_tokens=10),
    )
    assert [step.usage for step in trace.steps] == [None, Usage(input_tokens=10)]


def test_no_spans_and_no_exchanges_are_an_empty_trace() -> None:
    assert trace_of().steps == ()


def test_spans_of_which_none_is_a_step_are_noted() -> None:
    trace = trace_of(span("ai.generateText", 0, 9), span("http", 1, 2))
    assert trace.steps == ()
    assert trace.notes == ("no_genai_spans: none of 2 spans names a GenAI operation that is a step",)


@pytest.mark.parametrize("text", ["no call of ours", "[]", '[{"role": 1}]', '{"messages": [[]]}', "[[[", "null", "3"])
def test_messages_of_any_shape_do_no_harm(text: str) -> None:
    trace = trace_of(
        model_span("m", 0, 9, gen_ai__input__messages=text, gen_ai__output__messages=text, gen_ai__completion=text),
        tool_span("t", 10, 11),
    )
    assert [type(step) for step in trace.steps] == [Step, Step]

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from stepfork.providers.genai import GenAiStep, conversation_of, step_of, step_type
from stepfork.providers.genai_messages import said
from stepfork.providers.genai_values import exact_value, structured
from stepfork.trace.span import Span, SpanEvent
from stepfork.trace.step import StepError, Usage


def span(
    name: str = "span", *, events: tuple[tuple[str, dict[str, Any]], ...] = (), status: str = "unset", **more: Any
) -> Span:
    attributes = more.pop("attributes", {})
    return Span(
        trace_id="a",
        span_id="b",
        parent_id=None,
        name=name,
        start_ns=1,
        end_ns=2,
        attributes=attributes,
        events=tuple(SpanEvent(event, 0, held) for event, held in events),
        status=status,
        **more,
    )


def step(operation: str, attributes: dict[str, Any] | None = None, **more: Any) -> GenAiStep:
    made = step_of(span(attributes={"gen_ai.operation.name": operation} | (attributes or {}), **more))
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("chat", "llm_call"),
        ("text_completion", "llm_call"),
        ("generate_content", "llm_call"),
        ("embeddings", "llm_call"),
        ("execute_tool", "tool_call"),
        ("invoke_agent", "agent_call"),
        ("create_agent", "agent_call"),
        ("retrieval", "retrieval"),
        ("chain", None),
        ("agent_step", None),
        ("unknown", None),
        ("", None),
        (7, None),
    ],
)
def test_operations_are_step_types(operation: Any, kind: str | None) -> None:
    assert step_type(span(attributes={"gen_ai.operation.name": operation})) == kind


def test_a_span_without_an_operation_is_no_step_however_it_looks() -> None:
    legacy = {
        "gen_ai.request.model": "m",
        "gen_ai.system": "openai",
        "gen_ai.tool.name": "t",
        "gen_ai.usage.input_tokens": 1,
    }
    assert step_of(span("ai.generateText.doGenerate", attributes=legacy)) is None


def test_claude_code_spans_of_before_the_conventions() -> None:
    native = {"model": "m", "input_tokens": 7, "output_tokens": 3, "cache_read_tokens": 2, "stop_reason": "end_turn"}
    made = step_of(span("claude_code.llm_request", attributes=native | {"request_id": "req_1"}))
    assert made is not None
    assert (made.type, made.model, made.usage) == ("llm_call", "m", Usage(7, 3, 2))
    assert (made.finish_reasons, made.response_id) == (("end_turn",), "req_1")
    tool = step_of(
        span(
            "claude_code.tool",
            attributes={"tool_name": "Read", "tool_use_id": "toolu_1"},
            events=(("tool.output", {"output": '{"lines": 3}'}),),
        )
    )
    assert tool is not None
    assert (tool.name, tool.call_id, tool.result, tool.arguments) == ("Read", "toolu_1", {"lines": 3}, msgspec.UNSET)
    served = step_of(span("claude_code.tool", attributes={"tool_name": "mcp__shop__lookup_order"}))
    assert served is not None
    assert served.name == "lookup_order"
    for name in ("claude_code.tool.execution", "claude_code.tool.blocked_on_user"):
        assert step_of(span(name, attributes={"gen_ai.tool.call.id": "toolu_1"})) is None


def test_the_model_that_answered_wins_over_the_one_asked_for() -> None:
    both = {"gen_ai.request.model": "gpt-4.1", "gen_ai.response.model": "gpt-4.1-2025-04-14"}
    assert step("chat", both).model == "gpt-4.1-2025-04-14"
    assert step("chat", {"gen_ai.request.model": "gpt-4.1", "gen_ai.response.model": ""}).model == "gpt-4.1"


@pytest.mark.parametrize(
    ("attributes", "usage"),
    [
        ({"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3}, Usage(7, 3)),
        ({"gen_ai.usage.prompt_tokens": 7, "gen_ai.usage.completion_tokens": 3}, Usage(7, 3)),
        ({"gen_ai.usage.input_tokens": 7.0}, Usage(7)),
        ({"gen_ai.usage.cache_read.input_tokens": 0}, Usage(cached_tokens=0)),
        ({"gen_ai.usage.cache_read_input_tokens": 4}, Usage(cached_tokens=4)),
        ({"gen_ai.usage.details.cache_read_tokens": 4}, Usage(cached_tokens=4)),
        ({}, None),
        ({"gen_ai.usage.input_tokens": None}, None),
    ],
)
def test_usage_under_current_and_older_names(attributes: dict[str, Any], usage: Usage | None) -> None:
    made = step("chat", attributes)
    assert (made.usage, made.bad) == (usage, ())
    assert step("invoke_agent", attributes).usage is None


@pytest.mark.parametrize("value", ["7", True, -1, 1.5, [7]])
def test_a_count_that_is_none_is_named(value: Any) -> None:
    made = step("chat", {"gen_ai.usage.input_tokens": value, "gen_ai.usage.prompt_tokens": 7})
    assert made.usage == Usage(7)
    assert made.bad == ("gen_ai.usage.input_tokens",)


@pytest.mark.parametrize(
    ("value", "reasons"),
    [
        (["stop", "length"], ("stop", "length")),
        ('["tool-calls"]', ("tool-calls",)),
        ("stop", ("stop",)),
        ("tool_calls, stop", ("tool_calls", "stop")),
        (["stop", None, 3, ""], ("stop",)),
        ('[["stop"], "x"', ('[["stop"]', '"x"')),
        (None, ()),
        (3, ()),
    ],
)
def test_finish_reasons_as_list_as_json_text_and_as_text(value: Any, reasons: tuple[str, ...]) -> None:
    assert step("chat", {"gen_ai.response.finish_reasons": value}).finish_reasons == reasons


ARGUMENTS = '{"order_id": "O-1", "amount": 40.0}'


@pytest.mark.parametrize(
    "held",
    [
        {"attributes": {"gen_ai.tool.call.arguments": ARGUMENTS}},
        {"attributes": {"gen_ai.tool.call.arguments": json.loads(ARGUMENTS)}},
        {"attributes": {"gen_ai.tool.arguments": ARGUMENTS}},
        {"attributes": {"tool_arguments": ARGUMENTS}},
        {"attributes": {"gen_ai.prompt": ARGUMENTS}},
        {"attributes": {"gen_ai.prompt": json.dumps({"input": ARGUMENTS})}},
        {"attributes": {"gen_ai.prompt": json.dumps({"input": "{'order_id': 'O-1', 'amount': 40.0}"})}},
        {"events": (("gen_ai.tool.message", {"role": "tool", "content": ARGUMENTS, "id": "x"}),)},
    ],
    ids=range(8),
)
def test_arguments_under_each_name(held: dict[str, Any]) -> None:
    made = step("execute_tool", held.get("attributes"), events=held.get("events", ()))
    assert made.arguments == {"order_id": "O-1", "amount": 40.0}
    assert isinstance(made.arguments["amount"], float)


TOOL_MESSAGE = {"content": '{"ok": true}', "type": "tool", "tool_call_id": "call_9", "name": "lookup"}


@pytest.mark.parametrize(
    "held",
    [
        {"attributes": {"gen_ai.tool.call.result": '{"ok": true}'}},
        {"attributes": {"gen_ai.tool.result": '{"ok": true}'}},
        {"attributes": {"tool_response": '{"ok": true}'}},
        {"attributes": {"gen_ai.completion": json.dumps({"output": TOOL_MESSAGE})}},
        {
            "attributes": {
                "gen_ai.completion": json.dumps({"output": {"lc": 1, "type": "constructor", "kwargs": TOOL_MESSAGE}})
            }
        },
        {"attributes": {"gen_ai.completion": json.dumps({"output": '{"ok": true}'})}},
        {"events": (("gen_ai.choice", {"message": '{"ok": true}', "id": "x"}),)},
    ],
    ids=range(7),
)
def test_results_under_each_name(held: dict[str, Any]) -> None:
    made = step("execute_tool", held.get("attributes"), events=held.get("events", ()))
    assert made.result == {"ok": True}


def test_the_call_id_of_a_langsmith_tool_is_in_its_message() -> None:
    assert step("execute_tool", {"gen_ai.completion": json.dumps({"output": TOOL_MESSAGE})}).call_id == "call_9"


def test_current_names_win_over_older_ones() -> None:
    made = step(
        "execute_tool", {"tool_arguments": "1", "gen_ai.tool.call.arguments": "2", "gen_ai.tool.call.result": "null"}
    )
    assert (made.arguments, made.result) == (2, None)
    assert step("execute_tool").arguments is msgspec.UNSET
    assert step("execute_tool").result is msgspec.UNSET


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.0, null]}', {"a": [1, 2.0, None]}),
        ('"sent to ada"', "sent to ada"),
        (" [1] ", [1]),
        ("true", True),
        ("null", None),
        ("42", 42),
        ("-1.5", -1.5),
        ("1.10", "1.10"),
        ("007", "007"),
        ("1e5", "1e5"),
        ("12345678901234567890123", "12345678901234567890123"),
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ('{"a": NaN}', '{"a": NaN}'),
        ('{"a": "\\ud800"}', '{"a": "\\ud800"}'),
        ('"\ud800"', '"\ud800"'),
        ("[" * 500 + "]" * 500, "[" * 500 + "]" * 500),
        ("sent", "sent"),
        ("", ""),
        ("  ", "  "),
        ("{'a': 1}", "{'a': 1}"),
    ],
    ids=range(20),
)
def test_text_is_taken_for_its_value_only_where_nothing_is_lost(text: str, value: Any) -> None:
    read = exact_value(text)
    assert (read, type(read)) == (value, type(value))


def test_an_answer_is_structured_only_as_object_or_array() -> None:
    assert structured('{"a": 1}') == {"a": 1}
    assert structured("42") == "42"
    assert structured('"quoted"') == '"quoted"'


@pytest.mark.parametrize(
    "text",
    [
        "{'a': __import__('os')}",
        "{'a': 1",
        "{1: 2}",
        "{'a': {1, 2}}",
        "{'a': 1j}",
        "{" * 5000,
        "{'a': b'x'}",
        "{'a': 1e999}",
    ],
)
def test_what_python_prints_is_read_only_where_json_can_hold_it(text: str) -> None:
    assert step("execute_tool", {"gen_ai.prompt": json.dumps({"input": text})}).arguments == text


@pytest.mark.parametrize(
    ("held", "error"),
    [
        ({}, None),
        ({"status": "ok"}, None),
        ({"status": "error", "status_message": "broke"}, StepError("error", "broke")),
        ({"status": "error", "attributes": {"error.type": "429"}}, StepError("429", "")),
        ({"attributes": {"error.type": "timeout"}}, StepError("timeout", "")),
        (
            {"events": (("exception", {"exception.type": "KeyError", "exception.message": "'x'"}),)},
            StepError("KeyError", "'x'"),
        ),
        ({"status": "ok", "events": (("exception", {"exception.type": "KeyError"}),)}, None),
        ({"attributes": {"success": False, "error": "overloaded"}}, StepError("error", "overloaded")),
        ({"attributes": {"success": True}}, None),
    ],
    ids=range(9),
)
def test_errors_from_status_attributes_and_exceptions(held: dict[str, Any], error: StepError | None) -> None:
    attributes = {"gen_ai.operation.name": "execute_tool"} | held.get("attributes", {})
    made = step_of(span(**{**held, "attributes": attributes}))
    assert made is not None
    assert made.error == error


def test_names_of_steps() -> None:
    assert step("execute_tool", {"gen_ai.tool.name": "lookup"}, name="running tool").name == "lookup"
    assert step("execute_tool", name="execute_tool lookup").name == "lookup"
    assert step("invoke_agent", {"gen_ai.agent.name": "refunds"}, name="invoke_agent refunds").name == "refunds"
    assert step("invoke_agent", name="Agent workflow").name == "Agent workflow"
    assert step("retrieval", {"gen_ai.data_source.id": "orders"}).name == "orders"
    assert step("chat", name="chat gpt-4.1").name == "chat"


def test_the_conversation_is_read_from_any_span() -> None:
    assert conversation_of(span(attributes={"gen_ai.conversation.id": "c"})) == "c"
    assert conversation_of(span()) is None


def test_messages_of_current_spans_and_of_events() -> None:
    given = [
        {"role": "user", "parts": [{"type": "text", "content": "Refund it."}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "call_0", "response": "x"}]},
    ]
    made = [
        {
            "role": "assistant",
            "parts": [
                {"type": "text", "content": "Looking."},
                {"type": "tool_call", "id": "call_1", "name": "lookup", "arguments": {"a": 1}},
            ],
        }
    ]
    now = said(
        span(attributes={"gen_ai.input.messages": json.dumps(given), "gen_ai.output.messages": json.dumps(made)})
    )
    assert [(call.id, call.name, call.arguments) for call in now.calls] == [("call_1", "lookup", '{"a": 1}')]
    assert (now.answered, now.first_user, now.last_text) == (("call_0",), "Refund it.", "Looking.")
    function = {"name": "lookup", "arguments": '{"a": 1}'}
    older = said(
        span(
            events=(
                ("gen_ai.user.message", {"content": "Refund it."}),
                ("gen_ai.tool.message", {"id": "call_0", "content": "x"}),
                (
                    "gen_ai.choice",
                    {
                        "message": json.dumps(
                            {"content": "Looking.", "tool_calls": [{"id": "call_1", "function": function}]}
                        )
                    },
                ),
            )
        )
    )
    assert older == now

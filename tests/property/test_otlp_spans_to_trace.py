"""Whatever spans hold under the names that are read: a trace that canonical JSON can carry."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.capture.assemble import assemble
from stepfork.capture.check import check_trace
from stepfork.trace.span import Span, SpanEvent

NAMES = [
    *("gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"),
    *("gen_ai.prompt", "gen_ai.completion", "gen_ai.input.messages", "gen_ai.output.messages"),
    *("gen_ai.usage.input_tokens", "gen_ai.response.finish_reasons", "gen_ai.response.id", "gen_ai.request.model"),
    *("gen_ai.agent.name", "gen_ai.conversation.id", "error.type", "success", "final_result", "user_prompt"),
]
KEYS = [
    "role",
    "parts",
    "content",
    "type",
    "id",
    "name",
    "arguments",
    "tool_calls",
    "function",
    "message",
    "output",
    "input",
]
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
WORDS = st.sampled_from(
    ["user", "assistant", "tool", "text", "tool_call", "call_1", "call_2", "[", "{'a': 1}", '"x"', "1.10"]
)
PLAIN = st.recursive(
    SCALARS | WORDS | st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=8,
)
VALUES = PLAIN | PLAIN.map(json.dumps)
ATTRIBUTES = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5)
EVENTS = st.tuples(
    st.sampled_from(
        ["exception", "tool.output", "gen_ai.choice", "gen_ai.tool.message", "gen_ai.user.message", "gen_ai."]
    ),
    st.dictionaries(st.sampled_from(["content", "message", "output", "exception.type", "id"]), VALUES, max_size=3),
)
OPERATIONS = st.sampled_from(["chat", "execute_tool", "invoke_agent", "retrieval", "chain"]) | VALUES
SPANS = st.lists(
    st.tuples(
        OPERATIONS, ATTRIBUTES, st.lists(EVENTS, max_size=2), st.integers(0, 5), st.integers(0, 5), st.integers(-1, 5)
    ),
    max_size=5,
)


@settings(max_examples=60)
@given(SPANS)
def test_spans_of_any_content(
    drawn: list[tuple[Any, dict[str, Any], list[tuple[str, dict[str, Any]]], int, int, int]],
) -> None:
    spans = [
        Span(
            trace_id="a",
            span_id=str(index),
            parent_id=None if parent < 0 else str(parent),
            name="span",
            start_ns=start,
            end_ns=start + length,
            attributes=attributes | {"gen_ai.operation.name": operation},
            events=tuple(SpanEvent(name, 0, held) for name, held in events),
        )
        for index, (operation, attributes, events, start, length, parent) in enumerate(drawn)
    ]
    run = assemble([], spans, key=lambda _: b"")
    dumps(msgspec.to_builtins(run.trace))
    check_trace(run.trace, ())
    for index, step in enumerate(run.trace.steps):
        assert step.start <= step.end
        assert step.parent is None or step.parent < index
    assert assemble([], [*spans, *spans], key=lambda _: b"").trace == run.trace

from __future__ import annotations

import msgspec

from stepfork.capture.assemble import assemble
from stepfork.capture.check import check_trace
from stepfork.otlp.decode import decode_export
from stepfork.trace.finding import TraceFinding
from stepfork.trace.recorded import Recorded
from stepfork.trace.span import Span
from stepfork.trace.step import StepError, Trace
from tests.unit.capture.run_samples import (
    agent_span,
    key,
    model_span,
    recorded,
    refund_run,
    said,
    span,
    tool_span,
    user,
)
from tests.unit.otlp.export_samples import JSON, json_export, json_span


def found(calls: list[Recorded], spans: list[Span]) -> tuple[TraceFinding, ...]:
    run = assemble(calls, spans, key=key)
    return check_trace(run.trace, run.exchanges)


def test_a_clean_run_has_no_findings() -> None:
    calls, spans = refund_run()
    assert found(calls, spans) == ()
    assert found(calls, []) == ()
    assert found([], spans) == ()


def test_c023_an_attribute_that_was_dropped_is_mentioned() -> None:
    operation = {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}
    tokens = {"key": "gen_ai.usage.input_tokens", "value": {"doubleValue": None}}
    good = [json_span(spanId=f"{i:016x}", attributes=[operation]) for i in range(1, 10)]
    spans = decode_export(json_export(*good, json_span(attributes=[operation, tokens])), JSON)
    run = assemble([], spans, key=key)
    assert len(run.trace.steps) == 10
    assert check_trace(run.trace, ()) == (
        TraceFinding("bad_attribute", "llm_call chat: gen_ai.usage.input_tokens: doubleValue is null"),
    )


def test_a_count_that_is_no_count_is_mentioned() -> None:
    [finding] = found([], [model_span("m", 0, 1, gen_ai__usage__input_tokens="many")])
    assert finding == TraceFinding("bad_attribute", "llm_call chat: gen_ai.usage.input_tokens is not a count")


def test_c026_spans_that_contradict_one_another_are_reported() -> None:
    [finding] = found([], [model_span("m", 0, 1), model_span("m", 0, 2)])
    assert finding.code == "span_conflict"


def test_c028_model_calls_whose_spans_never_came_are_counted() -> None:
    calls, spans = refund_run()
    first_only = [one for one in spans if one.attributes.get("gen_ai.operation.name") != "chat"] + [
        next(one for one in spans if one.attributes.get("gen_ai.operation.name") == "chat")
    ]
    assert TraceFinding("calls_without_spans", "2 of 3 answered model calls have no span") in found(calls, first_only)


def test_c028_tools_alone_are_noticed_too() -> None:
    calls, spans = refund_run()
    tools = [one for one in spans if one.attributes["gen_ai.operation.name"] == "execute_tool"]
    assert [finding.code for finding in found(calls, tools)] == ["models_from_exchanges"]


def test_c029_streamed_calls_and_spans_without_data_do_not_add_up() -> None:
    calls = [recorded([user(f"Page {i}?")], said(f"{i}"), start=20 * i + 2, name=f"chatcmpl-{i}") for i in range(4)]
    spans = [
        model_span("m0", 0, 9, gen_ai__response__id="chatcmpl-0"),
        model_span("m1", 20, 29, gen_ai__response__id="chatcmpl-1"),
        model_span("m2", 40, 49),
    ]
    run = assemble(calls, spans, key=key)
    assert [step.exchange for step in run.trace.steps] == [0, 1, 2]
    assert check_trace(run.trace, run.exchanges) == (
        TraceFinding("calls_without_spans", "1 of 4 answered model calls have no span"),
    )


def test_attempts_that_failed_need_no_span() -> None:
    calls = [recorded([user("Hi.")], start=2, status=429), recorded([user("Hi.")], said("Hello."), start=12)]
    assert found(calls, [model_span("m", 0, 30)]) == ()


def test_model_spans_of_calls_that_went_past_the_proxy_are_counted() -> None:
    calls = [recorded([user("Hi.")], said("Hello."), start=2, name="chatcmpl-1")]
    spans = [model_span("m", 0, 9, gen_ai__response__id="chatcmpl-1"), model_span("other", 50, 60)]
    assert found(calls, spans) == (
        TraceFinding("spans_without_exchanges", "1 of 2 model spans have no recorded exchange"),
    )


def test_nothing_mapped_is_two_findings() -> None:
    codes = [finding.code for finding in found([], [span("ai.generateText", 0, 9)])]
    assert codes == ["no_genai_spans", "no_steps"]
    assert [finding.code for finding in found([], [agent_span("refunds", 0, 9)])] == ["no_steps"]


def test_calls_that_pair_with_nothing_are_named() -> None:
    calls, spans = refund_run()
    lookup = next(one for one in spans if one.attributes.get("gen_ai.tool.name") == "lookup_order")
    others = [one for one in spans if one is not lookup]
    assert found(calls, others) == (
        TraceFinding("unpaired_call", "the model was given a result of lookup_order that no tool span shows"),
    )
    root = next(one for one in spans if one.parent_id is None)
    stray = tool_span("stray", 1, 2, "audit", under=root.span_id, trace=root.trace_id)
    [finding] = found(calls, [*spans, stray])
    assert (finding.code, finding.text) == ("unasked_call", "no recorded answer asked for this call of audit")
    assert finding.step is not None


def test_errors_are_named_with_their_step() -> None:
    spans = [agent_span("refunds", 0, 9), tool_span("t", 1, 2, under="refunds", status="error", error__type="KeyError")]
    assert found([], spans) == (TraceFinding("error_status", "lookup failed with KeyError", 1),)
    trace = Trace(origin="spans", steps=(), status="error", error=StepError("boom"))
    assert [finding.code for finding in check_trace(trace, ())] == ["no_steps", "error_status"]


def test_notes_of_any_text_are_findings() -> None:
    trace = msgspec.structs.replace(
        assemble([], [model_span("m", 0, 1)], key=key).trace, notes=("by hand", "code[3]: a: b")
    )
    assert check_trace(trace, ()) == (TraceFinding("note", "by hand"), TraceFinding("code", "a: b", 3))

"""Spans as exporters really send them, from the agent that exports to what the capture says and stores."""

from __future__ import annotations

import json

import pytest

from tests.integration.stand import Stand
from tests.integration.wire import CHAT_EVENTS

POST = """
def post(body, media="application/json"):
    url = os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]
    try:
        urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": media}), timeout=20).read()
        print(200)
    except urllib.error.HTTPError as error:
        print(error.code, error.headers["Content-Type"], error.read())
"""


@pytest.mark.parametrize(
    ("trace_id", "span_id", "field"),
    [
        ("W47/95gDgQPSabYzgT/GDA==", "7uGbfsPBsXQ=", "traceId"),
        ("5B8EFFF798038103D269B633813FC60C", "7uGbfsPBsXQ=", "spanId"),
    ],
)
def test_c021_ids_in_base64_are_refused_by_name_and_the_capture_says_so(
    stand: Stand, trace_id: str, span_id: str, field: str
) -> None:
    span = {"traceId": trace_id, "spanId": span_id, "name": "chat"}
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    said = stand.capture(f"{POST}\npost({body!r})", code=1)
    place = f"resourceSpans[0].scopeSpans[0].spans[0].{field}"
    assert said.out.startswith("400 application/json")
    assert place in said.out
    assert place in said.line("cause         trace export 0 was refused")
    (stand.root / "spans.json").write_bytes(body)
    refused = stand.stepfork("capture", "--name", "x", "--from", "spans.json", code=2)
    assert f"spans.json: {place}: " in refused.err


def test_c022_counts_past_what_a_float_holds_are_exact_in_the_stored_trace(stand: Stand) -> None:
    values = ['"9007199254740993"', "9007199254740993", '"42"', "42"]
    keys = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
    pairs = [(keys[number % 2], value) for number, value in enumerate(values)]
    spans = []
    for number in range(2):
        attributes = [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}]
        attributes += [{"key": key, "value": {"intValue": json.loads(v)}} for key, v in pairs[2 * number :][:2]]
        spans.append({"traceId": "01" * 16, "spanId": f"{number + 1:016x}", "name": "chat", "attributes": attributes})
    export = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    (stand.root / "spans.json").write_text(export)
    stand.stepfork("capture", "--name", "case", "--from", "spans.json")
    usages = [step["usage"] for step in stand.document()["trace"]["steps"]]
    assert [(usage["input_tokens"], usage["output_tokens"]) for usage in usages] == [(2**53 + 1, 2**53 + 1), (42, 42)]
    (stand.root / "spans.json").write_text(export.replace('"42"', '"forty-two"'))
    refused = stand.stepfork("capture", "--name", "case", "--from", "spans.json", code=2)
    assert "spans[1].attributes[1].value.intValue" in refused.err


def test_c023_one_bad_attribute_costs_itself_and_is_mentioned(stand: Stand) -> None:
    said = stand.capture(
        "spans = [span(number) for number in range(1, 11)]\n"
        "spans[4]['attributes'].append({'key': 'gen_ai.usage.input_tokens', 'value': {'doubleValue': None}})\n"
        "export(*spans)\n",
        code=1,
    )
    assert said.line("trace") == "trace         10 steps from 10 spans, see below"
    assert said.line("llm_call chat") == "llm_call chat: gen_ai.usage.input_tokens: doubleValue is null"
    steps = stand.document()["trace"]["steps"]
    assert [step["model"] for step in steps] == ["test-model"] * 10
    assert not [step for step in steps if "usage" in step]


def test_c024_what_the_receiver_refuses_fails_the_capture_and_is_no_reason_to_repeat(stand: Stand) -> None:
    posts = "post(b'\\xff\\xff', 'application/x-protobuf'); post(b'{'); post(b'x', 'text/plain'); export(span(1))"
    said = stand.capture(f"{POST}\n{posts}", code=1)
    replies = [line.split()[:2] for line in said.out.splitlines()]
    assert replies == [["400", "application/x-protobuf"], ["400", "application/json"], ["415", "application/json"]]
    causes = [line for line in said.err.splitlines() if line.startswith("  cause")]
    assert len(causes) == 3
    assert all(f"trace export {number} was refused" in cause for number, cause in enumerate(causes))
    assert stand.files() == {}


def test_c026_a_batch_that_was_sent_again_counts_once_and_a_contradiction_is_reported(stand: Stand) -> None:
    said = stand.capture("ask('hi')\nexport(span(1)); export(span(1))")
    assert said.line("trace") == "trace         1 step from 2 spans, check clean"
    assert [step["type"] for step in stand.document()["trace"]["steps"]] == ["llm_call"]
    said = stand.capture("ask('hi')\nexport(span(1)); export(span(1, gen_ai__response__id='other'))", code=1)
    assert "two different spans came under one id" in said.line("two different")
    assert len(stand.document()["trace"]["steps"]) == 1


def test_c028_no_span_at_all_fails_with_the_hint_and_missing_ones_are_counted(stand: Stand) -> None:
    said = stand.capture("pass", code=1)
    assert "flush the tracer provider before the command exits" in said.line("cause")
    assert stand.files() == {}
    said = stand.capture("ask('one'); ask('two'); export(span(1))", code=1)
    assert said.line("1 of 2") == "1 of 2 answered model calls have no span"
    tools = "export(span(9, 'execute_tool t', 'execute_tool', gen_ai__tool__name='t'))"
    said = stand.capture(f"ask('one'); ask('two'); {tools}")
    assert said.line("none of 2") == "none of 2 model calls has a span; the exchanges tell of them"


def test_c029_streamed_calls_and_their_spans_are_counted_against_one_another(stand: Stand) -> None:
    said = stand.capture(
        "for number in range(4): ask(f'page {number}', stream=True)\n"
        "export(span(1, gen_ai__response__id='chatcmpl-test0001'), span(2), span(3))\n",
        lambda asked, line: line.stream(*CHAT_EVENTS),
        code=1,
    )
    assert said.line("trace") == "trace         3 steps from 3 spans, see below"
    assert said.line("1 of 4") == "1 of 4 answered model calls have no span"
    assert stand.manifest()["verification"]["outcome"] == "not_verified"
    told = stand.stepfork("capture", "--name", "case", "--json", "--", "python", "agent.py", code=1)
    document = json.loads(told.out)
    assert (document["captured"], document["verified"]) == (True, False)
    assert "calls_without_spans" in " ".join(document["causes"])
    assert [finding["code"] for finding in document["findings"]] == ["calls_without_spans"]

from __future__ import annotations

import json
import random
import re

import msgspec
import pytest

from stepfork.canonical.encode import dumps
from stepfork.capture.assemble import Assembled, assemble
from stepfork.capture.check import check_trace
from stepfork.trace.body import BytesBody, EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.recorded import Recorded
from stepfork.trace.span import Span
from stepfork.trace.step import Usage
from tests.unit.capture.run_samples import (
    MS,
    agent_span,
    asked,
    call,
    key,
    model_span,
    recorded,
    refund_run,
    result,
    said,
    tool_span,
    user,
)


def shape(run: Assembled) -> str:
    """The run with its ids numbered in order of appearance: what two equal runs must share."""
    text = dumps(msgspec.to_builtins((run.trace, run.exchanges))).decode()
    seen: dict[str, str] = {}
    return re.sub(r"(?:call_|chatcmpl-)[a-z0-9]{20}", lambda found: seen.setdefault(found[0], f"id {len(seen)}"), text)


def findings(run: Assembled) -> list[str]:
    return [finding.code for finding in check_trace(run.trace, run.exchanges)]


def test_spans_and_exchanges_of_one_run_are_one_trace() -> None:
    calls, spans = refund_run()
    run = assemble(calls, spans, key=key)
    assert run.trace.origin == "spans"
    assert [(step.type, step.parent, step.exchange, step.group) for step in run.trace.steps] == [
        ("agent_call", None, None, None),
        ("llm_call", 0, 0, None),
        ("tool_call", 0, None, None),
        ("llm_call", 0, 1, None),
        ("tool_call", 0, None, 1),
        ("tool_call", 0, None, 1),
        ("llm_call", 0, 2, None),
    ]
    assert [step.arguments["part"] for step in run.trace.steps[4:6]] == [1, 2]
    assert findings(run) == []


def test_exchanges_fill_what_spans_lack() -> None:
    calls, spans = refund_run()
    bare = [
        msgspec.structs.replace(
            span,
            attributes={
                name: value
                for name, value in span.attributes.items()
                if name not in ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result")
            },
        )
        for span in spans
    ]
    full, filled = assemble(calls, spans, key=key), assemble(calls, bare, key=key)
    assert filled == full
    assert filled.trace.steps[1].usage == Usage(10, 5, 2)
    assert filled.trace.steps[1].model == "gpt-4.1-2025-04-14"
    assert filled.trace.steps[1].finish_reasons == ("tool_calls",)
    assert (filled.trace.input, filled.trace.output) == ("Refund order O-1042.", "Order O-1042 was refunded.")


def test_what_a_span_says_itself_stands() -> None:
    calls = [recorded([user("Hi.")], said("Hello."), start=2, name="chatcmpl-a")]
    attributes = {
        "gen_ai__response__id": "chatcmpl-a",
        "gen_ai__response__model": "other",
        "gen_ai__usage__input_tokens": 99,
        "gen_ai__response__finish_reasons": ["end"],
    }
    [step] = assemble(calls, [model_span("m", 0, 9, **attributes)], key=key).trace.steps
    assert (step.model, step.usage, step.finish_reasons) == ("other", Usage(99, 5, 2), ("end",))


def test_a_failed_tool_keeps_its_error_and_has_no_result() -> None:
    answer = asked(call("lookup", call_id="call_1"))
    calls = [
        recorded([user("Hi.")], answer, start=0, name="chatcmpl-1"),
        recorded(
            [user("Hi."), answer, result("call_1", "Error: no such order")], said("Sorry."), start=20, name="chatcmpl-2"
        ),
    ]
    spans = [tool_span("t", 6, 7, gen_ai__tool__call__id="call_1", status="error", error__type="KeyError")]
    step = next(step for step in assemble(calls, spans, key=key).trace.steps if step.type == "tool_call")
    assert step.error is not None
    assert step.result is msgspec.UNSET


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]])
def test_models_without_a_response_id_are_matched_by_the_time_they_lasted(order: list[int]) -> None:
    calls = [recorded([user(f"Page {i}?")], said(f"{i}"), start=20 * i + 2, name=f"chatcmpl-{i}") for i in range(4)]
    spans = [model_span(f"m{i}", 20 * i, 20 * i + 9) for i in range(4)]
    steps = assemble(calls, [spans[i] for i in order], key=key).trace.steps
    assert [step.exchange for step in steps] == [0, 1, 2, 3]


def test_where_clocks_do_not_agree_the_order_decides() -> None:
    calls = [recorded([user(f"Page {i}?")], said(f"{i}"), start=20 * i, name=f"chatcmpl-{i}") for i in range(3)]
    spans = [model_span(f"m{i}", 90_000 + i, 90_000 + i + 1) for i in range(3)]
    assert [step.exchange for step in assemble(calls, spans, key=key).trace.steps] == [0, 1, 2]


def test_of_several_attempts_a_model_step_is_the_one_that_was_answered() -> None:
    question = [user("Hi.")]
    calls = [recorded(question, start=2, status=529), recorded(question, said("Hello."), start=12)]
    [step] = assemble(calls, [model_span("m", 0, 30)], key=key).trace.steps
    assert step.exchange == 1
    failed = model_span("m", 0, 8, status="error", error__type="529")
    [step] = assemble(calls[:1], [failed], key=key).trace.steps
    assert step.exchange == 0


def test_request_ids_of_the_response_headers_link_too() -> None:
    calls = [recorded([user("A?")], said("A"), start=2), recorded([user("B?")], said("B"), start=2)]
    named = [
        Recorded(
            msgspec.structs.replace(
                one.exchange,
                response=msgspec.structs.replace(one.exchange.response, headers={"request-id": f"req_{i}"}),
            ),
            one.arrived_ns,
            one.ended_ns,
            0,
        )
        for i, one in enumerate(calls)
    ]
    spans = [model_span("b", 0, 9, request_id="req_1"), model_span("a", 0, 9, request_id="req_0")]
    run = assemble(named, spans, key=key)
    for step, text in zip(run.trace.steps, ("A?", "B?"), strict=True):
        assert step.exchange is not None
        body = run.exchanges[step.exchange].request.body
        assert isinstance(body, JsonBody)
        assert body.value["messages"][0]["content"] == text


def test_tools_without_ids_take_the_call_that_is_most_like_theirs() -> None:
    answer = asked(
        call("refund", {"order": "a"}, "call_a"),
        call("refund", {"order": "b"}, "call_b"),
        call("mcp__shop__notify", {}, "call_n"),
    )
    back = [result("call_a", "ok a"), result("call_b", "ok b"), result("call_n", "sent")]
    calls = [
        recorded([user("Hi.")], answer, start=0, name="chatcmpl-1"),
        recorded([user("Hi."), answer, *back], said("Done."), start=50, name="chatcmpl-2"),
    ]
    spans = [
        tool_span("t1", 10, 20, "refund", gen_ai__tool__call__arguments='{"order": "b"}'),
        tool_span("t2", 11, 20, "notify"),
        tool_span("t3", 12, 20, "refund"),
    ]
    steps = [step for step in assemble(calls, spans, key=key).trace.steps if step.type == "tool_call"]
    assert [(step.name, step.call_id, step.result, step.group) for step in steps] == [
        ("refund", "call_a", "ok a", 1),
        ("refund", "call_b", "ok b", 1),
        ("notify", "call_n", "sent", 1),
    ]


def test_a_run_whose_model_client_is_not_instrumented_gets_its_model_steps_from_the_exchanges() -> None:
    calls, spans = refund_run()
    tools = [span for span in spans if span.attributes["gen_ai.operation.name"] != "chat"]
    run = assemble(calls, tools, key=key)
    assert [(step.type, step.parent, step.exchange) for step in run.trace.steps if step.type == "llm_call"] == [
        ("llm_call", 0, 0),
        ("llm_call", 0, 1),
        ("llm_call", 0, 2),
    ]
    assert [step.type for step in run.trace.steps] == [
        step.type for step in assemble(calls, spans, key=key).trace.steps
    ]
    assert findings(run) == ["models_from_exchanges"]


def test_spans_that_are_no_steps_leave_the_trace_to_the_exchanges() -> None:
    calls, spans = refund_run()
    legacy = [msgspec.structs.replace(span, attributes={}) for span in spans]
    run = assemble(calls, legacy, key=key)
    assert run.trace.origin == "exchanges"
    assert len(run.trace.steps) == 6
    assert findings(run) == ["no_genai_spans"]


def test_an_agent_inside_a_tool_stands_inside_it() -> None:
    outer = asked(call("research", {"task": "Find the refund policy of the shop."}, "call_r"))
    inner = asked(call("search", {"q": "policy"}, "call_s"))
    task = [user("Find the refund policy of the shop.")]
    found = [*task, inner, result("call_s", "30 days")]
    calls = [
        recorded([user("Policy?")], outer, start=0, name="chatcmpl-1"),
        recorded(task, inner, start=20, name="chatcmpl-2"),
        recorded(found, said("The shop refunds within 30 days."), start=40, name="chatcmpl-3"),
        recorded(
            [user("Policy?"), outer, result("call_r", "The shop refunds within 30 days.")],
            said("30 days."),
            start=60,
            name="chatcmpl-4",
        ),
    ]
    spans = [
        agent_span("main", 0, 90),
        model_span("m1", 0, 9, under="main", gen_ai__response__id="chatcmpl-1"),
        tool_span("t1", 10, 50, "research", under="main", gen_ai__tool__call__id="call_r"),
        agent_span("helper", 11, 49, under="t1"),
        model_span("m2", 19, 29, under="helper", gen_ai__response__id="chatcmpl-2"),
        tool_span("t2", 30, 35, "search", under="helper", gen_ai__tool__call__id="call_s"),
        model_span("m3", 39, 48, under="helper", gen_ai__response__id="chatcmpl-3"),
        model_span("m4", 59, 70, under="main", gen_ai__response__id="chatcmpl-4"),
    ]
    run = assemble(calls, spans, key=key)
    assert [(step.name, step.parent, step.exchange) for step in run.trace.steps] == [
        ("main", None, None),
        ("chat", 0, 0),
        ("research", 0, None),
        ("helper", 2, None),
        ("chat", 3, 1),
        ("search", 3, None),
        ("chat", 3, 2),
        ("chat", 0, 3),
    ]
    assert (run.trace.input, run.trace.output) == ("Policy?", "30 days.")
    assert findings(run) == []


def test_a_tool_stands_where_it_was_asked_for_not_where_its_inner_calls_stand() -> None:
    answer = asked(call("ask", {"q": "b"}, "call_q"))
    calls = [
        recorded([user("z?")], answer, start=0, name="chatcmpl-1"),
        recorded(
            [user("b")], said("c"), start=20, name="chatcmpl-2"
        ),  # too short to be linked: stored before the others
        recorded([user("z?"), answer, result("call_q", "c")], said("C."), start=60, name="chatcmpl-3"),
    ]
    spans = [
        model_span("m1", 0, 9, gen_ai__response__id="chatcmpl-1"),
        tool_span("t1", 10, 50, "ask", gen_ai__tool__call__id="call_q"),
        model_span("m2", 19, 29, under="t1", gen_ai__response__id="chatcmpl-2"),
        model_span("m3", 59, 70, gen_ai__response__id="chatcmpl-3"),
    ]
    run = assemble(calls, spans, key=key)
    assert [(step.name, step.parent, step.exchange) for step in run.trace.steps] == [
        ("chat", None, 1),
        ("ask", None, None),
        ("chat", 1, 0),
        ("chat", None, 2),
    ]


def test_equal_runs_have_equal_traces_however_their_timing_and_ids_differ() -> None:
    assert len({shape(assemble(*refund_run(seed=seed), key=key)) for seed in range(12)}) == 1
    assert len({shape(assemble(refund_run(seed=seed)[0], [], key=key)) for seed in range(12)}) == 1


def crowd(seed: int) -> tuple[list[Recorded], list[Span]]:
    """Eight agents at once, each on an order of its own, started in any order and as fast as they come."""
    chance = random.Random(seed)
    calls: list[Recorded] = []
    spans: list[Span] = []
    for order in chance.sample(range(8), 8):
        start, slow = chance.randint(0, 15), chance.uniform(0.7, 3)
        some, told = refund_run(start, order=f"O-{order // 2}", seed=1000 * seed + order, slow=slow)
        calls += some
        spans += told
    chance.shuffle(spans)
    return sorted(calls, key=lambda one: one.arrived_ns), spans


def test_concurrent_agents_are_kept_whole_and_stand_in_one_order() -> None:
    runs = [assemble(*crowd(seed), key=key) for seed in range(15)]
    assert len({shape(run) for run in runs}) == 1
    texts = [json.dumps(msgspec.to_builtins(exchange.request.body)) for exchange in runs[0].exchanges]
    orders = [re.findall(r"O-\d", text)[0] for text in texts]
    assert orders == sorted(orders)
    assert [len(msgspec.to_builtins(exchange.request.body)["value"]["messages"]) for exchange in runs[0].exchanges] == [
        1,
        3,
        6,
    ] * 8
    assert findings(runs[0]) == []


def test_concurrent_agents_without_spans_stand_in_one_order() -> None:
    assert len({shape(assemble(crowd(seed)[0], [], key=key)) for seed in range(15)}) == 1


def test_spans_alone_of_concurrent_agents_keep_each_agent_whole() -> None:
    _, spans = crowd(3)
    steps = assemble([], spans, key=key).trace.steps
    assert [index for index, step in enumerate(steps) if step.parent is None] == list(range(0, 56, 7))


def test_a_span_that_outlasts_its_exchange_changes_no_order() -> None:
    """A title request whose span overlaps the agent's in one run and not in the other, while the calls never do."""
    calls, spans = refund_run(start=100)
    title = recorded([user("Title?")], said("Refund"), start=10, name="chatcmpl-title")
    shapes = set()
    for end in (20, 130):
        own = model_span("title", 5, end, trace="t", gen_ai__response__id="chatcmpl-title")
        shapes.add(shape(assemble([title, *calls], [*spans, own], key=key)))
    assert len(shapes) == 1


def test_steps_that_nothing_links_stand_where_they_started() -> None:
    calls, spans = refund_run()
    root = spans[-1]
    models = sorted(
        (span for span in spans if span.attributes["gen_ai.operation.name"] == "chat"), key=lambda s: s.start_ns
    )
    retrieval = Span(
        trace_id=root.trace_id,
        span_id="r",
        parent_id=root.span_id,
        name="vector store",
        start_ns=models[1].start_ns - MS // 2,
        end_ns=models[1].start_ns,
        attributes={"gen_ai.operation.name": "retrieval"},
    )
    steps = assemble(calls, [retrieval, *spans], key=key).trace.steps
    assert [step.type for step in steps][:5] == ["agent_call", "llm_call", "tool_call", "retrieval", "llm_call"]


def test_large_texts_are_not_repeated_in_the_trace() -> None:
    long = "x" * 10_000
    calls = [recorded([user(long), said(long), user("Go on.")], said("Done."), start=0, name="chatcmpl-1")]
    spans = [
        model_span(
            "m",
            0,
            9,
            gen_ai__response__id="chatcmpl-1",
            gen_ai__input__messages=json.dumps([{"role": "user", "content": long}]),
        )
    ]
    [step] = assemble(calls, spans, key=key).trace.steps
    assert len(dumps(msgspec.to_builtins(step))) < 500


def test_the_body_of_an_embeddings_call_is_linked_to_its_step() -> None:
    exchange = Exchange(
        "openai",
        "other",
        Request("POST", "/embeddings", "", "application/json", JsonBody({"model": "e", "input": "x"})),
        Response(200, "application/json", {}, JsonBody({"object": "list", "model": "e", "data": []})),
    )
    spans = [model_span("e", 0, 9, gen_ai__operation__name="embeddings", gen_ai__request__model="e")]
    [step] = assemble([Recorded(exchange, 2 * MS, 3 * MS, 0)], spans, key=key).trace.steps
    assert (step.name, step.exchange) == ("embeddings", 0)


def streamed(*pieces: str, usage: str = "null") -> Recorded:
    """A streamed Chat Completions answer; `pieces` are spelled as JSON text."""
    events = [f'data: {{"choices": [{{"index": 0, "delta": {{"content": "{piece}"}}}}]}}' for piece in pieces]
    end = f'data: {{"choices": [{{"index": 0, "delta": {{}}, "finish_reason": "stop"}}], "usage": {usage}}}'
    body = JsonBody({"model": "m", "stream": True, "messages": [user("Hi.")]})
    exchange = Exchange(
        "openai",
        "chat_completions",
        Request("POST", "/chat/completions", "", "application/json", body),
        Response(200, "text/event-stream", {}, EventsBody((*events, end, "data: [DONE]", ""))),
    )
    return Recorded(exchange, 0, 5 * MS, 0)


def test_half_a_character_in_a_stream_costs_itself_only() -> None:
    assert assemble([streamed("cut \\ud83d", " off")], [], key=key).trace.output == "cut \ufffd off"
    run = assemble([streamed("joined \\ud83d", "\\ude00")], [model_span("m", 0, 9)], key=key)
    assert run.trace.output == "joined \U0001f600"
    dumps(msgspec.to_builtins(run))


def test_a_count_past_64_bits_is_no_count() -> None:
    run = assemble([streamed("Hi", usage='{"prompt_tokens": 1' + "0" * 30 + ', "completion_tokens": 3}')], [], key=key)
    assert run.trace.steps[0].usage == Usage(output_tokens=3)


ODD: list[JsonBody | TextBody | BytesBody | None] = [
    None,
    TextBody('{"a'),
    BytesBody(b"\xff"),
    JsonBody([1]),
    JsonBody({}),
    JsonBody({"id": 1, "choices": [None, {"message": {"tool_calls": [{"id": 3, "function": None}]}}]}),
    JsonBody(
        {"messages": [1, None, {"role": 3}, {"role": "assistant", "tool_calls": [{}]}, {"role": "tool"}], "model": 3}
    ),
    JsonBody({"messages": {"role": "user"}, "choices": {"message": 1}, "usage": {"prompt_tokens": "x"}}),
    JsonBody({"choices": [{"message": {"content": "x"}, "finish_reason": 7}], "usage": {"prompt_tokens": 2**64 - 1}}),
]


@pytest.mark.parametrize("request_body", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("response_body", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("api", ["chat_completions", "responses", "messages", "other"])
def test_bodies_of_any_shape_are_assembled_and_checked(
    request_body: JsonBody | TextBody | BytesBody | None,
    response_body: JsonBody | TextBody | BytesBody | None,
    api: str,
) -> None:
    exchange = Exchange("openai", api, Request("POST", "/x", body=request_body), Response(200, body=response_body))
    calls = [Recorded(exchange, 0, 5, 0), Recorded(exchange, 3, 9, 1)]
    for spans in ([], [model_span("m", 0, 9)], [tool_span("t", 0, 9)]):
        run = assemble(calls, spans, key=lambda _: b"")
        assert len(run.exchanges) == 2
        dumps(msgspec.to_builtins(run.trace))
        check_trace(run.trace, run.exchanges)

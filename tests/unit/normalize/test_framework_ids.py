"""What frameworks, gateways and languages make up, in the texts in which they put it; made-up values throughout."""

import json

import msgspec
import pytest

from stepfork.normalize.matching import Matcher
from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.reprs import pointers
from stepfork.normalize.told import Told, is_distinctive
from stepfork.trace.body import JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace
from stepfork.trace.wire import read_body
from tests.unit.normalize.scripted import World, exchange

SOURCE = Source("command", True)
UUID = "716077ee-e829-4b61-ace2-2c2e56f5f989"
OTHER = "0197a3c4-5d6e-7f80-9a1b-2c3d4e5f6071"
HEX = "9f8e7d6c5b4a3210"


def of(*exchanges, steps=()):
    return normalize_run(Run(SOURCE, Trace("spans", steps), exchanges), World(1).context())


def text_of(content):
    (made,) = of(exchange("chat_completions", {"messages": [{"role": "user", "content": content}]}, {})).exchanges
    return made.request.body.value["messages"][0]["content"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"[HumanMessage(content='Hi', additional_kwargs={{}}, response_metadata={{}}, id='{UUID}')]",
            "[HumanMessage(content='Hi', additional_kwargs={}, response_metadata={}, id='{{id_1}}')]",
        ),
        (
            f"AIMessage(content='', id='lc_run--{OTHER}-0', tool_calls=[{{'args': {{'id': '{UUID}'}}}}])",
            f"AIMessage(content='', id='lc_run--{{{{id_1}}}}', tool_calls=[{{'args': {{'id': '{UUID}'}}}}])",
        ),
        (
            f"ToolMessage(content='x', name='t', id='{UUID}', tool_call_id='D681PevKs')",
            "ToolMessage(content='x', name='t', id='{{id_1}}', tool_call_id='{{id_2}}')",
        ),
        (
            f"{{'content': 'x', 'additional_kwargs': {{}}, 'type': 'human', 'name': None, 'id': '{UUID}'}}",
            "{'content': 'x', 'additional_kwargs': {}, 'type': 'human', 'name': None, 'id': '{{id_1}}'}",
        ),
        (
            f"Calling tools:\n[{{'id': '{UUID}', 'type': 'function', 'function': {{'name': 't'}}}}]",
            "Calling tools:\n[{'id': '{{id_1}}', 'type': 'function', 'function': {'name': 't'}}]",
        ),
        (
            f"TextMessage(id='{UUID}', source='refund', models_usage=None, content='x', type='TextMessage')",
            "TextMessage(id='{{id_1}}', source='refund', models_usage=None, content='x', type='TextMessage')",
        ),
        (f"ModelResponse(parts=[], run_id='{OTHER}')", "ModelResponse(parts=[], run_id='{{id_1}}')"),
        (f"Order(id='{UUID}')", f"Order(id='{UUID}')"),
        (f"ToolMessage(content='x', order_id='{UUID}')", f"ToolMessage(content='x', order_id='{UUID}')"),
        ("ToolCall(id='call_1', name='t')", "ToolCall(id='call_1', name='t')"),
        (
            "<Order object at 0x7f3a2c1d5e50>, <function f at 0x000001F2A3B4C5D6>, #<Order:0x000078e1f8b7a1c8 @n=1>",
            "<Order object at 0x0>, <function f at 0x0>, #<Order:0x0 @n=1>",
        ),
        ("jump at 0x08001234, colour 0xff00aa11", "jump at 0x08001234, colour 0xff00aa11"),
    ],
)
def test_printed_values(text, expected):
    assert text_of(text) == expected


def test_a_langchain_message_kept_as_data_tells_its_id():
    message = {"content": "Hi", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "id": UUID}
    dumped = {
        "lc": 1,
        "type": "constructor",
        "kwargs": {"content": "x", "additional_kwargs": {}, "id": f"run--{OTHER}"},
    }
    step = Step("tool_call", "t", 1, 2, arguments={"state": [message]}, result={"order": OTHER})
    first = exchange("chat_completions", {"messages": [{"content": json.dumps([dumped, {"id": OTHER}])}]}, {})
    run = of(first, steps=(step,))
    told = json.loads(run.exchanges[0].request.body.value["messages"][0]["content"])
    assert told[0]["kwargs"]["id"] == "run--{{id_1}}"
    assert told[1] == {"id": OTHER}
    assert run.trace.steps[0].arguments["state"][0]["id"] == "{{id_2}}"
    assert run.trace.steps[0].result == {"order": OTHER}


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("tmpk3j9x0_a", ""),
        ("tmpqwertyui", ""),
        ("tmp.Xa8dQ2mZpL", ""),
        ("tmpk3j9x0_a.json", ".json"),
        (f"job-{UUID}", ""),
        ("agent-k3j9x0ab", ""),
        ("report_xkcdqwzt", ""),
        ("build-aB3xYz", ""),
        ("go-build3141592653", ""),
        ("1a2b3c4d5e6f", ""),
        ("pytest-of-ada/pytest-12", None),
        ("report-20261130", "report-20261130"),
        ("refund-agent", "refund-agent"),
        ("v1.2.3", "v1.2.3"),
        ("order-1042", "order-1042"),
        ("OrderReports", "OrderReports"),
        ("release2026", "release2026"),
        ("data_pipeline_output", "data_pipeline_output"),
        ("workbench", "workbench"),
        ("v2_final", "v2_final"),
        ("q3report", "q3report"),
        ("20261130184254", "20261130184254"),
    ],
)
def test_made_up_names_below_the_folder_for_temporary_files(name, kept):
    made = text_of(f"wrote /tmp/{name}/x.csv")
    if kept is None:
        assert made == "wrote {{tmp}}/pytest-of-ada/{{id_1}}/x.csv"
    else:
        random = name[: len(name) - len(kept)]
        assert made == f"wrote {{{{tmp}}}}/{'{{id_1}}' if random else ''}{kept}/x.csv"
    assert text_of(f"wrote /srv/{name}/x.csv") == f"wrote /srv/{name}/x.csv"


@pytest.mark.parametrize(
    "said",
    [
        f"The server had an error (request id: {HEX}).",
        f"Request ID {HEX} failed",
        f"Correlation-Id: {HEX}",
        f'{{"request_id":"{HEX}"}} was refused',
        f"Activity ID = {HEX}",
    ],
)
def test_the_id_that_an_error_names_is_one_and_is_known_from_then_on(said):
    failed = exchange("chat_completions", {"messages": []}, {"error": {"message": said}})
    failed = Exchange("openai", failed.api, failed.request, Response(500, body=failed.response.body))
    later = exchange("chat_completions", {"messages": [{"content": f"It said {HEX}."}]}, {})
    first, second = of(failed, later).exchanges
    assert HEX not in json.dumps(first.response.body.value)
    assert second.request.body.value["messages"][0]["content"] == "It said {{id_1}}."
    fine = exchange("chat_completions", {"messages": []}, {"choices": [{"message": {"content": said}}]})
    assert HEX in json.dumps(of(fine).exchanges[0].response.body.value)


@pytest.mark.parametrize("where", ["header", "body"])
def test_a_gateways_bare_id_in_an_error_is_told_by_a_header_or_a_field(where):
    body = {"error": {"message": f"upstream said no ({HEX})", "type": "x"}} | (
        {"requestId": HEX} if where == "body" else {}
    )
    headers = {"x-request-id": HEX} if where == "header" else {}
    sent = Exchange(
        "gateway", "other", Request("POST", "/x"), Response(502, "application/json", headers, JsonBody(body))
    )
    (made,) = of(sent).exchanges
    assert made.response.body.value["error"]["message"] == "upstream said no ({{id_1}})"


def test_a_programs_books_are_ids_where_they_look_generated():
    body = {
        "messages": [],
        "prompt_cache_key": UUID,
        "session_id": "support-chat-7",
        "metadata": {"trace_id": "a1" * 16, "session_id": HEX, "user_id": OTHER, "run_id": "nightly"},
    }
    (made,) = of(exchange("chat_completions", body, {})).exchanges
    told = made.request.body.value
    assert (told["prompt_cache_key"], told["session_id"]) == ("{{id_3}}", "support-chat-7")
    assert told["metadata"] == {
        "trace_id": "{{id_2}}",
        "session_id": "{{id_1}}",
        "user_id": OTHER,
        "run_id": "nightly",
    }


def test_ids_of_the_runs_own_spans_are_found_in_data():
    trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    turns = json.dumps([{"from_agent": span, "note": json.dumps({"trace": trace})}])
    sent = exchange("chat_completions", {"messages": [{"content": turns}]}, {})
    context = msgspec.structs.replace(World(1).context(), ids=(trace, span))
    run = Run(SOURCE, Trace("spans", (Step("tool_call", "t", 1, 2, result={"seen": f"in {trace}"}),)), (sent,))
    made = normalize_run(run, context)
    told = json.loads(made.exchanges[0].request.body.value["messages"][0]["content"])
    assert told == [{"from_agent": "{{id_1}}", "note": '{"trace": "{{id_2}}"}'}]
    assert made.trace.steps[0].result == {"seen": "in {{id_2}}"}
    plain = normalize_run(run, World(1).context())  # a trace that somebody asks about is data
    assert plain.exchanges == run.exchanges


ANSWER = {
    "id": "9-7b", "object": "chat.completion", "created": 1800000000, "model": "gpt-4.1",
    "system_fingerprint": "fp_a1b2c3d4e5",
    "choices": [{"message": {"content": "at fp_0011223344"}}], "usage": {"total_time": 0.5, "total_tokens": 9},
}  # fmt: skip
MADE = {
    "id": "{{id_1}}", "object": "chat.completion", "created": 1, "model": "gpt-4.1",
    "system_fingerprint": "fp_{{fingerprint}}", "choices": [{"message": {"content": "at fp_{{fingerprint}}"}}],
    "usage": {"total_time": 0.0, "total_tokens": 9},
}  # fmt: skip


def test_an_answer_that_is_kept_as_data_has_its_envelope_there():
    twice = json.dumps({"raw": json.dumps(ANSWER)})
    step = Step("tool_call", "t", 1, 2, arguments={"of": 1}, result=ANSWER)
    run = of(exchange("chat_completions", {"messages": [{"role": "user", "content": twice}]}, {}), steps=(step,))
    content = run.exchanges[0].request.body.value["messages"][0]["content"]
    assert json.loads(json.loads(content)["raw"]) == MADE
    assert run.trace.steps[0].result == MADE
    assert normalize_run(run, World(1).context(), templated=True) == run


def test_a_body_of_an_opaque_route_is_no_answer():
    body = ANSWER | {"choices": [], "system_fingerprint": "x"}
    events = read_body(f"data: {json.dumps(body)}\n\n".encode(), "text/event-stream")
    for told in (JsonBody(body), events):
        sent = Exchange("tool", "opaque", Request("POST", "/q"), Response(200, body=told))
        assert of(sent).exchanges[0].response.body == told


def test_metadata_of_an_answer_keeps_no_clock():
    metadata = {"created_at": "2019-01-01T00:00:00Z", "total_duration": 4935886791, "eval_count": 7, "id": "9-7b"}
    text = json.dumps({"response_metadata": metadata, "total_duration": 5})
    printed = "AIMessage(content='x', response_metadata={'total_duration': 4935886791, 'eval_count': 7}, id='x')"
    made = json.loads(text_of(text))
    assert made["response_metadata"] == {
        "created_at": "{{timestamp_1}}",
        "total_duration": 0,
        "eval_count": 7,
        "id": "{{id_1}}",
    }
    assert made["total_duration"] == 5
    assert text_of(printed) == printed.replace("4935886791", "0")


ENVELOPES = {
    "groq": {"x_groq": {"id": "req_01j6y8ybhffz1r327rjcy7ygra"}, "usage": {"queue_time": 0.02, "total_time": 1.5}},
    "mistral": {
        "id": "cmpl-e5cc70bb28c444948073e77776eb30ef",
        "choices": [{"message": {"tool_calls": [{"id": "D681PevKs"}]}}],
    },
    "gemini": {
        "responseId": "kXYzaP2TDeyT7M8PxMTZqQQ",
        "createTime": "2027-01-15T08:00:00.123456Z",
        "modelVersion": "2",
    },
    "bedrock": {"metrics": {"latencyMs": 812}, "amazon-bedrock-invocationMetrics": {"firstByteLatency": 300}},
    "azure": {"usage": {"latency_checkpoint": {"engine_ttft_ms": 30}}, "prompt_filter_results": []},
    "cerebras": {"time_info": {"queue_time": 0.1, "created": 1800000000}},
    "sambanova": {"usage": {"start_time": 1800000000.5, "end_time": 1800000001.5, "time_to_first_token": 0.4}},
    "gateway": {"duration": "3.2s", "latency": "3.2s", "error": {"requestId": "a-b-c"}},
}


@pytest.mark.parametrize("name", ENVELOPES)
def test_envelopes_of_other_providers(name):
    expected = {
        "groq": {"x_groq": {"id": "req_{{id_1}}"}, "usage": {"queue_time": 0.0, "total_time": 0.0}},
        "mistral": {"id": "cmpl-{{id_2}}", "choices": [{"message": {"tool_calls": [{"id": "{{id_1}}"}]}}]},
        "gemini": {
            "responseId": "{{id_1}}",
            "createTime": "{{timestamp_1:YYYY-MM-DDThh:mm:ss.ffffffZ}}",
            "modelVersion": "2",
        },
        "bedrock": {"metrics": {"latencyMs": 0}, "amazon-bedrock-invocationMetrics": {"firstByteLatency": 0}},
        "azure": {"usage": {"latency_checkpoint": {"engine_ttft_ms": 0}}, "prompt_filter_results": []},
        "cerebras": {"time_info": {"queue_time": 0.0, "created": 1}},
        "sambanova": {"usage": {"start_time": 1.0, "end_time": 2.0, "time_to_first_token": 0.0}},
        "gateway": {"duration": "3.2s", "latency": "0s", "error": {"requestId": "{{id_1}}"}},
    }[name]
    told = Exchange("openai", "other", Request("POST", "/x"), Response(200, body=JsonBody(ENVELOPES[name])))
    assert of(told).exchanges[0].response.body.value == expected


def test_lines_of_json_are_read_as_events_are():
    lines = [
        {"model": "m", "created_at": f"2027-01-15T08:00:00.12345678{n}Z", "message": {"content": "x"}, "done": False}
        for n in range(3)
    ]
    lines.append({"created_at": "2027-01-15T08:00:01Z", "done": True, "total_duration": 4935886791, "n": 7})
    text = "\n".join(map(json.dumps, lines)) + "\n"
    got = Exchange(
        "ollama", "other", Request("POST", "/api/chat"), Response(200, "application/x-ndjson", {}, TextBody(text))
    )
    made = of(got).exchanges[0].response.body.text.splitlines()
    assert [json.loads(line).get("created_at") for line in made[:3]] == [
        "{{timestamp_1:YYYY-MM-DDThh:mm:ss.fffffffffZ}}"
    ] * 3
    last = json.loads(made[3])
    assert (last["total_duration"], last["n"]) == (0, 7)


@pytest.mark.parametrize("value", ["kXbTqWzPd", "QmWzPdTxRk", "call_qGHsIdUCafjCKifbtTFzABcd"])
def test_letters_without_a_digit_can_look_random(value):
    assert is_distinctive(value)


@pytest.mark.parametrize("value", ["lookupOrder", "HTMLParser", "getWeatherForCity", "Pineapple", "CONSTANTS"])
def test_words_do_not(value):
    assert not is_distinctive(value)


def test_where_objects_lie_is_told_from_other_numbers():
    assert list(pointers("plain")) == []
    assert Matcher(None, Told()).spans("<a at 0x7f3a2c1d5e50>")[0].value == "0"

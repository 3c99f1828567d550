import json

import msgspec
import pytest

from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.optional import is_optional
from stepfork.trace.body import BytesBody, EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace
from stepfork.trace.wire import read_body
from tests.unit.normalize.scripted import World, chat_run, exchange, messages_run, responses_run

EMPTY = Trace("exchanges", ())
SOURCE = Source("command", True)


def normalized(make, seed=1, **world):
    made = World(seed, **world)
    run = make(made)
    return normalize_run(run, made.context())


def of(*exchanges, world=None):
    return normalize_run(Run(SOURCE, EMPTY, exchanges), (world or World(1)).context())


@pytest.mark.parametrize("make", [chat_run, responses_run, messages_run])
def test_two_captures_of_one_run_are_equal(make):
    first = normalized(make, 1)
    assert msgspec.json.encode(first) == msgspec.json.encode(normalized(make, 2, home="/Users/zzalewski", port=50001))


@pytest.mark.parametrize("make", [chat_run, responses_run, messages_run])
def test_a_normalised_run_stays_as_it_is(make):
    world = World(3)
    once = normalize_run(make(world), world.context())
    assert normalize_run(once, world.context(), templated=True) == once
    assert normalize_run(once, None, templated=True) == once


def test_the_command_has_no_name_of_the_machine_and_its_folder_keeps_its_own():
    world = World(1, home="/home/mkowalski")
    source = Source("command", True, command=("python", "/home/mkowalski/run.py"), cwd="agents/mkowalski")
    made = normalize_run(Run(source, EMPTY), world.context()).source
    assert (made.command, made.cwd) == (("python", "{{home}}/run.py"), "agents/mkowalski")


def test_a_chat_run_reads_as_documented():
    run = normalized(chat_run)
    first, second = run.exchanges
    assert run.source.command == ("{{home}}/venv/bin/python", "agent.py", "--to", "ada@example.com")
    system, user = first.request.body.value["messages"]
    assert system["content"] == "You work in {{cwd}}. Today's model is gpt-4.1-2025-04-14."
    assert user["content"] == "Refund O-1042, commit a94a8fe5ccb19ba61c4c0873d391e987982fbbd3."
    assert first.response.headers == {"x-request-id": "req_{{id_1}}"}
    chunks = [json.loads(event[6:]) for event in first.response.body.events if event.startswith("data: {")]
    assert {chunk["id"] for chunk in chunks} == {"chatcmpl-{{id_2}}"}
    assert {chunk["created"] for chunk in chunks} == {1}
    assert {chunk["obfuscation"] for chunk in chunks} == {""}
    assert {chunk["system_fingerprint"] for chunk in chunks} == {"fp_{{fingerprint}}"}
    assert {chunk["model"] for chunk in chunks} == {"gpt-4.1-2025-04-14"}
    assert chunks[1]["choices"][0]["delta"]["tool_calls"][0]["id"] == "call_{{id_3}}"
    assistant, tool = second.request.body.value["messages"][2:]
    assert assistant["tool_calls"][0]["id"] == tool["tool_call_id"] == "call_{{id_3}}"
    result = json.loads(tool["content"])
    trail = json.loads(result.pop("trail"))
    stamp = "{{timestamp_1:YYYY-MM-DDThh:mm:ss.ffffff+hh:mm}}"
    assert trail == [{"call": "call_{{id_3}}", "read_at": stamp, "note": "{{email_1}} asked"}]
    assert result == {"email": "{{email_1}}", "delivered": "2026-11-02", "duration_ms": 320, "created": 1700000000}
    body = second.response.body.value
    assert body["created"] == 1
    assert body["usage"] == {"prompt_tokens": 40, "completion_tokens": 7, "total_time": 0.0}
    assert body["choices"][0]["message"]["content"] == (
        "Refunded at {{timestamp_2:YYYY-MM-DDThh:mm:ss.ffffff+hh:mm}}; {{email_1}} was told."
    )
    trace = run.trace
    assert trace.conversation == "{{conversation_1}}"
    assert trace.steps[2].call_id == "call_{{id_3}}"
    assert trace.steps[2].arguments == {"order_id": "O-1042", "conversation_id": "conv-7"}
    assert [(step.start, step.end) for step in trace.steps] == [(1, 8), (2, 3), (4, 5), (6, 7)]


def test_a_responses_run_reads_as_documented():
    first, second = normalized(responses_run).exchanges
    body = first.response.body.value
    assert body["id"] == "resp_{{id_1}}"
    assert (body["created_at"], body["completed_at"]) == (1, 2)
    assert body["metadata"] == {"id": "mine"}
    reasoning, call = body["output"]
    assert reasoning == {
        "id": "rs_{{id_2}}",
        "type": "reasoning",
        "summary": [],
        "encrypted_content": "{{opaque_1}}",
    }
    assert call["arguments"] == '{"id":"A-1","created":7}'
    asked = second.request.body.value
    assert asked["previous_response_id"] == "resp_{{id_1}}"
    assert asked["input"][1] == {"type": "item_reference", "id": "rs_{{id_2}}"}
    assert asked["input"][3]["output"] == '[{"id": "A-1", "at": "2020-01-01T00:00:00Z"}]'
    created = json.loads(second.response.body.events[0].split("data: ")[1])["response"]["created_at"]
    assert created == 1.0
    assert isinstance(created, float)


def test_claude_code_is_templated_and_an_empty_account_is_not():
    first, second = normalized(messages_run).exchanges
    body = first.request.body.value
    assert json.loads(body["metadata"]["user_id"]) == {
        "device_id": "{{device_1}}",
        "account_uuid": "",
        "session_id": "{{session_1}}",
    }
    assert body["system"] == "Session {{session_1}}."
    assert first.response.body.value["content"][0]["input"] == {"id": "O-1042", "session": "s-1"}
    assert second.request.body.value["messages"][2]["content"][0]["tool_use_id"] == "toolu_{{id_2}}"
    assert "{{opaque_1}}" in second.response.body.events[2]


def test_the_older_form_of_claude_codes_user_id():
    world = World(1)
    user = f"user_{world.hex('', 64)}_account_{world.uuid()}_session_{world.uuid()}"
    body = {"model": "m", "messages": [], "metadata": {"user_id": user}}
    (made,) = of(exchange("messages", body, {}, provider="anthropic")).exchanges
    assert made.request.body.value["metadata"]["user_id"] == (
        "user_{{device_1}}_account_{{account_1}}_session_{{session_1}}"
    )


def test_a_message_does_not_depend_on_its_neighbours_times():
    world = World(1)
    clock = {"role": "user", "content": f"now {world.iso()} or {world.iso()}"}
    other = {"role": "user", "content": f"then {world.iso()}"}
    one = of(exchange("chat_completions", {"messages": [clock, other]}, {}), world=world)
    two = of(exchange("chat_completions", {"messages": [other, other, clock, other]}, {}), world=world)
    assert one.exchanges[0].request.body.value["messages"][0] == two.exchanges[0].request.body.value["messages"][2]
    assert "timestamp_2:" in one.exchanges[0].request.body.value["messages"][0]["content"]
    assert "timestamp_1:" in one.exchanges[0].request.body.value["messages"][1]["content"]


def test_equal_and_different_times_become_the_same_bytes():
    world = World(1)
    moment, later = world.iso(), world.iso()
    same = of(exchange("chat_completions", {"messages": [{"content": f"{moment} {moment}"}]}, {}), world=world)
    apart = of(exchange("chat_completions", {"messages": [{"content": f"{later} {moment}"}]}, {}), world=world)
    assert same == apart


def test_starts_are_numbered_before_ends_whatever_their_names():
    world = World(1)
    answer = {"id": "x", "completed_at": world.epoch(), "created_at": world.epoch(), "expires_at": None}
    (made,) = of(exchange("responses", {"input": "x"}, answer), world=world).exchanges
    assert made.response.body.value == {"id": "{{id_1}}", "completed_at": 2, "created_at": 1, "expires_at": None}
    trace = Trace(
        "spans", (Step("tool_call", "t", 5, 4, arguments={"ended_at": world.iso(), "started_at": world.iso()}),)
    )
    told = normalize_run(Run(SOURCE, trace), world.context()).trace.steps[0].arguments
    assert "timestamp_1:" in told["started_at"]
    assert "timestamp_2:" in told["ended_at"]


@pytest.mark.parametrize(("start", "end"), [("createdAt", "completedAt"), ("start_time", "end_time"), ("start", "end")])
def test_every_start_precedes_its_end(start, end):
    world = World(1)
    content = json.dumps({end: world.iso(), "at": world.iso(), start: world.iso()})
    (made,) = of(exchange("chat_completions", {"messages": [{"content": content}]}, {}), world=world).exchanges
    told = json.loads(made.request.body.value["messages"][0]["content"])
    assert [told[name].partition(":")[0] for name in (start, "at", end)] == [f"{{{{timestamp_{n}" for n in (1, 2, 3)]


def test_ids_of_any_look_are_ids_where_a_provider_puts_ids():
    call = {"id": "D", "type": "function", "function": {"name": "t", "arguments": '{"id": "D"}'}}
    asked = {
        "messages": [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "D", "content": "D"}]
    }
    (made,) = of(exchange("chat_completions", asked, {"id": "9695bb6d-c521-90fc-925b-c4ed0f7798db"})).exchanges
    first, second = made.request.body.value["messages"]
    assert first["tool_calls"][0] == call | {"id": "{{id_1}}"}
    assert second == {"role": "tool", "tool_call_id": "{{id_1}}", "content": "D"}
    assert made.response.body.value["id"] == "{{id_2}}"


def test_a_result_with_members_named_like_a_frame_is_data():
    content = json.dumps([{"id": "A-1", "tool_use_id": "B-2", "call_id": "C-3", "created": 5, "latency_ms": 6}])
    message = {"role": "user", "content": content}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": content}]}
    answer = {"content": [{"type": "tool_use", "id": "x", "input": {"id": "A-1", "created_at": 4, "duration_ms": 3}}]}
    (made,) = of(exchange("messages", {"messages": [message, result]}, answer, provider="anthropic")).exchanges
    first, second = made.request.body.value["messages"]
    assert first == message
    assert second["content"][0]["content"] == content
    assert made.response.body.value["content"][0]["input"] == answer["content"][0]["input"]


def test_models_keep_their_names_in_a_list_of_models():
    models = {"object": "list", "data": [{"id": "gpt-4.1-2025-04-14", "object": "model", "created": 1744316542}]}
    got = Exchange("openai", "other", Request("GET", "/models"), Response(200, body=JsonBody(models)))
    assert of(got).exchanges[0].response.body.value == models


def test_bodies_of_opaque_routes_have_no_structure_of_ours():
    body = {"id": "article_591", "created": 5, "latency_ms": 3}
    answer = Response(200, headers={"x-request-id": "9-7b"}, body=JsonBody(body))
    made = of(Exchange("search", "opaque", Request("POST", "/q", body=JsonBody(body)), answer)).exchanges[0]
    assert made.request.body.value == made.response.body.value == body
    assert made.response.headers == {"x-request-id": "{{id_1}}"}  # an envelope that every service has


@pytest.mark.parametrize("api", ["other", "responses"])
def test_bodies_of_a_model_route_have_it_whatever_the_route_is_called(api):
    got = Exchange(
        "azure", api, Request("POST", "/openai/responses/x"), Response(200, body=JsonBody({"created_at": 5}))
    )
    assert of(got).exchanges[0].response.body.value == {"created_at": 1}


def test_json_over_several_data_lines_is_one_value():
    event = 'event: x\ndata: {"id": "item-9",\ndata:  "created": 1744316542}'
    got = Exchange("openai", "responses", Request("POST", "/responses"), Response(200, body=EventsBody((event, ""))))
    (made,) = of(got).exchanges
    assert made.response.body.events[0] == 'event: x\ndata: {"id": "{{id_1}}",\ndata:  "created": 1}'


def test_ids_are_linked_into_texts_names_and_paths():
    world = World(1)
    made = world.hex("resp_", 50)
    first = exchange("responses", {"input": "x"}, {"id": made})
    fetched = Exchange("openai", "other", Request("GET", f"/responses/{made}"), Response(200, body=JsonBody({made: 1})))
    _, second = of(first, fetched).exchanges
    assert second.request.path == "/responses/resp_{{id_1}}"
    assert second.response.body.value == {"resp_{{id_1}}": 1}


def test_an_id_told_by_structure_is_found_where_it_was_met_before():
    answer = {"id": "x", "choices": [{"message": {"tool_calls": [{"id": "get_weather_mvsbdckzn39c"}]}}]}
    earlier = exchange("chat_completions", {"messages": [{"content": "saw get_weather_mvsbdckzn39c"}]}, {"id": "y"})
    run = of(earlier, exchange("chat_completions", {"messages": []}, answer))
    assert run.exchanges[0].request.body.value["messages"][0]["content"] == "saw {{id_1}}"
    assert run.exchanges[1].response.body.value["choices"][0]["message"]["tool_calls"][0]["id"] == "{{id_1}}"


def test_the_order_of_members_is_kept_and_follows_renamed_names():
    world = World(1)
    made = world.id("call_")
    request = {"zeta": {"b": 1, made: 2, "a": 3}, "model": "m", "messages": []}
    body = read_body(json.dumps(request).encode(), "application/json")
    sent = Exchange("openai", "chat_completions", Request("POST", "/chat/completions", body=body), Response(200))
    told = of(sent).exchanges[0].request.body
    assert told.value["zeta"] == {"b": 1, "call_{{id_1}}": 2, "a": 3}
    assert list(told.value) == ["zeta", "model", "messages"]
    assert read_body(json.dumps(told.value).encode(), "application/json").order == told.order


def test_literal_placeholders_in_prompts_are_escaped():
    (made,) = of(exchange("chat_completions", {"messages": [{"content": "Dear {{user}}, {{id_1}}"}]}, {})).exchanges
    assert made.request.body.value["messages"][0]["content"] == "Dear {{!user}}, {{!id_1}}"


def test_pieces_of_a_stream_are_joined_before_rules_look():
    texts = ["write to a", "da@exa", "mple.com, run call_8OxUBi3JKAu9", "g2sPuhwfZtz4 now"]
    events = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in texts]
    stream = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    (made,) = of(exchange("chat_completions", {"messages": []}, stream)).exchanges
    told = [json.loads(event[6:])["choices"][0]["delta"]["content"] for event in made.response.body.events if event]
    assert told == ["write to {{email_1}}", "", ", run call_{{id_1}}", " now"]


def test_trace_context_stays_well_formed():
    world = World(1)
    header = f"00-{world.hex('', 32)}-{world.hex('', 16)}-01"
    (made,) = of(exchange("chat_completions", {"messages": [{"content": f"traceparent: {header}"}]}, {})).exchanges
    expected = f"traceparent: 00-{1:032x}-{1:016x}-01"
    assert made.request.body.value["messages"][0]["content"] == expected


def test_uuids_under_framework_keys_are_ids_and_others_are_data():
    world = World(1)
    space, typed = world.uuid(), world.uuid()
    content = json.dumps({"langgraph_checkpoint_ns": f"tools:{space}", "order": typed})
    (made,) = of(exchange("chat_completions", {"messages": [{"content": content}]}, {})).exchanges
    assert json.loads(made.request.body.value["messages"][0]["content"]) == {
        "langgraph_checkpoint_ns": "tools:{{id_1}}",
        "order": typed,
    }


@pytest.mark.parametrize(
    ("body", "media"),
    [
        (b"", "application/json"),
        (b'{"messages": [{"content": "x', "application/json"),
        (b"\xff\xfe\x00", "application/json"),
        (b"[1, 2]", "application/json"),
        (b'"text"', "application/json"),
        (b"null", "application/json"),
        (b'{"a": 1, "a": 2}', "application/json"),
        (b'{"a": NaN}', "application/json"),
        (b'{"messages": 5, "tools": {}, "metadata": 3, "system": 4, "conversation": 1}', "application/json"),
        (b'{"messages": [1, null, {"content": [null, {"content": 3}], "tool_calls": {"id": []}}]}', "application/json"),
        (b"[" * 5000, "application/json"),
        (b'data: {"choices": 3}\n\ndata: [\n\n', "text/event-stream"),
        (b'data: {"choices": [{"delta": 5}], "created": "x", "obfuscation": 7}\n\n', "text/event-stream"),
    ],
)
def test_c033_what_is_not_the_json_it_should_be_is_kept(body, media):
    read = read_body(body, media)
    for api in ("chat_completions", "responses", "messages", "other"):
        got = Exchange("openai", api, Request("POST", "/x", "", media, read), Response(200, media, {}, read))
        made = of(got).exchanges[0]
        assert made.request.body == read
        if b"obfuscation" not in body:
            assert made.response.body == read


@pytest.mark.parametrize("quoted", [False, True])
def test_c030_a_multipart_boundary_is_one_placeholder_in_header_and_body(quoted):
    def upload(boundary, data):
        named = f'"{boundary}"' if quoted else boundary
        media = f"multipart/form-data; boundary={named}; charset=utf-8"
        body = f"--{boundary}\r\n{data}\r\n--{boundary}--\r\n".encode()
        binary = body + b"\xff"
        return [
            Exchange("openai", "other", Request("POST", "/files", "", media, read_body(raw, media)), Response(200))
            for raw in (body, binary)
        ]

    first, second = of(*upload("9f0c1b7d", "call me")), of(*upload("e04afc2eabcd", "call me"))
    assert first == second
    assert first != of(*upload("e04afc2eabcd", "call him"))
    text, binary = (made.request for made in first.exchanges)
    assert text.content_type == "multipart/form-data; boundary={{boundary}}; charset=utf-8"
    assert text.body == TextBody("--{{boundary}}\r\ncall me\r\n--{{boundary}}--\r\n")
    assert isinstance(binary.body, BytesBody)
    assert binary.body.data.startswith(b"--{{boundary}}\r\n")
    assert normalize_run(first, None, templated=True) == first


def test_c031_an_id_that_the_run_made_up_is_one_placeholder_everywhere():
    run = normalized(chat_run)
    text = msgspec.json.encode(run).decode()
    assert text.count("call_{{id_3}}") >= 5
    assert "call_aB3" not in text


def test_c032_what_only_looks_like_a_time_or_an_id_stays():
    content = (
        "claude-sonnet-4-5-20250929 at 1.2.20240101, SKU 2024-11-05-XL, "
        "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3, my id is 9695bb6d-c521-90fc-925b-c4ed0f7798db"
    )
    body = {"model": "claude-sonnet-4-5-20250929", "messages": [{"role": "user", "content": content}], "x": 1796064174}
    (made,) = of(exchange("chat_completions", body, {"model": "gpt-4.1-2025-04-14"})).exchanges
    assert made.request.body.value == body
    assert made.response.body.value == {"model": "gpt-4.1-2025-04-14"}


def test_hostile_parents_do_not_disturb_the_numbering():
    steps = tuple(Step("tool_call", "t", 0, 0, parent=parent) for parent in (1, 0, 2, 99, -1, None))
    made = normalize_run(Run(SOURCE, Trace("spans", steps)), None).trace.steps
    assert sorted(number for step in made for number in (step.start, step.end)) == list(range(1, 13))
    assert all(step.start < step.end for step in made)


def test_errors_and_responses_of_any_status_are_normalised():
    world = World(1)
    request_id = world.id("req_01", 22)
    body = {
        "type": "error",
        "error": {"type": "overloaded_error", "message": f"see {request_id}"},
        "request_id": request_id,
    }
    sent = Exchange("anthropic", "messages", Request("POST", "/v1/messages"), Response(529, body=JsonBody(body)))
    told = of(sent).exchanges[0].response.body.value
    assert told["error"]["message"] == "see req_{{id_1}}"
    assert told["request_id"] == "req_{{id_1}}"


def test_no_call_of_an_opaque_service_is_optional():
    assert is_optional(Exchange("openai", "other", Request("HEAD", "/models"), Response(200)))
    for method, path in (("HEAD", "/x"), ("OPTIONS", "/x"), ("GET", "/models"), ("POST", "/messages/count_tokens")):
        assert not is_optional(Exchange("weather", "opaque", Request(method, path), Response(200)))

import json
import re

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.normalize.normalize import normalize_exchange, normalize_run
from stepfork.normalize.request_key import request_key
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace
from stepfork.trace.wire import body_bytes, read_body
from tests.unit.normalize.scripted import World, chat_run, exchange, messages_run, responses_run

SOURCE = Source("command", True)
seeds = st.integers(0, 2**32)
homes = st.from_regex(r"/(home|Users)/[a-z]{2,6}[0-9]{2}", fullmatch=True)
makers = st.sampled_from([chat_run, responses_run, messages_run])
# What people write: none of it is an id, an address, a clock or a placeholder.
data = st.one_of(
    st.from_regex(r"[A-Z]{1,4}-[0-9]{2,8}", fullmatch=True),
    st.from_regex(r"v?[0-9]{1,2}\.[0-9]{1,3}\.20[0-9]{6}", fullmatch=True),
    st.from_regex(r"(gpt-4\.1|claude-sonnet-4-5|gpt-4o-mini)-20[0-9]{2}-?(0[1-9]|1[0-2])-?[0-3][0-9]", fullmatch=True),
    st.from_regex(r"[0-9a-f]{40}", fullmatch=True),
    st.uuids().map(str),
    st.dates().map(str),
    st.datetimes(max_value=World(0).started.replace(tzinfo=None).replace(year=2020)).map(str),
    st.from_regex(r"[a-z]{1,12}( [a-z]{1,12}){0,5}", fullmatch=True),
    st.text(alphabet=st.characters(exclude_characters="@{}", exclude_categories=["Cs"]), max_size=20),
)
names = st.sampled_from(
    ["order", "id", "created", "created_at", "duration_ms", "conversation_id", "when", "nested", "x-1"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | data,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


def conversation(world, item):
    """A call that was asked for `item` as an argument and told it as a result, plain and as JSON in JSON."""
    call = world.id("call_")
    asked = {"id": call, "type": "function", "function": {"name": "t", "arguments": json.dumps({"input": item})}}
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": call, "content": json.dumps({"result": json.dumps([item])})},
    ]
    told = {"id": world.id("chatcmpl-", 29), "choices": [{"message": {"content": json.dumps(item)}}]}
    step = Step("tool_call", "t", 1, 2, call_id=call, arguments={"input": item}, result=[item])
    return Run(SOURCE, Trace("spans", (step,)), (exchange("chat_completions", {"messages": messages}, told),))


@settings(max_examples=60, deadline=None)
@given(makers, seeds, seeds, homes, st.integers(1024, 65535))
def test_normalised_runs_are_blind_to_clock_ids_and_machine(make, one, two, home, port):
    first, second = World(one), World(two, home=home, port=port)
    made = normalize_run(make(first), first.context()), normalize_run(make(second), second.context())
    assert msgspec.json.encode(made[0]) == msgspec.json.encode(made[1])


@settings(max_examples=40, deadline=None)
@given(makers, seeds)
def test_normalising_twice_changes_nothing(make, seed):
    world = World(seed)
    once = normalize_run(make(world), world.context())
    assert normalize_run(once, world.context(), templated=True) == once


@settings(max_examples=80, deadline=None)
@given(values)
def test_data_is_never_touched(item):
    world = World(1)
    run = conversation(world, item)
    (made,) = normalize_run(run, world.context()).exchanges
    _, assistant, tool = made.request.body.value["messages"]
    expected = run.exchanges[0].request.body.value["messages"]
    assert assistant["tool_calls"][0]["function"] == expected[1]["tool_calls"][0]["function"]
    assert tool["content"] == expected[2]["content"]
    assert made.response.body.value["choices"] == run.exchanges[0].response.body.value["choices"]
    step = normalize_run(run, world.context()).trace.steps[0]
    assert msgspec.json.encode((step.arguments, step.result)) == msgspec.json.encode(({"input": item}, [item]))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 3), st.sampled_from(["id", "email", "clock", "home"]), st.text(max_size=6), st.text(max_size=6))
def test_values_are_found_at_any_depth_of_json_text(depth, kind, before, after):
    world = World(7)
    value = {"id": world.id("call_"), "email": "ada@example.com", "clock": world.iso(), "home": world.home}[kind]
    text = f"{before}\n{value}\t{after}"
    for _ in range(depth):
        text = json.dumps({"k": [text]})
    sent = exchange("chat_completions", {"messages": [{"role": "tool", "content": text}]}, {})
    made = normalize_exchange(sent, world.context()).request.body.value["messages"][0]["content"]
    assert value not in made
    for _ in range(depth):
        made = json.loads(made)["k"][0]
    assert re.search(r"\n(call_)?\{\{(id_|email_|timestamp_|home)[^{}]*\}\}\t", made)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 12), max_size=12), st.sampled_from(["email", "id"]))
def test_values_cut_into_deltas_anywhere_are_found(cuts, kind):
    world = World(3)
    value = "ada@example.com" if kind == "email" else world.id("call_")
    text = f"Wrote to {value} today."
    pieces, cursor = [], 0
    for cut in cuts:
        pieces.append(text[cursor : cursor + cut])
        cursor += cut
    pieces.append(text[cursor:])
    events = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    stream = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    made = normalize_exchange(exchange("chat_completions", {}, stream), world.context()).response.body
    told = [json.loads(event[6:])["choices"][0]["delta"]["content"] for event in made.events if event]
    assert "".join(told) == ("Wrote to {{email_1}} today." if kind == "email" else "Wrote to call_{{id_1}} today.")
    assert len(told) == len(pieces)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=40).map(str.encode) | values.map(lambda v: json.dumps(v).encode()))
def test_any_bytes_are_normalised_and_have_a_key(raw):
    for media in ("application/json", "text/event-stream", "multipart/form-data; boundary=b"):
        body = read_body(raw, media)
        sent = Exchange(
            "openai", "responses", Request("POST", "/responses", "", media, body), Response(200, media, {}, body)
        )
        made = normalize_exchange(sent, World(1).context())
        assert normalize_exchange(made, World(1).context(), templated=True) == made
        assert request_key(made) == request_key(sent, World(1).context())
        assert isinstance(body_bytes(made.response.body), bytes)

import json

import msgspec
import pytest

from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.request_key import RequestKey, RunKeys, request_key
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Trace
from stepfork.trace.wire import read_body
from tests.unit.normalize.scripted import World, chat_run, exchange, messages_run, responses_run

BODY = {
    "model": "gpt-4.1",
    "temperature": 0,
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Tell ada@example.com."}],
    "tools": [{"type": "function", "function": {"name": "t", "parameters": {"type": "object"}}}],
}


def key(body, api="chat_completions", world=None):
    return request_key(exchange(api, body, {}), (world or World(1)).context())


def differing(one: RequestKey, two: RequestKey) -> set[str]:
    return {name for name in RequestKey.__struct_fields__ if getattr(one, name) != getattr(two, name)}


@pytest.mark.parametrize("make", [chat_run, responses_run, messages_run])
def test_c031_a_second_run_with_other_ids_hits_the_same_keys(make):
    worlds = World(1), World(2, home="/Users/zzalewski", port=50001)
    one, two = (make(world) for world in worlds)
    for first, second in zip(one.exchanges, two.exchanges, strict=True):
        live = request_key(second, worlds[1].context())
        assert request_key(first, worlds[0].context()) == live
        assert len(live.digest()) == 32


@pytest.mark.parametrize("make", [chat_run, responses_run, messages_run])
def test_keys_of_a_run_do_not_depend_on_the_order_of_its_calls(make):
    told = []
    for seed, turn in ((1, 1), (2, -1)):
        world = World(seed)
        exchanges = make(world).exchanges
        keys = RunKeys(exchanges[::turn], world.context())
        told.append([keys(exchange) for exchange in exchanges[::turn]][::turn])
    assert told[0] == told[1]
    assert len(set(told[0])) == len(told[0])


@pytest.mark.parametrize("prompt", ["Be brief.", "Be kind.", "Be brief and kind."])
def test_calls_are_sorted_by_their_last_words_whatever_the_prompt_is(prompt):
    """So that conversations that ran at once stay where they stood when the prompt is edited."""
    orders = ["Where is order 2?", "Where is order 10?", "Who is ada@example.com?", "Why?"]
    bodies = [
        BODY | {"messages": [{"role": "system", "content": prompt}, {"role": "user", "content": text}]}
        for text in orders
    ]
    exchanges = [exchange("chat_completions", body, {}) for body in bodies]
    keys = RunKeys(exchanges, World(1).context())
    assert sorted(exchanges, key=keys) == exchanges


def test_what_is_no_conversation_is_sorted_last():
    world = World(1)
    asked = exchange("chat_completions", BODY | {"messages": [{"role": "user", "content": "\U0010ffff"}]}, {})
    service = Exchange("weather", "opaque", Request("GET", "/now", "city=Oslo"), Response(200))
    keys = RunKeys([asked, service], world.context())
    assert keys(asked) < keys(service)


def test_requests_that_end_alike_are_told_apart_by_all_of_their_key():
    exchanges = [exchange("chat_completions", BODY | {"temperature": degree}, {}) for degree in (0, 1)]
    keys = RunKeys(exchanges, World(1).context())
    assert len({keys(each) for each in exchanges}) == 2


@pytest.mark.parametrize("make", [chat_run, responses_run, messages_run])
def test_a_live_request_has_the_key_of_the_recorded_one(make):
    world, other = World(1), World(2)
    stored = normalize_run(make(world), world.context())
    live = make(other)
    for recorded, asked in zip(stored.exchanges, live.exchanges, strict=True):
        assert request_key(recorded) == request_key(asked, other.context())


@pytest.mark.parametrize(
    ("change", "component"),
    [
        ({"model": "gpt-4.1-mini"}, "model"),
        ({"temperature": 0.0}, "params"),
        ({"temperature": False}, "params"),
        ({"stream": True}, "params"),
        ({"messages": [{"role": "user", "content": "Tell ada@example.com."}]}, "prompt"),
        ({"messages": [BODY["messages"][0], {"role": "user", "content": "Tell ada@example.com!"}]}, "prompt"),
        ({"tools": []}, "tools"),
        ({"tools": [{"type": "function", "function": {"name": "t", "parameters": {"type": "array"}}}]}, "tools"),
    ],
)
def test_each_component_shows_its_own_change(change, component):
    assert differing(key(BODY), key(BODY | change)) == {component}
    assert key(BODY).digest() != key(BODY | change).digest()


def test_the_api_and_the_endpoint_count():
    assert key(BODY, "chat_completions") != key(BODY, "messages")
    for other in ("/v1/embeddings", "/v1/moderations"):
        sent = Exchange(
            "openai", "other", Request("POST", other, body=read_body(b"{}", "application/json")), Response(200)
        )
        assert request_key(sent).params != key({}, "chat_completions").params


def test_roles_of_addresses_count_and_the_addresses_do_not():
    def told(first, second):
        return key({"messages": [{"role": "user", "content": f"look up {first}"}, {"role": "tool", "content": second}]})

    assert told("ada@example.com", "ada@example.com") == told("bob@example.org", "bob@example.org")
    assert told("ada@example.com", "ada@example.com") != told("ada@example.com", "bob@example.org")


def test_numbers_are_local_to_the_request():
    world = World(1)
    run = chat_run(world)
    earlier = exchange(
        "chat_completions", {"messages": [{"content": "eve@example.com"}]}, {"id": world.id("chatcmpl-")}
    )
    alone = normalize_run(run, world.context()).exchanges[0]
    later = normalize_run(Run(run.source, run.trace, (earlier, *run.exchanges)), world.context()).exchanges[1]
    assert alone != later
    assert request_key(alone) == request_key(later)


def test_user_id_cache_control_and_lone_text_blocks_make_no_difference():
    plain = {"model": "claude-sonnet-5", "system": "Be brief.", "messages": [{"role": "user", "content": "Hi."}]}
    block = {"type": "text", "text": "Hi.", "cache_control": {"type": "ephemeral"}}
    dressed = plain | {
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": [block]}],
        "metadata": {"user_id": json.dumps({"device_id": "a" * 64, "session_id": World(5).uuid()})},
    }
    assert key(plain, "messages") == key(dressed, "messages")
    assert key(plain | {"metadata": {"team": "x", "user_id": "u"}}, "messages") != key(plain, "messages")
    assert key(plain | {"metadata": {"user_id": "u"}}, "messages") == key(plain, "messages")


def test_clocks_in_results_do_not_count_and_other_times_do():
    def asked(world, content):
        return key({"messages": [{"role": "tool", "content": content}]}, world=world)

    first, second = World(1), World(2)
    one, two = f"at {first.iso()}", f"at {second.iso()}"
    assert asked(first, one) == asked(second, two)
    assert asked(first, "at 2020-01-01T00:00:00Z") != asked(first, "at 2020-01-02T00:00:00Z")


def test_text_that_looks_like_a_placeholder_is_not_one():
    world = World(1)
    asked = exchange("chat_completions", {"messages": [{"role": "user", "content": "{{id_7}} is {{email_2}}"}]}, {})
    stored = normalize_run(Run(Source("command", True), Trace("exchanges", ()), (asked,)), world.context())
    assert request_key(stored.exchanges[0]) == request_key(asked, world.context())
    other = exchange("chat_completions", {"messages": [{"role": "user", "content": "{{id_8}} is {{email_2}}"}]}, {})
    assert request_key(other, world.context()) != request_key(asked, world.context())


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff", b"[1]", b'{"a": NaN}', b'{"a": 1, "a": 2}', b'"\\ud800"', b"7" * 5000]
)
def test_any_body_has_a_key(raw):
    for api in ("chat_completions", "responses", "messages", "other"):
        sent = Exchange("openai", api, Request("POST", "/x", body=read_body(raw, "application/json")), Response(200))
        assert len(request_key(sent).digest()) == 32
        assert request_key(sent) == request_key(sent, World(1).context())
        assert request_key(sent) != request_key(msgspec.structs.replace(sent, request=Request("POST", "/y")))

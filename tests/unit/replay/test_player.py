"""Requests in, recorded answers or misses out: no sockets."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest

from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.request_key import KeyRules
from stepfork.redact.secrets import Secrets
from stepfork.replay.player import Player
from stepfork.replay.report import Miss
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from stepfork.trace.wire import body_bytes, read_body
from tests.unit.normalize.scripted import START, World, exchange
from tests.unit.replay.agents import fixture_of, player_of

HERE, THERE = World(1), World(2, home="/home/bob")


def chat(*texts: str, **more: Any) -> dict[str, Any]:
    """A request of user messages."""
    return {"model": "m", "messages": [{"role": "user", "content": text} for text in texts], **more}


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"id": HERE.id("chatcmpl-", 29), "choices": [{"message": {"role": "assistant", "content": text}}], **more}


def fixture(*calls: tuple[dict[str, Any], Any], context: Any = None) -> Fixture:
    """A recording of Chat Completions calls: request and answer (a text stands for an answer that says it)."""
    told = [(asked, said(got) if isinstance(got, str) else got) for asked, got in calls]
    return fixture_of([exchange("chat_completions", asked, got) for asked, got in told], context or HERE)


def ask(player: Player, body: Any, call: int = 0, *, api: str = "chat_completions", path: str = "") -> Response | Miss:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = Request("POST", path or "/chat/completions", "", "application/json", read_body(raw, "application/json"))
    return player.answer("openai", api, request, call=call)


def text_of(found: Response | Miss) -> str:
    assert isinstance(found, Response), found
    text: str = json.loads(body_bytes(found.body))["choices"][0]["message"]["content"]
    return text


def missed(found: Response | Miss) -> Miss:
    assert isinstance(found, Miss), found
    return found


def test_c088_equal_requests_are_answered_in_recorded_order_and_then_exhausted() -> None:
    player = player_of(fixture(*[(chat("poll"), letter) for letter in "ABC"]), THERE)
    assert [text_of(ask(player, chat("poll"), call)) for call in range(3)] == ["A", "B", "C"]
    miss = missed(ask(player, chat("poll"), 3))
    assert (miss.kind, miss.component, miss.recorded, miss.asked) == ("exhausted", "count", 3, 4)


def test_c090_exhausted_is_not_the_same_as_changed() -> None:
    player = player_of(fixture((chat("once"), "A")), THERE)
    ask(player, chat("once"), 0)
    again = missed(ask(player, chat("once"), 1))
    changed = missed(ask(player, chat("another"), 2))
    assert (again.kind, again.recorded, again.asked) == ("exhausted", 1, 2)
    assert (changed.kind, changed.component) == ("changed", "messages")
    assert missed(ask(player, chat("once"), 3)).asked == 3
    assert [(miss.call, miss.times) for miss in player.report().misses] == [(1, 2), (2, 1)]


def test_c091_recorded_calls_left_over_are_told_by_index_and_label() -> None:
    player = player_of(fixture((chat("one"), "A"), (chat("two"), "B"), (chat("three"), "C")), THERE)
    ask(player, chat("one"), 0)
    ask(player, chat("three"), 1)
    report = player.report()
    assert not report.is_whole
    assert [(left.exchange, left.label, left.says) for left in report.unused] == [
        (1, "openai chat_completions m", "user: two assistant: B")
    ]


def test_c089_any_order_of_arrival() -> None:
    texts = [f"request {number}" for number in range(1, 6)]
    player = player_of(fixture(*[(chat(text), f"answer to {text}") for text in texts]), THERE)
    order = [3, 0, 4, 1, 2]
    assert [text_of(ask(player, chat(texts[at]), call)) for call, at in enumerate(order)] == [
        f"answer to {texts[at]}" for at in order
    ]


def calling(call_id: str, arguments: str = "{}") -> dict[str, Any]:
    call = {"id": call_id, "type": "function", "function": {"name": "look", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def test_chains_of_equal_texts_keep_to_themselves() -> None:
    """Eight chains of two calls whose texts are all equal: each goes on with the answer that its own id leads to."""
    calls: list[tuple[dict[str, Any], Any]] = []
    for number in range(8):
        message = calling(HERE.id("call_"))
        result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "ok"}
        asked = chat("go")
        follow = {**asked, "messages": [*asked["messages"], message, result]}
        calls += [
            (asked, {"id": HERE.id("chatcmpl-", 29), "choices": [{"message": message}]}),
            (follow, f"end {number}"),
        ]
    player = player_of(fixture(*calls), THERE)
    given = [json.loads(body_bytes(ask(player, chat("go"), at).body))["choices"][0]["message"] for at in range(8)]  # type: ignore[union-attr]
    for at in (5, 2, 7, 0, 1, 6, 3, 4):
        result = {"role": "tool", "tool_call_id": given[at]["tool_calls"][0]["id"], "content": "ok"}
        follow = {**chat("go"), "messages": [*chat("go")["messages"], given[at], result]}
        assert text_of(ask(player, follow, 8 + at)) == f"end {at}"
    assert player.report().is_whole


def test_another_customer_in_one_role_is_carried_through_arguments_streams_and_nested_json() -> None:
    arguments = json.dumps({"to": "ada@example.org", "raw": json.dumps({"mail": "ada@example.org"})})
    frame = {"index": 0, "id": HERE.id("call_"), "type": "function", "function": {"name": "tell", "arguments": ""}}
    deltas: list[dict[str, Any]] = [{"tool_calls": [frame]}]
    deltas += [
        {"tool_calls": [{"index": 0, "function": {"arguments": arguments[at : at + 3]}}]} for at in range(0, 99, 3)
    ]
    stream = "".join(f"data: {json.dumps({'choices': [{'index': 0, 'delta': delta}]})}\n\n" for delta in deltas)
    recorded = fixture_of(
        [exchange("chat_completions", chat("Write to ada@example.org", stream=True), stream + "data: [DONE]\n\n")], HERE
    )
    player = player_of(recorded, THERE)
    found = ask(player, chat("Write to bob@corp.example", stream=True))
    assert isinstance(found, Response)
    events = [
        json.loads(line[6:]) for line in body_bytes(found.body).decode().split("\n\n") if line.startswith("data: {")
    ]
    told = "".join(
        call["function"]["arguments"] for event in events for call in event["choices"][0]["delta"]["tool_calls"]
    )
    assert json.loads(told) == {"to": "bob@corp.example", "raw": '{"mail": "bob@corp.example"}'}
    assert len(events) == len(deltas)


def two_customers(first: str, second: str, notified: str) -> list[tuple[dict[str, Any], str]]:
    return [
        (chat(f"look up {first}"), f"{first} is gold"),
        (chat(f"look up {second}"), f"{second} is silver"),
        (chat(f"notify {notified}"), f"told {notified}"),
    ]


def play(player: Player, calls: list[tuple[dict[str, Any], str]]) -> list[str | Miss]:
    found = [ask(player, asked, call) for call, (asked, _) in enumerate(calls)]
    return [got if isinstance(got, Miss) else text_of(got) for got in found]


def test_roles_are_kept_and_swapped_ones_are_a_miss_that_names_them() -> None:
    recorded = fixture(*two_customers("ada@example.org", "eve@example.net", "ada@example.org"))
    same = two_customers("bob@corp.example", "zoe@corp.example", "bob@corp.example")
    player = player_of(recorded, THERE)
    assert play(player, same) == [answer for _, answer in same]
    player = player_of(recorded, THERE)
    *_, miss = play(player, two_customers("bob@corp.example", "zoe@corp.example", "zoe@corp.example"))
    assert isinstance(miss, Miss)
    assert (miss.kind, miss.component, miss.nearest) == ("roles", "roles", 2)
    (change,) = miss.difference.messages
    assert [(line.op, line.text) for line in change.lines] == [("-", "notify {{email_1}}"), ("+", "notify {{email_2}}")]


@pytest.mark.parametrize(
    ("recorded", "live"),
    [
        ("ada@example.org and eve@example.net", "bob@corp.example and bob@corp.example"),
        ("ada@example.org and ada@example.org", "bob@corp.example and zoe@corp.example"),
    ],
)
def test_two_addresses_for_one_are_a_miss_of_roles(recorded: str, live: str) -> None:
    player = player_of(fixture((chat(recorded), "ok")), THERE)
    assert missed(ask(player, chat(live))).kind == "roles"


def test_an_address_that_the_model_made_up_is_valid_stable_and_known_again() -> None:
    recorded = fixture(
        (chat("who helps?"), "ask help@shop.example"),
        (chat("write to help@shop.example"), "wrote to help@shop.example"),
        (chat("or to help@shop.example or ada@example.org"), "both"),
    )
    player = player_of(recorded, THERE)
    given = text_of(ask(player, chat("who helps?"), 0)).removeprefix("ask ")
    assert re.fullmatch(r"[a-z0-9-]+@example\.com", given)
    assert text_of(ask(player, chat(f"write to {given}"), 1)) == f"wrote to {given}"
    assert text_of(ask(player, chat(f"or to {given} or ada@example.org"), 2)) == "both"


def test_an_address_that_was_made_up_gives_way_to_the_runs_own() -> None:
    recorded = fixture(
        (chat("who helps?"), "ask help@shop.example"),
        (chat("write to help@shop.example", "her card: help@shop.example"), "wrote to help@shop.example"),
    )
    player = player_of(recorded, THERE)
    given = text_of(ask(player, chat("who helps?"), 0)).removeprefix("ask ")
    found = ask(player, chat(f"write to {given}", "her card: real@corp.example"), 1)
    assert text_of(found) == "wrote to real@corp.example"


def test_ids_and_times_are_well_formed_and_of_this_run() -> None:
    made = {"id": HERE.id("chatcmpl-", 29), "created": HERE.epoch(), "system_fingerprint": "fp_1a2b3c4d5e"}
    message = calling(
        HERE.id("call_"), json.dumps({"at": HERE.iso(), "day": HERE.tick().strftime("%a, %d %b %Y %T GMT")})
    )
    player = player_of(
        fixture((chat("go"), made | {"choices": [{"message": message}], "at": float(HERE.epoch())})), THERE
    )
    found = ask(player, chat("go"))
    assert isinstance(found, Response)
    body = json.loads(body_bytes(found.body))
    assert re.fullmatch(r"chatcmpl-[A-Za-z0-9]{29}", body["id"])
    assert re.fullmatch(r"fp_[0-9a-f]{10}", body["system_fingerprint"])
    assert re.fullmatch(r"call_[A-Za-z0-9]{24}", body["choices"][0]["message"]["tool_calls"][0]["id"])
    started = THERE.context().started_ns / 1e9
    assert type(body["created"]) is int
    assert abs(body["created"] - started) < 60
    arguments = json.loads(body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])
    assert abs(datetime.fromisoformat(arguments["at"]).timestamp() - started) < 60
    assert datetime.strptime(arguments["day"], "%a, %d %b %Y %H:%M:%S GMT")  # noqa: DTZ007


def test_the_same_context_gives_the_same_values() -> None:
    recorded = fixture((chat("go"), "ask help@shop.example"))
    one, two = (body_bytes(ask(player_of(recorded, THERE), chat("go")).body) for _ in range(2))  # type: ignore[union-attr]
    assert one == two


def test_fixed_text_near_the_capture_still_hits_days_later_and_a_changed_booking_misses() -> None:
    near = (START + timedelta(hours=1)).isoformat()
    here, there = World(0), World(0)
    here.now = here.started = START
    there.now = there.started = START + timedelta(days=90)
    booking = (there.now + timedelta(hours=3)).isoformat()
    recorded = fixture((chat(f"Rules of {near}. Book {booking}."), "ok"), context=here)
    assert "{{timestamp_1" in str(recorded.run.exchanges[0].request.body)
    assert booking in str(recorded.run.exchanges[0].request.body)
    assert text_of(ask(player_of(recorded, there), chat(f"Rules of {near}. Book {booking}."))) == "ok"
    other = (there.now + timedelta(hours=5)).isoformat()
    miss = missed(ask(player_of(recorded, there), chat(f"Rules of {near}. Book {other}.")))
    assert (miss.kind, miss.component) == ("changed", "messages")
    (change,) = miss.difference.messages
    assert next(line.text.partition("Book ")[2] for line in change.lines) == f"{booking}."


def test_a_date_that_stayed_is_no_difference_on_the_day_itself() -> None:
    day = (THERE.now + timedelta(hours=2)).isoformat()
    recorded = fixture((chat(f"Book {day}.", f"for one, ordered {HERE.iso()}"), "ok"))
    miss = missed(ask(player_of(recorded, THERE), chat(f"Book {day}.", f"for two, ordered {THERE.iso()}")))
    (change,) = miss.difference.messages
    assert change.index == 1
    assert [line.text.partition(",")[0] for line in change.lines] == ["for one", "for two"]
    assert len({line.text.partition(",")[2] for line in change.lines}) == 1


def test_known_values_are_this_runs() -> None:
    recorded = fixture((chat(f"read {HERE.home}/agent/a.txt"), f"see {HERE.home}/agent/b.txt and {HERE.home}/c"))
    assert text_of(ask(player_of(recorded, THERE), chat("read /home/bob/agent/a.txt"))) == (
        "see /home/bob/agent/b.txt and /home/bob/c"
    )


def test_names_that_are_words_in_one_of_the_two_runs_make_no_difference() -> None:
    """A user called root here and mkowalski there; a home that is the working directory too."""
    recorded = fixture((chat(f"mkowalski works in {HERE.home}/agent of {HERE.home}; shopkeeper"), "ok"))
    context = msgspec.structs.replace(THERE.context(), cwd="/root/agent", home="/root", user="root")
    player = Player(recorded, context=context, secrets=Secrets({}))
    assert text_of(ask(player, chat("root works in /root/agent of /root; shopkeeper"))) == "ok"
    context = msgspec.structs.replace(context, user="shopkeeper", home="/root/agent")
    player = Player(recorded, context=context, secrets=Secrets({}))
    assert text_of(ask(player, chat("shopkeeper works in /root/agent of /root/agent; shopkeeper"))) == "ok"


def test_text_that_looks_like_a_placeholder_is_given_back_as_it_was() -> None:
    text = "write {{id_1}} and {{!user}} and {{name}} by hand"
    recorded = fixture((chat(text), text))
    assert text_of(ask(player_of(recorded, THERE), chat(text))) == text


def test_secrets_are_taken_out_before_the_comparison() -> None:
    secret = "hunter" + "2-opensesame-77"
    run = Run(
        Source("command", True), Trace("exchanges", ()), (exchange("chat_completions", chat("[redacted]"), said("ok")),)
    )
    player = Player(
        Fixture("x", normalize_run(run, HERE.context())),
        context=THERE.context(),
        secrets=Secrets.collect({"DB_PASSWORD": secret}, {}),
    )
    assert text_of(ask(player, chat(secret))) == "ok"
    assert secret not in str(missed(ask(player, chat(f"{secret} again"), 1)))


def test_a_conversation_that_only_spans_tell_of_is_found_in_a_prompt() -> None:
    one, two = HERE.uuid(), THERE.uuid()
    calls = (
        exchange("chat_completions", chat(f"in {one}: hello", metadata={"conversation": one}), said("hi")),
        exchange("chat_completions", chat(f"in {one}: bye"), said(f"bye from {one}")),
    )
    run = Run(Source("command", True), Trace("spans", (), conversation=one), calls)
    recorded = Fixture("x", normalize_run(run, HERE.context()))
    assert "{{conversation_1}}" in str(recorded.run.exchanges[0].request.body)
    player = player_of(recorded, THERE)
    assert text_of(ask(player, chat(f"in {two}: hello", metadata={"conversation": two}), 0)) == "hi"
    assert text_of(ask(player, chat(f"in {two}: bye"), 1)) == f"bye from {two}"
    player = player_of(recorded, THERE)
    assert missed(ask(player, chat(f"in {two}: hello!", metadata={"conversation": two}))).component == "messages"
    assert missed(ask(player, chat(f"in {two}: hello", metadata={"conversation": one}), 1)).kind == "changed"


@pytest.mark.parametrize("number", ["1e999", "-1e300", "-99999999999999999999", "1e300", "-5", "1" * 5000, "NaN"])
def test_a_number_that_no_capture_wrote_is_no_time(number: str) -> None:
    told = f'"created":{number}'
    for raw, media in (
        (f'data: {{{told},"id":"{{{{id_1}}}}"}}\n\n', "text/event-stream"),
        (f"{{{told}}}", "application/json"),
    ):
        response = Response(200, media, {}, read_body(raw.encode(), media))
        asked = msgspec.structs.replace(exchange("chat_completions", chat("hi"), "ok"), response=response)
        player = player_of(Fixture("x", Run(Source("command", True), Trace("exchanges", ()), (asked,))), THERE)
        given = ask(player, chat("hi"))
        assert isinstance(given, Response)
        assert media == "application/json" or told.encode() in body_bytes(given.body)


def test_a_recorded_429_is_served_without_a_wait() -> None:
    refused = Response(429, "application/json", {"retry-after": "30"}, read_body(b"{}", "application/json"))
    asked = exchange("chat_completions", chat("go"), said("done"))
    recorded = fixture_of([msgspec.structs.replace(asked, response=refused), asked], HERE)
    player = player_of(recorded, THERE)
    first, second = ask(player, chat("go"), 0), ask(player, chat("go"), 1)
    assert isinstance(first, Response)
    assert (first.status, first.headers) == (429, {"retry-after": "0", "retry-after-ms": "1"})
    assert text_of(second) == "done"


def test_the_nearest_exchange_is_the_unused_one_that_differs_least() -> None:
    long = [f"message {number}" for number in range(6)]
    player = player_of(fixture(*[(chat(*long[:count]), str(count)) for count in range(1, 7)]), THERE)
    for count in range(1, 4):
        ask(player, chat(*long[:count]), count)
    miss = missed(ask(player, chat(*long[:2], "message 2!", "message 3"), 4))
    assert (miss.nearest, miss.component) == (3, "messages")
    (change,) = miss.difference.messages
    assert (change.index, [line.text for line in change.lines]) == (2, ["message 2", "message 2!"])


def test_what_only_ids_and_addresses_differ_in_is_no_difference() -> None:
    message = calling(HERE.id("call_"))
    call_id = message["tool_calls"][0]["id"]
    history = [
        message,
        {"role": "tool", "tool_call_id": call_id, "content": json.dumps({"mail": "ada@example.org", "n": 1})},
    ]
    asked = chat("go")
    recorded = fixture(({**asked, "messages": [*asked["messages"], *history]}, "ok"))
    other = calling(THERE.id("call_"))
    result = {"mail": "bob@corp.example", "n": 2}
    history = [other, {"role": "tool", "tool_call_id": other["tool_calls"][0]["id"], "content": json.dumps(result)}]
    miss = missed(ask(player_of(recorded, THERE), {**asked, "messages": [*asked["messages"], *history]}))
    assert miss.component == "tool_results"
    (change,) = miss.difference.tool_results
    assert [line.text for line in change.lines] == ['"n": 1', '"n": 2']
    assert change.fields == ()
    assert miss.difference == msgspec.structs.replace(miss.difference, messages=(), params=(), other=())
    assert miss.noise == ("[normalize.tool.look]", 'volatile = ["/n"]')


@pytest.mark.parametrize(
    ("old", "new", "pointers"),
    [
        ({"a": [{"t": 1}, {"t": 2}], "k": 1}, {"a": [{"t": 3}, {"t": 4}], "k": 1}, ["/a/*/t"]),
        ({"a": json.dumps({"t": 1})}, {"a": json.dumps({"t": 2})}, ["/a/t"]),
        ({"a/b": 1, "c": 1}, {"a/b": 2}, ["/a~1b", "/c"]),
        ({"a": 1}, "no JSON any more", [""]),
        ("sunny", "rainy", [""]),
        ([1], {"a": 1}, [""]),
        ({"a": [1]}, {"a": [1, 2]}, None),
    ],
)
def test_the_rule_that_would_absorb_a_difference_is_one_that_does(
    old: Any, new: Any, pointers: list[str] | None
) -> None:
    def asked(result: Any) -> dict[str, Any]:
        content = result if isinstance(result, str) else json.dumps(result)
        message = calling("call_1")
        return {"model": "m", "messages": [message, {"role": "tool", "tool_call_id": "call_1", "content": content}]}

    recorded = fixture((asked(old), "ok"))
    miss = missed(ask(player_of(recorded, THERE), asked(new)))
    if pointers is None:
        assert miss.noise == ()
        return
    assert miss.noise == ("[normalize.tool.look]", f"volatile = {json.dumps(pointers)}")
    rules = KeyRules({"look": tuple(pointers)})
    assert text_of(ask(player_of(recorded, THERE, rules), asked(new))) == "ok"


def test_probes_fail_nothing_recorded_or_not() -> None:
    head = Exchange("anthropic", "other", Request("HEAD", "/api/hello"), Response(404))
    recorded = fixture_of([head, exchange("chat_completions", chat("go"), said("ok"))], HERE)
    player = player_of(recorded, THERE)
    count = Request("POST", "/v1/messages/count_tokens", "", "application/json", read_body(b'{"model":"m"}', ""))
    assert isinstance(player.answer("anthropic", "other", count, call=0), Miss)
    assert text_of(ask(player, chat("go"), 1)) == "ok"
    report = player.report()
    assert report.is_whole
    assert [left.optional for left in report.unused] == [True]
    assert report.optional == ("anthropic other m: POST /v1/messages/count_tokens",)
    assert report.misses == ()


def test_a_probe_that_comes_more_often_is_answered_as_before() -> None:
    models = Request("GET", "/models")
    answer = Response(200, "application/json", {}, read_body(b'{"data": []}', "application/json"))
    player = player_of(fixture_of([Exchange("openai", "other", models, answer)], HERE), THERE)
    for call in range(3):
        found = player.answer("openai", "other", models, call=call)
        assert isinstance(found, Response)
        assert found.status == 200
    report = player.report()
    assert (report.is_whole, len(report.served), report.optional) == (True, 1, ("openai other: GET /models",))


def test_another_provider_or_api_is_unrecorded() -> None:
    player = player_of(fixture((chat("go"), "ok")), THERE)
    miss = missed(ask(player, {"model": "m", "input": "go"}, api="responses", path="/responses"))
    assert (miss.kind, miss.component, miss.nearest) == ("unrecorded", "exchange", None)


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b"[1]", b"null", b'{"a":1,"a":2}', b"[" * 300 + b"]" * 300])
@pytest.mark.parametrize(("api", "path"), [("chat_completions", ""), ("other", "/files"), ("opaque", "/any")])
def test_bodies_of_any_form_hit_by_the_whole_and_miss_otherwise(raw: bytes, api: str, path: str) -> None:
    body = read_body(raw, "application/json")
    request = Request("POST", path or "/chat/completions", "", "application/json", body)
    recorded = fixture_of(
        [Exchange("openai", api, request, Response(200, "text/plain", {}, read_body(b"ok", "")))], HERE
    )
    player = player_of(recorded, THERE)
    assert isinstance(ask(player, raw + b" x" if raw else b"x", api=api, path=path), Miss)
    found = player.answer("openai", api, request, call=1)
    assert isinstance(found, Response)
    assert body_bytes(found.body) == b"ok"


def test_a_boundary_is_given_back_in_the_media_type_and_in_bytes() -> None:
    data = b"--aaaa1111\r\n\r\n\xff\x00 {{user}} {{id_1}}\r\n--aaaa1111--\r\n"
    media = "multipart/mixed; boundary=aaaa1111"
    answer = Response(200, media, {}, read_body(data, media))
    recorded = fixture_of([Exchange("openai", "other", Request("GET", "/parts"), answer)], HERE)
    found = player_of(recorded, THERE).answer("openai", "other", Request("GET", "/parts"), call=0)
    assert isinstance(found, Response)
    boundary = found.content_type.partition("boundary=")[2]
    assert "{" not in boundary
    assert body_bytes(found.body) == data.replace(b"aaaa1111", boundary.encode())


def test_secrets_in_bytes_are_taken_out_too() -> None:
    secret = "hunter" + "2-opensesame-77"

    def upload(text: str) -> Request:
        return Request(
            "POST", "/files", "", "audio/mpeg", read_body(b"\xff\xfe " + text.encode() + b" \xff", "audio/mpeg")
        )

    recorded = fixture_of([Exchange("openai", "other", upload("[redacted]"), Response(204))], HERE)
    secrets = Secrets.collect({"DB_PASSWORD": secret}, {})
    player = Player(recorded, context=THERE.context(), secrets=secrets)
    assert isinstance(player.answer("openai", "other", upload(secret), call=0), Response)


def test_multipart_boundaries_make_no_difference() -> None:
    def upload(boundary: str, text: str = "hello") -> Request:
        data = f"--{boundary}\r\nContent-Disposition: form-data\r\n\r\n{text}\r\n--{boundary}--\r\n".encode()
        media = f"multipart/form-data; boundary={boundary}"
        return Request("POST", "/files", "", media, read_body(data, media))

    recorded = fixture_of([Exchange("openai", "other", upload("aaaa1111"), Response(200))], HERE)
    player = player_of(recorded, THERE)
    assert isinstance(player.answer("openai", "other", upload("bbbb2222", "bye"), call=0), Miss)
    assert isinstance(player.answer("openai", "other", upload("bbbb2222"), call=1), Response)

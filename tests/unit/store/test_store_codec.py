"""What a fixture becomes: what is shared, what an edit changes, what comes back."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import msgspec
import pytest

from stepfork.providers.summary import says
from stepfork.store.codec import decode_fixture, encode_fixture
from stepfork.store.encoded import Encoded
from stepfork.store.lineage import Link, lineage_of
from stepfork.trace.body import EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture
from stepfork.trace.step import Step, StepError, Trace
from tests.unit.store.sample_runs import (
    SYSTEM,
    TOOLS,
    assistant,
    chat,
    conversation,
    fixture_of,
    odd_exchanges,
    user,
)

PICTURE = base64.b64encode(b"".join(hashlib.sha256(bytes([n])).digest() for n in range(40))).decode()


def back(fixture: Fixture) -> Fixture:
    encoded = encode_fixture(fixture)
    return decode_fixture(encoded.manifest, encoded.objects.__getitem__, where="fixtures/refund.json")


def document(encoded: Encoded) -> Any:
    return json.loads(encoded.manifest)


def stored(encoded: Encoded) -> str:
    return "".join(data.decode() for data in encoded.objects.values())


def same(one: Any, other: Any) -> bool:
    """Equal in type too: `True` is not 1 here."""
    encode = msgspec.json.Encoder(order="deterministic").encode
    return encode(one) == encode(other) and one == other


def test_what_goes_in_comes_out() -> None:
    fixture = fixture_of(conversation(4) + odd_exchanges())
    assert same(back(fixture), fixture)


def test_everything_beside_the_run_comes_out() -> None:
    fixture = msgspec.structs.replace(
        fixture_of([]),
        name="inc/1042-ä",
        contracts=({"$stepfork:object": "kept as it is"},),
        verification={"outcome": "verified"},
        extensions={"later": [1, 1.0, None]},
    )
    assert same(back(fixture), fixture)


@pytest.mark.parametrize("value", [[1, 1.0, True, None, "1"], "text", 1.0, {"a": 0.0, "b": -0.0}, {}, [], ""])
def test_types_of_values_survive_in_every_position(value: Any) -> None:
    exchange = chat([user(value)], system=[value], tools=[value])
    steps = (Step("tool_call", "t", 0, 1, arguments=value, result=value),)
    trace = Trace("spans", steps, input=value, output=value, error=StepError("E", "m"), status="error")
    fixture = fixture_of([exchange], trace=trace)
    assert same(back(fixture), fixture)


def test_absent_and_null_are_two_things_in_a_trace() -> None:
    steps = (Step("tool_call", "t", 0, 1, arguments=None), Step("tool_call", "t", 2, 3))
    fixture = fixture_of([], trace=Trace("spans", steps))
    read = back(fixture)
    assert read.run.trace.steps[0].arguments is None
    assert read.run.trace.steps[1].arguments is msgspec.UNSET


def test_the_order_of_members_of_a_response_survives_and_the_rest_is_sorted() -> None:
    exchange = chat([{"role": "user", "content": "x"}])
    shuffled = Exchange(
        exchange.provider,
        exchange.api,
        msgspec.structs.replace(exchange.request, body=JsonBody(dict(reversed(exchange.request.body.value.items())))),  # type: ignore[union-attr]
        exchange.response,
    )
    assert encode_fixture(fixture_of([shuffled])) == encode_fixture(fixture_of([exchange]))
    assert back(fixture_of([shuffled])).run.exchanges[0].response.body == exchange.response.body


def test_a_conversation_costs_its_length() -> None:
    encoded = encode_fixture(fixture_of(conversation(30, size=400)))
    text = stored(encoded)
    for turn in range(30):
        assert text.count(f"question {turn} ") == 1
        assert text.count(f"answer {turn} ") == (2 if turn < 29 else 1)  # as an answer, and as it was sent on
    assert text.count(SYSTEM) == text.count("lookup_order") == 1
    entries = document(encoded)["exchanges"]
    assert [entry.get("base") for entry in entries] == [None, *range(29)]
    assert not any("keep" in entry for entry in entries)
    assert [sorted(entry.keys() & {"system", "tools"}) for entry in entries] == [["system", "tools"], *([[]] * 29)]


def test_an_edited_prompt_changes_three_files() -> None:
    old = encode_fixture(fixture_of(conversation(20)))
    new = encode_fixture(fixture_of(conversation(20, system=SYSTEM + " Be brief.")))
    assert len(old.objects.keys() ^ new.objects.keys()) == 2
    assert [e["object"] for e in document(old)["exchanges"]] == [e["object"] for e in document(new)["exchanges"]]


def test_an_edited_tool_changes_three_files() -> None:
    old = encode_fixture(fixture_of(conversation(20)))
    new = encode_fixture(fixture_of(conversation(20, tools=[*TOOLS, {"type": "function"}])))
    assert len(old.objects.keys() ^ new.objects.keys()) == 2


def test_a_prompt_that_also_stands_in_a_message_does_not_change_the_exchanges() -> None:
    long = "A rule of the house. " * 100
    messages = [user(long)]
    old = encode_fixture(fixture_of([chat(messages, system=long), chat([*messages, user("b")], system=long)]))
    new = encode_fixture(fixture_of([chat(messages, system="x"), chat([*messages, user("b")], system="x")]))
    assert [e["object"] for e in document(old)["exchanges"]] == [e["object"] for e in document(new)["exchanges"]]


def test_equal_additions_are_one_object_whatever_went_before() -> None:
    one = [chat([user("a")]), chat([user("a"), user("same")])]
    other = [chat([user("b")]), chat([user("b"), user("same")])]
    names = [document(encode_fixture(fixture_of(run)))["exchanges"][1]["object"] for run in (one, other)]
    assert names[0] == names[1]


def test_a_small_prompt_that_one_call_has_stands_in_its_object_and_a_large_one_alone() -> None:
    small = encode_fixture(fixture_of([chat([user("a")])]))
    assert set(document(small)["objects"]) == {document(small)["trace"], document(small)["exchanges"][0]["object"]}
    large = encode_fixture(fixture_of([chat([user("a")], system="s" * 990 + " .")]))
    assert "system" in document(large)["exchanges"][0]
    assert "tools" not in document(large)["exchanges"][0]


def test_absent_system_and_tools_are_not_inherited() -> None:
    messages = [user("a"), user("b"), user("c")]
    exchanges = [
        chat(messages[:1]),
        chat(messages[:2], system=None),
        chat(messages, system=None, tools=None),
        chat(messages[:1], tools=[]),
        chat(messages[:1], tools=[]),
    ]
    fixture = fixture_of(exchanges)
    assert same(back(fixture), fixture)
    entries = document(encode_fixture(fixture))["exchanges"]
    assert entries[1]["system"] is None
    assert "tools" not in entries[1]
    assert entries[2]["tools"] is None


def test_lineage_takes_the_longest_beginning() -> None:
    a, b, c, d = (user(text) for text in "abcd")
    exchanges = [chat(m) for m in ([a, b], [a, c], [a, b, c], [a, c, d, b], [d], [a, b, d], [a])]
    assert lineage_of(exchanges) == [
        Link(None, 0),
        Link(0, 1),
        Link(0, 2),
        Link(1, 2),
        Link(None, 0),
        Link(0, 2),  # kept whole by the first, in part by the third
        Link(5, 1),  # in part by four; the latest of them
    ]
    entries = document(encode_fixture(fixture_of(exchanges)))["exchanges"]
    assert [entry.get("keep") for entry in entries] == [None, 1, None, None, None, None, 1]
    assert same(back(fixture_of(exchanges)), fixture_of(exchanges))


def test_lineage_prefers_the_same_prompt_and_stays_within_an_api() -> None:
    first, second = chat([user("a")], system="one"), chat([user("a")], system="two")
    third = chat([user("a"), user("b")], system="one")
    assert lineage_of([first, second, third])[2] == Link(0, 1)
    elsewhere = msgspec.structs.replace(third, provider="gateway")
    assert lineage_of([first, second, elsewhere])[2] == Link(None, 0)


def test_lineage_tells_types_apart() -> None:
    assert lineage_of([chat([user(1)]), chat([user(1.0), user(2)]), chat([user(True)])]) == [Link()] * 3


def test_equal_exchanges_are_one_object_and_stay_two_exchanges() -> None:
    fixture = fixture_of([chat([user("poll " + "p" * 2000)], tools=None, system=None)] * 3)
    encoded = encode_fixture(fixture)
    assert [entry.get("base") for entry in document(encoded)["exchanges"]] == [None, 0, 1]
    assert len({entry["object"] for entry in document(encoded)["exchanges"][1:]}) == 1
    assert same(back(fixture), fixture)


def test_media_is_stored_once_wherever_it_stands() -> None:
    url = f"data:image/png;base64,{PICTURE}"
    event = 'data: {"b64_json":"' + PICTURE + '"}'
    exchanges = [
        chat([user([{"type": "image_url", "image_url": {"url": url}}])], PICTURE),
        Exchange("openai", "other", Request("POST", "/i", body=TextBody(f"<img src='{url}'>")), Response(200)),
        Exchange("openai", "other", Request("GET", "/i"), Response(200, body=EventsBody((event, event, "")))),
    ]
    steps = (Step("tool_call", "draw", 0, 1, result={"image": url, "again": PICTURE}),)
    fixture = fixture_of(exchanges, trace=Trace("spans", steps))
    encoded = encode_fixture(fixture)
    assert stored(encoded).count(PICTURE[:100]) == 1
    assert same(back(fixture), fixture)


@pytest.mark.parametrize("size", [1022, 1023, 1024, 1025, 1026])
@pytest.mark.parametrize("around", ["", "é", "=", "data:;base64,"])
def test_media_at_its_threshold(size: int, around: str) -> None:
    fixture = fixture_of([chat([user(around + "A" * size)])])
    assert same(back(fixture), fixture)
    alone = b'"' + b"A" * size + b'"\n'
    assert (alone in encode_fixture(fixture).objects.values()) == (size >= 1024)


def test_a_large_text_is_an_object_when_it_repeats() -> None:
    text = "All work and no play. " * 60
    once = encode_fixture(fixture_of([chat([user(text)])]))
    assert len(once.objects) == 2
    twice = fixture_of([chat([user(text)]), chat([user("no"), user(text)])])
    encoded = encode_fixture(twice)
    assert stored(encoded).count(text) == 1
    assert same(back(twice), twice)
    short = "x y " * 256  # 1,024 bytes, which is not more than 1 KiB
    assert stored(encode_fixture(fixture_of([chat([user(short)]), chat([user("no"), user(short)])]))).count(short) == 2


LOOK_ALIKES = [
    {"$stepfork:object": "0" * 64},
    {"$stepfork:object": 7},
    {"$stepfork:join": ["a", {"$stepfork:object": "0" * 64}]},
    {"$stepfork:value": [0, "request"]},
    {"$$stepfork:object": "0" * 64},
    {"$$$stepfork:": None},
    {"$stepfork:object": {"$stepfork:object": {"$$stepfork:join": []}}},
    {"$stepfork:unknown": 1},
    {"$stepfork:object": "0" * 64, "more": 1},
    {"stepfork:object": "0" * 64},
    {" $stepfork:object": "0" * 64},
    {"$": {"$stepfork": 1}},
]


@pytest.mark.parametrize("value", LOOK_ALIKES, ids=range(len(LOOK_ALIKES)))
def test_a_user_value_that_looks_like_a_marker_survives(value: Any) -> None:
    big = [value, "long " * 300]
    exchanges = [
        chat([user(value)], system=value, tools=[value]),
        chat([user(value), user(big)], system=value, tools=[value]),
        chat([user(big)]),
        Exchange("x", "other", Request("POST", "/", body=JsonBody(value)), Response(200, body=JsonBody(value))),
    ]
    step = Step("tool_call", "t", 0, 1, arguments=value, result=[big, value])
    fixture = fixture_of(exchanges, trace=Trace("spans", (step,), input=value, output=value))
    assert same(back(fixture), fixture)


def test_a_trace_points_at_what_the_exchanges_hold() -> None:
    result = "The order was placed on a rainy day. " * 10
    arguments = {"note": "Please be kind to the customer. " * 10, "n": [1, 2.5]}
    inner = json.dumps({"outer": {"text": result}}, indent=1)
    first = chat([user("go")], "ok")
    call = {"id": "c", "type": "function", "function": {"name": "t", "arguments": json.dumps(arguments)}}
    second = chat([user("go"), {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "content": inner}])
    third = chat([user("go"), {"role": "tool", "content": result}], arguments["note"])
    steps = (
        Step("tool_call", "t", 0, 1, arguments=arguments, result=result),
        Step("tool_call", "t", 2, 3, arguments={"note": arguments["note"]}, result=json.loads(inner)),
    )
    fixture = fixture_of([first, second, third], trace=Trace("spans", steps, output=arguments["note"], input=result))
    encoded = encode_fixture(fixture)
    trace = encoded.objects[document(encoded)["trace"]]
    assert b"rainy" not in trace
    assert b"kind" not in trace
    assert len(trace) < 1600
    places = json.loads(trace)["steps"]
    assert places[0]["arguments"] == {
        "$stepfork:value": [1, "request", "messages", 2, "tool_calls", 0, "function", "arguments", None]
    }
    assert places[1]["result"] == {"$stepfork:value": [1, "request", "messages", 3, "content", None]}
    assert same(back(fixture), fixture)


def test_a_trace_does_not_point_at_another_type() -> None:
    ints, floats = [{"n": 1, "pad": "p" * 200}], [{"n": 1.0, "pad": "p" * 200}]
    steps = (Step("tool_call", "t", 0, 1, result=floats),)
    fixture = fixture_of([chat([user(ints)])], trace=Trace("spans", steps))
    assert same(back(fixture), fixture)
    assert type(back(fixture).run.trace.steps[0].result[0]["n"]) is float


def test_says_stands_in_the_manifest_for_each_addition() -> None:
    entries = document(encode_fixture(fixture_of(conversation(2))))["exchanges"]
    assert entries[0]["label"] == "openai chat_completions gpt-4.1"
    assert len(entries[0]["says"]) == len(entries[1]["says"]) == 2
    assert "answer 0" not in entries[1]["says"][0]  # sent on as it was answered: it has its line already
    assert any("question 1" in line for line in entries[1]["says"])
    assert not any("question 0" in line for line in entries[1]["says"])


def test_says_of_a_long_conversation_is_what_the_whole_one_says() -> None:
    messages: list[Any] = []
    exchanges = []
    for turn in range(60):
        name = f"tool_{turn}"
        call = {"id": f"c{turn}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        role: Any = ["user", "system", "developer", ["odd"], None][turn % 5]
        messages = [
            *messages,
            {"role": role, "content": f"m{turn}"},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "r"},
        ]
        exchanges.append(chat(messages, f"a{turn}"))
    entries = document(encode_fixture(fixture_of(exchanges)))["exchanges"]
    for exchange, entry, link in zip(exchanges, entries, lineage_of(exchanges), strict=True):
        assert tuple(entry["says"]) == says(exchange, link.kept)
    assert any("tool_59" in line for line in entries[-1]["says"])


def test_a_fixture_of_messages_that_only_one_side_has() -> None:
    bodies: list[Any] = [
        {"model": "m"},
        {"messages": []},
        {"messages": "text"},
        {"messages": [1]},
        {"messages": [{"role": "system", "content": "s"}]},
        {"tools": []},
        {"tools": None, "messages": None},
        {"input": "text", "instructions": 7},
        {"input": [{"role": "user"}], "instructions": "i"},
        {"system": "s", "messages": [assistant("a")]},
    ]
    exchanges = [
        Exchange("openai", api, Request("POST", "/", body=JsonBody(body)), Response(200, body=JsonBody(None)))
        for body in bodies
        for api in ("chat_completions", "responses", "messages", "other", "invented")
    ]
    assert same(back(fixture_of(exchanges)), fixture_of(exchanges))

"""What a project's own rules templated is given back, known again, and matched whatever the run makes of it."""

import json
import re
from datetime import UTC, datetime

import msgspec
import pytest

from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.own import OwnRules
from stepfork.redact.secrets import Secrets
from stepfork.replay.inventing import Inventor
from stepfork.replay.player import Player
from stepfork.replay.report import Miss
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from stepfork.trace.wire import read_body
from tests.unit.normalize.scripted import World

OWN = OwnRules(
    id_fields=("booking_ref", "number"),
    time_fields=("quoted_at", "quoted_ms", "day"),
    duration_fields=("took",),
    id_patterns=("ORD-[0-9a-f]{12}",),
)
BOOKED = {
    "booking_ref": "Q7K2MP",
    "number": 881234,
    "quoted_at": 1577872800,
    "quoted_ms": 1577872800123,
    "day": "2020-01-01",
    "took": 0.25,
    "text": "ORD-0123456789ab for Q7K2MP",
}


def context(own, seed=1):
    return msgspec.structs.replace(World(seed).context(), own=own)


def asked(method, path, query="", body=None):
    return Request(method, path, query, "application/json" if body else "", JsonBody(body) if body else None)


def program(call, booked):
    """Books, looks the booking up by each of its names, and tells a model of it; `call` answers a request."""
    answer = call("shop", "opaque", asked("POST", "/bookings", body={"of": "ada"}))
    got = booked(answer)
    order = re.search("ORD-[0-9a-f]{12}", got["text"])[0]
    call("shop", "opaque", asked("GET", f"/bookings/{got['booking_ref']}", f"number={got['number']}&order={order}"))
    told = {"role": "user", "content": f"{json.dumps(got)} {got['booking_ref']} {order} no. {got['number']}"}
    call("openai", "chat_completions", asked("POST", "/chat/completions", body={"messages": [told]}))
    return got


def recorded(own, *, stream=False):
    seen = []
    raw = f"data: {json.dumps(BOOKED)}\n\n" if stream else json.dumps(BOOKED)
    media = "text/event-stream" if stream else "application/json"

    def call(provider, api, request):
        body = read_body(raw.encode(), media) if request.path == "/bookings" else JsonBody({"ok": True})
        seen.append(Exchange(provider, api, request, Response(200, media, {}, body)))
        return seen[-1].response

    program(call, lambda answer: BOOKED)
    run = Run(Source("command", True), Trace("exchanges", ()), tuple(seen))
    return Fixture("case", normalize_run(run, context(own)))


def replayed(fixture, own):
    player = Player(fixture, context=context(own, 2), secrets=Secrets({}))
    calls = iter(range(9))

    def call(provider, api, request):
        answer = player.answer(provider, api, request, call=next(calls))
        assert not isinstance(answer, Miss), answer
        return answer

    def booked(answer):
        body = answer.body
        return body.value if isinstance(body, JsonBody) else json.loads(body.events[0][6:])

    return program(call, booked), player.report()


@pytest.mark.parametrize("stream", [False, True])
def test_a_program_that_goes_on_with_what_it_is_given_hits(stream):
    got, report = replayed(recorded(OWN, stream=stream), OWN)
    assert report.is_whole
    assert got["booking_ref"] != BOOKED["booking_ref"]
    assert re.fullmatch("[0-9a-f-]{36}", got["booking_ref"])
    assert re.fullmatch(f"ORD-[0-9a-f]{{12}} for {got['booking_ref']}", got["text"])
    assert isinstance(got["number"], int)
    assert got["number"] > 99_999_999
    started = World(2).started.timestamp()
    assert abs(got["quoted_at"] - started) < 10
    assert abs(got["quoted_ms"] / 1000 - started) < 10
    assert got["day"] == datetime.fromtimestamp(started, UTC).date().isoformat()
    assert got["took"] == 0.0


def test_a_tool_that_makes_its_own_ids_hits_and_answers_speak_of_them():
    def told(booked):
        message = {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(booked)}
        return asked("POST", "/chat/completions", body={"messages": [message]})

    said = {"choices": [{"message": {"role": "assistant", "content": "Booked Q7K2MP (ORD-0123456789ab, 881234)."}}]}
    seen = Exchange("openai", "chat_completions", told(BOOKED), Response(200, "application/json", {}, JsonBody(said)))
    fixture = Fixture("case", normalize_run(Run(Source("command", True), Trace("spans", ()), (seen,)), context(OWN)))
    other = BOOKED | {"booking_ref": "ZZ91XW", "number": 5, "quoted_at": 7, "quoted_ms": 8, "day": "2021-03-04"}
    other |= {"took": 9.5, "text": "ORD-ffffffffffff for ZZ91XW"}
    player = Player(fixture, context=context(OWN, 2), secrets=Secrets({}))
    answer = player.answer("openai", "chat_completions", told(other), call=0)
    assert not isinstance(answer, Miss), answer
    content = answer.body.value["choices"][0]["message"]["content"]
    assert content == "Booked ZZ91XW (ORD-ffffffffffff, 5)."


def test_a_rule_that_is_new_makes_an_older_fixture_a_hit():
    _, report = replayed(recorded(OwnRules()), OWN)
    assert report.is_whole


def test_without_the_rule_another_id_is_a_miss():
    fixture = recorded(OwnRules())
    player = Player(fixture, context=context(OwnRules(), 2), secrets=Secrets({}))
    live = asked("GET", "/bookings/ZZ91XW", "number=881234&order=ORD-0123456789ab")
    assert isinstance(player.answer("shop", "opaque", live, call=0), Miss)


@pytest.mark.parametrize(
    "pattern",
    [
        "ORD-[0-9a-f]{12}", "ORD-[0-9]{6}", "ORD-[A-Z]{5}", "ORD-[A-Za-z0-9]+", r"ORD-\w{8}-?", "ORD-[a-z0-9]{4,40}",
        "ORD-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ],
)  # fmt: skip
def test_what_is_made_up_fits_the_projects_pattern(pattern):
    own = OwnRules(id_patterns=(pattern,))
    inventor = Inventor("s", lambda kind, value: False, own=own)
    made = [inventor.make("id", f"{{{{id_{number}}}}}", "ORD-") for number in range(1, 30)]
    assert len(set(made)) == len(made)
    assert all(own.id_patterns[0].fullmatch(value) for value in made)


def telling(value):
    message = {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(value)}
    return asked("POST", "/chat/completions", body={"messages": [message]})


def missed(recorded, live):
    exchange = Exchange("openai", "chat_completions", telling(recorded), Response(200))
    run = Run(Source("command", True), Trace("spans", ()), (exchange,))
    player = Player(
        Fixture("case", normalize_run(run, context(OwnRules()))), context=context(OwnRules(), 2), secrets=Secrets({})
    )
    miss = player.answer("openai", "chat_completions", telling(live), call=0)
    assert isinstance(miss, Miss)
    return miss.noise


def test_a_miss_names_the_rules_that_would_make_it_a_hit():
    other = BOOKED | {"booking_ref": "ZZ91XW", "number": 104477, "text": "ORD-fedcba987654 for ZZ91XW", "took": 3.5}
    assert missed(BOOKED, other) == (
        "[normalize]",
        'id_fields = ["booking_ref", "number"]',
        'duration_fields = ["took"]',
        'id_patterns = ["ORD-[0-9a-f]{12}"]',
    )


def test_a_miss_over_a_choice_names_no_such_rule():
    told = {"order_id": "O-1042", "city": "Rome"}
    assert missed(told, told | {"city": "Oslo"}) == ()
    assert missed(told | {"booking_ref": "Q7K2MP"}, told | {"booking_ref": "ZZ91XW", "order_id": "O-1043"}) == ()

"""A run replays against its own fixture, in any other world, however its values are spelled and cut."""

from __future__ import annotations

import dataclasses
import json

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.normalize.fields import response_marks
from stepfork.replay.giving_back import GiveBack, Given, give_back
from stepfork.replay.refusal import line
from stepfork.replay.report import Miss
from stepfork.rewrite.events import rewrite_events
from stepfork.rewrite.place import Place
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.wire import body_bytes, read_body
from tests.unit.normalize.scripted import World
from tests.unit.replay.agents import (
    PATHS,
    PIECES,
    Agent,
    Playing,
    Scripted,
    Side,
    Turn,
    captured,
    fixture_of,
    player_of,
)

ODD = (
    "{{id_1}}",
    "{{!email_1}}",
    "ada@example.org",
    "2026-11-30T12:00:00Z",
    "call_aB3" + "x" * 21,
    "[redacted]",
    '{"a": 1}',
)
NAMES = (
    "model",
    "messages",
    "role",
    "content",
    "tools",
    "input",
    "instructions",
    "system",
    "id",
    "tool_calls",
    "created",
)

pieces = st.lists(st.sampled_from(PIECES), max_size=4).map(tuple)
turns = st.builds(
    Turn,
    text=pieces,
    calls=st.lists(pieces, max_size=2).map(tuple),
    results=pieces,
    depth=st.integers(0, 3),
    stream=st.booleans(),
    chunk=st.integers(1, 60),
)
apis = st.sampled_from(["chat_completions", "responses", "messages"])
homes = st.sampled_from(["/home/mkowalski", "/root", "/Users/bob", "/srv/x9", "C:\\Users\\bob", '/home/zoë "z" k'])


@settings(max_examples=40, deadline=None)
@given(apis, st.lists(turns, min_size=1, max_size=4), pieces, st.integers(0, 2**16), homes)
def test_a_program_that_echoes_what_it_was_given_hits_every_exchange(api, script, prompt, seed, home):
    here = Side(seed)
    model = Scripted(here, api, script)
    fixture = captured(here, lambda recording: Agent(here, api, script, recording, prompt), model)
    there = Side(seed + 1, home=home, customers=("carol@corp.example", "dan@corp.example"))
    playing = Playing(player_of(fixture, there))
    Agent(there, api, script, playing, prompt).run()
    report = playing.player.report()
    assert report.is_whole
    assert [served.exchange for served in report.served] == list(range(len(script)))


@settings(max_examples=25, deadline=None)
@given(apis, turns, st.integers(0, 2**16), st.booleans())
def test_a_stream_is_given_back_as_each_of_its_events_would_be(api, turn, seed, plain):
    side = Side(seed)
    turn = dataclasses.replace(turn, stream=True, text=(*turn.text, '{"created": 5, "x": {"created_at": 6}}'))
    fixture = captured(side, lambda model: Agent(side, api, [turn], model), Scripted(side, api, [turn]))
    (exchange,) = fixture.run.exchanges

    def value(placeholder, before):
        return f"{placeholder.kind if plain else ''}<{placeholder.kind} {placeholder.number} {placeholder.shape}>"

    def clock(number, expires):
        return 1800000000.5 + number

    given = Given(value, clock, lambda number: number)
    whole = give_back(exchange, given)
    marks = response_marks(exchange.response.headers, exchange.response.body)
    events = exchange.response.body.events
    assert whole.body.events == rewrite_events(events, Place(("response",), ("body",)), GiveBack(given, marks), api)


raws = st.one_of(
    st.binary(max_size=40),
    st.text(max_size=30).map(str.encode),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.sampled_from(ODD),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), inner, max_size=4)
        ),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode()),
)
medias = st.sampled_from(["application/json", "", "text/event-stream", "multipart/form-data; boundary=b", "text/plain"])


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["chat_completions", "responses", "messages", "other", "opaque"]), raws, raws, raws, medias)
def test_any_bytes_hit_by_the_whole_or_miss_and_nothing_raises(api, asked, told, other, media):
    def call(raw):
        request = Request("POST", PATHS.get(api, "/any"), "q=1", media, read_body(raw, media))
        return Exchange("openai", api, request, Response(200, media, {}, read_body(told, media)))

    here, there = World(1), World(2)
    player = player_of(fixture_of([call(asked)], here), there)
    for number, raw in enumerate((other, asked, asked, other)):
        found = player.answer("openai", api, call(raw).request, call=number)
        if isinstance(found, Miss):
            assert msgspec.json.encode(found)
            assert line(found).startswith("stepfork replay: call ")
        else:
            body_bytes(found.body)
    assert [served.exchange for served in player.report().served] == [0]
    assert sum(miss.times for miss in player.report().misses) == 3

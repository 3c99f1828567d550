"""A run replays against its own fixture, in any other world, however its values are spelled and cut."""

from __future__ import annotations

import dataclasses

from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.normalize.fields import response_marks
from stepfork.replay.giving_back import GiveBack, give_back
from stepfork.rewrite.events import rewrite_events
from stepfork.rewrite.place import Place
from tests.unit.replay.agents import PIECES, Agent, Playing, Scripted, Side, Turn, captured, player_of

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
homes = st.sampled_from(["/home/mkowalski", "/root", "/Users/bob", "/srv/x9"])


@settings(max_examples=60, deadline=None)
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


@settings(max_examples=60, deadline=None)
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

    whole = give_back(exchange, value, clock)
    marks = response_marks(exchange.response.headers, exchange.response.body)
    events = exchange.response.body.events
    assert whole.body.events == rewrite_events(
        events, Place(("response",), ("body",)), GiveBack(value, clock, marks), api
    )

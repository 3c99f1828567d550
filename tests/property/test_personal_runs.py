"""Runs with personal data: nothing of it is stored, other customers write the same bytes and hit the same answers."""

from __future__ import annotations

import dataclasses
import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.request_key import request_key
from stepfork.redact.cards import check_digit
from stepfork.redact.ibans import iban
from stepfork.redact.personal import Personal
from stepfork.redact.persons import spell_name
from stepfork.redact.rules import CLASSES
from stepfork.store.codec import decode_fixture, encode_fixture
from tests.unit.replay.agents import Agent, MissedError, Playing, Scripted, Side, Turn, captured, player_of

NAMES = ("Ada Lovelace", "Grace Hopper", "Edith Clarke", "Mary Kenneth")  # one length: streams are cut by it


@dataclasses.dataclass(frozen=True)
class Customer:
    name: str
    phone: str
    card: str
    account: str

    def spelled(self, piece: str) -> str:
        """One of the spellings of one of the values."""
        what, _, how = piece.partition(" ")
        value: str = getattr(self, what)
        if what == "phone":
            national = f"0{value[3:]}"
            return {
                "compact": value,
                "spaced": f"{value[:3]} {value[3:5]} {value[5:9]} {value[9:]}",
                "national": f"{national[:3]} {national[3:7]} {national[7:]}",
            }[how]
        if what == "name":
            return spell_name(value, how) or ""
        if how == "number":
            return json.dumps({"card": int(value)})
        return value if how == "compact" else " ".join(value[at : at + 4] for at in range(0, len(value), 4))


def customer(number: int) -> Customer:
    body = f"400000{number:09d}"
    account = iban("DE", f"{number:018d}")
    return Customer(NAMES[number % 4], f"+4420794601{number % 100:02d}", body + check_digit(body), account)


PIECES = (
    *("phone compact", "phone spaced", "phone national", "card compact", "card spaced", "card number"),
    *("account compact", "account spaced", "name Given Family", "name FAMILY, GIVEN", "name given family"),
)


class PersonalSide(Side):
    """A world whose pieces are values of its customers: ``0 phone spaced``."""

    def __init__(self, seed: int, people: tuple[Customer, ...], home: str = "/home/mkowalski") -> None:
        super().__init__(seed, home=home)
        self.people = people

    def context(self) -> Context:
        return msgspec.structs.replace(super().context(), personal=CLASSES, names=NAMES)

    def piece(self, piece: str) -> str:
        who, _, what = piece.partition(" ")
        if not who.isdigit():
            return super().piece(piece)
        spelled = self.people[int(who)].spelled(what)
        return spelled if what == "card number" else f"<{spelled}>"


pieces = st.lists(
    st.builds("{} {}".format, st.integers(0, 1), st.sampled_from(PIECES)) | st.just("plain "), max_size=4
).map(tuple)
turns = st.builds(
    Turn,
    text=pieces,
    calls=st.lists(pieces, max_size=2).map(tuple),
    results=pieces,
    depth=st.integers(0, 2),
    stream=st.booleans(),
    chunk=st.integers(1, 40),
)
apis = st.sampled_from(["chat_completions", "responses", "messages"])
scripts = st.lists(turns, min_size=1, max_size=3)
numbers = st.lists(st.integers(0, 99), min_size=4, max_size=4, unique_by=lambda number: number % 4)
FINDER = Personal(CLASSES, NAMES)


def run_of(side, api, script, prompt):
    model = Scripted(side, api, script)
    return captured(side, lambda recording: Agent(side, api, script, recording, prompt), model)


@settings(max_examples=40, deadline=None)
@given(apis, scripts, pieces, numbers)
def test_nothing_is_stored_and_two_pairs_of_customers_write_equal_bytes(api, script, prompt, people):
    people = tuple(map(customer, people))
    one, other = (
        run_of(PersonalSide(seed, pair), api, script, prompt) for seed, pair in ((1, people[:2]), (1, people[2:]))
    )
    stored = encode_fixture(one)
    assert stored.manifest == encode_fixture(other).manifest
    assert dict(stored.objects) == dict(encode_fixture(other).objects)
    for data in (stored.manifest, *stored.objects.values()):
        text = data.decode()
        assert not [found for found in FINDER.find(text) if found.kind != "phone"]
        for person in people:
            assert not any(person.spelled(piece).strip('{"card: }') in text for piece in PIECES)


@settings(max_examples=40, deadline=None)
@given(apis, scripts, pieces, numbers, st.sampled_from(["/home/mkowalski", "/Users/bob"]))
def test_another_customer_hits_and_is_given_its_own_values(api, script, prompt, people, home):
    people = tuple(map(customer, people))
    fixture = run_of(PersonalSide(1, people[:2]), api, script, prompt)
    there = PersonalSide(2, people[2:], home)
    playing = Playing(player_of(fixture, there))
    agent = Agent(there, api, script, playing, prompt)
    agent.run()
    assert playing.player.report().is_whole


@settings(max_examples=30, deadline=None)
@given(apis, scripts, pieces, numbers)
def test_the_same_customer_is_given_what_was_recorded(api, script, prompt, people):
    people = tuple(map(customer, people))
    everything = tuple(f"{who} {piece}" for who in (0, 1) for piece in PIECES)
    prompt = (*prompt, *everything)
    script = [dataclasses.replace(turn, stream=False) for turn in script]
    heard = []

    def listening(model):
        def call(exchange):
            answer = model(exchange)
            heard.append(msgspec.json.encode(answer.body))
            return answer

        return call

    here = PersonalSide(1, people[:2])
    model = listening(Scripted(here, api, script))
    fixture = captured(here, lambda recording: Agent(here, api, script, recording, prompt), model)
    recorded, heard[:] = list(map(values_in, heard)), []
    there = PersonalSide(1, people[:2])
    Agent(there, api, script, listening(Playing(player_of(fixture, there))), prompt).run()
    assert list(map(values_in, heard)) == recorded


def values_in(data):
    """What a program could read in an answer."""
    text = data.decode()
    return [piece for person in map(customer, range(100)) for piece in map(person.spelled, PIECES) if piece in text]


@settings(max_examples=30, deadline=None)
@given(apis, scripts, pieces, numbers)
def test_normalising_again_and_storing_changes_nothing(api, script, prompt, people):
    side = PersonalSide(1, tuple(map(customer, people))[:2])
    fixture = run_of(side, api, script, prompt)
    assert normalize_run(fixture.run, side.context(), templated=True) == fixture.run
    stored = encode_fixture(fixture)
    read = decode_fixture(stored.manifest, stored.objects.__getitem__, where="x")
    assert encode_fixture(read).manifest == stored.manifest
    assert [request_key(exchange) for exchange in read.run.exchanges] == [
        request_key(exchange) for exchange in fixture.run.exchanges
    ]


@settings(max_examples=20, deadline=None)
@given(apis, numbers, st.sampled_from([piece for piece in PIECES if piece != "card number"]))
def test_swapped_roles_miss(api, people, piece):
    people = tuple(map(customer, people))
    script = [Turn(calls=((f"0 {piece}",),)), Turn(text=("plain ",))]
    fixture = run_of(PersonalSide(1, people[:2]), api, script, (f"0 {piece}", f"1 {piece}"))

    class Swapping(PersonalSide):
        def piece(self, piece):
            return super().piece(piece.replace("0 ", "2 ") if piece.startswith("0") and self.swaps else piece)

    there = Swapping(2, (*people[2:], people[3]))
    there.swaps = False
    agent = Agent(there, api, script, Playing(player_of(fixture, there)), (f"0 {piece}", f"1 {piece}"))
    kept = agent._result

    def swapped(arguments, call_id, turn):
        value = json.loads(kept(arguments, call_id, turn))
        return json.dumps(value | {"got": there.people[1].spelled(piece)})

    agent._result = swapped
    with pytest.raises(MissedError) as missed:
        agent.run()
    assert missed.value.args[0].kind in ("roles", "changed")

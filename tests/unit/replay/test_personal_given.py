"""Personal data that are given back: this run's own in the same role, or made up, valid and nobody's."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from stepfork.normalize.placeholders import PERSONAL
from stepfork.redact.personal import Personal
from stepfork.redact.redactor import redact_text
from stepfork.redact.rules import CLASSES
from stepfork.redact.secrets import Secrets
from stepfork.replay.inventing import Inventor
from stepfork.replay.report import Miss
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Response
from stepfork.trace.wire import read_body
from tests.unit.normalize.scripted import World
from tests.unit.replay.agents import asking, fixture_of, player_of

ADA, GRACE = "+44 20 7946 0958", "(202) 555-0143"
CARD = "41111111" + "11111111"
NAMES = ("Ada Lovelace", "Grace Hopper")


class Asking(World):
    def __init__(self, seed: int = 1, personal: tuple[str, ...] = CLASSES, names: tuple[str, ...] = NAMES) -> None:
        super().__init__(seed)
        self.asked_for = (personal, names)

    def context(self):
        personal, names = self.asked_for
        return msgspec.structs.replace(super().context(), personal=personal, names=names)


def call(told: str, content: object = "ok", api: str = "chat_completions", *, stream: bool = False) -> Exchange:
    sent = asking(api, {"messages": [{"role": "user", "content": told}]})
    if stream:
        pieces = [content[at : at + 5] for at in range(0, len(content), 5)]
        chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
        raw, media = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks), "text/event-stream"
    else:
        raw, media = json.dumps({"choices": [{"message": {"content": content}}]}), "application/json"
    return msgspec.structs.replace(sent, response=Response(200, media, {}, read_body(raw.encode(), media)))


def given(recorded: list[Exchange], *asked: str, here: World | None = None) -> list[object]:
    """What the answers to requests hold, Miss where one is not answered."""
    player = player_of(fixture_of(recorded, Asking()), here or Asking(2))
    answers = []
    for number, text in enumerate(asked):
        exchange = call(text)
        found = player.answer(exchange.provider, exchange.api, exchange.request, call=number)
        if isinstance(found, Miss):
            answers.append(found.kind)
        elif isinstance(found.body, JsonBody):
            answers.append(found.body.value["choices"][0]["message"]["content"])
        else:
            events = [json.loads(event[6:]) for event in found.body.events if event]
            answers.append("".join(event["choices"][0]["delta"]["content"] for event in events))
    return answers


@pytest.mark.parametrize("kind", PERSONAL)
def test_made_up_values_are_valid_told_apart_and_found_again(kind: str) -> None:
    taken: set[str] = set()
    inventor = Inventor("s", lambda kind, value: value in taken, name="inc-1042")
    for number in range(1, 80):
        made = inventor.make(kind, f"{{{{{kind}_{number}}}}}")
        assert made not in taken
        taken.add(made)
        text = made.replace(" ", "") if kind == "phone" else made
        finder = Personal(CLASSES, (made,) if kind == "name" else ())
        assert [(found.kind, found.value, found.end) for found in finder.find(text)] == [(kind, made, len(text))]
        assert redact_text(text, Secrets({})) == text
    again = Inventor("t", lambda kind, value: False, name="inc-1042")
    assert again.make(kind, f"{{{{{kind}_1}}}}") == Inventor("s", lambda kind, value: False, name="inc-1042").make(
        kind, f"{{{{{kind}_1}}}}"
    )


def test_made_up_values_are_of_what_is_kept_for_fiction_and_tests() -> None:
    make = Inventor("s", lambda kind, value: False).make
    assert re.fullmatch(r"\+1 [2-9][0-9]{2}55501[0-9]{2}", make("phone", "{{phone_1}}"))
    assert make("card", "{{card_1}}").startswith("424242")
    assert make("iban", "{{iban_1}}")[4:8] == "TEST"
    names = [make("name", f"{{{{name_{number}}}}}") for number in (1, 12, 20, 21, 99, 105)]
    assert names == [
        f"Person {word}" for word in ("One", "Twelve", "Twenty", "Twenty-One", "Ninety-Nine", "One-Zero-Five")
    ]


def test_the_runs_own_value_is_given_in_the_layout_of_the_recording() -> None:
    recorded = [call(f"I am Ada Lovelace, {ADA}", "Call 020 7946 0958 for LOVELACE, ADA (+442079460958)")]
    assert given(recorded, f"I am Ada Lovelace, {ADA}") == [
        recorded[0].response.body.value["choices"][0]["message"]["content"]
    ]
    assert given(recorded, "I am Grace Hopper, +44 161 496 0123") == [
        "Call 016 1496 0123 for HOPPER, GRACE (+441614960123)"
    ]
    assert given(recorded, f"I am Grace Hopper, {GRACE}") == ["Call (202) 555-0143 for HOPPER, GRACE (2025550143)"]


def test_a_json_number_is_a_number_again() -> None:
    recorded = [
        call(f"card {CARD[:4]} {CARD[4:8]} {CARD[8:12]} {CARD[12:]}", json.dumps({"card": int(CARD), "n": [int(CARD)]}))
    ]
    other = "4242" + "42424242" + "4242"
    assert given(recorded, f"card {other}") == [json.dumps({"card": int(other), "n": [int(other)]})]
    whole = [call(CARD, {"card": int(CARD)})]
    assert given(whole, other) == [{"card": int(other)}]
    stream = [call(CARD, json.dumps({"card": int(CARD)}), stream=True)]
    assert given(stream, other) == [json.dumps({"card": int(other)})]


def test_what_the_run_has_not_shown_is_made_up_and_known_again() -> None:
    recorded = [
        call("who is it?", f"Grace Hopper, {GRACE}"),
        call(f"write to Grace Hopper at {GRACE}"),
    ]
    (first,) = given(recorded, "who is it?")
    assert re.fullmatch(r"Person One, \+1[0-9]{3}55501[0-9]{2}", first)
    name, _, phone = first.partition(", ")
    assert given(recorded, "who is it?", f"write to {name} at {phone}") == [first, "ok"]
    assert given(recorded, "who is it?", f"write to {name} at {phone[2:5]}-{phone[5:8]}-{phone[8:]}") == [first, "ok"]


def test_roles_are_kept_one_to_one() -> None:
    recorded = [call(f"{ADA} or {GRACE}?"), call(f"then {ADA}")]
    assert given(recorded, "020 7946 0001 or 020 7946 0002?", "then 020 7946 0001") == ["ok", "ok"]
    assert given(recorded, "020 7946 0001 or 020 7946 0002?", "then 020 7946 0002") == ["ok", "roles"]
    assert given(recorded, "020 7946 0001 or 020 7946 0001?") == ["roles"]


def test_a_fixture_says_what_is_looked_for_where_the_project_does_not() -> None:
    recorded = [call(f"{ADA} {CARD}", f"{ADA} {CARD}")]
    nothing = Asking(2, (), ())
    assert given(recorded, "020 7946 0001 " + "42424242" * 2, here=nothing) == ["020 7946 0001 " + "42424242" * 2]


def test_a_fixture_of_before_it_was_asked_for_is_answered_too() -> None:
    exchanges = [call(f"I am at {ADA}", f"Thank you, {ADA}")]
    player = player_of(fixture_of(exchanges, World(1)), Asking(2))
    for number, text in enumerate((f"I am at {ADA}", "I am at 020 7946 0001")):
        found = player.answer("openai", "chat_completions", call(text).request, call=number)
        if number == 0:
            assert found.body.value["choices"][0]["message"]["content"] == f"Thank you, {ADA}"

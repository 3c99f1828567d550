"""An address that a text spells otherwise is the same address, and is given back as it was spelled."""

import json

import pytest

from stepfork.redact.secrets import Secrets
from stepfork.replay.player import Player
from stepfork.replay.report import Miss
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Response
from tests.unit.normalize.scripted import World
from tests.unit.replay.agents import asking, fixture_of


def asked(*addresses):
    return asking("chat_completions", {"messages": [{"role": "user", "content": text} for text in addresses]})


def recorded(said, *addresses):
    answer = {"choices": [{"message": {"role": "assistant", "content": said}}]}
    sent = asked(*addresses)
    told = Response(200, "application/json", {}, JsonBody(answer))
    return fixture_of([Exchange("openai", sent.api, sent.request, told)], World(1))


def answered(fixture, *addresses):
    player = Player(fixture, context=World(2).context(), secrets=Secrets({}))
    return player.answer("openai", "chat_completions", asked(*addresses).request, call=0)


@pytest.mark.parametrize(
    ("said", "stored", "given"),
    [
        ("/?to=ada%2Bx%40example.com&b", "/?to={{email_1:url}}&b", "/?to=grace%2By%40example.org&b"),
        ("/?to=ada+x%40example.com", "/?to={{email_1:uri}}", "/?to=grace+y%40example.org"),
        ("<ada+x@example.com>", "<{{email_1}}>", "<grace+y@example.org>"),
        ('{"u": "/ada%2Bx%40example.com"}', '{"u": "/{{email_1:url}}"}', '{"u": "/grace%2By%40example.org"}'),
    ],
)
def test_an_answer_spells_an_address_as_it_did(said, stored, given):
    fixture = recorded(said, "ada+x@example.com")
    answer = fixture.run.exchanges[0].response.body.value
    assert answer["choices"][0]["message"]["content"] == stored
    live = answered(fixture, "grace+y@example.org")
    assert live.body.value["choices"][0]["message"]["content"] == given


def test_both_spellings_are_one_role():
    fixture = recorded("ok", "ada@example.com", "/x?u=ada%40example.com", "/y?u=eve%40example.com")
    texts = [message["content"] for message in fixture.run.exchanges[0].request.body.value["messages"]]
    assert texts == ["{{email_1}}", "/x?u={{email_1:url}}", "/y?u={{email_2:url}}"]
    same = answered(fixture, "bob@example.org", "/x?u=bob%40example.org", "/y?u=zoe%40example.org")
    assert not isinstance(same, Miss)
    other = answered(fixture, "bob@example.org", "/x?u=zoe%40example.org", "/y?u=bob%40example.org")
    assert isinstance(other, Miss)
    assert ":url}}" in json.dumps(str(other.difference))


@pytest.mark.parametrize(
    "address", ["o'brien@example.com", '"ada l"@example.com', "ada@bücher.example", "ada@почта.рф"]
)
def test_unusual_addresses_are_linked(address):
    fixture = recorded(f"Wrote to {address}.", address, json.dumps({"to": [address]}))
    run = fixture.run.exchanges[0]
    assert run.response.body.value["choices"][0]["message"]["content"] == "Wrote to {{email_1}}."
    texts = [message["content"] for message in run.request.body.value["messages"]]
    assert texts == ["{{email_1}}", '{"to": ["{{email_1}}"]}']

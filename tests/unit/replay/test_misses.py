"""Each miss counts once: what a client sends again because it was refused is no miss of its own."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stepfork.replay.player import Player
from stepfork.replay.report import Miss
from stepfork.trace.exchange import Exchange, Request, Response
from tests.unit.normalize.scripted import World
from tests.unit.replay.agents import asking, fixture_of, player_of

THINKING = {"type": "adaptive", "display": "updates"}


def body(api: str, text: str, **params: Any) -> dict[str, Any]:
    asked = {"model": "m", "tools": [], "input" if api == "responses" else "messages": [user(text)]}
    return {**asked, "thinking": THINKING, **params}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def player(api: str, *recorded: dict[str, Any]) -> Player:
    calls = [msgspec.structs.replace(asking(api, one), response=Response(200)) for one in recorded]
    return player_of(fixture_of(calls, World(1)), World(2))


def ask(player: Player, api: str, asked: dict[str, Any], call: int) -> Response | Miss:
    live = asking(api, asked)
    return player.answer(live.provider, api, live.request, call=call)


def told(player: Player) -> list[tuple[int, str, int]]:
    return [(miss.call, miss.component, miss.times) for miss in player.report().misses]


@pytest.mark.parametrize("api", ["chat_completions", "responses", "messages"])
def test_c093_a_request_that_is_repaired_and_sent_again_counts_to_its_miss(api: str) -> None:
    """As Claude Code does after a 400 or 422, SDKs after a parameter that a model does not know, and fallbacks."""
    playing = player(api, body(api, "go"), body(api, "go on"))
    changed = body(api, "stay")
    first = ask(playing, api, changed, 0)
    repairs: list[dict[str, Any]] = [
        {"thinking": {"type": "adaptive"}},
        {"thinking": None, "max_tokens": 9},
        {"model": "other"},
    ]
    for call, params in enumerate([{}, *repairs, *repairs], 1):
        again = ask(playing, api, changed | params, call)
        assert isinstance(again, Miss)
        assert again.difference == first.difference  # type: ignore[union-attr]
    assert told(playing) == [(0, "messages", 8)]
    # A repair that is recorded is answered, another prompt or other tools are another miss.
    assert isinstance(ask(playing, api, body(api, "go"), 8), Response)
    ask(playing, api, body(api, "leave", max_tokens=9), 9)
    ask(playing, api, {**changed, "tools": [{"name": "t"}]}, 10)
    assert told(playing) == [(0, "messages", 8), (9, "params", 1), (10, "tools", 1)]


def test_a_request_that_was_recorded_less_often_is_repaired_too() -> None:
    playing = player("messages", body("messages", "go"))
    ask(playing, "messages", body("messages", "go"), 0)
    for call in (1, 2):
        ask(playing, "messages", body("messages", "go"), call)
    ask(playing, "messages", body("messages", "go", thinking=None), 3)
    (miss,) = playing.report().misses
    assert (miss.kind, miss.recorded, miss.asked, miss.times) == ("exhausted", 1, 3, 3)


def test_two_recorded_calls_that_differ_in_parameters_are_two_misses() -> None:
    """Two models asked the same, or one at two temperatures: a new prompt misses both recordings."""
    params: list[dict[str, Any]] = [{"temperature": 0}, {"temperature": 1}, {"model": "other"}]
    playing = player("messages", *[body("messages", "go", **one) for one in params])
    for call, one in enumerate([*params, *params]):
        ask(playing, "messages", body("messages", "stay", **one), call)
    assert told(playing) == [(0, "messages", 2), (1, "messages", 2), (2, "messages", 2)]


def test_a_repair_for_another_customer_is_a_miss_of_its_own() -> None:
    playing = player("messages", body("messages", "go"))
    ask(playing, "messages", body("messages", "write to ada@example.com"), 0)
    ask(playing, "messages", body("messages", "write to bob@example.com", thinking=None), 1)
    assert [miss.times for miss in playing.report().misses] == [1, 1]


def test_without_messages_all_that_a_request_says_is_what_it_asks_for() -> None:
    recorded = Exchange("shop", "opaque", Request("GET", "/orders/1"), Response(200))
    playing = player_of(fixture_of([recorded], World(1)), World(2))
    for call, path in enumerate(["/orders/2", "/orders/3", "/orders/2"]):
        assert isinstance(playing.answer("shop", "opaque", Request("GET", path), call=call), Miss)
    assert [miss.times for miss in playing.report().misses] == [2, 1]


def test_a_probe_that_differs_from_one_that_was_answered_is_refused() -> None:
    models = Exchange("openai", "other", Request("GET", "/models"), Response(200))
    playing = player_of(fixture_of([models], World(1)), World(2))
    paths = ["/models", "/models", "/models/m"]
    found = [playing.answer("openai", "other", Request("GET", path), call=call) for call, path in enumerate(paths)]
    assert [isinstance(one, Miss) for one in found] == [False, False, True]

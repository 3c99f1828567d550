"""Whether a process is watched is looked up where it begins, not at each call; one that is forked begins there."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import UserDict
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stepfork import llm_request, trace_tool


class Counted(UserDict[str, str]):
    """An environment that counts how often it was asked."""

    def __init__(self, variables: dict[str, str]) -> None:
        super().__init__(variables)
        self.asked = 0

    def __getitem__(self, name: str) -> str:
        self.asked += 1
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.asked += 1
        return super().__contains__(name)


@trace_tool
def plain(value: int) -> int:
    return value


@trace_tool
async def later(value: int) -> int:
    return value


@trace_tool
def items(value: int) -> Iterator[int]:
    yield value


CALLS: dict[str, Callable[[int], Any]] = {
    "function": plain,
    "coroutine": lambda value: asyncio.run(later(value)),
    "generator": lambda value: list(items(value)),
    "request": lambda value: llm_request(lambda **_: value, model="m", messages=[]),
}


@pytest.mark.parametrize("kind", CALLS)
def test_a_call_to_which_nobody_listens_asks_the_environment_nothing(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = CALLS[kind]
    call(0)
    counted = Counted(dict(os.environ))
    monkeypatch.setattr(os, "environ", counted)
    os.environ.get("STEPFORK_CALLS")
    once = counted.asked
    assert once > 0
    call(1)
    one = counted.asked - once  # what an event loop asks when it is made
    for number in range(50):
        call(number)
    assert counted.asked == once + 51 * one
    assert kind == "coroutine" or one == 0


FORKING = """
import os, sys
from stepfork import trace_tool
from stepfork.errors import ReplayClosedError

@trace_tool
def look_up():
    return "ran"

def said():
    try:
        return look_up()
    except ReplayClosedError:
        return "refused"

def turn(to):
    os.environ.pop("STEPFORK_CALLS", None)
    if to:
        os.environ["STEPFORK_CALLS"] = to

def say(who):
    os.write(1, f"{who} {said()}\\n".encode())

turn(sys.argv[1])
say("first")
for generation in ("child", "grandchild"):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        break
    say(generation)
    turn(sys.argv[2])
    say(generation)
"""
NOBODY = "http://127.0.0.1:9/token/stepfork/calls?replay"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    ("started", "turned", "told"),
    [
        ("", [NOBODY, ""], ["ran", "refused", "refused", "ran", "ran"]),
        (NOBODY, ["", NOBODY], ["refused", "ran", "ran", "refused", "refused"]),
    ],
    ids=["watched from a fork on", "no more from a fork on"],
)
def test_what_a_fork_finds_in_its_environment_counts_in_it(started: str, turned: list[str], told: list[str]) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("STEPFORK")}
    if started:
        environ["STEPFORK_CALLS"] = started
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FORKING, *turned], env=environ, capture_output=True, text=True, check=True
    )
    who = ["first", "child", "child", "grandchild", "grandchild"]
    assert done.stdout.splitlines() == [f"{name} {what}" for name, what in zip(who, told, strict=True)]

"""Events in, decisions out: what a program and its processes say of their calls, and what becomes of it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfork.listener.call_log import Answer, CallLog, Inner
from stepfork.listener.call_messages import (
    MAX_FORKS,
    Begun,
    Ended,
    Joined,
    MessageError,
    Noted,
    Over,
    Refused,
    read_message,
)
from stepfork.trace.call import PROCESSES, Asked, Outcome
from tests.unit.listener.any_json import ANY_JSON


def asked(name: str = "tool", **arguments: Any) -> Asked:
    return Asked("tool_call", name, arguments)


def told(log: CallLog) -> list[tuple[str, int, int | None, int | None, tuple[tuple[int, int], ...]]]:
    return [(call.asked.name, call.begun, call.ended, call.parent, call.forks) for call in log.calls()]


def test_calls_of_two_processes_are_counted_in_order_of_arrival() -> None:
    log = CallLog()
    assert log.hear(Joined(), 1) == Noted(0)
    assert log.hear(Begun(asked("a")), 2) == Noted(1, number=0)
    assert log.hear(Joined(parent=0, forks=((1 << 40, 1),)), 3) == Noted(1, forks=((1 << 40, 1),))
    assert log.hear(Begun(asked("b"), parent=0, forks=((1 << 40, 1),)), 4) == Noted(2, number=1)
    assert log.hear(Ended(1, Outcome("b")), 5) == Noted(3)
    assert log.hear(Ended(0, Outcome("a")), 6) == Noted(4)
    assert told(log) == [("a", 1, 4, None, ()), ("b", 2, 3, 0, ((1 << 40, 1),))]
    assert [(call.started_ns, call.ended_ns) for call in log.calls()] == [(2, 6), (4, 5)]


def test_a_process_of_which_nothing_is_known_is_a_line_of_control_of_its_own() -> None:
    log = CallLog()
    log.hear(Joined(), 1)
    log.hear(Begun(asked()), 2)
    assert log.hear(Joined(), 3).forks == ((PROCESSES + 1, 1),)
    assert log.hear(Joined(), 4).forks == ((PROCESSES + 2, 1),)


@pytest.mark.parametrize(
    "message",
    [
        Ended(0, Outcome()),
        Ended(-1, Outcome()),
        Begun(asked(), parent=0),
        Begun(asked(), forks=((1, 1),)),
        Begun(asked(), forks=((-1, 0),)),
        Joined(parent=3),
        Over(-1),
        Over(1 << 63),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(message: Any) -> None:
    log = CallLog()
    with pytest.raises(MessageError):
        log.hear(message, 1)
    assert (log.calls(), log.count) == ((), 0)


def test_a_line_of_control_is_over_once_and_only_where_a_call_was_made_on_it() -> None:
    log = CallLog()
    log.hear(Begun(asked(), forks=((7, 0), (8, 0))), 1)
    assert log.hear(Over(9), 2) == Noted(1)
    assert log.hear(Over(8), 2) == Noted(2)
    assert log.hear(Over(8), 3) == Noted(2)
    assert [call.joined for call in log.calls()] == [(0, 2)]
    assert [log.waited_for(line) for line in (7, 8, 9)] == [0, 2, 0]


def test_a_call_ends_once() -> None:
    log = CallLog()
    log.hear(Begun(asked()), 1)
    log.hear(Ended(0, Outcome(1)), 2)
    with pytest.raises(MessageError):
        log.hear(Ended(0, Outcome(2)), 3)
    assert log.calls()[0].outcome == Outcome(1)


class Answers:
    def __init__(self, *decisions: Any) -> None:
        self.decisions = list(decisions)

    def decide(self, asked: Asked) -> Any:
        return self.decisions.pop(0)


def test_an_answered_call_is_noted_with_what_was_inside_it() -> None:
    inside = (Inner(asked("b"), Answer(Outcome(2), (Inner(asked("c"), Answer(Outcome(3))),))),)
    log = CallLog(Answers(Answer(Outcome(1), inside)))
    assert log.hear(Begun(asked("a")), 1) == Noted(6, number=0, answer=Outcome(1))
    assert told(log) == [("a", 1, 6, None, ()), ("b", 2, 5, 0, ()), ("c", 3, 4, 1, ())]


def test_a_refused_call_is_none_and_one_that_runs_is_one() -> None:
    refused = Refused("mismatch", "another")
    log = CallLog(Answers(refused, None))
    assert log.hear(Begun(asked("a")), 1) == Noted(0, refused=refused)
    assert log.hear(Begun(asked("b")), 2) == Noted(1, number=0)
    assert [name for name, *_ in told(log)] == ["b"]


def nested(depth: int) -> bytes:
    call = b'{"says":"begun","asked":{"type":"tool_call","name":"t","arguments":%s}}'
    return call % (b"[" * depth + b"]" * depth)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"\xff",
        b'{"says":"hello"}',
        b'{"says":"begun"}',
        b'{"says":"begun","asked":{"type":"other","name":"t","arguments":{}}}',
        b'{"says":"begun","asked":{"type":"tool_call","name":"t","arguments":{"n":1e999}}}',
        b'{"says":"begun","asked":{"type":"tool_call","name":"t","arguments":{"n":99999999999999999999}}}',
        b'{"says":"begun","asked":{"type":"tool_call","name":"\\ud800","arguments":{}}}',
        b'{"says":"joined","forks":%s}' % json.dumps([[1, 0]] * (MAX_FORKS + 1)).encode(),
        nested(240),
        nested(100_000),
    ],
)
def test_bytes_that_are_no_message(data: bytes) -> None:
    with pytest.raises(MessageError) as caught:
        read_message(data)
    assert "\n" not in str(caught.value)


def test_values_as_deep_as_a_tag_makes_them_are_taken() -> None:
    assert isinstance(read_message(nested(200)), Begun)


@given(st.binary(max_size=60) | ANY_JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_a_message_or_an_error(data: bytes) -> None:
    with suppress(MessageError):
        CallLog().hear(read_message(data), 1)

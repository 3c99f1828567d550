"""The session of a frozen replay: order, groups, what is refused, what is left over."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import pytest

from stepfork.errors import (
    ReplayClosedError,
    ReplayError,
    ReplayExhaustedError,
    ReplayMismatchError,
)
from stepfork.normalize.known import Context
from stepfork.redact.secrets import Secrets
from stepfork.replay.frozen import PATIENCE, FrozenReplay, ReplayStoppedError
from stepfork.replay.frozen_calls import RecordedCall, recorded_calls
from stepfork.replay.frozen_matching import Matching
from stepfork.trace.call import Asked, Outcome
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, StepError, Trace


def call(number: int, name: str, n: Any = 0, *, parent: int | None = None, group: int | None = None) -> RecordedCall:
    return RecordedCall(number, "tool_call", name, {"n": n}, result=f"{name} {n} #{number}", parent=parent, group=group)


def session(*calls: RecordedCall, live: tuple[str, ...] = ()) -> FrozenReplay:
    return FrozenReplay(calls, Matching("demo", Context(0, 0), Secrets({})), live=live)


def ask(made: FrozenReplay, name: str, n: Any = 0, *, parent: int | None = None) -> Any:
    opened = made.begin(Asked("tool_call", name, {"n": n}), parent=parent, forks=())
    return opened if opened.answer is None else opened.answer.result


def left(made: FrozenReplay) -> list[int]:
    return [one.number for one in made.left()]


def test_calls_are_answered_in_their_order() -> None:
    made = session(call(0, "look"), call(1, "look", 1), call(2, "book"))
    assert [ask(made, "look"), ask(made, "look", 1), ask(made, "book")] == ["look 0 #0", "look 1 #1", "book 0 #2"]
    assert made.is_whole
    assert not made.faults


@pytest.mark.parametrize(
    ("name", "n", "error", "says"),
    [
        ("book", 0, ReplayMismatchError, "call 2 of 3 is book, recorded was look"),
        ("look", 2, ReplayMismatchError, "call 2 of 3 (look) has another input at 'n': recorded 1, got 2"),
        ("look", True, ReplayMismatchError, "recorded 1, got true"),
        ("look", 1.0, ReplayMismatchError, "recorded 1, got 1.0"),
        ("look", "1", ReplayMismatchError, 'recorded 1, got "1"'),
        ("erase", 0, ReplayMismatchError, 'call 2 of 3 is erase, recorded was look; its input: {"n": 0}'),
    ],
)
def test_another_call_is_told_with_what_differs_first(name: str, n: Any, error: type[ReplayError], says: str) -> None:
    made = session(call(0, "look"), call(1, "look", 1), call(2, "book"))
    ask(made, "look")
    with pytest.raises(error) as told:
        ask(made, name, n)
    assert says in str(told.value)
    assert "\n" not in str(told.value)
    assert [fault.call for fault in made.faults] == [2]


def test_a_call_more_than_recorded_is_told() -> None:
    made = session(call(0, "look"))
    ask(made, "look")
    with pytest.raises(ReplayExhaustedError, match=r'call 2 is look, and 1 call was recorded; its input: \{"n": '):
        ask(made, "look")
    assert not made.is_whole


def test_calls_that_were_not_made_are_left() -> None:
    made = session(call(0, "look"), call(1, "outer"), call(2, "inner", parent=1), call(3, "book"))
    ask(made, "look")
    assert left(made) == [1, 3], "what was recorded inside a call that was not made is not listed"
    assert not made.is_whole


def test_a_divergence_that_is_swallowed_fails_all_the_same_and_nothing_is_answered_after_it() -> None:
    made = session(call(0, "look"), call(1, "book"))
    for name in ("erase", "look", "book"):
        with pytest.raises(ReplayError) as told:
            ask(made, name)
    assert isinstance(told.value, ReplayClosedError)
    assert [fault.name for fault in made.faults] == ["erase"]
    assert not made.made
    assert not made.is_whole


def test_a_program_that_repeats_a_refused_call_for_ever_is_stopped() -> None:
    made = session(call(0, "look"))

    def repeat() -> None:
        for _ in range(10 * PATIENCE):
            with suppress(Exception):
                ask(made, "erase")

    with pytest.raises(ReplayStoppedError):
        repeat()


def test_calls_of_a_group_come_in_any_order_and_before_what_comes_after() -> None:
    group = [call(1, "a", 1, group=0), call(2, "a", 2, group=0), call(3, "b", 1, group=0)]
    for order in ([1, 2, 3], [3, 2, 1], [2, 3, 1]):
        made = session(call(0, "look"), *group, call(4, "book"))
        ask(made, "look")
        for number in order:
            one = group[number - 1]
            assert ask(made, one.name, one.arguments["n"]) == one.result
        assert ask(made, "book") == "book 0 #4"
        assert made.is_whole
    made = session(call(0, "look"), *group, call(4, "book"))
    ask(made, "look")
    ask(made, "b", 1)
    with pytest.raises(ReplayMismatchError, match="call 3 of 5 is book, recorded was a"):
        ask(made, "book")


def test_equal_calls_of_a_group_are_answered_in_recorded_order_and_not_more_often() -> None:
    made = session(call(0, "a", group=0), call(1, "b", group=0), call(2, "a", group=0))
    assert [ask(made, "a"), ask(made, "a")] == ["a 0 #0", "a 0 #2"]
    with pytest.raises(ReplayMismatchError, match="call 3 of 3 is a, recorded was b"):
        ask(made, "a")


def test_a_group_prefers_the_call_that_says_the_value_to_the_one_that_says_a_placeholder() -> None:
    made = session(call(0, "a", "order {{id_1}}", group=0), call(1, "a", "order plain", group=0))
    assert ask(made, "a", "order plain") == "a order plain #1"
    assert ask(made, "a", "order other") == "a order other #0"


def test_a_call_that_runs_has_a_frame_of_its_own() -> None:
    calls = (call(0, "outer"), call(1, "inner", 1, parent=0), call(2, "inner", 2, parent=0), call(3, "book"))
    made = session(*calls, live=("outer",))
    opened = ask(made, "outer")
    assert ask(made, "inner", 1, parent=opened.number) == "inner 1 #1"
    assert ask(made, "book") == "book 0 #3"
    assert left(made) == [2], "a call inside one that ran is missing"
    assert ask(made, "inner", 2, parent=opened.number) == "inner 2 #2"
    opened.end(Outcome("done"))
    assert made.is_whole
    assert [(one.name, one.ran, one.failed) for one in made.made] == [
        ("outer", True, False), ("inner", False, False), ("book", False, False), ("inner", False, False),
    ]  # fmt: skip
    with pytest.raises(ReplayExhaustedError, match="call 5 is inner, and 2 calls were recorded inside outer"):
        ask(made, "inner", 3, parent=opened.number)


def test_after_the_end_no_call_is_answered() -> None:
    made = session(call(0, "look"))
    made.end()
    with pytest.raises(ReplayClosedError):
        ask(made, "look")
    assert made.faults


def test_what_is_refused_elsewhere_is_a_fault_once() -> None:
    made = session(call(0, "look"))
    made.refused("a call of a stranger")
    made.refused("a call of a stranger")
    assert [fault.text for fault in made.faults] == ["a call of a stranger"]
    with pytest.raises(ReplayClosedError):
        ask(made, "look")


def test_many_threads_get_each_its_own_answer() -> None:
    made = session(*(call(number, "a", number, group=0) for number in range(60)))
    got: dict[int, Any] = {}
    threads = [threading.Thread(target=lambda n=n: got.update({n: ask(made, "a", n)})) for n in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {n: f"a {n} #{n}" for n in range(60)}
    assert made.is_whole


def test_a_hostile_name_is_one_short_line() -> None:
    made = session(call(0, "look\n\x1b[31m" + "x" * 500))
    with pytest.raises(ReplayMismatchError) as told:
        ask(made, "\x07\u202e" + "y" * 500)
    assert str(told.value).isprintable()
    assert len(str(told.value)) < 500


def test_which_steps_answer() -> None:
    told = Step("tool_call", "told", 0, 1, arguments={}, result=1)
    mute = Step("tool_call", "mute", 2, 3)
    model = Step("llm_call", "chat", 4, 5)
    run = Run(Source("command", True), Trace("spans", (told, mute, model)))
    assert [one.name for one in recorded_calls(run)] == ["told"]
    own = Step("tool_call", "own", 0, 1, arguments={}, error=StepError("E"), instrumented=True)
    agent = Step("agent_call", "agent", 1, 2, parent=0)
    inner = Step("tool_call", "inner", 1, 2, parent=1, arguments={}, result=2, instrumented=True)
    run = Run(Source("in_process", False), Trace("instrumented", (own, agent, inner, told)))
    assert [(one.name, one.parent) for one in recorded_calls(run)] == [("own", None), ("inner", 0)]


@pytest.mark.parametrize("value", ["town {number}", "{{{{id_1{number}}}}} of town {number}"])
def test_a_call_of_a_large_group_is_not_compared_with_all_others(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Any] = []
    compare = Matching.compare

    def counted(*given: Any) -> Any:
        compared.append(given)
        return compare(*given)

    monkeypatch.setattr(Matching, "compare", counted)
    count = 200
    made = session(
        *(call(number, "a", {"at": value.format(number=number), "town": number}, group=0) for number in range(count))
    )
    for number in reversed(range(count)):
        live = f"town {number}" if "id" not in value else f"word-{number} of town {number}"
        assert ask(made, "a", {"at": live, "town": number})
    assert made.is_whole
    assert len(compared) <= 2 * count

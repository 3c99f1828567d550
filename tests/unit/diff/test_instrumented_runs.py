"""Instrumented runs: what they called and what came of it is compared without an option, and told once."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Step, StepError, Trace
from tests.unit.diff.conversations import TURNS, chat, conversation

DATE = {"$py": "date", "value": "2026-01-01"}


def run(*steps: Step, exchanges: list[Exchange] | None = None, kind: Any = "in_process", **told: Any) -> Fixture:
    trace = Trace("exchanges" if exchanges else "instrumented", steps, **{"input": 1, "output": "done", **told})
    return Fixture("run", Run(Source(kind, True), trace, tuple(exchanges or ())))


def call(name: str, at: int = 0, **told: Any) -> Step:
    told = {"arguments": {"n": 1}, "result": {"ok": True}, "instrumented": True, **told}
    return Step("tool_call", name, 2 * at + 1, 2 * at + 2, **told)


def told(diff: FixtureDiff) -> list[tuple[str, str, str]]:
    return [(change.cause, change.rule, change.summary) for change in diff.changes]


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (run(call("a"), input=2), ("authored", "run", "input changed")),
        (run(call("a"), input=DATE), ("authored", "run", "input changed")),
        (run(call("a"), agent="other"), ("authored", "run", "+ agent")),
        (run(call("a"), output="other"), ("consequence", "output", "output changed")),
        (run(call("a", arguments={"n": 2})), ("consequence", "arguments", "tool_call a [0] /arguments/n: 1 → 2")),
        (run(call("a", result={"ok": 1})), ("consequence", "tool-results", "tool_call a [0] /result/ok: true → 1")),
        (run(call("a"), call("b", 1)), ("consequence", "call-added", '+ tool_call b [1] {"n": 1} → {"ok": true}')),
    ],
)
def test_each_part_of_the_run_is_compared(new: Fixture, expected: tuple[str, str, str]) -> None:
    old = run(call("a"))
    assert told(diff_fixtures(old, new)) == [expected]
    assert diff_fixtures(new, new).change == "unchanged"


def test_a_value_of_another_type_that_reads_alike_is_a_change() -> None:
    old, new = (run(call("a", arguments={"day": day}), input=day) for day in (DATE, "2026-01-01"))
    fields = [
        (field.path, field.old, field.new) for change in diff_fixtures(old, new).changes for field in change.fields
    ]
    assert fields == [("/input", DATE, "2026-01-01"), ("/steps/0/arguments/day", DATE, "2026-01-01")]


def test_another_error_and_a_new_one() -> None:
    def failing(kind: str) -> Step:
        return call("a", result=msgspec.UNSET, error=StepError(kind, "no"), raised={"$py": "exception", "type": kind})

    assert [rule for _, rule, _ in told(diff_fixtures(run(failing("A")), run(failing("B"))))] == ["tool-results"]
    [change] = diff_fixtures(run(call("a")), run(failing("B"))).changes
    assert (change.rule, change.breaks) == ("tool-call-failing", "tool call a now fails")


def test_the_order_of_calls_is_compared_where_they_had_one() -> None:
    old, new = run(call("a"), call("b", 1)), run(call("b"), call("a", 1))
    assert [rule for _, rule, _ in told(diff_fixtures(old, new))] == ["order"]
    old, new = (run(*(call(name, at, group=1) for at, name in enumerate(names))) for names in ("ab", "ba"))
    assert diff_fixtures(old, new).change == "unchanged"


def stepped(exchanges: list[Exchange], turns: Any, **more: Any) -> Fixture:
    calls = [one for turn in turns for one in turn]
    steps = [
        call(name, at, call_id=f"call_{{{{id_{at + 1}}}}}", arguments=arguments, result=result)
        for at, (name, arguments, result) in enumerate(calls)
    ]
    return run(*steps, exchanges=exchanges, **{"output": "Done.", **more})


def test_what_the_exchanges_tell_is_not_told_again() -> None:
    other = [TURNS[0], [("issue_refund", {"order_id": "O-1042", "amount": 41.0}, "no")], *TURNS[2:]]
    diff = diff_fixtures(stepped(conversation(), TURNS), stepped(conversation(other), other))
    assert {change.section for change in diff.changes} == {"answer", "tool_results"}
    fewer = TURNS[:3]
    diff = diff_fixtures(stepped(conversation(), TURNS), stepped(conversation(fewer), fewer))
    assert "trace" not in {change.section for change in diff.changes}
    assert [change.breaks for change in diff.changes if change.breaks] == ["tool call close_case is gone"]


def test_an_output_that_is_the_last_answer_is_told_as_that() -> None:
    diff = diff_fixtures(stepped(conversation(), TURNS), stepped(conversation(final="No."), TURNS, output="No."))
    assert [change.section for change in diff.changes] == ["answer"]


def test_a_call_that_no_model_asked_for_is_told_beside_the_exchanges() -> None:
    old = run(call("audit"), exchanges=[chat([{"role": "user", "content": "go"}], "ok")])
    new = run(exchanges=[chat([{"role": "user", "content": "go"}], "ok")])
    [change] = diff_fixtures(old, new).changes
    assert (change.rule, change.breaks) == ("tool-call-dropped", "tool call audit is gone")


def test_a_command_without_instrumentation_is_compared_by_its_exchanges() -> None:
    exchanges = [chat([{"role": "user", "content": "go"}], "ok")]
    old, new = run(call("audit"), exchanges=exchanges, kind="command"), run(exchanges=exchanges, kind="command")
    assert diff_fixtures(old, new).changes == ()
    assert diff_fixtures(old, new, DiffOptions(trace=True)).change == "changed"
    assert diff_fixtures(old, new).notes == ("the steps differ (--trace shows them)",)

"""Each rule by which a change gets its grade, and what comes near it and is none."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.diff.grade_rules import RULES
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture
from stepfork.trace.step import Step, StepError, Trace
from tests.unit.diff.conversations import SYSTEM, TURNS, Call, asks, chat, conversation, fixture

ALL = DiffOptions(responses=True, trace=True)
LOOKUP, REFUND, NOTIFY, CLOSE = (turn[0] for turn in TURNS)


def rules(diff: FixtureDiff) -> set[str]:
    for change in diff.changes:
        assert change.grade == RULES[change.rule]
        assert bool(change.breaks) == (change.grade == "breaking")
    return {change.rule for change in diff.changes}


def breaks(diff: FixtureDiff) -> list[tuple[str, str]]:
    return sorted((change.rule, change.breaks) for change in diff.changes if change.grade == "breaking")


def compare(old: Any, new: Any, options: DiffOptions = ALL) -> FixtureDiff:
    sides = [side if isinstance(side, Fixture) else fixture(side) for side in (old, new)]
    diff = diff_fixtures(*sides, options)
    rules(diff)
    for side in sides:
        assert diff_fixtures(side, side, options).grade is None
    return diff


def traced(*steps: Step, output: Any = "done", origin: Any = "spans", **told: Any) -> Fixture:
    made = fixture([])
    trace = Trace(origin, steps, output=output, **told)
    return msgspec.structs.replace(made, run=msgspec.structs.replace(made.run, trace=trace))


def step(name: str, at: int = 0, **told: Any) -> Step:
    return Step("tool_call", name, 2 * at + 1, 2 * at + 2, **{"arguments": {"order_id": "O-1"}, "result": "ok", **told})


def model(name: str) -> Step:
    return Step("llm_call", "chat", 1, 2, model=name)


def spending(usd: float) -> Fixture:
    """A run with a contract on what it costs."""
    return msgspec.structs.replace(traced(), contracts=({"kind": "cost_under", "id": "cost", "usd": usd},))


def tool(name: str, **parameters: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", **parameters}}}


@pytest.mark.parametrize("options", [DiffOptions(), DiffOptions(responses=True), DiffOptions(trace=True), ALL])
def test_a_tool_call_that_is_gone_breaks_whatever_is_compared(options: DiffOptions) -> None:
    diff = compare(conversation(), conversation([TURNS[0], TURNS[1], TURNS[3]]), options)
    assert breaks(diff) == [("tool-call-dropped", "tool call notify_customer is gone")]
    diff = compare(conversation([TURNS[0], [NOTIFY, NOTIFY]]), conversation([TURNS[0], [NOTIFY]]), options)
    assert breaks(diff) == [("tool-call-dropped", "tool call notify_customer 2× → 1×")]


def test_a_call_that_only_the_last_answer_asks_for_is_gone_too() -> None:
    def run(last: dict[str, Any] | str) -> list[Exchange]:
        return [chat([{"role": "user", "content": "go"}], last)]

    call = {"id": "c", "type": "function", "function": {"name": "wipe", "arguments": "{}"}}
    diff = compare(run({"role": "assistant", "content": None, "tool_calls": [call]}), run("No."), DiffOptions())
    assert breaks(diff) == [("tool-call-dropped", "tool call wipe is gone")]
    back = compare(run("No."), run({"role": "assistant", "content": "I do.", "tool_calls": [call]}), DiffOptions())
    assert not back.changed


def test_a_history_that_repeats_a_call_counts_it_once() -> None:
    # One turn less repeats the first turn's calls in fewer requests.
    diff = compare(conversation(), conversation(TURNS[:3]))
    assert breaks(diff) == [("tool-call-dropped", "tool call close_case is gone")]
    assert breaks(compare(conversation(), conversation(list(reversed(TURNS))))) == []
    assert breaks(compare(conversation(TURNS), conversation([[LOOKUP, REFUND, NOTIFY, CLOSE]]))) == []


def test_steps_that_were_watched_tell_what_was_called() -> None:
    old, new = traced(step("a"), step("a", 1), step("b", 2)), traced(step("a"), step("b", 1))
    assert breaks(compare(old, new)) == [("tool-call-dropped", "tool call a 2× → 1×")]
    assert breaks(compare(new, old)) == []
    assert breaks(compare(old, traced(origin="exchanges"))) == []  # one was watched, the other was not


def test_more_calls_and_other_arguments_or_another_order_break_nothing() -> None:
    more: list[Call] = [("audit", {}, "noted")]
    assert "call-added" in rules(compare(conversation(), conversation([*TURNS[:2], more, *TURNS[2:]])))
    other: list[Call] = [("lookup_order", {"order_id": "O-7"}, LOOKUP[2])]
    diff = compare(conversation(), conversation([other, *TURNS[1:]]))
    assert diff.grade == "changed"
    assert rules(diff) == {"arguments"}
    diff = compare(conversation([[LOOKUP, REFUND]]), conversation([[REFUND, LOOKUP]]))
    assert diff.grade == "changed"


@pytest.mark.parametrize("flag", ["isError", "is_error"])
def test_a_result_that_is_an_error_now_breaks(flag: str) -> None:
    def run(**told: Any) -> list[Exchange]:
        return conversation([[("refund", {}, json.dumps({"content": [], **told}))], TURNS[2]])

    assert breaks(compare(run(**{flag: False}), run(**{flag: True}))) == [
        ("tool-call-failing", "tool call refund now fails")
    ]
    assert breaks(compare(run(**{flag: True}), run(**{flag: False}))) == []
    assert breaks(compare(run(**{flag: True}), run(**{flag: True}, more=1))) == []
    assert breaks(compare(run(), run(**{flag: "true"}))) == []


def messages_api(*results: dict[str, Any]) -> Fixture:
    """One turn of parallel calls in the Messages API, and the answer after it."""
    user = {"role": "user", "content": "go"}
    calls = [{"type": "tool_use", "id": f"t{n}", "name": f"tool{n}", "input": {}} for n in range(len(results))]
    given = [{"type": "tool_result", "tool_use_id": f"t{n}", **result} for n, result in enumerate(results)]
    conversations = [[user], [user, {"role": "assistant", "content": calls}, {"role": "user", "content": given}]]
    answers = [calls, [{"type": "text", "text": "done"}]]
    return fixture(
        [
            Exchange(
                "anthropic",
                "messages",
                Request("POST", "/v1/messages", "application/json", body=JsonBody({"model": "m", "messages": said})),
                Response(200, "application/json", body=JsonBody({"content": answer, "stop_reason": "end_turn"})),
            )
            for said, answer in zip(conversations, answers, strict=True)
        ]
    )


def test_the_flag_of_a_block_is_that_of_its_own_result() -> None:
    well = messages_api({"content": "a"}, {"content": "b"}, {"content": "c"})
    for at in range(3):
        results = [{"content": name} | ({"is_error": True} if n == at else {}) for n, name in enumerate("abc")]
        diff = compare(well, messages_api(*results))
        assert breaks(diff) == [("tool-call-failing", f"tool call tool{at} now fails")]


def test_a_step_that_raises_now_breaks() -> None:
    old, new = traced(step("a"), step("b", 1)), traced(step("a"), step("b", 1, error=StepError("TimeoutError")))
    for options in (DiffOptions(), ALL):
        assert breaks(compare(old, new, options)) == [("tool-call-failing", "tool call b now fails")]
    assert breaks(compare(new, old)) == []


def test_a_step_that_raises_where_nobody_watched_before_is_not_known_to_fail_now() -> None:
    failed = step("b", error=StepError("TimeoutError"))
    assert breaks(compare(traced(step("b"), origin="exchanges"), traced(failed))) == []


def test_a_failed_result_that_another_conversation_sends_again_is_one_failure() -> None:
    def run(*users: str) -> list[Exchange]:
        call = {"id": "c1", "type": "function", "function": {"name": "refund", "arguments": "{}"}}
        asked = {"role": "assistant", "content": None, "tool_calls": [call]}
        given = {"role": "tool", "tool_call_id": "c1", "content": '{"isError": true}'}
        return [chat([{"role": "user", "content": user}, asked, given], "ok") for user in users]

    assert breaks(compare(run("one"), run("one", "two and more words"))) == []


def test_a_tool_that_the_steps_do_not_show_is_counted_where_models_ask_for_it() -> None:
    def run(times: int) -> Fixture:
        made = fixture(conversation([[LOOKUP, *[NOTIFY] * times]]))
        trace = Trace("spans", (step("lookup_order"),), output="done")
        return msgspec.structs.replace(made, run=msgspec.structs.replace(made.run, trace=trace))

    assert breaks(compare(run(2), run(1))) == [("tool-call-dropped", "tool call notify_customer 2× → 1×")]


def test_a_dropped_call_that_no_answer_asked_for_stands_on_the_message_that_shows_it() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "notify", "arguments": "{}"}}
    asked, more = {"role": "user", "content": "go"}, {"role": "user", "content": "go on"}
    put_in = {"role": "assistant", "content": None, "tool_calls": [call]}
    old, new = ([chat([asked], "ok"), chat([asked, *said, more], "ok")] for said in ([put_in], []))
    diff = compare(old, new)
    assert [(change.section, change.rule) for change in diff.changes] == [("messages", "tool-call-dropped")]


def test_an_output_that_is_gone_breaks() -> None:
    for gone in (msgspec.UNSET, None, ""):
        assert breaks(compare(traced(step("a")), traced(step("a"), output=gone))) == [
            ("output-gone", "the output is gone")
        ]
    assert breaks(compare(traced(step("a")), traced(step("a"), output="other"))) == []
    assert breaks(compare(traced(output=0), traced(output=False))) == []


def test_a_run_that_tells_no_output_has_its_last_answer_for_it() -> None:
    for gone in (conversation(final=""), conversation()[:-1]):
        diff = compare(conversation(), gone)
        assert breaks(diff) == [("output-gone", "the output is gone")]
        assert len(diff.changes) == 1
        assert breaks(compare(gone, conversation())) == []


def test_a_run_that_ends_in_an_error_now_breaks() -> None:
    old = traced(step("a"))
    failed = traced(step("a"), status="error", error=StepError("ValueError"))
    assert breaks(compare(old, failed)) == [("run-failed", "the run ends with an error (ValueError)")]
    exits = fixture(conversation(), exit_code=0), fixture(conversation(), exit_code=3)
    assert breaks(compare(*exits)) == [("run-failed", "the command exits with 3")]
    assert breaks(compare(*reversed(exits))) == []


def failing(exchange: Exchange) -> Exchange:
    body = JsonBody({"error": {"type": "overloaded_error", "message": "later"}})
    return msgspec.structs.replace(exchange, response=Response(529, "application/json", body=body))


def test_an_answer_that_is_an_error_or_refused_now_breaks() -> None:
    old = conversation()
    assert breaks(compare(old, [*old[:-1], failing(old[-1])])) == [
        ("answer-failed", "model call 4 fails (overloaded_error)")
    ]
    assert breaks(compare([*old[:-1], failing(old[-1])], old)) == []
    refused = {"choices": [{"index": 0, "message": {"content": "no"}, "finish_reason": "content_filter"}]}
    answer = msgspec.structs.replace(old[-1].response, body=JsonBody(refused))
    diff = compare(old, [*old[:-1], msgspec.structs.replace(old[-1], response=answer)])
    assert breaks(diff) == [("answer-failed", "model call 4 is refused")]
    refused["choices"][0]["finish_reason"] = "SAFETY"
    diff = compare(old, [*old[:-1], msgspec.structs.replace(old[-1], response=answer)])
    assert breaks(diff) == [("answer-failed", "model call 4 is refused")]
    cut = msgspec.structs.replace(old[-1].response, ending="client_closed")
    diff = compare(old, [*old[:-1], msgspec.structs.replace(old[-1], response=cut)])
    assert breaks(diff) == [("answer-failed", "model call 4 ends before its answer does")]


def test_a_failed_call_that_was_made_again_breaks_nothing() -> None:
    old = conversation()
    assert breaks(compare(old, [*old[:-1], failing(old[-1]), conversation(final="Well done.")[-1]])) == []


def test_a_tool_that_is_offered_no_more_breaks() -> None:
    both, one = {"tools": [tool("a"), tool("b")]}, {"tools": [tool("a")]}
    diff = compare([asks("x", **both)], [asks("x", **one)])
    assert breaks(diff) == [("tool-removed", "tool b is no longer offered")]
    assert rules(compare([asks("x", **one)], [asks("x", **both)])) == {"tool-added"}
    elsewhere = compare([asks("x", **both), asks("y y", **both)], [asks("x", **one), asks("y y", **both)])
    assert (elsewhere.grade, rules(elsewhere)) == ("changed", {"tool-changed"})


def test_tools_of_calls_that_have_no_counterpart_are_compared_too() -> None:
    def run(word: str, *tools: dict[str, Any]) -> list[Exchange]:
        said = " ".join(f"{word}{n}" for n in range(60))
        messages = [{"role": "system", "content": said}, {"role": "user", "content": said}]
        return [chat(messages, said, tools=list(tools))]

    old = run("x", tool("a"), tool("b", properties={"n": {}}))
    new = run("y", tool("b", properties={"n": {}}, required=["n"]))
    diff = compare(old, new)
    assert {change.change for change in diff.changes if change.section == "exchange"} == {"added", "removed"}
    assert breaks(diff) == [
        ("schema-narrowed", "tool b: requires n now"),
        ("tool-removed", "tool a is no longer offered"),
    ]


def test_a_schema_that_accepts_less_breaks_and_says_where() -> None:
    def offering(**parameters: Any) -> list[Exchange]:
        return [asks(f"{n} x", tools=[tool("refund", **parameters)]) for n in range(3)]

    amount = {"amount": {"type": ["number", "string"]}}
    old = offering(properties=amount)
    diff = compare(old, offering(properties=amount, required=["amount"]))
    assert breaks(diff) == [("schema-narrowed", "tool refund: requires amount now")]
    diff = compare(old, offering(properties={"amount": {"type": "number"}}))
    assert breaks(diff) == [("schema-narrowed", "tool refund: amount no longer accepts string")]
    lines = [
        {"lines": {"type": "array", "items": members}}
        for members in ({"properties": amount}, {"properties": {"amount": {"type": "number"}}})
    ]
    assert breaks(compare(*(offering(properties=one) for one in lines))) == [
        ("schema-narrowed", "tool refund: lines[].amount no longer accepts string")
    ]
    diff = compare(offering(properties=amount, additionalProperties=False), offering(additionalProperties=False))
    assert breaks(diff) == [("schema-narrowed", "tool refund: amount is no longer accepted")]
    for wider in ({"properties": {}}, {"properties": amount | {"note": {}}}, {"properties": amount, "title": "x"}):
        assert rules(compare(old, offering(**wider))) == {"tool-changed"}


def test_a_tool_and_a_narrowing_stand_on_the_change_that_they_are_about() -> None:
    def offering(description: str, required: list[str]) -> list[Exchange]:
        made = tool("refund", properties={"amount": {}}, required=required)
        made["function"]["description"] = description
        return [asks("x", tools=[tool("refund", properties={"amount": {}})]), asks("y", tools=[made])]

    diff = compare(offering("one", []), offering("two", ["amount"]))
    assert [(change.rule, change.exchanges) for change in diff.changes] == [("schema-narrowed", (1,))]


def test_a_change_of_a_tool_that_another_one_narrows_breaks_nothing_itself() -> None:
    def offering(description: str, *required: list[str]) -> list[Exchange]:
        made = [tool("refund", properties={"amount": {}}, required=names) for names in required]
        for one in made:
            one["function"]["description"] = description
        return [asks(f"{n} x", tools=[one]) for n, one in enumerate(made)]

    diff = compare(offering("one", [], []), offering("two", ["amount"], []))
    assert sorted((change.rule, change.exchanges) for change in diff.changes) == [
        ("schema-narrowed", (0,)),
        ("tool-changed", (0, 1)),
    ]


def judged(at_most: int, calls: int, *, outcome: str = "verified", tools: int = 0) -> Fixture:
    """A run that refunds one order several times, with the contract on that and what came of it."""
    steps = [step("refund", n, arguments={"order_id": "O-1042"}) for n in range(calls)]
    made = traced(*steps, *(step("notify", calls + n) for n in range(tools)))
    name = "cardinality-refund-per-order_id"
    contract = {"kind": "tool_cardinality", "id": name, "tool": "refund", "per": "order_id", "at_most": at_most}
    result = {"id": name, "status": "pass" if calls <= at_most else "hard_fail", "explanation": "too often"}
    failed = [name] if calls > at_most else []
    verification = {
        "outcome": outcome,
        "verified": outcome == "verified",
        "expect_fail": bool(failed),
        "contracts": [result],
        "expected_failures": failed,
    }
    return msgspec.structs.replace(made, contracts=(contract,), verification=verification)


def test_a_contract_that_fails_or_allows_more_breaks() -> None:
    told = "refund 1× → 2× for order_id=O-1042"
    assert breaks(compare(judged(1, 1), judged(1, 2))) == [("contract-failing", told)]
    assert breaks(compare(judged(1, 1), judged(2, 2))) == [("contract-weakened", told)]
    assert breaks(compare(judged(1, 2), judged(1, 3)))[0][1] == "refund 2× → 3× for order_id=O-1042"
    assert breaks(compare(judged(1, 2), judged(2, 2))) == [
        ("contract-weakened", "refund may be called 2× for each order_id, was 1×")
    ]
    assert breaks(compare(judged(2, 2), judged(1, 2))) == []  # more is asked of the same run


def test_a_repaired_incident_breaks_nothing() -> None:
    assert compare(judged(1, 2), judged(1, 1)).grade == "changed"
    assert breaks(compare(judged(1, 2), judged(1, 0))) == [("tool-call-dropped", "tool call refund is gone")]
    assert breaks(compare(judged(1, 2, tools=1), judged(1, 1))) == [("tool-call-dropped", "tool call notify is gone")]


def test_no_call_less_is_a_repair_where_less_is_asked() -> None:
    assert breaks(compare(judged(1, 3), judged(2, 2))) == [
        ("contract-weakened", "refund may be called 2× for each order_id, was 1×"),
        ("tool-call-dropped", "tool call refund 3× → 2×"),
    ]


def test_a_first_call_is_not_one_too_many() -> None:
    assert breaks(compare(judged(1, 0), judged(2, 1))) == [
        ("contract-weakened", "refund may be called 2× for each order_id, was 1×")
    ]


def test_a_contract_that_fails_and_that_nobody_evaluated_before_breaks_nothing() -> None:
    failed = judged(1, 1)
    order = {"kind": "tool_called_before", "id": "order", "first": "a", "then": "b"}
    result = {"id": "order", "status": "hard_fail", "explanation": "b before a"}
    verification = {"outcome": "verified", "verified": True, "contracts": [result]}
    failed = msgspec.structs.replace(failed, contracts=(order,), verification=verification)
    assert breaks(compare(judged(1, 1), failed)) == []


def test_a_run_that_is_no_longer_verified_is_told_where_nothing_else_says_why() -> None:
    told = breaks(compare(judged(1, 1), judged(1, 2, outcome="not_verified")))
    assert told == [("contract-failing", "refund 1× → 2× for order_id=O-1042")]
    assert breaks(compare(judged(1, 2), judged(1, 1, outcome="not_verified"))) == []
    unjudged = msgspec.structs.replace(judged(1, 1), contracts=(), verification=None)
    assert breaks(compare(unjudged, judged(1, 1, outcome="not_verified"))) == []


def test_a_run_that_is_no_longer_verified_breaks() -> None:
    diff = compare(judged(1, 1), judged(1, 1, outcome="not_verified"))
    assert breaks(diff) == [("not-verified", "the run is no longer verified")]
    assert breaks(compare(judged(1, 1, outcome="not_verified"), judged(1, 1))) == []


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (conversation(), conversation(system=SYSTEM + "\nmore"), "prompt"),
        (conversation(), conversation(temperature=1), "parameters"),
        (conversation(), conversation(user="Refund it."), "messages"),
        ([asks("x", model="a")], [asks("x", model="b")], "model-name"),
        (conversation(), conversation(final="All done."), "answer"),
        (traced(cost_usd=0.1), traced(cost_usd=0.2), "cost"),
        (traced(step("a")), traced(step("a", result="no")), "tool-results"),
        (fixture([asks("x")]), fixture([asks("x")], command=("python", "b.py")), "run"),
        (traced(step("a", arguments={"id": "x"})), traced(step("a", arguments={"id": "y"})), "arguments"),
        (traced(step("a", result={"id": "x"})), traced(step("a", result={"id": "y"})), "tool-results"),
        (traced(step("a")), traced(step("a"), step("b", 1)), "call-added"),
        ([asks("x"), asks("y y")], [asks("x")], "call-gone"),
        ([asks("x"), asks("y y")], [asks("y y"), asks("x")], "order"),
        (traced(model("a")), traced(model("b")), "model-name"),
        (spending(0.1), spending(0.2), "cost"),
    ],
)
def test_the_rule_of_a_change_that_breaks_nothing(old: Any, new: Any, rule: str) -> None:
    diff = compare(old, new)
    assert rules(diff) == {rule}
    assert diff.grade == RULES[rule]


def test_another_word_for_an_id_is_information_and_a_call_that_trades_its_result_is_not() -> None:
    def run(ids: tuple[str, str], answered: tuple[str, str]) -> list[Exchange]:
        calls = [{"id": one, "type": "function", "function": {"name": "a", "arguments": "{}"}} for one in ids]
        results = [{"role": "tool", "tool_call_id": one, "content": f"{n}"} for n, one in enumerate(answered)]
        return [chat([{"role": "assistant", "content": None, "tool_calls": calls}, *results], "done")]

    one, other = ("one", "two"), ("one", "zwei")
    assert rules(compare(run(one, one), run(other, other))) == {"ids"}
    assert "ids" not in rules(compare(run(one, one), run(one, ("two", "one"))))


def test_another_id_beside_another_text_is_a_change() -> None:
    def run(call_id: str, text: str) -> list[Exchange]:
        call = {"id": call_id, "type": "function", "function": {"name": "a", "arguments": "{}"}}
        result = {"role": "tool", "tool_call_id": call_id, "content": text}
        return [chat([{"role": "assistant", "content": None, "tool_calls": [call]}, result], "done")]

    [changed] = [
        change for change in compare(run("one", "1"), run("eins", "2")).changes if change.section == "tool_results"
    ]
    assert changed.rule == "tool-results"


def test_a_fixture_that_came_or_went_is_a_change() -> None:
    one = fixture(conversation())
    assert (diff_fixtures(one, None).grade, diff_fixtures(None, one).grade) == ("changed", "changed")


def test_the_reference_lists_each_rule_with_its_grade() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "diff.md"
    table = page.read_text(encoding="utf-8").partition("## Grades")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `([a-z-]+)` \| ([a-z]+) \|", table, re.MULTILINE)
    assert listed == list(RULES.items())

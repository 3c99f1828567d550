"""Two fixtures: what is paired, what is folded, what is a cause."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.diff.values import Line, Usage
from stepfork.trace.body import EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Fixture
from stepfork.trace.step import Step, Trace
from tests.unit.diff.conversations import SYSTEM, TURNS, Call, asks, chat, conversation, fixture

EXTRA: list[Call] = [("audit", {"reason": "why"}, "noted")]


def changes(diff: FixtureDiff) -> list[tuple[str, str, str, tuple[int, ...]]]:
    return [(change.cause, change.section, change.change, change.exchanges) for change in diff.changes]


def listed(diff: FixtureDiff) -> list[tuple[str, int]]:
    return [(exchange.change, exchange.index) for exchange in diff.exchanges]


def test_a_fixture_and_itself() -> None:
    one = fixture(conversation())
    assert diff_fixtures(one, one, DiffOptions(responses=True, trace=True)) == FixtureDiff(
        "refund", "unchanged", 5, 5, usage=diff_fixtures(one, one).usage
    )


def test_an_edited_prompt_line_is_said_once_with_its_exchanges() -> None:
    new = fixture(conversation(system=SYSTEM.replace("once", "twice")))
    diff = diff_fixtures(fixture(conversation()), new)
    assert changes(diff) == [("authored", "system", "changed", (0, 1, 2, 3, 4))]
    assert diff.changes[0].lines == (Line("-", "You refund once."), Line("+", "You refund twice."))
    assert listed(diff) == [("changed", index) for index in range(5)]


def test_a_line_that_changed_in_twelve_calls_is_one_change_whatever_else_changed_there() -> None:
    def calls(rule: str, other: str) -> list[Exchange]:
        return [asks(f"case {n}\n{rule}\nthanks{other if n == 7 else ''}") for n in range(12)]

    diff = diff_fixtures(fixture(calls("be brief", "")), fixture(calls("be thorough", " a lot")))
    told = [(change.exchanges, [line.text for line in change.lines]) for change in diff.changes]
    assert told == [(tuple(range(12)), ["be brief", "be thorough"]), ((7,), ["thanks", "thanks a lot"])]


@pytest.mark.parametrize("at", [0, 20, 50])
def test_one_call_among_fifty_that_stand_alone_is_one_addition(at: int) -> None:
    calls = [asks(f"question {number}") for number in range(50)]
    more = [*calls[:at], asks("something new"), *calls[at:]]
    diff = diff_fixtures(fixture(calls), fixture(more))
    assert listed(diff) == [("added", at)]
    assert changes(diff) == [("authored", "exchange", "added", (at,))]
    assert listed(diff_fixtures(fixture(more), fixture(calls))) == [("removed", at)]


@pytest.mark.parametrize("at", [0, 20, 49])
def test_one_call_among_fifty_of_a_conversation_is_one_addition(at: int) -> None:
    turns: list[list[Call]] = [[("step", {"n": n}, f"result {n}")] for n in range(50)]
    more = [*turns[:at], EXTRA, *turns[at:]]
    diff = diff_fixtures(fixture(conversation(turns)), fixture(conversation(more)))
    assert listed(diff) == [("added", at + 1)]
    assert len(diff.changes) == 1
    assert diff.exchanges[0].carried == tuple(range(at + 2, 52))
    back = diff_fixtures(fixture(conversation(more)), fixture(conversation(turns)))
    assert listed(back) == [("removed", at + 1)]


def test_equal_calls_repeated_and_one_more() -> None:
    same = [asks("again") for _ in range(6)]
    diff = diff_fixtures(fixture(same), fixture([*same, asks("again")]))
    assert [exchange.change for exchange in diff.exchanges] == ["added"]


def test_a_different_answer_and_all_that_follows_are_consequences() -> None:
    twice = [TURNS[0], [*TURNS[1], *TURNS[1]], *TURNS[2:]]
    new = fixture(conversation(twice, system=SYSTEM.replace("once", "twice"), final="All done."))
    diff = diff_fixtures(fixture(conversation()), new)
    assert changes(diff) == [
        ("authored", "system", "changed", (0, 1, 2, 3, 4)),
        ("consequence", "answer", "changed", (1,)),
        ("consequence", "tool_results", "added", (2, 3, 4)),
        ("consequence", "answer", "changed", (4,)),
    ]
    assert [change.summary for change in diff.changes[1:]] == [
        "assistant asks issue_refund twice, was once",
        '+ tool result issue_refund [5] {"ok": true}',
        "final answer reworded",
    ]


def test_an_edited_question_is_one_authored_change() -> None:
    diff = diff_fixtures(fixture(conversation()), fixture(conversation(user="Please refund O-1042 in full.")))
    assert changes(diff) == [("authored", "messages", "changed", (0, 1, 2, 3, 4))]
    assert diff.changes[0].subject == "user [0]"


def test_a_result_that_no_different_answer_explains_is_a_cause() -> None:
    other = [[("lookup_order", {"order_id": "O-1042"}, '{"amount": 45.0, "email": "{{email_1}}"}')], *TURNS[1:]]
    diff = diff_fixtures(fixture(conversation()), fixture(conversation(other)))
    assert changes(diff) == [("authored", "tool_results", "changed", (1, 2, 3, 4))]


def test_answers_count_only_when_they_are_asked_for() -> None:
    old, new = fixture(conversation()), fixture(conversation(final="Refunded."))
    quiet = diff_fixtures(old, new)
    assert not quiet.changed
    assert quiet.notes == ("1 of 5 answers differ (--responses shows them)",)
    diff = diff_fixtures(old, new, DiffOptions(responses=True))
    assert listed(diff) == [("changed", 4)]
    answer = diff.exchanges[0].answer
    assert answer is not None
    assert answer.lines == (Line("-", "Done."), Line("+", "Refunded."))


def test_tools_and_parameters_that_changed_everywhere_are_said_once() -> None:
    def tools(amount: str) -> list[dict[str, Any]]:
        schema = {"type": "object", "properties": {"amount": {"type": amount}}}
        return [{"type": "function", "function": {"name": "issue_refund", "parameters": schema}}]

    old = fixture(conversation(tools=tools("number"), temperature=0.2, seed=1))
    new = fixture(conversation(tools=tools("string"), temperature=0.7))
    everywhere = (0, 1, 2, 3, 4)
    assert changes(diff_fixtures(old, new)) == [
        ("authored", "params", "changed", everywhere),
        ("authored", "tools", "changed", everywhere),
    ]


def test_ids_in_other_numbers_are_no_change() -> None:
    diff = diff_fixtures(fixture(conversation()), fixture(conversation(first_id=4)), DiffOptions(responses=True))
    assert not diff.changed
    assert diff.notes == ("bytes differ where the meaning does not",)


def test_two_ids_that_traded_places_within_a_message_are_a_change() -> None:
    def move(first: int, second: int) -> Fixture:
        texts = ["orders {{id_1}} and {{id_2}}", f"move {{{{id_{first}}}}} behind {{{{id_{second}}}}}"]
        return fixture([chat([{"role": "user", "content": text} for text in texts], "x")])

    diff = diff_fixtures(move(1, 2), move(2, 1))
    assert diff.changes[0].lines == (
        Line("-", "move {{id_1}} behind {{id_2}}"),
        Line("+", "move {{id_2}} behind {{id_1}}"),
    )


def test_two_ids_that_nothing_else_names_and_that_traded_places_are_a_change() -> None:
    old, new = (fixture([asks(text)]) for text in ("move {{id_1}} to {{id_2}}", "move {{id_2}} to {{id_1}}"))
    assert diff_fixtures(old, new).changed


def test_another_address_in_one_place_is_a_change() -> None:
    def mail(to: str) -> Fixture:
        return fixture([asks("customer {{email_1}}, manager {{email_2}}"), asks(f"write to {to}")])

    assert diff_fixtures(mail("{{email_1}}"), mail("{{email_2}}")).changed


def test_a_clock_that_was_read_once_more_renumbers_nothing() -> None:
    old = "started {{timestamp_1}}\nended {{timestamp_2}}"
    new = "asked {{timestamp_1}}\nstarted {{timestamp_2}}\nended {{timestamp_3}}"
    diff = diff_fixtures(fixture([asks(old)]), fixture([asks(new)]))
    assert diff.changes[0].lines == (Line("+", "asked {{timestamp}}"),)


def test_c072_key_order_and_keepalives_are_one_calm_note() -> None:
    event = 'data: {"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}'

    def streamed(body: dict[str, Any], *events: str) -> Fixture:
        one = asks("x")
        request = msgspec.structs.replace(one.request, body=JsonBody(body))
        response = msgspec.structs.replace(one.response, body=EventsBody(events), content_type="text/event-stream")
        return fixture([msgspec.structs.replace(one, request=request, response=response)])

    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": True}
    old = streamed(body, event, "data: [DONE]", "")
    new = streamed(dict(reversed(body.items())), ": keepalive", event, ": keepalive", "data: [DONE]", "")
    diff = diff_fixtures(old, new, DiffOptions(responses=True))
    assert not diff.changed
    assert diff.notes == ("bytes differ where the meaning does not",)


def test_a_call_that_came_earlier_has_moved() -> None:
    calls = [asks(f"question {number}") for number in range(8)]
    diff = diff_fixtures(fixture(calls), fixture([calls[6], *calls[:6], calls[7]]))
    assert changes(diff) == [("authored", "exchange", "moved", (0,))]


def test_another_api_for_the_same_conversation_is_said() -> None:
    messages = [{"role": "user", "content": "hello"}]
    old = chat(messages, "x")
    request = msgspec.structs.replace(
        old.request, path="/v1/messages", body=JsonBody({"model": "gpt-4.1", "messages": messages})
    )
    new = msgspec.structs.replace(old, provider="anthropic", api="messages", request=request)
    diff = diff_fixtures(fixture([old]), fixture([new]))
    assert [field.path for field in diff.exchanges[0].request.other] == ["/api", "/provider"]


def test_the_command_and_its_outcome() -> None:
    old = fixture(conversation(), exit_code=0)
    new = fixture(conversation(), command=("python", "agent.py", "--fast"), exit_code=1)
    diff = diff_fixtures(old, new)
    assert [(change.cause, change.section, change.fields[0].path) for change in diff.changes] == [
        ("authored", "run", "/command/2"),
        ("consequence", "run", "/exit_code"),
    ]
    assert diff.exchanges == ()


def with_trace(run: Fixture, **trace: Any) -> Fixture:
    return msgspec.structs.replace(
        run, run=msgspec.structs.replace(run.run, trace=msgspec.structs.replace(run.run.trace, **trace))
    )


def step(name: str, at: int, **told: Any) -> Step:
    return Step("tool_call", name, at, at + 1, **told)


def test_another_input_or_agent_is_never_the_same_run() -> None:
    old = with_trace(fixture(conversation()), agent="refunder", input={"order": 1})
    new = with_trace(fixture(conversation()), agent="writer", input={"order": True})
    assert [change.fields[0].path for change in diff_fixtures(old, new).changes] == ["/agent", "/input/order"]


def test_one_step_inserted_before_ten_is_one_step() -> None:
    steps = [step("tool", at, arguments={"n": at}, result=at) for at in range(10)]
    later = [msgspec.structs.replace(one, start=one.start + 2, end=one.end + 2) for one in steps]
    old = with_trace(fixture(conversation()), steps=tuple(steps))
    new = with_trace(fixture(conversation()), steps=(step("audit", 0), *later))
    assert diff_fixtures(old, new).notes == ("the steps differ (--trace shows them)",)
    [change] = diff_fixtures(old, new, DiffOptions(trace=True)).changes
    assert (change.section, change.change, change.summary) == ("trace", "added", "+ tool_call audit [0]")


def test_a_run_without_exchanges_is_compared_by_its_steps() -> None:
    old = with_trace(fixture([]), steps=(step("tool", 0, result=1),))
    new = with_trace(fixture([]), steps=(step("tool", 0, result=1.0),))
    [change] = diff_fixtures(old, new).changes
    assert [(field.path, field.old, field.new) for field in change.fields] == [("/steps/0/result", 1, 1.0)]


def judged(contracts: list[dict[str, object]], outcome: str, **more: object) -> Fixture:
    verification = {"outcome": outcome, "verified": outcome == "verified", "causes": ["not compared"], **more}
    return msgspec.structs.replace(fixture([]), contracts=tuple(contracts), verification=verification)


def test_contracts_are_compared_by_their_ids_and_the_verification_by_its_verdict() -> None:
    old = judged([{"id": "gone"}, {"id": "most", "at_most": 1}], "verified", expect_fail=True, expected_failures=["a"])
    new = judged([{"id": "most", "at_most": 2}, {"id": "new"}], "not_verified")
    told = [(change.section, change.cause, change.summary) for change in diff_fixtures(old, new).changes]
    assert told == [
        ("contracts", "authored", "- contract gone"),
        ("contracts", "authored", "contract most: at_most 1 → 2"),
        ("contracts", "authored", "+ contract new"),
        ("verification", "consequence", "incident (1 expected to fail) → not verified"),
    ]


def test_contracts_of_another_run_follow_from_it() -> None:
    old = judged([{"id": "most", "at_most": 1}], "verified")
    new = msgspec.structs.replace(judged([{"id": "most", "at_most": 2}], "verified"), run=fixture(conversation()).run)
    assert [c.cause for c in diff_fixtures(old, new).changes if c.section == "contracts"] == ["consequence"]


def test_a_fixture_that_was_never_evaluated_says_nothing_of_contracts() -> None:
    assert not diff_fixtures(fixture([]), judged([{"id": "most"}], "verified")).changes
    assert diff_fixtures(judged([{"id": "most"}], "verified"), fixture([])).changes


def test_a_fixture_that_came_or_went() -> None:
    one = fixture(conversation())
    added, removed = diff_fixtures(None, one), diff_fixtures(one, None)
    assert (added.change, added.old_count, added.new_count) == ("added", 0, 5)
    assert (removed.change, removed.old_count, removed.new_count) == ("removed", 5, 0)
    assert added.changed
    assert removed.changed


def test_a_new_name_is_told_and_is_no_change() -> None:
    diff = diff_fixtures(fixture(conversation()), fixture(conversation(), name="refund-2"))
    assert (diff.change, diff.old_name, diff.name, diff.notes) == ("unchanged", "refund", "refund-2", ())


def test_tokens_of_a_side_with_an_unknown_answer_are_unknown() -> None:
    silent = asks("x")
    silent = msgspec.structs.replace(silent, response=msgspec.structs.replace(silent.response, body=None))
    diff = diff_fixtures(fixture([asks("x")]), fixture([silent]))
    assert diff.usage == (Usage(100, 10), None)


def test_an_unknown_api_is_compared_too() -> None:
    def call(body: Any, answer: Any) -> Fixture:
        one = asks("x")
        request = msgspec.structs.replace(one.request, path="/embeddings", body=JsonBody(body))
        response = msgspec.structs.replace(one.response, body=JsonBody(answer))
        return fixture([Exchange("openai", "other", request, response)])

    old = call({"input": "a"}, [0.1])
    assert diff_fixtures(old, call({"input": "b"}, [0.1])).changed
    assert not diff_fixtures(old, call({"input": "a"}, [0.2])).changed
    assert diff_fixtures(old, call({"input": "a"}, [0.2]), DiffOptions(responses=True)).changed


def test_c071_three_hundred_calls_of_which_none_stayed() -> None:
    old, new = (fixture([asks(f"{side} question {number}") for number in range(300)]) for side in ("old", "new"))
    assert len(diff_fixtures(old, new).exchanges) == 300


def test_the_trace_is_part_of_a_run_made_from_scratch() -> None:
    old = with_trace(fixture([]), output="done", status="completed")
    new = msgspec.structs.replace(
        old, run=msgspec.structs.replace(old.run, trace=Trace("exchanges", (), output="done."))
    )
    assert [change.section for change in diff_fixtures(old, new).changes] == ["trace"]


def test_what_a_run_cost_is_a_part_of_its_trace() -> None:
    old, new = (with_trace(fixture(conversation()), cost_usd=usd) for usd in (0.5, 0.25))
    [change] = diff_fixtures(old, new, DiffOptions(trace=True)).changes
    assert (change.cause, [field.path for field in change.fields]) == ("consequence", ["/cost_usd"])
    assert not diff_fixtures(old, new).changed


def test_an_input_that_a_message_says_is_told_once() -> None:
    texts = ("Please refund O-1042.", "Please refund O-1042 in full.")
    old, new = (with_trace(fixture(conversation(user=text)), input=text) for text in texts)
    assert changes(diff_fixtures(old, new)) == [("authored", "messages", "changed", (0, 1, 2, 3, 4))]
    other = with_trace(fixture(conversation()), input="refund order 1042")
    assert [change.fields[0].path for change in diff_fixtures(old, other).changes] == ["/input"]


def test_answers_that_cannot_be_read_are_compared_by_their_bodies() -> None:
    def answered(text: str) -> Fixture:
        one = asks("x")
        response = msgspec.structs.replace(one.response, body=TextBody(text, "an object has two members"))
        return fixture([msgspec.structs.replace(one, response=response)])

    old, new = (answered(text) for text in ('{"a":1,"a":1}', '{"a":1,"a":2}'))
    assert not diff_fixtures(old, old, DiffOptions(responses=True)).changed
    [only] = diff_fixtures(old, new, DiffOptions(responses=True)).exchanges
    assert only.answer is not None
    assert [field.path for field in only.answer.fields] == ["/body/text"]

"""What is a cause, what follows, and how an exchange that came or went is told."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from tests.unit.diff.conversations import SYSTEM, TURNS, asks, chat, conversation, fixture

CALL = {"id": "call_{{id_1}}", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}


def told(diff: FixtureDiff) -> list[tuple[str, str, str, tuple[int, ...]]]:
    return [(change.cause, change.section, change.change, change.exchanges) for change in diff.changes]


def summaries(diff: FixtureDiff) -> list[str]:
    return [change.summary for change in diff.changes]


def refused(exchange: Exchange, status: int = 429) -> Exchange:
    body = {"error": {"message": "too many", "type": "rate_limit_error"}}
    return msgspec.structs.replace(exchange, response=Response(status, "application/json", body=JsonBody(body)))


def test_a_call_that_the_model_asks_again_is_told_as_that() -> None:
    again = [TURNS[0], TURNS[1], TURNS[1], *TURNS[2:]]
    diff = diff_fixtures(fixture(conversation()), fixture(conversation(again)))
    assert summaries(diff) == ["+ assistant asks issue_refund again"]
    back = diff_fixtures(fixture(conversation(again)), fixture(conversation()))
    assert "- assistant asks issue_refund again" in summaries(back)


def test_another_call_is_told_with_what_it_asks() -> None:
    more = [TURNS[0], [("audit", {"why": "law"}, "noted")], *TURNS[1:]]
    diff = diff_fixtures(fixture(conversation()), fixture(conversation(more)))
    assert summaries(diff) == ['+ assistant asks audit: {"why": "law"}']


@pytest.mark.parametrize("times", [1, 2])
def test_a_try_that_failed_and_its_repetition_are_no_work_of_an_author(times: int) -> None:
    calls = conversation()
    tried = [calls[0], *[refused(calls[1])] * times, *calls[1:]]
    diff = diff_fixtures(fixture(calls), fixture(tried))
    assert told(diff) == [("consequence", "exchange", "added", tuple(range(1, 1 + times)))]
    assert summaries(diff) == ["+ a try that was answered 429"]
    assert told(diff_fixtures(fixture(tried), fixture(calls)))[0][:3] == ("consequence", "exchange", "removed")


def test_a_failed_call_that_nobody_repeats_is_an_exchange_of_its_own() -> None:
    diff = diff_fixtures(fixture(conversation()), fixture([refused(asks("a question of its own")), *conversation()]))
    assert told(diff) == [("authored", "exchange", "added", (0,))]


def test_calls_that_an_edit_put_in_another_order_are_one_consequence_of_it() -> None:
    old = [asks(f"question {number}", temperature=0.2) for number in range(5)]
    new = [asks(f"question {number}", temperature=0.7) for number in (3, 0, 4, 1, 2)]
    diff = diff_fixtures(fixture(old), fixture(new))
    assert told(diff)[0] == ("authored", "params", "changed", (0, 1, 2, 3, 4))
    assert [change[:3] for change in told(diff)[1:]] == [("consequence", "exchange", "moved")]
    assert summaries(diff)[1] == "2 exchanges stand in another order"


def test_concurrent_conversations_are_found_in_another_order_with_a_word_edited_in_one() -> None:
    one, two = conversation(user="Refund O-1."), conversation(TURNS[:2], user="Refund O-2.", first_id=9)
    edited = conversation(user="Refund O-1 now.")
    diff = diff_fixtures(fixture([*one, *two]), fixture([*two, *edited]))
    assert [(change[1], change[2]) for change in told(diff) if change[0] == "authored"] == [("messages", "changed")]
    assert {change[2] for change in told(diff) if change[0] == "consequence"} <= {"moved"}


def test_two_equal_requests_keep_their_answers_where_a_prompt_edit_turned_them_round() -> None:
    def run(system: str, answers: list[str]) -> list[Exchange]:
        return [chat([{"role": "system", "content": system}, {"role": "user", "content": "x"}], a) for a in answers]

    diff = diff_fixtures(fixture(run("Be kind.", ["a", "b"])), fixture(run("Be brief.", ["b", "a"])))
    assert [change[1] for change in told(diff)] == ["system", "exchange"]


def test_the_first_call_of_a_conversation_is_the_same_one_whatever_was_edited_there() -> None:
    tools = [
        {"type": "function", "function": {"name": f"t{n}", "parameters": {"description": f"w{n} x{n} y{n} z{n}"}}}
        for n in range(30)
    ]
    old = conversation(user=" ".join(f"reminder{n}" for n in range(40)) + "\nRefund it.", tools=tools)
    diff = diff_fixtures(fixture(old), fixture(conversation(user="Refund it.", system="Short.")))
    assert {change.change for change in diff.exchanges} == {"changed"}


def test_the_same_edit_of_several_messages_is_one_change() -> None:
    def run(extra: dict[str, Any]) -> list[Exchange]:
        said = [{"role": "user", "content": f"question {n}"} | extra for n in range(4)]
        return [chat(said, "ok")]

    diff = diff_fixtures(fixture(run({})), fixture(run({"name": "Zoe"})))
    assert [(change.section, change.subject) for change in diff.changes] == [("messages", "user")]
    twice = [chat([{"role": "user", "content": text} for text in ("a", "b", "b", "c")], "ok")]
    once = [chat([{"role": "user", "content": text} for text in ("a", "c")], "ok")]
    assert len(diff_fixtures(fixture(once), fixture(twice)).changes) == 2


def test_another_role_of_the_same_text_is_one_change() -> None:
    old = conversation(system=SYSTEM)
    new = [
        chat([{"role": "user", "content": "hello"}, {"role": role, "content": "Mind the rules."}], "ok")
        for role in ("system", "developer")
    ]
    diff = diff_fixtures(fixture([*old, new[0]]), fixture([*old, new[1]]))
    assert [field.path for change in diff.changes for field in change.fields] == ["/role"]


def test_what_a_model_says_besides_once_it_is_another_model_is_a_consequence() -> None:
    def run(model: str, items: list[dict[str, Any]]) -> list[Exchange]:
        call = {"type": "function_call", "call_id": "call_{{id_1}}", "name": "lookup", "arguments": "{}"}
        result = {"type": "function_call_output", "call_id": "call_{{id_1}}", "output": "found"}
        user = {"role": "user", "content": "x"}
        return [
            Exchange(
                "openai",
                "responses",
                Request("POST", "/responses", body=JsonBody({"model": model, "input": asked})),
                Response(200, "application/json", body=JsonBody({"status": "completed", "output": [call]})),
            )
            for asked in ([user], [user, *items, call, result])
        ]

    reasoning = {"type": "reasoning", "id": "rs_{{id_2}}", "summary": []}
    diff = diff_fixtures(fixture(run("m1", [])), fixture(run("m2", [reasoning])))
    assert [change[:3] for change in told(diff)] == [
        ("authored", "model", "changed"),
        ("consequence", "messages", "added"),
    ]
    assert summaries(diff)[1] == "+ assistant [1] reasoning"


def test_words_for_the_end_of_an_answer_are_each_apis_own() -> None:
    messages = [{"role": "user", "content": "hello"}]
    old = chat(messages, "x")
    request = Request("POST", "/v1/messages", body=JsonBody({"model": "gpt-4.1", "messages": messages}))
    body = {"type": "message", "content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn"}
    new = Exchange("anthropic", "messages", request, Response(200, "application/json", body=JsonBody(body)))
    diff = diff_fixtures(fixture([old]), fixture([new]), DiffOptions(responses=True))
    assert [change[:2] for change in told(diff)] == [("authored", "other")]


def test_calls_that_are_no_conversation_are_never_another_one_edited() -> None:
    def rpc(method: str) -> Exchange:
        body = {"jsonrpc": "2.0", "method": method, "params": {method: [method] * 3}}
        return Exchange("mcp", "other", Request("POST", "/mcp", body=JsonBody(body)), Response(200))

    old = [rpc("initialize"), rpc("tools/list"), *conversation()]
    diff = diff_fixtures(fixture(old), fixture([rpc("tools/list"), rpc("initialize"), *conversation()]))
    assert [change[1:3] for change in told(diff)] == [("exchange", "moved")]


def test_a_call_that_only_one_answer_asks_for_is_told_as_a_call() -> None:
    twice = [[TURNS[0][0], TURNS[0][0]], *TURNS[1:]]
    diff = diff_fixtures(fixture(conversation()), fixture(conversation(twice)))
    answer = next(change for change in diff.changes if change.section == "answer")
    assert [line.text for line in answer.lines] == ['→ lookup_order {"order_id": "O-1042"}']
    assert answer.fields == ()


def test_the_input_of_a_run_whose_other_side_has_none_is_told_by_its_message() -> None:
    def run(calls: list[Exchange], **told: Any) -> Any:
        made = fixture(calls)
        trace = msgspec.structs.replace(made.run.trace, **told)
        return msgspec.structs.replace(made, run=msgspec.structs.replace(made.run, trace=trace))

    one, two = asks("\nWhat is the capital of France?"), asks("Say hi in one word.")
    diff = diff_fixtures(run([one, two]), run([one], input="What is the capital of France?"))
    assert [change[1:3] for change in told(diff)] == [("exchange", "removed")]


def test_an_empty_list_of_tools_that_is_gone_offers_one_less_of_none() -> None:
    diff = diff_fixtures(fixture([asks("a title", tools=[]), *conversation()]), fixture(conversation()))
    assert [(change.section, change.change, change.breaks) for change in diff.changes] == [("exchange", "removed", "")]


def test_what_a_user_says_after_another_answer_is_authored() -> None:
    def run(answer: str, asked: str) -> list[Exchange]:
        return [chat([{"role": "user", "content": "first of all"}], answer), asks(asked)]

    diff = diff_fixtures(fixture(run("yes", "and then what")), fixture(run("no", "and then why")))
    assert [(change.section, change.cause) for change in diff.changes if change.section == "messages"] == [
        ("messages", "authored")
    ]


def test_two_edits_of_one_prompt_that_stand_in_different_exchanges_are_two_changes() -> None:
    def run(*systems: str) -> list[Exchange]:
        return [
            chat([{"role": "system", "content": system}, {"role": "user", "content": f"question {n}"}], "ok")
            for n, system in enumerate(systems)
        ]

    old, both, one = "a\nkeep\nb", "A!\nkeep\nB!", "A!\nkeep\nb"
    diff = diff_fixtures(fixture(run(old, old)), fixture(run(both, one)))
    assert [(change.exchanges, [line.text for line in change.lines]) for change in diff.changes] == [
        ((0, 1), ["a", "A!"]),
        ((0,), ["b", "B!"]),
    ]


def test_another_order_is_no_authors_where_an_answer_differs_too() -> None:
    def run(*asked: tuple[str, str]) -> list[Exchange]:
        return [chat([{"role": "user", "content": text}], answer) for text, answer in asked]

    old = fixture(run(("alpha beta", "1"), ("gamma delta", "2")))
    turned = fixture(run(("gamma delta", "2"), ("alpha beta", "1")))
    other = fixture(run(("gamma delta", "3"), ("alpha beta", "1")))
    assert [change.cause for change in diff_fixtures(old, turned).changes] == ["authored"]
    assert {change.cause for change in diff_fixtures(old, other).changes if change.change == "moved"} == {"consequence"}

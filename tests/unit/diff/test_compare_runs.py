from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from stepfork.diff.compare_runs import compare_runs
from stepfork.diff.leaves import leaves, shown
from stepfork.diff.unstable import Rule, Unstable
from stepfork.normalize.request_key import KeyRules
from stepfork.trace.body import EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace
from tests.unit.diff.conversations import chat, conversation

EMPTY = Trace("exchanges", ())


def run_of(*exchanges: Exchange, trace: Trace = EMPTY, exit_code: int = 0) -> Run:
    return Run(Source("command", True, ("python", "a.py"), exit_code=exit_code), trace, exchanges)


def user(text: str, **body: Any) -> Exchange:
    return chat([{"role": "user", "content": text}], "Done.", **body)


def differences(old: Run, new: Run, **rules: tuple[str, ...]) -> tuple[Unstable, ...]:
    return compare_runs(old, new, KeyRules(rules)).differences


def told(old: Exchange, new: Exchange) -> list[tuple[str, str, str, str]]:
    return [(one.place, one.old, one.new, one.kind) for one in differences(run_of(old), run_of(new))]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 1.0}, [("/a", "1", "1.0")]),
        ({"a": 1}, {}, [("/a", "1", "(absent)")]),
        ({"a": None}, {"a": False}, [("/a", "null", "false")]),
        ({"a/b": [1, 2]}, {"a/b": [1, 3]}, [("/a~1b/1", "2", "3")]),
        ([1], [1, 2], [("", "a list of 1", "a list of 2")]),
        ([1, 2], [2, 1], [("", "a list of 2", "a list of 2")]),
        ((1, "x"), (1, "y"), [("/1", '"x"', '"y"')]),
        ({"a": '{"b": 1}'}, {"a": '{"b": 2}'}, [("/a/b", "1", "2")]),
        ({"a": "{b"}, {"a": "{c"}, [("/a", '"{b"', '"{c"')]),
        ({"a": {}}, {"a": "x\ny"}, [("/a", "an object of 0", '"x"')]),
        ("same\nold\nsame", "same\nnew\nsame", [("", '"old"', '"new"')]),
        ("one", "one\ntwo", [("", '""', '"two"')]),
    ],
)
def test_where_values_differ(old: Any, new: Any, found: list[tuple[str, str, str]]) -> None:
    assert [(leaf.pointer, *shown(leaf)) for leaf in leaves(old, new)] == found


def test_a_long_line_is_shown_where_it_differs() -> None:
    ((before, after),) = (
        shown(leaf) for leaf in leaves("x" * 300 + " one " + "y" * 300, "x" * 300 + " two " + "y" * 300)
    )
    assert "one" in before
    assert "two" in after
    assert len(before) < 100


def test_equal_runs_do_not_differ() -> None:
    run = run_of(*conversation())
    assert compare_runs(run, run_of(*conversation())).differences == ()
    assert compare_runs(run, run).parted is None


def result(text: str, final: str = "Done.") -> list[Exchange]:
    return conversation([[("rate", {"of": "EUR"}, text)], [("book", {"id": 1}, "booked")]], final=final)


def test_a_result_that_every_later_call_repeats_is_named_once() -> None:
    old, new = (run_of(*result(json.dumps({"rate": 2, "at": at}))) for at in (17, 18))
    assert differences(old, new) == (Unstable(1, "result of rate /at", "17", "18", "noise", Rule("rate", "/at")),)
    accepted = differences(old, new, rate=("/at",))
    assert [(one.kind, one.accepted, one.old, one.new) for one in accepted] == [("stored", True, "17", "18")]


def test_one_field_of_many_items_is_one_rule() -> None:
    old, new = (
        run_of(*result(json.dumps({"all": [{"at": at}, {"at": at + 1}], "one": [{"at": at + 2}]}))) for at in (10, 20)
    )
    assert {one.rule for one in differences(old, new)} == {Rule("rate", "/all/*/at"), Rule("rate", "/one/0/at")}


def test_a_result_that_is_no_json_goes_whole() -> None:
    (found,) = differences(run_of(*result("at 17 h")), run_of(*result("at 18 h")))
    assert (found.rule, found.advice) == (Rule("rate", ""), "the result is no JSON, so the rule leaves out all of it")


@pytest.mark.parametrize(
    ("one", "two", "advice"),
    [
        (
            "id 4f1c09aa-1b2c-4d3e-8f90-aabbccddeeff",
            "id 99ab12e0-1b2c-4d3e-8f90-aabbccddeeff",
            "an id that the program",
        ),
        ("It is 2026-11-30.", "It is 2026-12-01.", "a clock"),
        ("at 1764526123", "at 1764526190", "a clock"),
        ("see /opt/run-a/x", "see /opt/run-b/x", "a path"),
        ("key a8f3c2d19b", "key 0b7e6d5c4a", "an id that the program"),
        ("Be kind.", "Be quick.", "this is behaviour"),
    ],
)
def test_what_helps_is_told_by_what_the_value_looks_like(one: str, two: str, advice: str) -> None:
    (found,) = differences(run_of(user(one)), run_of(user(two)))
    assert (found.place, found.kind, found.rule) == ("message 0 (user)", "behaviour", None)
    assert found.advice.startswith(advice)


def test_each_part_of_a_request_is_named() -> None:
    tools = [{"type": "function", "function": {"name": "t", "description": d}} for d in "ab"]
    old = user("hi", model="m-1", temperature=0, tools=tools[:1])
    new = user("hi", model="m-2", temperature=1, tools=tools[1:])
    assert told(old, new) == [
        ("model", '"m-1"', '"m-2"', "behaviour"),
        ("params.temperature", "0", "1", "behaviour"),
        ("tool t /description", '"a"', '"b"', "behaviour"),
    ]
    system = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]
    assert told(user("hi"), chat(system, "Done."))[0][:3] == ("system prompt", '""', '"Be brief."')
    assert told(user("hi"), chat([], "Done."))[-1][:3] == ("messages", "1", "0")


def test_what_a_set_shuffled_is_said_to_want_sorting() -> None:
    (found,) = differences(run_of(user("hi", stop=["a", "b"])), run_of(user("hi", stop=["b", "a"])))
    assert found.advice == "the same items in another order: sort them (a set has none)"


def test_another_answer_ends_the_comparison() -> None:
    old, new = run_of(*result("x"), trace=EMPTY), run_of(*result("x", final="All done."), user("more"))
    compared = compare_runs(old, new)
    assert compared.parted == 2
    assert [(one.exchange, one.place, one.old, one.new) for one in compared.differences] == [
        (2, "answer", '"Done."', '"All done."')
    ]


def test_another_call_ends_the_comparison_too() -> None:
    other = msgspec.structs.replace(user("hi"), api="other", request=Request("GET", "/models"))
    compared = compare_runs(run_of(user("hi")), run_of(other))
    assert compared.parted == 0
    assert [one.place for one in compared.differences] == ["the call itself"]


def test_calls_and_exit_codes_are_counted() -> None:
    found = differences(run_of(user("hi")), run_of(user("hi"), user("ho"), exit_code=1))
    assert [(one.place, one.old, one.new) for one in found] == [("number of calls", "1", "2"), ("exit code", "0", "1")]


def answered(body: Any, api: str = "chat_completions", **headers: str) -> Exchange:
    return Exchange("openai", api, Request("POST", "/x"), Response(200, headers=headers, body=body))


def test_what_no_request_is_matched_by_is_said_to_change_the_fixture_alone() -> None:
    choices = [{"index": 0, "message": {"content": "hi"}, "finish_reason": "stop"}]
    old, new = (answered(JsonBody({"choices": choices, "x_node": node}), node=node) for node in "ab")
    assert told(old, new) == [("answer/headers/node", '"a"', '"b"', "stored")]  # the same value again is not said twice
    events = [
        EventsBody((f'data: {{"choices": [], "x_node": "{node}"}}', f"data: {json.dumps({'choices': choices})}", ""))
        for node in "ab"
    ]
    assert [one[1:] for one in told(*map(answered, events))] == [('"a"', '"b"', "stored")]
    traces = [Trace("spans", (Step("tool_call", "t", 1, 2, result=node),)) for node in "ab"]
    (found,) = differences(*(run_of(user("hi"), trace=trace) for trace in traces))
    assert (found.exchange, found.place, found.kind) == (None, "trace/steps/0/result", "stored")


def test_of_another_service_the_status_is_what_a_program_goes_on_with() -> None:
    old, new = answered(TextBody("17"), "opaque"), answered(TextBody("18"), "opaque")
    assert [one[3] for one in told(old, new)] == ["stored"]
    failed = msgspec.structs.replace(new, response=msgspec.structs.replace(new.response, status=500))
    assert compare_runs(run_of(old), run_of(failed)).parted == 0

"""Instrumented calls as steps and exchanges: alone, and joined with what HTTP and spans tell of the same run."""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec
import pytest

from stepfork.capture.assemble import Assembled, assemble
from stepfork.capture.check import check_trace
from stepfork.store.trace_form import read_trace, trace_document
from stepfork.trace.body import EventsBody, JsonBody, TextBody
from stepfork.trace.call import Asked, Call, Fork, Outcome
from stepfork.trace.in_process import told_arguments, told_result
from stepfork.trace.span import Span
from stepfork.trace.step import StepError, Usage
from tests.unit.capture.run_samples import MS, asked, key, recorded, result, said, user
from tests.unit.capture.run_samples import call as asks

_OK: Any = object()


def tool(  # noqa: PLR0917 - a row of a table
    number: int,
    begun: int,
    ended: int | None,
    name: str = "look_up",
    arguments: Any = None,
    gave: Any = _OK,
    *,
    parent: int | None = None,
    forks: tuple[Fork, ...] = (),
    outcome: Outcome | None = None,
) -> Call:
    made = outcome if outcome is not None else Outcome(f"result of {number}" if gave is _OK else gave)
    return Call(
        number,
        Asked("tool_call", name, {} if arguments is None else arguments),
        begun,
        begun * MS,
        parent,
        forks,
        ended,
        None if ended is None else ended * MS,
        None if ended is None else made,
    )


def model(
    number: int,
    begun: int,
    ended: int | None,
    arguments: Any,
    gave: Any,
    *,
    api: str = "chat_completions",
    provider: str = "openai",
    parent: int | None = None,
    outcome: Outcome | None = None,
) -> Call:
    named = arguments.get("model") if isinstance(arguments, dict) else None
    ask = Asked("llm_call", "chat.completions.create", arguments, named, provider, api)
    end = None if ended is None else ended * MS
    done = outcome if outcome is not None else Outcome(gave)
    return Call(number, ask, begun, begun * MS, parent, (), ended, end, None if ended is None else done)


def chat(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"model": "gpt-4.1", "messages": list(messages)}


def answer(message: dict[str, Any], name: str = "chatcmpl-1") -> dict[str, Any]:
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    return {
        "id": name,
        "object": "chat.completion",
        "model": "gpt-4.1-2025-04-14",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    }


def made_of(calls: list[Call], http: Any = (), spans: Any = ()) -> Assembled:
    made = assemble(http, spans, calls, key=key)
    assert read_trace(json.loads(json.dumps(trace_document(made.trace)))) == made.trace
    return made


def waited_for(call: Call, *counts: int) -> Call:
    return msgspec.structs.replace(call, joined=counts)


def names(made: Assembled) -> list[str]:
    return [step.name for step in made.trace.steps]


def test_a_nested_call_stands_in_its_parent_and_keeps_its_values() -> None:
    when = {"$py": "datetime", "value": "2026-01-02T03:04:05"}
    failed = Outcome(error=StepError("KeyError", "x"), raised={"$py": "exception", "type": "builtins:KeyError"})
    made = made_of(
        [
            tool(0, 1, 6, "outer", {"at": when}, when),
            tool(1, 2, 3, "inner", parent=0),
            tool(2, 4, 5, "breaks", parent=0, outcome=failed),
            tool(3, 7, None, "hangs"),
        ]
    )
    outer, inner, breaks, hangs = made.trace.steps
    assert made.trace.origin == "instrumented"
    assert all(step.instrumented and step.group is None for step in made.trace.steps)
    assert (outer.arguments, outer.result) == ({"at": when}, when)
    assert [step.parent for step in made.trace.steps] == [None, 0, 0, None]
    assert [(step.start, step.end) for step in made.trace.steps] == [(1, 6), (2, 3), (4, 5), (7, 8)]
    assert inner.result == "result of 1"
    assert (breaks.error, breaks.raised, breaks.result) == (failed.error, failed.raised, msgspec.UNSET)
    assert hangs.error is not None
    assert hangs.error.type == "unfinished"
    assert not [finding for finding in check_trace(made.trace, made.exchanges) if finding.fails]


@pytest.mark.parametrize(
    ("forks", "expected"),
    [
        ((2, 2), {"before": None, "a": 1, "b": 1, "after": None}),  # started together: whoever ended first
        ((2, 5), dict.fromkeys(("before", "b", "a", "after"))),  # the second was started when the first was waited for
        ((2, 4), {"before": None, "a": 1, "b": 1, "after": None}),  # when it had ended, but nobody had waited for it
        (
            (0, 2),
            {"a": 1, "b": 1, "before": 1, "after": None},
        ),  # the first was started before the call that came before it
    ],
)
def test_lines_that_last_at_the_same_time_are_a_group(forks: tuple[int, int], expected: dict[str, int | None]) -> None:
    made = made_of(
        [
            tool(0, 1, 2, "before"),
            waited_for(tool(1, 3, 4, "b", forks=((7, forks[0]),)), 5),
            waited_for(tool(2, 6, 7, "a", forks=((8, forks[1]),)), 8),
            tool(3, 9, 10, "after"),
        ]
    )
    assert [(step.name, step.group) for step in made.trace.steps] == [*expected.items()]


def test_calls_of_a_line_stay_in_order_and_a_stream_left_open_groups_nothing() -> None:
    made = made_of(
        [
            tool(0, 1, None, "stream"),
            tool(1, 2, 3, "next"),
            tool(2, 4, 7, "z", forks=((5, 3),)),
            tool(3, 5, 6, "a", forks=((6, 3),)),
            tool(4, 8, 9, "b", forks=((5, 3),)),
        ]
    )
    assert names(made) == ["stream", "next", "a", "z", "b"]
    assert [step.group for step in made.trace.steps] == [None, None, 1, 1, 1]


def test_a_model_call_is_an_exchange_and_its_step_gives_the_object_back() -> None:
    plain = answer(asked(asks("look_up", {"n": 1}, "call_1")))
    tagged = {
        "$py": "model",
        "type": "openai:ChatCompletion",
        "value": plain
        | {
            "choices": [
                {
                    "$py": "model",
                    "type": "openai:Choice",
                    "value": plain["choices"][0] | {"logprobs": None},
                    "unset": ["logprobs"],
                }
            ],
            "service_tier": None,
        },
        "unset": ["service_tier"],
    }
    calls = [
        model(0, 1, 2, chat(user("hi")), tagged),
        tool(1, 3, 4, "look_up", {"n": 1}, {"$py": "decimal", "value": "1.50"}),
        model(
            2,
            5,
            6,
            chat(user("hi"), asked(asks("look_up", {"n": 1}, "call_1")), result("call_1", "1.50")),
            answer(said("1.50")),
        ),
    ]
    made = made_of(calls)
    first, looked, last = made.trace.steps
    assert made.exchanges[0].in_process
    assert made.exchanges[0].response.body.value == plain  # type: ignore[union-attr]
    assert (first.usage, first.finish_reasons, first.model) == (
        Usage(input_tokens=10, output_tokens=5),
        ("tool_calls",),
        "gpt-4.1-2025-04-14",
    )
    assert told_arguments(first, made.exchanges) == chat(user("hi"))
    assert told_result(first, made.exchanges) == tagged
    assert "hi" not in json.dumps(trace_document(made.trace)["steps"])
    assert looked.call_id == "call_1"
    assert (last.arguments, last.result) == (msgspec.UNSET, msgspec.UNSET)
    assert told_result(last, made.exchanges) == calls[2].outcome.result  # type: ignore[union-attr]
    assert made.trace.output == "1.50"
    assert check_trace(made.trace, made.exchanges) == ()


CHUNKS = [
    {"id": "chatcmpl-7", "model": "gpt-4.1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": part}}]}
    for part in ("one ", "two")
] + [{"id": "chatcmpl-7", "model": "gpt-4.1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]
EVENTS = [
    {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [],
            "usage": {"input_tokens": 3, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "one two"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
]


@pytest.mark.parametrize("api", ["", "other", "told"])
@pytest.mark.parametrize(("items", "known"), [(CHUNKS, "chat_completions"), (EVENTS, "messages")])
def test_a_stream_is_an_event_stream_and_comes_back_item_by_item(items: list[Any], known: str, api: str) -> None:
    tagged = [{"$py": "model", "type": "sdk:Chunk", "value": item} for item in items]
    stream = {"$py": "stream", "type": "sdk:Stream", "value": [items[0], *tagged[1:]]}
    made = made_of([model(0, 1, 2, chat(user("hi")), stream, api=known if api == "told" else api)])
    (exchange,), (step,) = made.exchanges, made.trace.steps
    assert exchange.api == known
    assert isinstance(exchange.response.body, EventsBody)
    assert told_result(step, made.exchanges) == stream
    assert made.trace.output == "one two"
    assert step.error is None
    assert step.finish_reasons == (("stop",) if known == "chat_completions" else ("end_turn",))


def test_what_no_api_says_is_kept_as_it_is() -> None:
    text = "data: one\n\ndata: two\n\n"
    values: list[Any] = [
        "plain text",
        text,
        7,
        None,
        [1, {"$py": "tuple", "value": [2]}],
        {"$py": "bytes", "base64": "/w=="},
    ]
    calls = [
        model(at, 2 * at + 1, 2 * at + 2, {"prompt": {"$py": "tuple", "value": [at]}}, value, api="other")
        for at, value in enumerate(values)
    ]
    made = made_of(calls)
    assert [told_result(step, made.exchanges) for step in made.trace.steps] == values
    assert [told_arguments(step, made.exchanges) for step in made.trace.steps] == [
        call.asked.arguments for call in calls
    ]
    assert [type(exchange.response.body) for exchange in made.exchanges] == [TextBody, EventsBody, *[JsonBody] * 4]


def test_a_model_call_that_failed_has_its_status_and_one_that_hangs_none() -> None:
    raised = {"$py": "exception", "type": "openai:RateLimitError", "args": ["slow down"], "state": {"status_code": 429}}
    failed = Outcome(error=StepError("RateLimitError", "slow down"), raised=raised)
    made = made_of(
        [
            model(0, 1, 2, chat(user("hi")), None, outcome=failed),
            model(1, 3, 4, chat(user("hi")), answer(said("yes"))),
            model(2, 5, None, chat(user("more")), None),
        ]
    )
    assert [exchange.response.status for exchange in made.exchanges] == [429, 200, 0]
    first, _, last = made.trace.steps
    assert (first.error, first.raised) == (failed.error, raised)
    assert told_result(first, made.exchanges) is msgspec.UNSET
    assert last.error is not None
    assert last.error.type == "unfinished"
    assert made.trace.status == "completed"  # whether the run failed is said by the block, not by a call


def test_a_model_call_that_went_over_http_is_one_exchange_and_one_step() -> None:
    body = answer(asked(asks("look_up", {"n": 1}, "call_1")))
    http = [
        recorded([user("hi")], start=2, status=429),
        recorded([user("hi")], asked(asks("look_up", {"n": 1}, "call_1")), start=10),
        recorded(
            [user("hi"), asked(asks("look_up", {"n": 1}, "call_1")), result("call_1", "7")],
            said("7"),
            start=40,
            name="chatcmpl-2",
        ),
    ]
    tagged = {"$py": "model", "type": "openai:ChatCompletion", "value": http[1].exchange.response.body.value}  # type: ignore[union-attr]
    calls = [model(0, 1, 20, chat(user("hi")), tagged), tool(1, 25, 30, "look_up", {"n": 1}, 7)]
    made = made_of(calls, http)
    assert made.exchanges == tuple(one.exchange for one in http)
    assert made.trace.origin == "exchanges"
    steps = [(step.name, step.exchange, step.instrumented) for step in made.trace.steps]
    assert steps == [("chat.completions.create", 1, True), ("look_up", None, True), ("chat", 2, False)]
    assert told_result(made.trace.steps[0], made.exchanges) == tagged
    assert made.trace.steps[1].call_id == "call_1"
    assert made.trace.steps[0].usage is not None
    assert not [finding for finding in check_trace(made.trace, made.exchanges) if finding.fails]
    assert body["id"] == "chatcmpl-1"


def test_a_result_that_http_does_not_hold_stays_in_the_step() -> None:
    """A wrapper that gives the text of an answer, not the answer."""
    http = [recorded([user("hi")], said("It is done."), start=3)]
    made = made_of([model(0, 1, 20, chat(user("hi")), "It is done.", api="other")], http)
    (step,) = made.trace.steps
    assert (step.exchange, step.result, step.arguments) == (0, "It is done.", msgspec.UNSET)
    assert told_result(step, made.exchanges) == "It is done."


def test_what_no_decorator_tells_of_is_derived_from_the_exchanges_once() -> None:
    first = asked(asks("look_up", {"n": 1}, "call_1"), asks("plain", {"n": 2}, "call_2"))
    http = [
        recorded([user("hi")], first, start=1),
        recorded(
            [user("hi"), first, result("call_1", "7"), result("call_2", "8")], said("15"), start=40, name="chatcmpl-2"
        ),
    ]
    made = made_of([tool(0, 20, 25, "look_up", {"n": 1}, 7)], http)
    assert [(step.type, step.name, step.instrumented) for step in made.trace.steps] == [
        ("llm_call", "chat", False),
        ("tool_call", "look_up", True),
        ("tool_call", "plain", False),
        ("llm_call", "chat", False),
    ]
    assert made.trace.steps[2].result == 8
    assert check_trace(made.trace, made.exchanges) == ()


def test_an_execution_order_is_the_decorators_word_against_the_order_of_asking() -> None:
    first = asked(asks("a", {}, "call_1"), asks("b", {}, "call_2"))
    http = [
        recorded([user("hi")], first, start=1),
        recorded(
            [user("hi"), first, result("call_1", "1"), result("call_2", "2")], said("ok"), start=90, name="chatcmpl-2"
        ),
    ]
    made = made_of([tool(0, 20, 25, "b", gave="2"), tool(1, 30, 35, "a", gave="1")], http)
    assert names(made) == ["chat", "b", "a", "chat"]
    assert [step.call_id for step in made.trace.steps] == [None, "call_2", "call_1", None]


def _span(name: str, identity: str, start: int, end: int, parent: str | None = None, **attributes: Any) -> Span:
    told = {f"gen_ai.{key.replace('__', '.')}": value for key, value in attributes.items()}
    return Span("1" * 32, identity * 16, None if parent is None else parent * 16, name, start * MS, end * MS, told)


def test_a_tool_that_a_span_tells_of_too_is_one_step_with_what_both_say() -> None:
    spans = [
        _span("invoke_agent", "1", 0, 100, operation__name="invoke_agent", agent__name="booking"),
        _span(
            "execute_tool look_up",
            "2",
            19,
            26,
            "1",
            operation__name="execute_tool",
            tool__name="look_up",
            tool__call__id="call_9",
            tool__call__arguments='{"n": 2}',
        ),
        _span(
            "execute_tool look_up",
            "3",
            29,
            36,
            "1",
            operation__name="execute_tool",
            tool__name="look_up",
            tool__call__id="call_8",
            tool__call__arguments='{"n": 1}',
        ),
    ]
    made = made_of(
        [
            tool(0, 20, 25, "look_up", {"n": 2}, {"$py": "tuple", "value": [7]}),
            tool(1, 30, 35, "look_up", {"n": 1}, 8),
            tool(2, 31, 34, "inner", parent=1),
        ],
        (),
        spans,
    )
    assert made.trace.origin == "spans"
    assert [(step.name, step.call_id, step.parent, step.instrumented) for step in made.trace.steps] == [
        ("booking", None, None, False),
        ("look_up", "call_9", 0, True),
        ("look_up", "call_8", 0, True),
        ("inner", None, 2, True),
    ]
    assert made.trace.steps[1].result == {"$py": "tuple", "value": [7]}


def test_a_model_call_told_by_a_span_too_is_one_step() -> None:
    spans = [
        _span("chat", "2", 1, 21, operation__name="chat", request__model="gpt-4.1", response__id="chatcmpl-1"),
    ]
    made = made_of([model(0, 2, 20, chat(user("hi")), answer(said("yes")))], (), spans)
    (step,) = made.trace.steps
    assert (step.instrumented, step.exchange, len(made.exchanges)) == (True, 0, 1)
    assert not [finding for finding in check_trace(made.trace, made.exchanges) if finding.fails]


def _work(count: int, kind: str) -> int:
    """Python calls that assembling takes."""
    forks = {"group": lambda at: ((at + 1, 0),)}.get(kind, lambda _: ())
    nested = {"nested": lambda at: at - 1 if at % 40 else None}.get(kind, lambda _: None)
    calls = [
        tool(at, 2 * at + 1, 2 * at + 2, arguments={"n": at}, forks=forks(at), parent=nested(at)) for at in range(count)
    ]
    if kind == "model":
        calls = [
            model(
                at, 2 * at + 1, 2 * at + 2, chat(user(f"question {at}")), answer(said(f"answer {at}"), f"chatcmpl-{at}")
            )
            for at in range(count)
        ]
    made = 0

    def count_calls(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal made
        made += event == "call"

    before = sys.getprofile()
    sys.setprofile(count_calls)
    try:
        assemble((), (), calls, key=key)
    finally:
        sys.setprofile(before)
    return made


@pytest.mark.parametrize("kind", ["line", "group", "nested", "model"])
def test_ten_times_the_calls_cost_ten_times_the_work(kind: str) -> None:
    assert _work(1000, kind) <= 12 * _work(100, kind)

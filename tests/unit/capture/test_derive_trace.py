from __future__ import annotations

import json
from typing import Any

import msgspec

from stepfork.capture.assemble import Assembled, assemble
from stepfork.trace.body import EventsBody, JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.recorded import Recorded
from stepfork.trace.step import StepError, Usage
from tests.unit.capture.run_samples import MS, asked, call, key, recorded, refund_run, result, said, user


def made(calls: list[Recorded]) -> Assembled:
    return assemble(calls, [], key=key)


def kinds(run: Assembled) -> list[tuple[str, str]]:
    return [(step.type, step.name) for step in run.trace.steps]


def test_answers_calls_and_results_become_steps() -> None:
    calls, _ = refund_run()
    run = made(calls)
    assert run.trace.origin == "exchanges"
    assert kinds(run) == [
        ("llm_call", "chat"),
        ("tool_call", "lookup_order"),
        ("llm_call", "chat"),
        ("tool_call", "issue_refund"),
        ("tool_call", "issue_refund"),
        ("llm_call", "chat"),
    ]
    steps = run.trace.steps
    assert [step.exchange for step in steps] == [0, None, 1, None, None, 2]
    assert [step.group for step in steps] == [None, None, None, 1, 1, None]
    assert [(step.start, step.end) for step in steps] == [(2 * i + 1, 2 * i + 2) for i in range(6)]
    assert steps[1].arguments == {"order_id": "O-1042"}
    assert steps[4].arguments == {"order_id": "O-1042", "part": 2}
    assert steps[4].result == {"ok": True, "order_id": "O-1042", "part": 2}
    assert steps[1].call_id is not None
    assert (steps[0].model, steps[0].usage, steps[0].finish_reasons) == (
        "gpt-4.1-2025-04-14",
        Usage(10, 5, 2),
        ("tool_calls",),
    )
    assert (run.trace.input, run.trace.output) == ("Refund order O-1042.", "Order O-1042 was refunded.")
    assert run.trace.notes == ()


def test_a_tool_is_named_as_spans_name_it_without_its_server() -> None:
    asks = asked(call("mcp__shop__lookup_order", {"order_id": "O-1"}, "call_1"))
    calls = [
        recorded([user("Hi.")], asks),
        recorded([user("Hi."), asks, result("call_1", {})], said("Done."), start=10, name="chatcmpl-2"),
    ]
    assert kinds(made(calls))[1] == ("tool_call", "lookup_order")


def test_retries_are_exchanges_of_their_own_and_one_step() -> None:
    question = [user("Hi.")]
    run = made(
        [
            recorded(question, start=0, status=429),
            recorded(question, start=10, status=500),
            recorded(question, said("Hello."), start=20),
        ]
    )
    assert len(run.exchanges) == 3
    assert [(step.type, step.exchange, step.error) for step in run.trace.steps] == [("llm_call", 2, None)]
    assert run.trace.status == "completed"


def test_a_call_that_failed_for_good_is_a_step_with_an_error() -> None:
    run = made([recorded([user("Hi.")], start=0, status=429), recorded([user("Hi.")], start=10, status=401)])
    [step] = run.trace.steps
    assert step.exchange == 1
    assert step.error is not None
    assert (run.trace.status, run.trace.error) == ("error", step.error)
    assert run.trace.output is msgspec.UNSET


def test_a_side_call_that_failed_does_not_make_the_run_fail() -> None:
    calls, _ = refund_run(start=100)
    run = made([recorded([user("Give this a title.")], start=0, status=429), *calls])
    assert run.trace.status == "completed"
    assert run.trace.input == "Refund order O-1042."
    assert run.trace.steps[0].error is not None


def test_a_short_title_request_is_not_what_the_run_was_about() -> None:
    calls, _ = refund_run(start=100)
    for start in (0, 5_000):
        title = recorded(
            [user("Write a title for: Refund order O-1042.")], said("Refund"), start=start, name="chatcmpl-t"
        )
        run = made([title, *calls])
        assert (run.trace.input, run.trace.output) == ("Refund order O-1042.", "Order O-1042 was refunded.")


def test_a_run_ends_with_what_gathers_its_conversations() -> None:
    first, _ = refund_run(start=0)
    look_up = call("look_up", {"order": "O-7"}, "call_7")
    question = user("Where is order O-7?")
    second = [
        recorded([question], asked(look_up), start=5, name="chatcmpl-a"),
        recorded(
            [question, asked(look_up), result("call_7", "sent")],
            said("Order O-7 is on its way."),
            start=900,
            name="chatcmpl-b",
        ),
    ]
    joined = "Tell the shop: Order O-1042 was refunded. Order O-7 is on its way."
    run = made([*first, *second, recorded([user(joined)], said("Two done."), start=5_000, name="chatcmpl-c")])
    assert run.trace.output == "Two done."


def test_independent_calls_begin_with_the_first_and_end_with_the_last() -> None:
    run = made(
        [recorded([user(f"Page {i}?")], said(f"Summary {i}"), start=10 * i, name=f"chatcmpl-{i}") for i in range(3)]
    )
    assert (run.trace.input, run.trace.output) == ("Page 0?", "Summary 2")


def test_structured_output_is_a_value() -> None:
    run = made([recorded([user("Order?")], said('{"order": "O-1", "amount": 40.0}'))])
    assert run.trace.output == {"order": "O-1", "amount": 40.0}


def test_requests_that_ask_no_model_give_no_step() -> None:
    hello = Exchange("anthropic", "other", Request("HEAD", "/api/hello"), Response(404))
    count = Exchange("anthropic", "other", Request("POST", "/v1/messages/count_tokens"), Response(200))
    run = made([Recorded(hello, 0, 1, 0), Recorded(count, 2, 3, 0)])
    assert (run.trace.steps, len(run.exchanges)) == ((), 2)


def test_a_call_without_a_result_is_noted_where_the_conversation_went_on() -> None:
    answer = asked(call("lookup", call_id="call_1"), call("audit", call_id="call_2"))
    first = recorded([user("Hi.")], answer, start=0, name="chatcmpl-1")
    ended = made([first])
    assert ended.trace.notes == ()
    assert [step.result for step in ended.trace.steps] == [msgspec.UNSET] * 3
    then = recorded([user("Hi."), answer, result("call_1", "found")], said("Done."), start=10, name="chatcmpl-2")
    went_on = made([first, then])
    assert went_on.trace.steps[1].result == "found"
    assert went_on.trace.notes == ("unpaired_call[2]: the model asked for audit and was given no result",)


def test_arguments_that_are_no_json_are_kept_as_text() -> None:
    run = made([recorded([user("Hi.")], asked(call("lookup", "{broken", "call_1")))])
    assert run.trace.steps[1].arguments == "{broken"


def test_ids_that_a_server_uses_again_in_each_answer_pair_within_their_conversation() -> None:
    def conversation(order: str, start: int) -> list[Recorded]:
        answer = asked(call("lookup", {"order": order}, "call_0"))
        opening = [user(f"Order {order}?")]
        return [
            recorded(opening, answer, start=start, name=f"chatcmpl-{order}1"),
            recorded(
                [*opening, answer, result("call_0", f"found {order}")],
                said(order),
                start=start + 20,
                name=f"chatcmpl-{order}2",
            ),
        ]

    first, second = conversation("a", 0), conversation("b", 10)
    run = made([*first, *second])
    found = {step.arguments["order"]: step.result for step in run.trace.steps if step.type == "tool_call"}
    assert found == {"a": "found a", "b": "found b"}


def messages_stream(*blocks: dict[str, Any], stop: str, name: str) -> EventsBody:
    events = [
        {
            "type": "message_start",
            "message": {"id": name, "model": "claude", "role": "assistant", "usage": {"input_tokens": 3}},
        }
    ]
    for index, block in enumerate(blocks):
        text = block.get("text")
        start = {"type": "text", "text": ""} if text is not None else block | {"input": {}}
        delta = (
            {"type": "text_delta", "text": text}
            if text is not None
            else {
                "type": "input_json_delta",
                "partial_json": json.dumps(block["input"]),
            }
        )
        events += [
            {"type": "content_block_start", "index": index, "content_block": start},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    events += [
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    return EventsBody((*(f"event: {event['type']}\ndata: {json.dumps(event)}" for event in events), ""))


def test_streamed_messages_of_anthropic() -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {"order": "a"}}
    reminder = {"type": "text", "text": "<system-reminder>\nToday is Monday.\n</system-reminder>\n"}
    opening = {"role": "user", "content": [reminder, {"type": "text", "text": "Order a?"}]}
    answer = {"role": "assistant", "content": [use]}
    back = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "7"}]}],
    }
    bodies = (
        ([opening], messages_stream(use, stop="tool_use", name="msg_1")),
        ([opening, answer, back], messages_stream({"type": "text", "text": "It is 7."}, stop="end_turn", name="msg_2")),
    )
    calls = [
        Recorded(
            Exchange(
                "anthropic",
                "messages",
                Request(
                    "POST",
                    "/v1/messages",
                    "",
                    "application/json",
                    JsonBody({"model": "claude", "stream": True, "messages": sent}),
                ),
                Response(200, "text/event-stream", {}, stream),
            ),
            20 * at * MS,
            (20 * at + 5) * MS,
            0,
        )
        for at, (sent, stream) in enumerate(bodies)
    ]
    run = made(calls)
    assert kinds(run) == [("llm_call", "chat"), ("tool_call", "lookup"), ("llm_call", "chat")]
    assert (run.trace.steps[1].arguments, run.trace.steps[1].result) == ({"order": "a"}, 7)
    assert (run.trace.input, run.trace.output) == ("Order a?", "It is 7.")
    assert run.trace.steps[0].finish_reasons == ("tool_use",)


def test_responses_that_name_the_one_before() -> None:
    def one(start: int, given: Any, output: Any, name: str, before: str | None = None) -> Recorded:
        body = {"model": "gpt-4.1", "input": given} | ({"previous_response_id": before} if before else {})
        answer = {
            "id": name,
            "object": "response",
            "status": "completed",
            "model": "gpt-4.1",
            "output": output,
            "prompt": {"id": "pmpt_1"},
        }
        exchange = Exchange(
            "openai",
            "responses",
            Request("POST", "/responses", "", "application/json", JsonBody(body | {"prompt": {"id": "pmpt_1"}})),
            Response(200, "application/json", {}, JsonBody(answer)),
        )
        return Recorded(exchange, start * MS, (start + 5) * MS, 0)

    function = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "lookup",
        "arguments": '{"order": "a"}',
    }
    text = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "It is 7."}],
    }
    back = [{"type": "function_call_output", "call_id": "call_1", "output": "7"}]
    run = made([one(0, "Order a?", [function], "resp_1"), one(10, back, [text], "resp_2", "resp_1")])
    assert kinds(run) == [("llm_call", "chat"), ("tool_call", "lookup"), ("llm_call", "chat")]
    assert (run.trace.steps[1].result, run.trace.input, run.trace.output) == (7, "Order a?", "It is 7.")


def test_an_answer_that_never_ended_is_an_error() -> None:
    cut = recorded([user("Hi.")], said("Hel"))
    cut = msgspec.structs.replace(
        cut,
        exchange=msgspec.structs.replace(
            cut.exchange, response=msgspec.structs.replace(cut.exchange.response, ending="reset")
        ),
    )
    run = made([cut])
    assert run.trace.steps[0].error == StepError("unfinished")
    assert run.trace.status == "error"

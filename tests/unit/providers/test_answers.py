from __future__ import annotations

import json
from typing import Any

import pytest

from stepfork.providers.answer import answer_of
from stepfork.providers.calls import Answer, ToolCall
from stepfork.trace.body import BytesBody, EventsBody, TextBody
from stepfork.trace.exchange import Ending
from stepfork.trace.step import StepError, Usage
from tests.unit.providers.samples import DONE, chunk, delta, exchange, stream

APIS = ("chat_completions", "responses", "messages")


def chat(message: dict[str, Any], finish_reason: str = "stop", **more: Any) -> Answer:
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return answer_of(exchange("chat_completions", {}, {"model": "m", "choices": [choice], **more}))


def test_a_chat_answer() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 2}}
    assert chat({"role": "assistant", "content": "hi"}, usage=usage) == Answer(
        text="hi", model="m", usage=Usage(3, 1, 2), finish_reasons=("stop",)
    )


def test_a_chat_answer_with_calls_of_every_kind() -> None:
    calls = [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
        {"id": "b", "type": "custom", "custom": {"name": "g", "input": "raw"}},
    ]
    legacy = {"name": "h", "arguments": "{}"}
    answer = chat({"content": None, "tool_calls": calls, "function_call": legacy}, "tool_calls")
    assert answer.tool_calls == (ToolCall("a", "f", '{"x": 1}'), ToolCall("b", "g", "raw"), ToolCall("", "h", "{}"))
    assert answer.text == ""


def test_chat_texts_that_stand_elsewhere() -> None:
    assert chat({"content": None, "refusal": "no"}).text == "no"
    assert chat({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}).text == "ab"
    assert chat({"content": None, "audio": {"transcript": "spoken"}}).text == "spoken"
    assert chat({"content": "a", "reasoning_content": "why"}).reasoning == "why"
    assert chat({"content": "a", "reasoning": "why"}).reasoning == "why"


def test_the_first_choice_is_the_text() -> None:
    choices = [
        {"index": 1, "message": {"content": "second"}, "finish_reason": "length"},
        {"index": 0, "message": {"content": "first"}, "finish_reason": "stop"},
    ]
    answer = answer_of(exchange("chat_completions", {}, {"choices": choices}))
    assert (answer.text, answer.finish_reasons, answer.outcome) == ("first", ("stop", "length"), "incomplete")


def test_chat_stream_with_empty_choices_first_and_last() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 1}
    body = stream(
        chunk(prompt_filter_results=[]), chunk(delta(role="assistant", content="hi")), chunk(delta("stop")),
        chunk(usage=usage), DONE,
    )  # fmt: skip
    assert answer_of(exchange("chat_completions", {}, body)) == Answer(
        text="hi", model="m", usage=Usage(3, 1), finish_reasons=("stop",)
    )


def test_chat_stream_joins_interleaved_calls_by_index() -> None:
    def call(index: int, **members: Any) -> dict[str, Any]:
        return delta(tool_calls=[{"index": index, **members}])

    body = stream(
        chunk(call(0, id="a", type="function", function={"name": "f", "arguments": ""})),
        chunk(call(1, id="b", type="function", function={"name": "g", "arguments": ""})),
        chunk(call(1, function={"arguments": '{"y"'})), chunk(call(0, function={"arguments": '{"x"'})),
        chunk(call(0, function={"arguments": ": 1}"})), chunk(call(1, function={"arguments": ": 2}"})),
        chunk(delta("tool_calls")), DONE,
    )  # fmt: skip
    calls = answer_of(exchange("chat_completions", {}, body)).tool_calls
    assert calls == (ToolCall("a", "f", '{"x": 1}'), ToolCall("b", "g", '{"y": 2}'))


def test_chat_stream_with_the_older_function_call() -> None:
    body = stream(
        chunk(delta(function_call={"name": "f", "arguments": "{"})),
        chunk(delta(function_call={"arguments": "}"})),
        chunk(delta("function_call")),
    )
    assert answer_of(exchange("chat_completions", {}, body)).tool_calls == (ToolCall("", "f", "{}"),)


def test_chat_stream_without_an_end_is_unfinished() -> None:
    body = stream(chunk(delta(content="The refund")), chunk(delta(content=" is")))
    answer = answer_of(exchange("chat_completions", {}, body))
    assert (answer.text, answer.outcome, answer.finish_reasons) == ("The refund is", "unfinished", ())


@pytest.mark.parametrize("last", [DONE, chunk(delta("stop"))])
def test_either_end_finishes_a_chat_stream(last: Any) -> None:
    assert answer_of(exchange("chat_completions", {}, stream(chunk(delta(content="a")), last))).outcome == "ok"


@pytest.mark.parametrize("ending", ["reset", "truncated", "unreadable"])
def test_a_stream_that_broke_is_unfinished_whatever_it_says(ending: Ending) -> None:
    body = stream(chunk(delta("stop", content="a")))
    assert answer_of(exchange("chat_completions", {}, body, ending=ending)).outcome == "unfinished"


def test_a_client_that_closed_after_the_end_has_its_answer() -> None:
    body = stream(chunk(delta("stop", content="a")))
    assert answer_of(exchange("chat_completions", {}, body, ending="client_closed")).outcome == "ok"
    assert answer_of(exchange("messages", {}, {"content": []}, ending="client_closed")).outcome == "unfinished"


def test_an_error_beside_the_choices_of_a_stream() -> None:
    said = {"code": 400, "message": "Token limit reached"}
    body = stream(chunk(delta("length", content="a")), chunk(delta(content=""), error=said), DONE)
    answer = answer_of(exchange("chat_completions", {}, body))
    assert (answer.outcome, answer.error) == ("error", StepError("error", "Token limit reached"))


def test_an_error_in_the_choice_that_it_ended() -> None:
    choice = {"message": {"content": ""}, "finish_reason": "error", "error": {"type": "upstream", "message": "no"}}
    answer = answer_of(exchange("chat_completions", {}, {"choices": [choice]}))
    assert (answer.outcome, answer.error) == ("error", StepError("upstream", "no"))


def test_an_error_event_of_a_gateway_in_a_chat_stream() -> None:
    body = stream(chunk(delta(content="a")), 'event: error\ndata: {"error":{"type":"bad","message":"no"}}')
    answer = answer_of(exchange("chat_completions", {}, body))
    assert (answer.outcome, answer.error, answer.text) == ("error", StepError("bad", "no"), "a")


OUTPUT = [
    {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "why"}]},
    {"type": "web_search_call", "id": "ws", "status": "completed"},
    {"type": "message", "content": [{"type": "output_text", "text": "hi", "annotations": []}]},
    {"type": "function_call", "call_id": "a", "name": "f", "arguments": '{"x": 1}'},
    {"type": "custom_tool_call", "call_id": "b", "name": "g", "input": "raw"},
    {"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}},
    {"type": "tool_search_call", "call_id": "d", "execution": "client", "arguments": {"goal": "z"}},
]
CALLS = (
    ToolCall("a", "f", '{"x": 1}'),
    ToolCall("b", "g", "raw"),
    ToolCall("c", "local_shell", '{"command": ["ls"]}'),
    ToolCall("d", "tool_search", '{"goal": "z"}'),
)


def test_a_responses_answer() -> None:
    usage = {"input_tokens": 5, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 0}}
    body = {"model": "m", "status": "completed", "output": OUTPUT, "usage": usage}
    answer = Answer("hi", CALLS, "m", Usage(5, 2, 0), ("completed",), "ok", None, "why")
    assert answer_of(exchange("responses", {}, body)) == answer
    last = {"type": "response.completed", "response": body}
    assert answer_of(exchange("responses", {}, stream({"type": "response.created"}, last, names=True))) == answer


def test_items_of_a_responses_stream_stand_in_for_an_empty_output() -> None:
    done = [{"type": "response.output_item.done", "output_index": n, "item": item} for n, item in enumerate(OUTPUT)]
    last = {"type": "response.completed", "response": {"model": "m", "output": []}}
    answer = answer_of(exchange("responses", {}, stream(*done, last)))
    assert (answer.text, answer.tool_calls, answer.reasoning, answer.outcome) == ("hi", CALLS, "why", "ok")


def test_a_cut_responses_stream_tells_what_came() -> None:
    item = {"type": "function_call", "call_id": "a", "name": "f", "arguments": ""}
    body = stream(
        {"type": "response.created", "response": {"model": "m", "status": "in_progress", "output": []}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "so "},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "far"},
        {"type": "response.output_item.added", "output_index": 1, "item": item},
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"x"'},
    )
    answer = answer_of(exchange("responses", {}, body))
    assert (answer.text, answer.tool_calls) == ("so far", (ToolCall("a", "f", '{"x"'),))
    assert (answer.outcome, answer.model) == ("unfinished", "m")


def test_an_incomplete_response_is_a_complete_recording() -> None:
    said = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}
    body = stream(
        {"type": "response.output_text.delta", "output_index": 0, "delta": "The"},
        {"type": "response.incomplete", "response": said},
    )
    answer = answer_of(exchange("responses", {}, body))
    assert (answer.text, answer.outcome) == ("The", "incomplete")
    assert answer.finish_reasons == ("max_output_tokens",)
    assert answer_of(exchange("responses", {}, said)).outcome == "incomplete"


def test_a_failed_response() -> None:
    said = {"status": "failed", "error": {"code": "server_error", "message": "no"}, "output": []}
    for body in (said, stream({"type": "response.failed", "response": said})):
        answer = answer_of(exchange("responses", {}, body))
        assert (answer.outcome, answer.error) == ("error", StepError("server_error", "no"))


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "code": "rate_limit", "message": "no", "sequence_number": 1},
        {"type": "error", "error": {"type": "rate_limit", "message": "no"}},
    ],
)
def test_an_error_event_of_a_responses_stream(event: Any) -> None:
    answer = answer_of(exchange("responses", {}, stream(event, names=True)))
    assert (answer.outcome, answer.error) == ("error", StepError("rate_limit", "no"))


def test_a_queued_response_has_no_answer_and_no_error() -> None:
    answer = answer_of(exchange("responses", {}, {"status": "queued", "output": [], "error": None}))
    assert (answer.outcome, answer.finish_reasons) == ("ok", ())


BLOCKS = [
    {"type": "thinking", "thinking": "why", "signature": "s"},
    {"type": "text", "text": "hi "},
    {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
    {"type": "text", "text": "there"},
    {"type": "tool_use", "id": "a", "name": "f", "input": {"y": 2, "x": 1.0}},
    {"type": "tool_use", "id": "b", "name": "g", "input": {}},
]


def test_a_messages_answer() -> None:
    usage = {"input_tokens": 9, "output_tokens": 4, "cache_read_input_tokens": 1}
    body = {"type": "message", "model": "m", "content": BLOCKS, "stop_reason": "tool_use", "usage": usage}
    calls = (ToolCall("a", "f", '{"x": 1.0, "y": 2}'), ToolCall("b", "g", "{}"))
    assert answer_of(exchange("messages", {}, body)) == Answer(
        "hi there", calls, "m", Usage(9, 4, 1), ("tool_use",), "ok", None, "why"
    )


def anthropic_events(*, stop_reason: str = "tool_use") -> list[dict[str, Any]]:
    def block(index: int, kind: str, *deltas: dict[str, Any], **start: Any) -> list[dict[str, Any]]:
        begin = {"type": "content_block_start", "index": index, "content_block": {"type": kind, **start}}
        pieces = [{"type": "content_block_delta", "index": index, "delta": piece} for piece in deltas]
        return [begin, *pieces, {"type": "content_block_stop", "index": index}]

    usage = {"input_tokens": 9, "output_tokens": 1}
    return [
        {"type": "message_start", "message": {"model": "m", "content": [], "usage": usage}},
        {"type": "ping"},
        *block(0, "thinking", {"type": "thinking_delta", "thinking": "why"}, thinking=""),
        *block(1, "text", {"type": "text_delta", "text": "i "}, {"type": "text_delta", "text": "there"}, text="h"),
        *block(
            2, "tool_use", {"type": "input_json_delta", "partial_json": '{"y": 2, '},
            {"type": "input_json_delta", "partial_json": '"x": 1.0}'}, id="a", name="f", input={},
        ),
        *block(3, "tool_use", {"type": "input_json_delta", "partial_json": ""}, id="b", name="g", input={}),
        {"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]  # fmt: skip


def test_a_messages_stream_reads_like_its_body() -> None:
    calls = (ToolCall("a", "f", '{"x": 1.0, "y": 2}'), ToolCall("b", "g", "{}"))
    assert answer_of(exchange("messages", {}, stream(*anthropic_events(), names=True))) == Answer(
        "hi there", calls, "m", Usage(9, 7), ("tool_use",), "ok", None, "why"
    )


def test_a_messages_stream_that_fails_in_the_middle() -> None:
    failure = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    answer = answer_of(exchange("messages", {}, stream(*anthropic_events()[:7], failure, names=True)))
    assert (answer.outcome, answer.error) == ("error", StepError("overloaded_error", "Overloaded"))
    assert answer.text == "hi "


def test_a_messages_stream_without_its_stop_is_unfinished() -> None:
    events = anthropic_events()
    assert answer_of(exchange("messages", {}, stream(*events[:-1]))).outcome == "unfinished"
    cut = answer_of(exchange("messages", {}, stream(*events[:11])))
    assert cut.tool_calls == (ToolCall("a", "f", '{"y": 2, '),)


@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("chat_completions", {"choices": [{"message": {"content": "a"}, "finish_reason": "length"}]}),
        ("chat_completions", {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}),
        ("messages", {"content": [], "stop_reason": "max_tokens"}),
        ("messages", stream(*anthropic_events(stop_reason="max_tokens"))),
    ],
)
def test_an_answer_that_a_limit_cut(api: str, body: Any) -> None:
    assert answer_of(exchange(api, {}, body)).outcome == "incomplete"


@pytest.mark.parametrize("api", [*APIS, "other"])
@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (429, {"error": {"type": "rate_limit_error", "message": "slow"}}, StepError("rate_limit_error", "slow")),
        (401, {"error": {"code": "invalid_api_key", "type": None}}, StepError("invalid_api_key", "")),
        (529, {"type": "error", "error": {"type": "overloaded_error"}}, StepError("overloaded_error", "")),
        (404, {"detail": "Not Found"}, StepError("404", "Not Found")),
        (400, {"error": "bad"}, StepError("400", "bad")),
        (400, [], StepError("400", "")),
        (502, TextBody("<html>Bad gateway</html>\n"), StepError("502", "<html>Bad gateway</html>")),
        (500, BytesBody(b"\xff"), StepError("500", "")),
        (500, None, StepError("500", "")),
        (307, None, StepError("307", "")),
    ],
)
def test_a_status_that_is_no_success(api: str, status: int, body: Any, error: StepError) -> None:
    assert answer_of(exchange(api, {}, body, status=status)) == Answer(outcome="error", error=error)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("body", [None, {}, [], "hi", 1, TextBody("<html>"), BytesBody(b"\xff"), {"object": "list"}])
def test_a_success_that_is_no_answer_is_not_called_ok(api: str, body: Any) -> None:
    answer = answer_of(exchange(api, {}, body))
    assert (answer.outcome, answer.error) == ("error", StepError("unreadable_answer"))


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    "body", [None, EventsBody(("",)), EventsBody((": keepalive", "")), EventsBody(("data: {", ""))]
)
def test_an_empty_stream_is_unfinished(api: str, body: Any) -> None:
    assert answer_of(exchange(api, {"stream": True}, body)).outcome == "unfinished"


def test_a_call_that_was_left_before_its_response_is_unfinished() -> None:
    for api in (*APIS, "other"):
        assert answer_of(exchange(api, {}, None, status=0, ending="client_closed")) == Answer(outcome="unfinished")


def test_an_error_in_a_success_status() -> None:
    body = {"error": {"type": "invalid_request_error", "message": "no"}}
    for api in APIS:
        assert answer_of(exchange(api, {}, body)).error == StepError("invalid_request_error", "no")


def test_other_apis_are_judged_by_status_alone() -> None:
    assert answer_of(exchange("other", {}, {"data": []})) == Answer()
    assert answer_of(exchange("other", {}, None, status=204)) == Answer()
    assert answer_of(exchange("other", {}, TextBody("half"), ending="reset")).outcome == "unfinished"


def test_the_message_of_an_error_is_bounded() -> None:
    answer = answer_of(exchange("messages", {}, TextBody("x" * 100_000), status=500))
    assert answer.error is not None
    assert len(answer.error.message) == 2000


def test_nesting_and_huge_numbers_in_arguments_are_survived() -> None:
    for text in ('{"a":' * 20_000, "9" * 6000):
        events = anthropic_events()
        events[10]["delta"] = {"type": "input_json_delta", "partial_json": text}
        events[11]["delta"] = {"type": "input_json_delta", "partial_json": ""}
        assert answer_of(exchange("messages", {}, stream(*events))).tool_calls[0].arguments == text
    assert answer_of(exchange("messages", {}, stream(f"data: {json.dumps([1])}"))).outcome == "unfinished"

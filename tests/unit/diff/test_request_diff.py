"""Two requests, part by part."""

from __future__ import annotations

from typing import Any

import pytest

from stepfork.diff.values import FieldChange, Line, MessageChange, ModelChange, RequestDiff
from stepfork.providers.normal import normal_request
from stepfork.providers.normal_form import NormalMessage, NormalRequest
from stepfork.trace.body import JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from tests.unit.diff.conversations import chat, diff_requests


def request(messages: list[dict[str, Any]], **body: Any) -> NormalRequest:
    return normal_request(chat(messages, "x", **body))


def users(*texts: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text} for text in texts]


def items(diff: RequestDiff) -> list[tuple[str, int, str]]:
    return [(change.change, change.index, change.role) for change in (*diff.messages, *diff.tool_results)]


def tool(name: str, **parameters: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


def test_the_model_and_each_parameter() -> None:
    diff = diff_requests(request(users("x"), temperature=0.2), request(users("x"), temperature=0.9, model="gpt-5.4"))
    assert diff == RequestDiff(
        model=ModelChange("gpt-4.1", "gpt-5.4"), params=(FieldChange("/temperature", "changed", 0.2, 0.9),)
    )


def test_only_the_changed_line_of_the_system_prompt() -> None:
    old = {"role": "system", "content": "You are an agent.\nYou refund once."}
    new = {"role": "system", "content": "You are an agent.\nYou refund twice."}
    diff = diff_requests(request([old, *users("x")]), request([new, *users("x")]))
    assert diff == RequestDiff(system=(Line("-", "You refund once."), Line("+", "You refund twice.")))


@pytest.mark.parametrize(
    ("old", "new"),
    [((), ("",)), (("a", "b"), ("a\nb",)), (("a",), ("a", "a")), (("a", "b"), ("b", "a")), (("a",), ("a\n",))],
)
def test_a_system_prompt_in_other_pieces_differs(old: tuple[str, ...], new: tuple[str, ...]) -> None:
    assert diff_requests(NormalRequest(system=old), NormalRequest(system=new)).system
    assert diff_requests(NormalRequest(system=new), NormalRequest(system=old)).system


def test_tools_pair_by_name_and_say_where_they_differ() -> None:
    old = request(users("x"), tools=[tool("a", type="object"), tool("b"), tool("gone")])
    new = request(users("x"), tools=[tool("new"), tool("b"), tool("a", type="string")])
    told = [
        (change.name, change.change, [field.path for field in change.fields])
        for change in diff_requests(old, new).tools
    ]
    assert told == [("a", "changed", ["/parameters/type"]), ("gone", "removed", [""]), ("new", "added", [""])]


def test_c066_a_bool_for_a_number_in_a_tool_schema() -> None:
    old, new = (request(users("x"), tools=[tool("a", enum=values)]) for values in ([0, 1], [False, 1]))
    [change] = diff_requests(old, new).tools
    assert change.fields == (FieldChange("/parameters/enum/0", "changed", 0, False),)


def test_c067_a_schema_property_with_two_underscores() -> None:
    old, new = (request(users("x"), tools=[tool("a", __typename=value)]) for value in ("Order", "Refund"))
    [change] = diff_requests(old, new).tools
    assert change.fields == (FieldChange("/parameters/__typename", "changed", "Order", "Refund"),)


def test_c069_two_messages_that_traded_places() -> None:
    diff = diff_requests(request(users("a", "b", "c")), request(users("a", "c", "b")))
    [change] = diff.messages
    assert change.change == "moved"
    assert {change.index, change.old_index} == {1, 2}


def test_c069_one_of_two_equal_results_that_is_gone() -> None:
    result = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}
    diff = diff_requests(request([*users("x"), result, result]), request([*users("x"), result]))
    assert items(diff) == [("removed", 2, "tool")]


def test_c070_a_message_inserted_before_thirty_is_one_addition() -> None:
    rest = users(*(f"m{number}" for number in range(30)))
    assert items(diff_requests(request(rest), request(users("first") + rest))) == [("added", 0, "user")]
    assert items(diff_requests(request(users("first") + rest), request(rest))) == [("removed", 0, "user")]


def test_c071_two_thousand_messages_of_which_none_stayed() -> None:
    old, new = (request(users(*(f"{side} {number} of many" for number in range(2_000)))) for side in ("old", "new"))
    diff = diff_requests(old, new)
    assert len(diff.messages) == 2_000
    assert {change.change for change in diff.messages} == {"changed"}


def test_an_edited_result_that_is_json_shows_the_member() -> None:
    old, new = (
        request([*users("x"), {"role": "tool", "tool_call_id": "c", "content": text}])
        for text in ('{"amount": 40.0, "ok": true}', '{"amount": 45.0, "ok": true, "more": []}')
    )
    [change] = diff_requests(old, new).tool_results
    assert change.lines == (
        Line("-", '"amount": 40.0'),
        Line("+", '"amount": 45.0'),
        Line("+", '"more": []'),
    )


def test_a_result_that_differs_in_white_space_alone_still_differs() -> None:
    old, new = (
        request([*users("x"), {"role": "tool", "tool_call_id": "c", "content": text}])
        for text in ('{"a":1}', '{"a": 1}')
    )
    [change] = diff_requests(old, new).tool_results
    assert change.lines == (Line("-", '{"a":1}'), Line("+", '{"a": 1}'))


def test_arguments_of_a_call_show_as_paths() -> None:
    def call(arguments: str) -> dict[str, Any]:
        function = {"name": "refund", "arguments": arguments}
        return {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]}

    [change] = diff_requests(request([call('{"a": 1}')]), request([call('{"a": 2}')])).messages
    assert change.fields == (FieldChange("/tool_calls/0/arguments/a", "changed", 1, 2),)
    [change] = diff_requests(request([call('{"a": 1}')]), request([call('{"a":1}')])).messages
    assert change.fields == (FieldChange("/tool_calls/0/arguments", "changed", '{"a": 1}', '{"a":1}'),)


def test_results_cut_into_messages_in_another_way_differ() -> None:
    one, two = (
        NormalMessage(
            "user",
            tool_results=request([{"role": "tool", "tool_call_id": name, "content": "r"}]).messages[0].tool_results,
        )
        for name in ("c1", "c2")
    )
    both = NormalMessage("user", tool_results=(*one.tool_results, *two.tool_results))
    diff = diff_requests(NormalRequest(messages=(one, two)), NormalRequest(messages=(both,)))
    assert diff == RequestDiff(other=(FieldChange("/messages", "changed", [0, 1], [0, 0]),))


def test_a_message_that_is_not_plain_shows_what_it_holds_besides() -> None:
    image = [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]
    old = request([{"role": "user", "content": image}])
    new = request([{"role": "user", "content": [{**image[0], "image_url": {"url": "https://example.com/b.png"}}]}])
    [change] = diff_requests(old, new).messages
    assert change.lines == ()
    [field] = change.fields
    assert field.path.endswith("/image_url/url")


def test_an_unknown_api_is_compared_by_its_body() -> None:
    def embedding(body: JsonBody | TextBody) -> NormalRequest:
        return normal_request(Exchange("openai", "other", Request("POST", "/embeddings", body=body), Response(200)))

    diff = diff_requests(embedding(JsonBody({"input": "a"})), embedding(JsonBody({"input": "b"})))
    assert [(field.path, field.old, field.new) for field in diff.other] == [("/body/json/input", "a", "b")]
    assert diff_requests(embedding(JsonBody({"input": "a"})), embedding(TextBody('{"input": "a"}'))).other


def test_messages_of_all_three_apis_are_one_form() -> None:
    texts = ["look it up", "do it"]
    responses = Exchange(
        "openai", "responses", Request("POST", "/responses", body=JsonBody({"input": users(*texts)})), Response(200)
    )
    anthropic = Exchange(
        "anthropic",
        "messages",
        Request("POST", "/v1/messages", body=JsonBody({"messages": users(*texts)})),
        Response(200),
    )
    assert not diff_requests(normal_request(responses), normal_request(anthropic))
    assert diff_requests(request(users(*texts)), normal_request(anthropic)) == RequestDiff(
        model=ModelChange("gpt-4.1", None)
    )


def test_an_added_message_says_all_its_lines_and_calls() -> None:
    function = {"name": "refund", "arguments": '{"a": 1}'}
    message = {
        "role": "assistant",
        "content": "I do.\nNow.",
        "tool_calls": [{"id": "c", "type": "function", "function": function}],
    }
    [change] = diff_requests(request(users("x")), request([*users("x"), message])).messages
    lines = (Line("+", "I do."), Line("+", "Now."), Line("+", '→ refund {"a": 1}'))
    assert change == MessageChange(1, "added", "assistant", "", lines, (), at=(None, 1))


def test_an_edited_text_in_blocks_is_told_by_its_lines_and_not_by_where_it_is_cut() -> None:
    def blocks(*said: str) -> NormalRequest:
        return request([{"role": "user", "content": [{"type": "text", "text": text} for text in said]}])

    def told(old: NormalRequest, new: NormalRequest) -> list[tuple[int, int]]:
        return [(len(one.lines), len(one.fields)) for one in diff_requests(old, new).messages]

    assert told(blocks("a\nb", "c"), blocks("a\nb", "x\ny", "c")) == [(3, 0)]
    assert told(blocks("a", "b"), blocks("a\n\nb\nc")) == [(1, 0)]
    assert told(blocks("a", "b"), blocks("a\n\nb")) == [(0, 1)]

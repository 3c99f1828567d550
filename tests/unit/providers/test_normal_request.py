from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stepfork.canonical.encode import dumps
from stepfork.providers.calls import ToolCall, ToolResult
from stepfork.providers.normal import normal_request
from stepfork.providers.normal_form import NormalMessage, NormalRequest
from stepfork.trace.body import BytesBody, TextBody
from tests.unit.providers.samples import exchange

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
CACHE = {"cache_control": {"type": "ephemeral"}}


def normal(api: str, **body: Any) -> NormalRequest:
    return normal_request(exchange(api, body))


def messages(api: str, *items: Any) -> tuple[NormalMessage, ...]:
    return normal(api, **{"input" if api == "responses" else "messages": list(items)}).messages


def form(request: NormalRequest) -> bytes:
    return dumps(msgspec.to_builtins(request))


USER = NormalMessage("user", "Refund O-1042.")
CALL = ToolCall("c1", "lookup", '{"order": "O-1042"}')
RESULT = ToolResult("c1", "lookup", "40.0")


def test_one_conversation_in_the_three_dialects() -> None:
    chat_call = {"id": "c1", "type": "function", "function": {"name": "lookup", "arguments": '{"order": "O-1042"}'}}
    schema = {"type": "object"}
    chat = normal(
        "chat_completions", model="m", temperature=0,
        messages=[
            {"role": "system", "content": "Be kind."}, {"role": "user", "content": "Refund O-1042."},
            {"role": "assistant", "content": None, "tool_calls": [chat_call]},
            {"role": "tool", "tool_call_id": "c1", "content": "40.0"},
        ],
        tools=[{"type": "function", "function": {"name": "lookup", "description": "d", "parameters": schema}}],
    )  # fmt: skip
    responses = normal(
        "responses", model="m", temperature=0, instructions="Be kind.",
        input=[
            {"role": "user", "content": "Refund O-1042."},
            {"type": "function_call", "call_id": "c1", "name": "lookup", "arguments": '{"order": "O-1042"}'},
            {"type": "function_call_output", "call_id": "c1", "output": "40.0"},
        ],
        tools=[{"type": "function", "name": "lookup", "description": "d", "parameters": schema}],
    )  # fmt: skip
    anthropic = normal(
        "messages", model="m", temperature=0, system="Be kind.",
        messages=[
            {"role": "user", "content": "Refund O-1042."},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "c1", "name": "lookup", "input": {"order": "O-1042"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "40.0"}]},
        ],
        tools=[{"name": "lookup", "description": "d", "input_schema": schema}],
    )  # fmt: skip
    expected = NormalRequest(
        "m", {"temperature": 0}, ("Be kind.",), {"lookup": {"description": "d", "parameters": schema}},
        (USER, NormalMessage("assistant", tool_calls=(CALL,)), NormalMessage("tool", tool_results=(RESULT,))),
    )  # fmt: skip
    assert chat == expected
    assert responses == expected
    assert anthropic == msgspec.structs.replace(
        expected, messages=(*expected.messages[:2], NormalMessage("user", tool_results=(RESULT,)))
    )


@pytest.mark.parametrize("api", ["chat_completions", "responses", "messages"])
def test_a_lone_text_block_is_a_string(api: str) -> None:
    block = {"type": "input_text" if api == "responses" else "text", "text": "hi", **CACHE}
    assert messages(api, {"role": "user", "content": [block]}) == messages(api, {"role": "user", "content": "hi"})


def test_responses_input_as_a_string_is_one_user_message() -> None:
    assert normal("responses", input="hi") == normal("responses", input=[{"role": "user", "content": "hi"}])
    assert normal("responses", input="hi").messages == (NormalMessage("user", "hi"),)
    typed = {"type": "message", "role": "user", "content": "hi"}
    assert normal("responses", input=[typed]) == normal("responses", input="hi")


def test_cache_control_is_ignored_wherever_it_is_set() -> None:
    def body(extra: dict[str, Any]) -> dict[str, Any]:
        inner = [{"type": "text", "text": "r", **extra}]
        return {
            "system": [{"type": "text", "text": "a"}, {"type": "text", "text": "b", **extra}],
            "tools": [{"name": "t", "input_schema": {}, **extra}],
            "messages": [
                {"role": "user", **extra, "content": [{"type": "image", "source": 1, **extra}]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "i", "name": "t", "input": {}, **extra}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "i", "content": inner, **extra}]},
            ],
            **extra,
        }

    assert normal("messages", **body(CACHE)) == normal("messages", **body({}))


def test_cache_control_that_is_data_counts() -> None:
    def call(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"role": "assistant", "content": [{"type": "tool_use", "id": "i", "name": "t", "input": arguments}]}

    assert messages("messages", call(CACHE)) != messages("messages", call({}))
    tool = {"name": "t", "input_schema": {"properties": {"cache_control": {}}}}
    assert normal("messages", tools=[tool]).tools == {"t": {"parameters": {"properties": {"cache_control": {}}}}}


def test_null_content_is_absent_content_and_an_empty_one_is_not() -> None:
    null, absent, empty = (
        messages("chat_completions", {"role": "user", **c}) for c in ({"content": None}, {}, {"content": ""})
    )
    assert null == absent
    assert absent != empty
    assert messages("chat_completions", {"role": "user", "content": []}) not in (absent, empty)


def test_parts_of_a_content_are_kept() -> None:
    text = {"type": "text", "text": "look"}
    (message,) = messages("chat_completions", {"role": "user", "name": "ada", "content": [text, IMAGE]})
    assert message == NormalMessage(
        "user", "look", extra={"content": ["text", {"part": IMAGE}], "rest": {"name": "ada"}}
    )


def test_where_one_text_block_ends_is_kept() -> None:
    def user(*texts: str) -> tuple[NormalMessage, ...]:
        return messages("messages", {"role": "user", "content": [{"type": "text", "text": text} for text in texts]})

    assert user("a", "b")[0].text == "a\n\nb"
    assert user("a", "b")[0].extra == {"content": ["text", "text"]}
    forms = [
        user("a\n\nb"),
        user("a", "b"),
        user("a\n\nb", "c"),
        user("a", "b\n\nc"),
        user("a\n", "b"),
        user("a", "\nb"),
    ]
    assert len({dumps(msgspec.to_builtins(one)) for one in forms}) == len(forms)


def test_text_around_calls_and_results_is_said_in_order() -> None:
    text = {"type": "text", "text": "hm"}
    use = {"type": "tool_use", "id": "c", "name": "t", "input": {}}
    before, after = (messages("messages", {"role": "assistant", "content": c}) for c in ([text, use], [use, text]))
    assert before == (NormalMessage("assistant", "hm", (ToolCall("c", "t", "{}"),)),)
    assert after == (
        NormalMessage("assistant", "hm", (ToolCall("c", "t", "{}"),), extra={"content": ["tool_use", "text"]}),
    )


def test_thinking_and_unknown_blocks_are_kept_whole() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    (message,) = messages("messages", {"role": "assistant", "content": [thinking]})
    assert message == NormalMessage("assistant", extra={"content": [{"part": thinking}]})


def test_a_result_that_is_an_error_shows() -> None:
    def result(**more: Any) -> NormalMessage:
        block = {"type": "tool_result", "tool_use_id": "c", "content": "no", **more}
        return messages("messages", {"role": "user", "content": [block]})[0]

    assert result().extra == {}
    assert result(is_error=True).extra == {"content": [{"tool_result": {"rest": {"is_error": True}}}]}
    assert result(is_error=True) != result(is_error=False) != result()


def test_results_take_the_name_of_the_call_with_their_id() -> None:
    def call(call_id: str, name: str) -> dict[str, Any]:
        return {"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}

    told = messages(
        "chat_completions",
        {"role": "tool", "tool_call_id": "b", "content": "too early"},
        {"role": "assistant", "tool_calls": [call("a", "f"), call("b", "g")]},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "function", "name": "old", "content": "0"},
    )
    names = [result.name for message in told for result in message.tool_results]
    assert names == [None, "g", "f", "old"]


def test_reasoning_and_other_items_are_kept_whole() -> None:
    reasoning = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"}
    reference = {"type": "item_reference", "id": "rs"}
    assert messages("responses", reasoning, reference) == (
        NormalMessage("assistant", extra={"item": reasoning}),
        NormalMessage("", extra={"item": reference}),
    )


def test_what_a_call_holds_besides_is_kept() -> None:
    call = {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{}", "status": "completed"}
    (message,) = messages("responses", call)
    assert message.tool_calls == (ToolCall("c", "f", "{}"),)
    assert message.extra == {"call": {"rest": {"id": "fc", "status": "completed"}}}
    (custom,) = messages("responses", {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "{}"})
    assert custom != messages("responses", {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"})[0]


def test_system_prompts_that_are_not_plain_say_how() -> None:
    plain = normal("chat_completions", messages=[{"role": "system", "content": "a"}])
    developer = normal("chat_completions", messages=[{"role": "developer", "content": "a"}])
    assert plain.system == developer.system == ("a",)
    assert plain != developer
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert normal("messages", system=blocks).system == ("a", "b")
    assert normal("messages", system=blocks).other == {}
    assert normal("messages", system=blocks[:1]) == normal("messages", system="a")
    cited = [{"type": "text", "text": "a", "citations": []}]
    assert normal("messages", system=cited).other == {"system": [{"text": {"type": "text", "citations": []}}]}
    assert normal("messages", system=[]) != normal("messages")


def test_tools_pair_by_name_whatever_their_order() -> None:
    tools = [{"name": name, "input_schema": {"title": name}} for name in "ab"]
    assert normal("messages", tools=tools) == normal("messages", tools=tools[::-1])
    again = {"name": "a", "input_schema": {}}
    assert normal("messages", tools=[*tools, again]).other == {"tools": [again]}
    assert normal("messages", tools=[again, *tools]) != normal("messages", tools=[*tools, again])


def test_tools_of_other_kinds_are_kept_whole() -> None:
    search, server = {"type": "web_search"}, {"type": "mcp", "server_label": "docs", "server_url": "http://x"}
    told = normal("responses", tools=[search, server, "odd", {}])
    assert told.tools == {"web_search": {"tool": search}, "docs": {"tool": server}}
    assert told.other == {"tools": ["odd", {}]}


def test_types_of_values_count() -> None:
    bodies = [{"a": 1}, {"a": True}, {"a": 1.0}, {"a": "1"}, {"a": None}, {}, {"a": [1]}, {"a": [True]}]
    assert len({form(normal("messages", metadata=body)) for body in bodies}) == len(bodies)
    inputs = [
        messages("messages", {"role": "assistant", "content": [{"type": "tool_use", "input": body}]})
        for body in (*bodies, "{}", None, [], '{"a": 1}')
    ]
    assert len({dumps(msgspec.to_builtins(one)) for one in inputs}) == len(inputs)


def test_an_unknown_api_is_wholly_under_other() -> None:
    assert normal("other", input="x", model="m") == NormalRequest(
        other={"method": "POST", "path": "/v1/embeddings", "body": {"json": {"input": "x", "model": "m"}}}
    )
    bodies = [None, TextBody("aGk="), BytesBody(b"hi"), "aGk=", {"base64": "aGk="}, {"text": "aGk="}]
    for api in ("other", "messages"):
        assert len({form(normal_request(exchange(api, body))) for body in bodies}) == len(bodies)


def test_the_query_and_an_unusual_path_count() -> None:
    usual = exchange("messages", {})

    def at(**changes: str) -> NormalRequest:
        return normal_request(msgspec.structs.replace(usual, request=msgspec.structs.replace(usual.request, **changes)))

    assert at(path="/messages") == at() == NormalRequest()
    assert at(path="/anthropic/v1/messages").other == {"path": "/anthropic/v1/messages"}
    assert at(query="beta=true").other == {"query": "beta=true"}

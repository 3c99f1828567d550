"""No form of an answer hides the tool that it asks for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stepfork.replay.asked import asked_tools
from stepfork.replay.forwarder import RecordedAnswer
from stepfork.trace.body import Body, BytesBody, EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response

CALL = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "wipe", "arguments": "{}"}}
ANSWER = {"choices": [{"message": {"tool_calls": [CALL]}, "finish_reason": "tool_calls"}]}
TEXT = json.dumps(ANSWER)
CHUNK = json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": [CALL]}}]})
DEEP = "[" * 100_000 + "]" * 100_000


def asked(body: Body, api: str = "chat_completions", status: int = 200, media: str = "application/json") -> set[str]:
    request = Request("POST", "/x", body=JsonBody({"model": "m", "messages": []}))
    return set(asked_tools(Exchange("openai", api, request, Response(status, media, {}, body))))


@pytest.mark.parametrize(
    "body",
    [
        JsonBody(ANSWER),
        JsonBody({"choices": [{"message": {"content": "hello"}}, *ANSWER["choices"]]}),
        TextBody(TEXT),
        TextBody(TEXT, 'the member "choices" is repeated'),
        TextBody('{"choices": [], ' + TEXT[1:]),
        TextBody(f'{{"deep": {DEEP}, {TEXT[1:]}'),
        BytesBody(TEXT.encode()),
        BytesBody(b"\xef\xbb\xbf" + TEXT.encode()),
        BytesBody(TEXT.encode("utf-16")),
        EventsBody((f"data: {CHUNK}", "data: [DONE]", "")),
        EventsBody((f"data: {CHUNK}",)),
        EventsBody(("da", f"ta: {CHUNK}\n\n"), ""),
        EventsBody((f"data: {CHUNK}\r\rdata: [DONE]\r\r",)),
        EventsBody((f": hello\u2028data: {CHUNK}\u2028\u2028",)),
        EventsBody((f'data: {{"deep": {DEEP}, {CHUNK[1:]}', "")),
        TextBody(f"data: {CHUNK}\n\ndata: [DONE]\n\n"),
        BytesBody(f"\ufeffdata: {CHUNK}\n\n".encode()),
    ],
    ids=range(17),
)
def test_whatever_an_sdk_may_read_counts(body: Body) -> None:
    assert asked(body) == {"wipe"}
    assert asked(body, status=302, media="text/html") == {"wipe"}


def test_a_name_in_pieces_is_one_name() -> None:
    def chunk(name: str) -> str:
        call: dict[str, Any] = {"index": 0, "function": {"name": name, "arguments": "{}"}}
        return f"data: {json.dumps({'choices': [{'index': 1, 'delta': {'tool_calls': [call]}}]})}\n\n"

    assert asked(TextBody(chunk("wi") + chunk("pe"))) == {"wipe"}


def test_other_apis_and_what_the_provider_runs_itself() -> None:
    use = {"content": [{"type": "tool_use", "id": "toolu_1", "name": "wipe", "input": {}}]}
    search = {"content": [{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}]}
    shell = {"output": [{"type": "local_shell_call", "call_id": "call_1", "action": {}}]}
    assert asked(TextBody(json.dumps(use)), "messages") == {"wipe"}
    assert asked(JsonBody(search), "messages") == set()
    assert asked(BytesBody(json.dumps(shell).encode()), "responses") == {"local_shell"}
    assert asked(JsonBody(ANSWER), "other") == set()
    assert asked(TextBody("<html>data: none</html>")) == asked(None) == set()


def test_a_served_answer_has_no_header_that_leads_elsewhere_or_hides_its_body() -> None:
    headers = {"location": "http://away.example/", "content-encoding": "gzip", "set-cookie": "a=b", "x-request-id": "r"}
    answer = RecordedAnswer(Response(307, "application/json", headers, JsonBody({})), "POST")
    assert dict(answer.headers) == {"Content-Type": "application/json", "x-request-id": "r", "Content-Length": "2"}


@pytest.mark.parametrize(
    "answer",
    [
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "wipe", "args": {}}}]}}]},  # Gemini
        {
            "output": {"message": {"content": [{"toolUse": {"toolUseId": "t", "name": "wipe", "input": {}}}]}}
        },  # Converse
        {"message": {"tool_calls": [{"function": {"name": "wipe", "arguments": {}}}]}},  # Ollama
        {"message": {"tool_calls": [{"id": "t", "name": "wipe", "parameters": {}}]}},  # Cohere
        {"content": [{"type": "tool_use", "name": "wipe"}]},
        ANSWER,
    ],
)
def test_an_opaque_answer_may_be_a_models(answer: Any) -> None:
    text = json.dumps(answer)
    for body in (JsonBody(answer), TextBody(text), BytesBody(text.encode()), EventsBody((f"data: {text}", ""))):
        assert asked(body, "opaque") == {"wipe"}
    record: Any = {"orders": [{"name": "Ann", "type": "order", "functions": [{"name": "x"}]}], "calls": 3}
    assert asked(JsonBody(record), "opaque") == set()

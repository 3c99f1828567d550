"""The vendors' own clients, streamed and not, through the proxy."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import anthropic
import openai
import pytest

from stepfork.trace.body import EventsBody, JsonBody
from tests.integration.wire import Asked, Line, listening, model_server

USAGE = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
MESSAGES: list[Any] = [{"role": "user", "content": "Please refund order O-1042."}]


def sse(*values: dict[str, Any]) -> tuple[bytes, ...]:
    return tuple(
        (f"event: {value['type']}\n" if "type" in value else "").encode()
        + b"data: "
        + json.dumps(value).encode()
        + b"\n\n"
        for value in values
    )


def _chat(choice: dict[str, Any], kind: str, **more: Any) -> dict[str, Any]:
    return {"id": "chatcmpl-test0001", "object": kind, "created": 1, "model": "test-model", "choices": [choice], **more}


def _response(status: str, text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"type": "message", "id": "msg_test0001", "role": "assistant", "status": status, "content": content}
    return {
        "id": "resp_test0001",
        "object": "response",
        "created_at": 1,
        "model": "test-model",
        "status": status,
        "output": [item] if text else [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _message(**more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 3, "output_tokens": 1}
    message = {"id": "msg_test0001", "type": "message", "role": "assistant", "model": "test-model", "content": []}
    return {**message, "stop_reason": None, "stop_sequence": None, "usage": usage, **more}


WHOLE = {
    "/v1/chat/completions": _chat(
        {"index": 0, "message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"},
        "chat.completion",
        usage=USAGE,
    ),
    "/v1/responses": _response("completed", "Done."),
    "/v1/messages": _message(content=[{"type": "text", "text": "Done."}], stop_reason="end_turn"),
}
STREAMED = {
    "/v1/chat/completions": (
        *sse(
            _chat(
                {"index": 0, "delta": {"role": "assistant", "content": "Do"}, "finish_reason": None},
                "chat.completion.chunk",
            ),
            _chat({"index": 0, "delta": {"content": "ne."}, "finish_reason": None}, "chat.completion.chunk"),
            _chat({"index": 0, "delta": {}, "finish_reason": "stop"}, "chat.completion.chunk"),
        ),
        b"data: [DONE]\n\n",
    ),
    "/v1/responses": sse(
        {"type": "response.created", "sequence_number": 0, "response": _response("in_progress", "")},
        *(
            {
                "type": "response.output_text.delta",
                "sequence_number": 1,
                "item_id": "msg_test0001",
                "output_index": 0,
                "content_index": 0,
                "delta": delta,
                "logprobs": [],
            }
            for delta in ("Do", "ne.")
        ),
        {"type": "response.completed", "sequence_number": 3, "response": _response("completed", "Done.")},
    ),
    "/v1/messages": sse(
        {"type": "message_start", "message": _message()},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Done."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ),
}


def model(asked: Asked, line: Line) -> None:
    """Answers any of the three APIs, streamed where asked to, compressed where accepted."""
    packs = "gzip" in asked.headers.get("accept-encoding", "")
    path = asked.target.partition("?")[0]
    if json.loads(asked.body).get("stream"):
        line.stream(*STREAMED[path])
        return
    body = json.dumps(WHOLE[path]).encode()
    headers = ("Content-Type: application/json", "request-id: req_test0001")
    line.whole(gzip.compress(body) if packs else body, *headers, *(("Content-Encoding: gzip",) if packs else ()))


def chat(client: Any, stream: bool) -> str:
    if not stream:
        return client.chat.completions.create(model="test-model", messages=MESSAGES).choices[0].message.content or ""
    chunks = client.chat.completions.create(model="test-model", messages=MESSAGES, stream=True)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def responses(client: Any, stream: bool) -> str:
    if not stream:
        return client.responses.create(model="test-model", input="Hi").output_text
    events = client.responses.create(model="test-model", input="Hi", stream=True)
    return "".join(event.delta for event in events if event.type == "response.output_text.delta")


def messages(client: Any, stream: bool) -> str:
    if not stream:
        return client.messages.create(model="test-model", messages=MESSAGES, max_tokens=9).content[0].text
    with client.messages.stream(model="test-model", messages=MESSAGES, max_tokens=9) as events:
        return "".join(events.text_stream)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("call", "provider", "api", "path"),
    [
        (chat, "openai", "chat_completions", "/chat/completions"),
        (responses, "openai", "responses", "/responses"),
        (messages, "anthropic", "messages", "/v1/messages"),
    ],
)
def test_the_official_clients_read_what_is_relayed(call: Any, provider: str, api: str, path: str, stream: bool) -> None:
    with model_server(model) as server, listening(server.url) as listener:
        if provider == "openai":
            client: Any = openai.OpenAI(base_url=f"{listener.base_url}/openai/v1", api_key="unused", max_retries=0)
        else:
            client = anthropic.Anthropic(base_url=f"{listener.base_url}/anthropic", api_key="unused", max_retries=0)
        with client:
            assert call(client, stream) == "Done."
    heard = listener.heard()
    assert heard.problems == ()
    (recorded,) = heard.exchanges
    exchange = recorded.exchange
    assert (exchange.provider, exchange.api, exchange.request.path) == (provider, api, path)
    assert isinstance(exchange.request.body, JsonBody)
    assert isinstance(exchange.response.body, EventsBody if stream else JsonBody)
    assert exchange.response.headers == ({} if stream else {"request-id": "req_test0001"})


def test_an_asynchronous_client_with_calls_at_once() -> None:
    async def main(base_url: str) -> list[str]:
        async with openai.AsyncOpenAI(base_url=base_url, api_key="unused", max_retries=0) as client:

            async def ask() -> str:
                chunks = await client.chat.completions.create(model="test-model", messages=MESSAGES, stream=True)
                return "".join([chunk.choices[0].delta.content or "" async for chunk in chunks])

            return await asyncio.gather(*(ask() for _ in range(8)))

    with model_server(model) as server, listening(server.url) as listener:
        assert asyncio.run(main(f"{listener.base_url}/openai/v1")) == ["Done."] * 8
    heard = listener.heard()
    assert len(heard.exchanges) == 8
    assert heard.problems == ()


def test_an_error_event_is_raised_by_the_client() -> None:
    events = sse({"type": "message_start", "message": _message()}) + sse(
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    )
    with model_server(lambda asked, line: line.stream(*events)) as server, listening(server.url) as listener:
        client = anthropic.Anthropic(base_url=f"{listener.base_url}/anthropic", api_key="unused", max_retries=0)
        with client, pytest.raises(anthropic.APIStatusError):
            messages(client, stream=True)
    assert listener.heard().exchanges[0].exchange.response.ending == "complete"


def test_c012_a_client_that_leaves_the_loop_early() -> None:
    def endless(asked: Asked, line: Line) -> None:
        line.head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        line.chunk(*STREAMED["/v1/chat/completions"][:2])
        line.wait_for_hang_up()
        line.close()

    with model_server(endless) as server, listening(server.url) as listener:
        with openai.OpenAI(base_url=f"{listener.base_url}/openai/v1", api_key="unused", max_retries=0) as client:
            chunks = client.chat.completions.create(model="test-model", messages=MESSAGES, stream=True)
            for _ in chunks:
                break
            chunks.close()
        listener.settle(20)
    assert [problem.kind for problem in listener.heard().problems] == ["unfinished"]

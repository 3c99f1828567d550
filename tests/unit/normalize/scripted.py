"""A refund run as two captures would see it: the same conversation, with ids and clocks of the caller's choice."""

from __future__ import annotations

import json
import random
import string
from datetime import UTC, datetime, timedelta

from stepfork.normalize.known import Context
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace
from stepfork.trace.wire import read_body

START = datetime(2026, 11, 30, 12, tzinfo=UTC)


class World:
    """What differs between two captures: ids, the clock, the machine."""

    def __init__(
        self,
        seed: int,
        *,
        home: str = "/home/mkowalski",
        port: int = 39477,
        host: str = "buildbox7",
        tmp: str = "/tmp",
    ) -> None:
        self.random = random.Random(seed)
        self.now = START + timedelta(hours=self.random.randint(0, 5000), microseconds=self.random.randint(0, 10**6 - 1))
        self.started = self.now
        self.home = home
        self.user = home.rpartition("/")[2]
        self.host = host
        self.tmp = tmp
        self.listener = f"127.0.0.1:{port}"

    def id(self, prefix: str, length: int = 24) -> str:
        letters = string.ascii_letters + string.digits
        return prefix + "aB3" + "".join(self.random.choice(letters) for _ in range(length - 3))

    def hex(self, prefix: str, length: int) -> str:
        return prefix + "a1" + "".join(self.random.choice("0123456789abcdef") for _ in range(length - 2))

    def uuid(self) -> str:
        text = self.hex("", 32)
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def tick(self) -> datetime:
        self.now += timedelta(milliseconds=self.random.randint(1, 2000))
        return self.now

    def epoch(self) -> int:
        return int(self.tick().timestamp())

    def iso(self) -> str:
        return self.tick().replace(microsecond=self.random.randint(1, 999999)).isoformat()

    def context(self) -> Context:
        return Context(
            started_ns=int(self.started.timestamp()) * 10**9,
            ended_ns=int(self.now.timestamp() + 1) * 10**9,
            cwd=f"{self.home}/agent",
            home=self.home,
            tmp=self.tmp,
            hostname=self.host,
            user=self.user,
            listener=self.listener,
            token="0f" * 16,
        )


def exchange(api: str, request: object, response: object, *, provider: str = "openai", headers=None) -> Exchange:
    path = {"chat_completions": "/chat/completions", "responses": "/responses", "messages": "/v1/messages"}[api]
    told = response.encode() if isinstance(response, str) else json.dumps(response).encode()
    asked = read_body(json.dumps(request).encode(), "application/json")
    media = "text/event-stream" if isinstance(response, str) else "application/json"
    return Exchange(
        provider=provider,
        api=api,
        request=Request("POST", path, "", "application/json", asked),
        response=Response(200, media, headers or {}, read_body(told, media)),
    )


def chat_run(world: World, email: str = "ada@example.com") -> Run:
    """Two calls of Chat Completions, the first streamed, and a tool whose result holds ids and clocks."""
    system = {"role": "system", "content": f"You work in {world.home}/agent. Today's model is gpt-4.1-2025-04-14."}
    messages = [system, {"role": "user", "content": "Refund O-1042, commit a94a8fe5ccb19ba61c4c0873d391e987982fbbd3."}]
    call, made, finger = world.id("call_"), world.id("chatcmpl-", 29), world.hex("fp_", 10)
    created = world.epoch()
    arguments = '{"order_id": "O-1042", "conversation_id": "conv-7"}'
    pieces = [arguments[:9], arguments[9:30], arguments[30:]]
    deltas = [{"role": "assistant", "content": None}]
    frame = {"index": 0, "id": call, "type": "function", "function": {"name": "lookup_order", "arguments": ""}}
    deltas.append({"tool_calls": [frame]})
    deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in pieces]
    events = []
    for delta in deltas:
        chunk = {"id": made, "object": "chat.completion.chunk", "created": created, "model": "gpt-4.1-2025-04-14"}
        chunk |= {"system_fingerprint": finger, "choices": [{"index": 0, "delta": delta}]}
        chunk["obfuscation"] = "x" * world.random.randint(1, 12)
        events.append(f"data: {json.dumps(chunk)}\n\n")
    first = exchange(
        "chat_completions",
        {"model": "gpt-4.1", "stream": True, "messages": messages},
        "".join(events) + "data: [DONE]\n\n",
        headers={"x-request-id": world.id("req_")},
    )
    result = json.dumps(
        {
            "email": email,
            "trail": json.dumps([{"call": call, "read_at": world.iso(), "note": f"{email} asked"}]),
            "delivered": "2026-11-02",
            "duration_ms": 320,
            "created": 1700000000,
        }
    )
    assistant = {
        "role": "assistant",
        "tool_calls": [{"id": call, "type": "function", "function": {"name": "lookup_order", "arguments": arguments}}],
    }
    messages = [*messages, assistant, {"role": "tool", "tool_call_id": call, "content": result}]
    answer = f"Refunded at {world.iso()}; {email} was told."
    second = exchange(
        "chat_completions",
        {"model": "gpt-4.1", "messages": messages},
        {
            "id": world.id("chatcmpl-", 29),
            "object": "chat.completion",
            "created": world.epoch(),
            "model": "gpt-4.1-2025-04-14",
            "system_fingerprint": world.hex("fp_", 10),
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}],
            "usage": {"prompt_tokens": 40, "completion_tokens": 7, "total_time": world.random.random()},
        },
    )
    conversation = f"run-{world.epoch()}x"
    steps = (
        Step(type="agent_call", name="refund", start=world.epoch(), end=world.epoch() + 9),
        Step(type="llm_call", name="chat", start=world.epoch(), end=world.epoch(), parent=0, exchange=0),
        Step(
            type="tool_call",
            name="lookup_order",
            start=world.epoch(),
            end=world.epoch(),
            call_id=call,
            parent=0,
            arguments={"order_id": "O-1042", "conversation_id": "conv-7"},
            result=json.loads(result),
        ),
        Step(type="llm_call", name="chat", start=world.epoch(), end=world.epoch(), parent=0, exchange=1),
    )
    trace = Trace(origin="spans", steps=steps, conversation=conversation, output=answer)
    command = (f"{world.home}/venv/bin/python", "agent.py", "--to", "ada@example.com")
    return Run(Source(kind="command", replay_capable=True, command=command, exit_code=0), trace, (first, second))


def responses_run(world: World) -> Run:
    """Two calls of the Responses API: a reasoning item, a call, an item reference; the second streamed."""
    reasoning, item, call = world.hex("rs_", 50), world.hex("fc_", 50), world.id("call_")
    sealed = world.id("gAAAAAB", 120)
    made = world.hex("resp_", 50)
    output = [
        {"id": reasoning, "type": "reasoning", "summary": [], "encrypted_content": sealed},
        {"id": item, "type": "function_call", "call_id": call, "name": "t", "arguments": '{"id":"A-1","created":7}'},
    ]
    begun = world.epoch()
    first = exchange(
        "responses",
        {"model": "gpt-5", "instructions": "Be brief.", "input": "Refund O-1042."},
        {"id": made, "created_at": begun, "completed_at": world.epoch(), "output": output, "metadata": {"id": "mine"}},
    )
    given = [
        {"role": "user", "content": "Refund O-1042."},
        {"type": "item_reference", "id": reasoning},
        output[1],
        {"type": "function_call_output", "call_id": call, "output": '[{"id": "A-1", "at": "2020-01-01T00:00:00Z"}]'},
    ]
    later, message = world.hex("resp_", 50), world.hex("msg_", 50)
    created = float(world.epoch())
    delta = {"type": "response.output_text.delta", "item_id": message, "output_index": 0, "content_index": 0}
    events = [
        {"type": "response.created", "response": {"id": later, "created_at": created, "output": []}},
        delta | {"delta": "It is "},
        delta | {"delta": "done."},
        {"type": "response.completed", "response": {"id": later, "created_at": created, "output": [{"id": message}]}},
    ]
    for event in events:
        if "delta" in event:
            event["obfuscation"] = world.id("", world.random.randint(4, 16))
    text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    second = exchange("responses", {"model": "gpt-5", "input": given, "previous_response_id": made}, text)
    return Run(Source("command", True, ("python", "a.py")), Trace("exchanges", ()), (first, second))


def messages_run(world: World) -> Run:
    """Two calls of Messages as Claude Code makes them, with its device, account and session."""
    device, session = world.hex("", 64), world.uuid()
    user = json.dumps({"device_id": device, "account_uuid": "", "session_id": session})
    call = world.id("toolu_01", 22)
    asked = {
        "role": "user",
        "content": [{"type": "text", "text": "Refund O-1042.", "cache_control": {"type": "ephemeral"}}],
    }
    content = [{"type": "tool_use", "id": call, "name": "lookup", "input": {"id": "O-1042", "session": "s-1"}}]
    first = exchange(
        "messages",
        {
            "model": "claude-sonnet-5",
            "system": f"Session {session}.",
            "messages": [asked],
            "metadata": {"user_id": user},
        },
        {"id": world.id("msg_01", 22), "type": "message", "content": content, "usage": {"input_tokens": 9}},
        provider="anthropic",
        headers={"request-id": world.id("req_01", 22)},
    )
    result = {"type": "tool_result", "tool_use_id": call, "content": '{"id": "O-1042", "email": "ada@example.com"}'}
    again = [asked, {"role": "assistant", "content": content}, {"role": "user", "content": [result]}]
    block = {"type": "thinking", "thinking": "", "signature": ""}
    deltas = [{"type": "signature_delta", "signature": world.id("Eq", 60)}]
    events = [
        {"type": "message_start", "message": {"id": world.id("msg_01", 22), "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "message_stop"},
    ]
    text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    second = exchange(
        "messages",
        {"model": "claude-sonnet-5", "messages": again, "metadata": {"user_id": user}},
        text,
        provider="anthropic",
    )
    return Run(Source("command", True, ("python", "a.py")), Trace("exchanges", ()), (first, second))

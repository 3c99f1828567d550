"""Small runs in the shapes of frameworks and providers, as two captures of each would see them.

Everything that a capture decides comes from a world: ids, clocks, folders, names. The rest is the same in both.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace
from stepfork.trace.wire import read_body
from tests.unit.normalize.scripted import World, exchange

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def letters(world: World, count: int) -> str:
    return "".join(world.random.choice(LETTERS) for _ in range(count - 2)) + "7q"


def small(world: World, count: int) -> str:
    return "".join(world.random.choice(LETTERS[:26] + "0123456789") for _ in range(count - 2)) + "4k"


def run(*exchanges: Exchange, steps: tuple[Step, ...] = (), conversation: str = "") -> Run:
    trace = Trace("spans", steps, conversation=conversation) if conversation else Trace("spans", steps)
    return Run(Source("command", True, ("python", "agent.py")), trace, exchanges)


def chat(content: Any, answer: Any = None, **more: Any) -> Exchange:
    asked = {"model": "gpt-4.1", "messages": [{"role": "user", "content": content}], **more}
    return exchange("chat_completions", asked, answer or {"choices": []})


def other(path: str, asked: Any, told: Any, *, media: str = "application/json", status: int = 200) -> Exchange:
    raw = told if isinstance(told, str) else json.dumps(told)
    body = read_body(json.dumps(asked).encode(), "application/json")
    answer = Response(status, media, {}, read_body(raw.encode(), media))
    return Exchange("gateway", "other", Request("POST", path, "", "application/json", body), answer)


def langgraph(world: World) -> Run:
    human, ai, thread = world.uuid(), f"lc_run--{world.uuid()}", world.uuid()
    call = world.id("call_")
    dumped = [
        {"content": "Refund O-1042.", "additional_kwargs": {}, "response_metadata": {}, "type": "human", "id": human},
        {"content": "", "additional_kwargs": {}, "type": "ai", "id": f"{ai}-0", "tool_calls": [{"id": call}]},
    ]
    printed = f"HumanMessage(content='Refund', additional_kwargs={{}}, response_metadata={{}}, id='{human}')"
    config = {"thread_id": "t", "langgraph_checkpoint_ns": f"model:{world.uuid()}|tools:{world.uuid()}"}
    result = json.dumps({"state": json.dumps(dumped), "config": json.dumps(config), "seen": f"{human} was read"})
    steps = (
        Step("tool_call", "hand_over", 1, 2, call_id=call, arguments={"messages": dumped}, result=result),
        Step("tool_call", "look", 3, 4, arguments={"text": printed}),
    )
    return run(chat(result), chat(printed), steps=steps, conversation=thread)


def smolagents(world: World) -> Run:
    made = world.uuid()
    text = (
        f"Calling tools:\n[{{'id': '{made}', 'type': 'function', 'function': {{'name': 'look', 'arguments': {{}}}}}}]"
    )
    return run(chat(text), chat(f"Call id: {made}\nObservation:\n<Order object at 0x{world.hex('7f', 10)}>"))


def autogen(world: World) -> Run:
    at = world.tick()
    when = f"datetime.datetime({at.year}, {at.month}, {at.day}, {at.hour}, {at.minute}, {at.second}, {at.microsecond})"
    text = f"TextMessage(id='{world.uuid()}', source='refund', models_usage=None, created_at={when}, content='x')"
    return run(chat(text))


def agno(world: World) -> Run:
    now = world.tick()
    text = f"<additional_information>\n- The current time is {now:%Y-%m-%d %H:%M:%S.%f}.\n</additional_information>"
    return run(chat(text, metadata={"session_id": world.uuid(), "user_id": "ada"}))


def crewai(world: World) -> Run:
    folder = f"{world.tmp}/tmp{small(world, 8)}"
    text = (
        f'Thought: I read the file.\nAction: read\nAction Input: {{"path": "{folder}/orders.csv"}}\nObservation: 3 rows'
    )
    return run(chat(text), chat(f"wrote {folder} and {world.home}/.local/share/crew on {world.iso()}"))


def javascript(world: World) -> Run:
    now = world.tick()
    said = {
        "id": f"aitxt-{letters(world, 24)}",
        "messages": [{"id": f"msg-{letters(world, 24)}", "createdAt": world.iso()}],
    }
    return run(
        chat(f"Now: {now:%a %b %d %Y %H:%M:%S} GMT+0000 (Coordinated Universal Time)", said),
        chat(f"Local: {now.month}/{now.day}/{now.year}, {now.hour % 12 or 12}:{now:%M:%S %p}"),
    )


def shell(world: World) -> Run:
    now = world.tick()
    return run(
        chat(f"$ date; hostname\n{now:%a %b} {now.day:2d} {now:%H:%M:%S} UTC {now:%Y}\n{world.host} {world.user}"),
        chat(f"Date:   {now:%a %b} {now.day} {now:%H:%M:%S %Y} +0000\n\n    Fix"),
        chat(f'127.0.0.1 - - [{now:%d/%b/%Y:%H:%M:%S} +0000] "GET / HTTP/1.1" 200'),
        chat(f"{now:%Y/%m/%d %H:%M:%S} listening on http://{world.listener}/x from {world.home}/agent/main.go"),
        chat(f"made {now:%Y-%m-%d %H:%M:%S.%f}123 +0000 UTC m=+0.{world.random.randint(10**6, 10**7 - 1)}"),
    )


def gemini(world: World) -> Run:
    chunks = [
        {
            "candidates": [{"content": {"parts": [{"text": text}]}}],
            "responseId": letters(world, 22),
            "createTime": world.iso(),
        }
        for text in ("It ", "is done.")
    ]
    stream = "".join(f"data: {json.dumps(chunk | {'responseId': chunks[0]['responseId']})}\n\n" for chunk in chunks)
    call = {
        "functionCall": {"id": small(world, 12), "name": "look", "args": {"id": "A-1"}},
        "thoughtSignature": letters(world, 60),
    }
    whole = {
        "candidates": [{"content": {"parts": [call]}}],
        "responseId": letters(world, 22),
        "modelVersion": "gemini-2.5",
    }
    asked = {"contents": [{"role": "model", "parts": [call]}]}
    path = "/v1beta/models/gemini-2.5-flash:generateContent"
    return run(other(path, {}, whole), other(path, asked, stream, media="text/event-stream"))


def bedrock(world: World) -> Run:
    call = {"toolUse": {"toolUseId": f"tooluse_{letters(world, 22)}", "name": "look", "input": {"id": "A-1"}}}
    told = {"output": {"message": {"content": [call]}}, "metrics": {"latencyMs": world.random.randint(1, 999)}}
    result = {"toolResult": {"toolUseId": call["toolUse"]["toolUseId"], "content": [{"text": "ok"}]}}
    asked = {"messages": [{"role": "user", "content": [result]}]}
    return run(other("/model/x/converse", {}, told), other("/model/x/converse", asked, told))


def mistral(world: World) -> Run:
    call = {"id": letters(world, 9), "function": {"name": "look", "arguments": "{}"}, "index": 0}
    told = {"id": world.hex("", 32), "created": world.epoch(), "choices": [{"message": {"tool_calls": [call]}}]}
    back = {"role": "tool", "tool_call_id": call["id"], "content": f"for {call['id']}", "name": "look"}
    return run(chat("x", told), exchange("chat_completions", {"messages": [back]}, told))


def cohere(world: World) -> Run:
    told = {
        "id": world.uuid(),
        "message": {"tool_calls": [{"id": f"lookup_order_{small(world, 12)}", "type": "function"}]},
    }
    return run(other("/v2/chat", {}, told), other("/v2/chat", {"messages": [told["message"]]}, told))


def groq(world: World) -> Run:
    usage = {"queue_time": world.random.random(), "total_time": world.random.random(), "total_tokens": 9}
    told = {"id": f"chatcmpl-{world.uuid()}", "created": world.epoch(), "choices": [], "usage": usage}
    return run(
        chat("x", told | {"x_groq": {"id": f"req_01{small(world, 24).translate(str.maketrans('iloux', '12345'))}"}})
    )


def openrouter(world: World) -> Run:
    made = f"gen-{world.epoch()}-{letters(world, 20)}"
    chunks = [{"id": made, "created": world.epoch(), "choices": [{"delta": {"content": c}}]} for c in ("a", "b")]
    stream = ": OPENROUTER PROCESSING\n\n" + "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    return run(exchange("chat_completions", {"messages": [{"role": "user", "content": f"see {made}"}]}, stream))


def ollama(world: World) -> Run:
    lines = [
        {
            "model": "m",
            "created_at": f"{world.tick():%Y-%m-%dT%H:%M:%S}.{n}23456789Z",
            "message": {"content": c},
            "done": False,
        }
        for n, c in enumerate(("a", "b"), 1)
    ]
    last = {"created_at": f"{world.tick():%Y-%m-%dT%H:%M:%S}.123456789Z", "done": True, "eval_count": 7}
    last |= {"total_duration": world.random.randint(10**8, 10**9), "load_duration": world.random.randint(1, 10**9)}
    return run(other("/api/chat", {}, "\n".join(map(json.dumps, [*lines, last])) + "\n", media="application/x-ndjson"))


def vllm(world: World) -> Run:
    call = {
        "id": f"chatcmpl-tool-{world.hex('', 32)}",
        "type": "function",
        "function": {"name": "look", "arguments": "{}"},
    }
    told = {
        "id": f"chatcmpl-{world.hex('', 32)}",
        "created": world.epoch(),
        "choices": [{"message": {"tool_calls": [call]}}],
    }
    return run(chat("x", told), chat(f"result of {call['id']}"))


def azure(world: World) -> Run:
    made = world.hex("", 16)
    body = {"error": {"message": f"Too many requests. (request id: {made})", "code": "429"}}
    failed = other("/openai/deployments/x/chat/completions", {}, body, status=429)
    told = {
        "id": world.id("chatcmpl-", 29),
        "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}],
    }
    told["usage"] = {"latency_checkpoint": {"engine_ttft_ms": world.random.randint(1, 99)}}
    return run(failed, chat(f"It failed: {made}", told))


def adk(world: World) -> Run:
    call, invocation = f"adk-{world.uuid()}", world.uuid()
    result = json.dumps({"gcp.vertex.agent.invocation_id": f"e-{invocation}", "call": call})
    return run(chat(f"{call} done"), steps=(Step("tool_call", "look", 1, 2, call_id=call, result=result),))


def pydantic_ai(world: World) -> Run:
    made = f"pyd_ai_{world.hex('', 32)}"
    part = f"ToolCallPart(tool_name='look', args='{{}}', tool_call_id='{made}')"
    return run(chat(part), steps=(Step("tool_call", "look", 1, 2, call_id=made, arguments={"id": "A-1"}),))


def uploads(world: World) -> Run:
    boundary = world.hex("", 32)
    text = f'--{boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--{boundary}--\r\n'
    media = f"multipart/form-data; boundary={boundary}"
    body = read_body(text.encode(), media)
    sent = Request("POST", "/files", "", media, body)
    told = {"id": f"file-{letters(world, 22)}", "object": "file", "created_at": world.epoch()}
    answer = Response(200, "application/json", {}, read_body(json.dumps(told).encode(), "application/json"))
    return run(Exchange("openai", "other", sent, answer), chat(f"see {told['id']}"))


RUNS: tuple[Callable[[World], Run], ...] = (
    langgraph, smolagents, autogen, agno, crewai, javascript, shell, gemini, bedrock, mistral, cohere, groq,
    openrouter, ollama, vllm, azure, adk, pydantic_ai, uploads,
)  # fmt: skip

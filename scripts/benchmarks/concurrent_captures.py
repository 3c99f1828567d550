"""Captures of an agent that runs eight chains of two calls at once: how many different trees do they write?

    python scripts/benchmarks/concurrent_captures.py [CAPTURES]

The agent runs its chains in threads, then in asyncio tasks, then in threads with equal questions and spans of its own;
the model answers each call after a random 20 to 100 ms, with random ids. After each of CAPTURES (100) captures of
either kind the store is added to a git index and `git write-tree` names it. Exits 1 where one kind wrote two trees.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

AGENT = """
import asyncio, json, os, random, sys, threading, time, urllib.request

BASE = os.environ["OPENAI_BASE_URL"]
TRACES = os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]
HOW = sys.argv[1]
CHAINS = 8

def question(chain):
    return "Please refund my order." if HOW == "equal" else f"Please refund order O-{1000 + chain}."

def send(url, value):
    request = urllib.request.Request(url, json.dumps(value).encode(), {"Content-Type": "application/json"})
    return json.loads(urllib.request.urlopen(request).read())

def continued(messages, answer):
    said = answer["choices"][0]["message"]
    call = said["tool_calls"][0]
    order = json.loads(call["function"]["arguments"])["order_id"]
    result = {"role": "tool", "tool_call_id": call["id"], "content": json.dumps({"order_id": order, "amount": 40.0})}
    return [*messages, said, result], call, result

def span(operation, began, **attributes):
    told = {"gen_ai.operation.name": operation, "gen_ai.request.model": "test-model", **attributes}
    return {"traceId": "5b" * 16, "spanId": random.randbytes(8).hex(), "name": operation,
            "startTimeUnixNano": str(began), "endTimeUnixNano": str(time.time_ns()),
            "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in told.items()]}

def export(*spans):
    send(TRACES, {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})

def chain(number):
    messages = [{"role": "user", "content": question(number)}]
    began = time.time_ns()
    answer = send(BASE + "/chat/completions", {"model": "test-model", "messages": messages})
    first = span("chat", began, **{"gen_ai.response.id": answer["id"]})
    began = time.time_ns()
    messages, call, result = continued(messages, answer)
    function = call["function"]
    tool = span("execute_tool", began, **{"gen_ai.tool.name": function["name"], "gen_ai.tool.call.id": call["id"],
                "gen_ai.tool.call.arguments": function["arguments"], "gen_ai.tool.call.result": result["content"]})
    began = time.time_ns()
    answer = send(BASE + "/chat/completions", {"model": "test-model", "messages": messages})
    if HOW == "equal":
        export(first, tool, span("chat", began, **{"gen_ai.response.id": answer["id"]}))

async def task(session, number):
    messages = [{"role": "user", "content": question(number)}]
    for _ in range(2):
        body = {"model": "test-model", "messages": messages}
        async with session.post(BASE + "/chat/completions", json=body) as response:
            answer = await response.json()
        if answer["choices"][0]["message"].get("tool_calls"):
            messages, _, _ = continued(messages, answer)

async def tasks():
    import aiohttp
    async with aiohttp.ClientSession() as session:
        await asyncio.gather(*(task(session, number) for number in range(CHAINS)))

if HOW == "asyncio":
    asyncio.run(tasks())
else:
    threads = [threading.Thread(target=chain, args=(number,)) for number in range(CHAINS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


class Model(BaseHTTPRequestHandler):
    """Asks for the order first, and says it is done once the order is there."""

    protocol_version = "HTTP/1.1"
    _lock = threading.Lock()
    _equal = 0

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        time.sleep(random.uniform(0.02, 0.1))
        answer = json.dumps(self._answer(messages)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.send_header("x-request-id", f"req_{random.randbytes(12).hex()}")
        self.end_headers()
        self.wfile.write(answer)

    def _answer(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": None}
        if messages[-1]["role"] == "tool":
            order = json.loads(messages[-1]["content"])["order_id"]
            message["content"] = f"The refund of order {order} is done."
        else:
            word = messages[-1]["content"].split()[-1].strip(".")
            if not word.startswith("O-"):  # an equal question: each is answered with another order
                with Model._lock:
                    word = f"O-{1000 + Model._equal % 8}"
                    Model._equal += 1
            function = {"name": "lookup_order", "arguments": json.dumps({"order_id": word})}
            message["tool_calls"] = [
                {"id": f"call_{random.randbytes(12).hex()}", "type": "function", "function": function}
            ]
        return {
            "id": f"chatcmpl-{random.randbytes(12).hex()}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": "test-model",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29},
        }


def main(captures: int) -> int:
    from stepfork.store.layout import init_store

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{server.server_address[1]}/v1"
    worst = 1
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        Path("agent.py").write_text(AGENT)
        subprocess.run(["git", "init", "-q"], check=True)
        init_store(Path(scratch))
        for how in ("threads", "asyncio", "equal"):
            begun = time.perf_counter()
            trees = Counter(tree_of_capture(how) for _ in range(captures))
            took = time.perf_counter() - begun
            print(f"{how:8} {captures} captures, distinct git write-tree ids: {len(trees)}   {took:.0f} s", flush=True)
            worst = max(worst, len(trees))
    return 0 if worst == 1 else 1


def tree_of_capture(how: str) -> str:
    """The tree of the fixture and its objects, once the agent was captured."""
    from stepfork.cli.main import main as stepfork

    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        code = stepfork(["capture", "--name", how, "--", sys.executable, "agent.py", how])
    assert code == 0, said.getvalue()
    subprocess.run(["git", "add", "-A", ".stepfork/fixtures", ".stepfork/objects"], check=True)
    return subprocess.run(["git", "write-tree"], check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))

"""What the recording proxy adds to a model call, as ratios against a baseline measured in the same run.

    python scripts/benchmarks/proxy.py

Three ways to one model server, each server in a process of its own: straight, through a bare aiohttp pass-through
(which records nothing and refuses nothing), and through stepfork's listener. Exit 1 where a bound is missed.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import statistics
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import urlsplit

from aiohttp import ClientSession, TCPConnector, web
from measure import Report, start

ROUNDS = 800
STREAMS = 60
MAX_ADDED = 1.5
MAX_FIRST_BYTE_MS = 2.0

REQUEST = json.dumps(
    {
        "model": "test-model",
        "messages": [
            {"role": "system", "content": "You are a refund agent. " * 40},
            {"role": "user", "content": "Please refund order O-1042."},
        ],
    }
).encode()
ANSWER = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Done. " * 60}, "finish_reason": "stop"}],
    }
).encode()
EVENT = b'data: {"choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}\n\n'


def serve_model(ready: Connection) -> None:
    """The model: an answer at once, or a stream of 10 events two milliseconds apart."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        await request.read()
        if not request.path.endswith("/stream"):
            return web.Response(body=ANSWER, content_type="application/json")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for _ in range(10):
            await response.write(EVENT)
            await asyncio.sleep(0.002)
        await response.write(b"data: [DONE]\n\n")
        return response

    asyncio.run(_serve(answer, ready))


def serve_bare(ready: Connection, upstream: str) -> None:
    """The baseline: what one writes with aiohttp to pass a call on."""

    async def main() -> None:
        async with ClientSession(connector=TCPConnector(limit=0), auto_decompress=False) as session:

            async def pass_on(request: web.BaseRequest) -> web.StreamResponse:
                body = await request.read()
                headers = {name: value for name, value in request.headers.items() if name != "Host"}
                async with session.request(
                    request.method, upstream + request.path, data=body, headers=headers
                ) as answer:
                    kept = {name: value for name, value in answer.headers.items() if name != "Transfer-Encoding"}
                    response = web.StreamResponse(status=answer.status, headers=kept)
                    await response.prepare(request)
                    async for piece in answer.content.iter_any():
                        await response.write(piece)
                    await response.write_eof()
                    return response

            await _serve(pass_on, ready)

    asyncio.run(main())


def serve_ours(ready: Connection, upstream: str) -> None:
    """The listener, as a capture opens it."""
    from stepfork.capture.upstream import UpstreamForwarder, Upstreams
    from stepfork.listener.server import Listener

    upstreams = Upstreams.from_environment({"OPENAI_BASE_URL": upstream + "/v1"})
    with Listener(UpstreamForwarder(upstreams)) as listener:
        ready.send(listener.base_url + "/openai")
        ready.recv()


async def _serve(handler: Callable[[web.BaseRequest], Any], ready: Connection) -> None:
    loop = asyncio.get_running_loop()
    tcp = await loop.create_server(web.Server(handler, access_log=None), "127.0.0.1", 0)
    ready.send(f"http://127.0.0.1:{tcp.sockets[0].getsockname()[1]}")
    await loop.run_in_executor(None, ready.recv)


class Way:
    """One way to the model, over one connection that is kept open, as the SDKs do."""

    def __init__(self, base: str) -> None:
        url = urlsplit(base)
        self._connection = http.client.HTTPConnection(url.hostname or "", url.port)
        self._path = url.path + "/v1"

    def call(self) -> float:
        """Seconds of one call that is not streamed."""
        begun = time.perf_counter()
        self._post("/chat/completions").read()
        return time.perf_counter() - begun

    def first_byte(self) -> float:
        """Seconds to the first byte of a stream."""
        begun = time.perf_counter()
        response = self._post("/chat/stream")
        response.read(1)
        passed = time.perf_counter() - begun
        response.read()
        return passed

    def _post(self, path: str) -> http.client.HTTPResponse:
        headers = {"Content-Type": "application/json", "Authorization": "Bearer placeholder"}
        self._connection.request("POST", self._path + path, REQUEST, headers)
        return self._connection.getresponse()


def quartiles(ways: list[Way], measure: Callable[[Way], float], rounds: int) -> list[float]:
    """The lower quartile of each way, in turns: what slows the machine slows all, and its worst is left out."""
    times: list[list[float]] = [[] for _ in ways]
    for at in range(rounds + rounds // 10):
        for way, mine in zip(ways, times, strict=True):
            passed = measure(way)
            if at >= rounds // 10:  # connections and caches are warm
                mine.append(passed)
    return [statistics.quantiles(mine, n=4)[0] for mine in times]


def main() -> int:
    model, upstream = start(serve_model)
    bare_pipe, bare_url = start(serve_bare, upstream)
    ours_pipe, ours_url = start(serve_ours, upstream)
    ways = [Way(upstream), Way(bare_url), Way(ours_url)]
    straight, bare, ours = quartiles(ways, Way.call, ROUNDS)
    first_straight, _, first_ours = quartiles(ways, Way.first_byte, STREAMS)
    for pipe in (ours_pipe, bare_pipe, model):
        pipe.send(None)
    report = Report()
    report.at_most(
        "what the proxy adds / what a bare aiohttp pass-through adds", (ours - straight) / (bare - straight), MAX_ADDED
    )
    report.at_most(
        "first byte of a stream, ms after a straight call's",
        (first_ours - first_straight) * 1000,
        MAX_FIRST_BYTE_MS,
        " ms",
    )
    return report.code


if __name__ == "__main__":
    sys.exit(main())

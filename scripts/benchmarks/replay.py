"""What a replayed answer costs: milliseconds more than a bare aiohttp server takes for a request of 50 kB.

    python scripts/benchmarks/replay.py

Both servers run in processes of their own and answer the same calls over one kept connection. Each request is a new
one: a body that came before would be told by its parts. Exit 1 where a bound is missed.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import statistics
import sys
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from urllib.parse import urlsplit

from aiohttp import web
from measure import Report, start

ROUNDS = 300
SIZE = 50_000
MAX_ADDED_MS = 5.0
TURNS = (50, 200)
MAX_GROWTH = 1.5

WORDS = "the order was refunded to customer {} on their card, and a note went out {} at once; "
ANSWER = {
    "id": "chatcmpl-Abcdefghij2345678901234567890",
    "object": "chat.completion",
    "created": 1764500000,
    "model": "test-model",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Done. " * 60}, "finish_reason": "stop"}],
}


def text(seed: int, size: int) -> str:
    """Prose with an address now and then, that no other seed has."""
    made, at = "", 0
    while len(made) < size:
        made += WORDS.format(f"{seed}-{at}", f"to ada{seed}@example.com" if at % 20 == 0 else "by mail")
        at += 1
    return made[:size]


def one_message(seed: int) -> bytes:
    """A request of SIZE bytes in one message."""
    messages = [{"role": "user", "content": text(seed, SIZE)}]
    return json.dumps({"model": "test-model", "messages": messages}).encode()


def conversation(turns: int) -> Iterator[bytes]:
    """The requests of a conversation, each with all that was said before."""
    messages: list[dict[str, str]] = [{"role": "system", "content": text(0, 4_000)}]
    for turn in range(turns):
        messages.append({"role": "user", "content": text(turn + 1, 600)})
        yield json.dumps({"model": "test-model", "messages": messages}).encode()
        messages.append({"role": "assistant", "content": "Done. " * 60})


def serve_bare(ready: Connection) -> None:
    """The baseline: reads a request and answers it."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        json.loads(await request.read())
        return web.json_response(ANSWER)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        server = web.Server(answer, access_log=None)
        tcp = await loop.create_server(server, "127.0.0.1", 0)
        ready.send(f"http://127.0.0.1:{tcp.sockets[0].getsockname()[1]}")
        await loop.run_in_executor(None, ready.recv)

    asyncio.run(main())


def serve_replay(ready: Connection, bodies: list[bytes]) -> None:
    """The listener of a replay, with a recording of `bodies`."""
    from stepfork.listener.server import Listener
    from stepfork.normalize.known import Context
    from stepfork.normalize.normalize import normalize_run
    from stepfork.redact.secrets import Secrets
    from stepfork.replay.forwarder import ReplayForwarder
    from stepfork.replay.player import Player
    from stepfork.trace.exchange import Exchange, Request, Response
    from stepfork.trace.fixture import Fixture, Run, Source
    from stepfork.trace.step import Trace
    from stepfork.trace.wire import read_body

    media = "application/json"
    answer = Response(200, media, {}, read_body(json.dumps(ANSWER).encode(), media))
    exchanges = tuple(
        Exchange(
            "openai",
            "chat_completions",
            Request("POST", "/chat/completions", "", media, read_body(body, media)),
            answer,
        )
        for body in bodies
    )
    now = time.time_ns()
    context = Context(now, now, cwd="/srv/agents/shop", home="/home/mkowalski", user="mkowalski", hostname="box17")
    run = normalize_run(Run(Source("command", True), Trace("exchanges", ()), exchanges), context)
    player = Player(
        Fixture("bench", run), context=context, secrets=Secrets({"made-up-" + "value-123456": "value of API_KEY"})
    )
    with Listener(ReplayForwarder(player)) as listener:
        ready.send(listener.base_url + "/openai")
        ready.recv()
    report = player.report()
    assert report.is_whole, report.misses


class Way:
    """One server, over one connection that is kept open."""

    def __init__(self, base: str) -> None:
        url = urlsplit(base)
        self._connection = http.client.HTTPConnection(url.hostname or "", url.port)
        self._path = url.path + "/v1/chat/completions"

    def call(self, body: bytes) -> float:
        """Seconds of one call."""
        begun = time.perf_counter()
        self._connection.request("POST", self._path, body, {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        response.read()
        passed = time.perf_counter() - begun
        assert response.status == 200, response.status
        return passed


def added(bodies: list[bytes]) -> float:
    """Seconds that a call of `bodies` takes longer than on a bare server, the lower quartile of both."""
    bare_pipe, bare_url = start(serve_bare)
    ours_pipe, ours_url = start(serve_replay, bodies)
    bare, ours = Way(bare_url), Way(ours_url)
    times = [(bare.call(body), ours.call(body)) for body in bodies]
    for pipe in (bare_pipe, ours_pipe):
        pipe.send(None)
    without, with_ = (statistics.quantiles(side, n=4)[0] for side in zip(*times[len(times) // 10 :], strict=True))
    return with_ - without


def main() -> int:
    report = Report()
    report.at_most(
        "what a replayed answer to a new request of 50 kB adds",
        added([one_message(seed) for seed in range(ROUNDS)]) * 1000,
        MAX_ADDED_MS,
        " ms",
    )
    short, long = (added(list(conversation(turns))) / turns for turns in TURNS)
    report.at_most("added in a turn per turn so far, 200 turns against 50", long / short, MAX_GROWTH)
    return report.code


if __name__ == "__main__":
    sys.exit(main())

"""Kills a recording at random moments and asks what is left for the calls that the program saw return.

Usage: kill_recording.py [KILLS]. The program says each call's number when it has its result; `stepfork validate
--partial --json` must count as many `calls` at least. Plain code, threads, asyncio, model calls over HTTP to a
scripted server here (whole answers, and streams that are left at their last event), child processes, and a watched
command whose watcher is killed take turns, into a bundle and into a store; some are killed while the bundle takes the
journal's place. Prints `kills N, lost 0, broken 0`, and exits 1 where one of KILLS (200) kills lost something or left
what cannot be read.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from stepfork.store.layout import init_store

AGENT = """
import asyncio, http.client, json, os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit
import stepfork

form, calls = sys.argv[1], int(sys.argv[2])
output = "run.sftrace" if sys.argv[3] == "bundle" else None

@stepfork.trace_tool
def look_up(number):
    return {"number": number, "text": "w" * (number % 700)}

@stepfork.trace_tool
async def look_up_later(number):
    await asyncio.sleep(0)
    return {"number": number, "text": "w" * (number % 700)}

def seen(number):
    os.write(1, b"%d\\n" % number)

def ask(number):
    look_up(number)
    seen(number)

async def ask_later(number):
    await look_up_later(number)
    seen(number)

async def ask_all():
    for start in range(0, calls, 10):
        await asyncio.gather(*map(ask_later, range(start, start + 10)))

said = []

def ask_model(number, stream):
    base = urlsplit(os.environ["OPENAI_BASE_URL"])
    connection = http.client.HTTPConnection(base.hostname, base.port)
    said.append({"role": "user", "content": "question %d, %s" % (number, "w" * (number % 300))})
    asked = {"model": "scripted", "messages": said[-50:], "stream": stream}
    connection.request("POST", base.path + "/chat/completions", json.dumps(asked), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    if stream:
        while answer.readline() != b"data: [DONE]\\n":
            pass
        answer.readline()
    else:
        json.load(answer)
    seen(number)
    connection.close()

def ask_models(stream=False):
    for number in range(calls):
        ask_model(number, stream)

def ask_in_children():
    each = max(calls // 3, 1)
    code = "import sys; sys.argv[1:] = ['plain', sys.argv[1], 'none']; " + open("agent.py").read().split("# block")[0]
    code += "\\nfor number in range(calls): ask(number)"
    running = [subprocess.Popen([sys.executable, "-c", code, str(each)]) for _ in range(2)]
    for number in range(each):
        ask(number)
    for one in running:
        one.wait()

def run():
    os.write(1, b"ready\\n")
    if form == "plain":
        for number in range(calls):
            ask(number)
    elif form == "threads":
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(ask, range(calls)))
    elif form == "asyncio":
        asyncio.run(ask_all())
    elif form == "children":
        ask_in_children()
    else:
        ask_models(stream=form == "streams")
    os.write(1, b"leaving\\n")

# block
if sys.argv[3] == "watched":
    run()
else:
    with stepfork.record("killed", output=output, emit_test=False, allow_capture=True):
        run()
"""
FORMS = ("plain", "threads", "asyncio", "http", "streams", "children", "watched")
ANSWER = json.dumps(
    {
        "id": "chatcmpl-1",
        "model": "scripted",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}],
    }
).encode()
EVENTS = [
    b'data: {"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":null}]}\n\n',
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    b"data: [DONE]\n\n",
]


class Model(BaseHTTPRequestHandler):
    """Answers each call at once, whole or event by event."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """One call."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        if asked["stream"]:
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for event in (*EVENTS, b""):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
                self.wfile.flush()
            return
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_: object) -> None:
        """Nothing."""


class Server(ThreadingHTTPServer):
    """Killed clients are what this is about."""

    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Nothing."""


def main(kills: int) -> int:
    """Kill a recording `kills` times; the number of times that something was lost or could not be read."""
    server = Server(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    lost = broken = at_the_end = 0
    for kill in range(kills):
        form = FORMS[kill % len(FORMS)]
        where = "watched" if form == "watched" else ("bundle", "store")[kill // len(FORMS) % 2]
        late = kill % 4 == 3
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            init_store(folder)
            (folder / "agent.py").write_text(AGENT)
            seen, leaving = _killed(folder, form, where, server.server_port, late=late)
            at_the_end += leaving
            found = _found(folder)
            if found is None:
                broken += 1
            elif found < seen:
                lost += 1
            if found is None or found < seen:
                print(f"kill {kill}: {form} in {where}, late {late}: saw {seen}, left {found}", file=sys.stderr)
        if kill % 20 == 19:
            print(f"{kill + 1} kills, lost {lost}, broken {broken}", flush=True)
    print(f"kills {kills} ({at_the_end} of them when the calls were over), lost {lost}, broken {broken}")
    return lost + broken


def _killed(folder: Path, form: str, where: str, port: int, *, late: bool) -> tuple[int, bool]:
    """How many calls the program had seen return, and whether it had made all of them."""
    inner = "http" if form == "watched" else form
    command = [sys.executable, "agent.py", inner, "60" if late else "100000", where]
    if form == "watched":
        command = [sys.executable, "-m", "stepfork", "capture", "--name", "killed", "--", *command]
    env = os.environ | {"CI": "", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "none"}
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, start_new_session=True
    ) as process:
        assert process.stdout is not None
        head = process.stdout.readline()
        assert head == b"ready\n", head
        told = []
        if late:
            while (line := process.stdout.readline()) != b"leaving\n":
                assert line
                told.append(line)
        time.sleep(random.uniform(0, 0.12 if form != "children" else 0.6))
        os.killpg(process.pid, signal.SIGKILL)
        told += process.stdout.read().splitlines()
    return sum(line.strip().isdigit() for line in told), late or b"leaving" in told


def _found(folder: Path) -> int | None:
    """The calls that stepfork finds; None where what is left cannot be read."""
    places = [
        *folder.glob("run.sftrace"),
        *folder.glob(".stepfork/failed/*.sftrace"),
        *folder.glob(".stepfork/fixtures/*.json"),
    ]
    counts = []
    for place in places:
        command = [sys.executable, "-m", "stepfork", "validate", "--partial", "--json", str(place.relative_to(folder))]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        if done.returncode == 0:
            counts.append(json.loads(done.stdout)["fixtures"][0]["calls"])
        else:
            print(place, done.returncode, done.stdout.decode(), done.stderr.decode(), file=sys.stderr)
            return None
    return max(counts, default=None)


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 200) else 0)

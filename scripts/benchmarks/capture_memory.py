"""How much memory a capture of 512 MiB takes: for each kind of body, the most that was resident, against the bound.

    python scripts/benchmarks/capture_memory.py [MIB [KIND...]]

A model server in a process of its own sends answers of 16 MiB (events: 4 MiB) until nearly MIB (512) are recorded; the
agent reads them and throws them away. The bound is twice MIB and 200 MB: what was received, and one form that is made
of it. Kinds: text (JSON with one long string), events (a stream of short deltas), bytes (audio), asked (requests with
long messages), spans (trace exports with long attributes), over (the limit of 512 MiB is passed: a draft; left out
where MIB is less). Exits 1 where a kind took more. Takes some minutes: a stream of short events is read event by event.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from measure import Report

MIB = 1 << 20
KINDS = ("text", "events", "bytes", "asked", "spans", "over")
_WORDS = " ".join(f"word{number % 9973}" for number in range(200_000))

AGENT = """
import json, os, sys, urllib.request
kind, total = sys.argv[1], int(sys.argv[2])
sent = 0
def call(path, body, media="application/json", base="OPENAI_BASE_URL"):
    request = urllib.request.Request(os.environ[base] + path, body, {"Content-Type": media})
    with urllib.request.urlopen(request) as answer:
        size = 0
        while piece := answer.read(1 << 16):
            size += len(piece)
    return size
number = 0
while sent < total:
    number += 1
    content = f"call {number} of {kind}"
    if kind == "asked":
        content += " " + " ".join(f"{number}.{word}" for word in range(1_000_000))
    body = json.dumps({"model": "test-model", "stream": kind == "events",
                       "messages": [{"role": "user", "content": content}]}).encode()
    if kind == "spans":
        text = " ".join(f"{number}.{word}" for word in range(350_000))
        span = {"traceId": "5b" * 16, "spanId": f"{number:016x}", "name": "chat", "startTimeUnixNano": str(number),
                "endTimeUnixNano": str(number + 1), "attributes": [
                    {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
                    {"key": "gen_ai.input.messages", "value": {"stringValue": text}}]}
        body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
        call("", body, base="OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        sent += len(body)
    else:
        got = call("/audio/speech" if kind == "bytes" else "/chat/completions", body)
        sent += len(body) if kind == "asked" else got
"""


class Model(BaseHTTPRequestHandler):
    """Answers at length, each time with other words."""

    protocol_version = "HTTP/1.1"
    calls = 0

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Model.calls += 1
        if self.path.endswith("/speech"):
            return self._send("audio/mpeg", os.urandom(16 * MIB))
        if b'"stream": true' in body:
            return self._send("text/event-stream", _events(4 * MIB))
        size = 1000 if b"of asked" in body else 16 * MIB
        return self._send("application/json", _answer(size))

    def _send(self, media: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _answer(size: int) -> bytes:
    text = f"Answer {Model.calls}. " + (_WORDS * (size // len(_WORDS) + 1))[:size]
    return (
        b'{"id":"chatcmpl-test%d","choices":[{"index":0,"message":{"role":"assistant","content":"' % Model.calls
        + text.encode()
        + b'"},"finish_reason":"stop"}]}'
    )


def _events(size: int) -> bytes:
    event = '{"id":"chatcmpl-test%d","object":"chunk","choices":[{"index":0,"delta":{"content":"word%d "}}]}'
    one = len(event) + 12
    deltas = "".join(f"data: {event % (Model.calls, number)}\n\n" for number in range(size // one))
    end = (
        f'data: {{"id":"chatcmpl-test{Model.calls}","choices":[{{"index":0,"delta":{{}},"finish_reason":"stop"}}]}}\n\n'
    )
    return f"{deltas}{end}data: [DONE]\n\n".encode()


def _serve(pipe: multiprocessing.connection.Connection) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    pipe.send(server.server_address[1])
    server.serve_forever()


# The high-water mark of this program alone: `ru_maxrss` begins with that of whoever started it.
MEASURED = """
import resource, sys
from pathlib import Path
from stepfork.cli.main import main
code = main(sys.argv[1:])
status = Path("/proc/self/status")
if status.exists():
    peak = next(int(line.split()[1]) << 10 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(code, peak)
"""


def main(mib: int, kinds: list[str]) -> int:
    from stepfork.store.layout import init_store

    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    environ = {**os.environ, "OPENAI_BASE_URL": f"http://127.0.0.1:{ours.recv()}/v1"}
    report = Report()
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "agent.py").write_text(AGENT)
        init_store(Path(scratch))
        for kind in kinds:
            if kind == "over" and mib < 512:
                continue
            size = (mib + 64 if kind == "over" else mib - 34) * MIB
            agent = [sys.executable, "agent.py", kind, str(size)]
            command = [sys.executable, "-c", MEASURED, "capture", "--name", kind, "--", *agent]
            done = subprocess.run(command, check=False, cwd=scratch, env=environ, capture_output=True, text=True)
            said = done.stdout.split()
            # Without a model call, or past the limit, it is not verified; anything else is a fault.
            if len(said) != 2 or said[0] != ("0" if kind in ("text", "events", "asked") else "1"):
                print(done.stdout + done.stderr)
                report.code = 1
            else:
                bound = (2 * mib * MIB + 200e6) / 1e6
                report.at_most(f"capture of {mib} MiB, {kind}: most resident", int(said[1]) / 1e6, round(bound), " MB")
    server.terminate()
    return report.code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 512, sys.argv[2:] or list(KINDS)))

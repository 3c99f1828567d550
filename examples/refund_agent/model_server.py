"""The scripted model server as a process.

    python model_server.py [--port 0] [--log FILE] [-- COMMAND ...]

Prints ``READY http://127.0.0.1:PORT``. With a command it runs that with OPENAI_BASE_URL and ANTHROPIC_BASE_URL set to
itself (and placeholder keys where none are set) and exits with the command's exit code. The log has a line for each
answer: path and response id.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from model import chat, messages, responses
from model.script import fresh

ANSWERS = {"/chat/completions": chat.answer, "/responses": responses.answer, "/messages": messages.answer}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    log_file: Path | None = None
    answers: ClassVar[dict[str, Callable[[dict[str, Any]], dict[str, Any] | Iterator[str]]]] = ANSWERS

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.partition("?")[0]
        answer = next((make for end, make in self.answers.items() if path.endswith(end)), None)
        if answer is None:
            self.reply(404, {"error": {"message": f"no such path: {self.path}", "type": "invalid_request_error"}})
            return
        made = answer(request)
        if isinstance(made, dict):
            self.note(made["id"])
            self.reply(200, made)
        else:
            self.stream(made)

    def reply(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("x-request-id", fresh("req_", 24))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, events: Iterator[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("x-request-id", fresh("req_", 24))
        self.end_headers()
        for index, event in enumerate(events):
            if index == 0:
                self.note(event.partition('"id":"')[2].partition('"')[0])
            data = event.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def note(self, response_id: str) -> None:
        if self.log_file:
            with self.log_file.open("a", encoding="utf-8") as log:
                log.write(f"{self.path} {response_id}\n")


def environment(url: str) -> dict[str, str]:
    """The environment in which an agent talks to this server."""
    keys = {"OPENAI_API_KEY": "unused", "ANTHROPIC_API_KEY": "unused"}
    return {**keys, **os.environ, "OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path)
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    Handler.log_file = options.log
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    url = f"http://127.0.0.1:{server.server_address[1]}"
    if not options.command:
        print(f"READY {url}", flush=True)
        server.serve_forever()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return subprocess.run(options.command, env=environment(url), check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())

"""Kills whole captures at random moments, and lets eight processes capture and refresh at once.

Usage: kill_capture.py [KILLS]. A small agent with a scripted model on loopback is captured in turn with two prompts;
each of KILLS (200) captures is killed with SIGKILL. Prints `broken 0` and exits 0 where each left the old fixture or
the new one and `fsck` had nothing to say, and `lost 0` where every fixture of the processes is there and whole.
"""

from __future__ import annotations

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

from stepfork.store.fsck import fsck_store
from stepfork.store.layout import init_store
from stepfork.store.store import Store

AGENT = """
import json, os, sys, urllib.request
for turn in range(3):
    messages = [{"role": "system", "content": sys.argv[1]}, {"role": "user", "content": f"turn {turn}"}]
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps({"model": "m", "messages": messages}).encode(),
        {"Content-Type": "application/json"},
    )
    urllib.request.urlopen(request).read()
"""
ANSWER = b'{"choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}'
PROMPTS = ("Refund once.", "Refund twice.")


class Model(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)


def main(kills: int) -> int:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environ = {**os.environ, "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}/v1"}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        init_store(folder)
        (folder / "agent.py").write_text(AGENT)
        store = Store(folder / ".stepfork")
        broken = _kill(store, folder, environ, kills)
        lost = _crowd(store, folder, environ)
    print(f"kills {kills}, broken {broken}; processes 8, lost {lost}")
    return broken + lost


def _capture(folder: Path, environ: dict[str, str], name: str, prompt: str) -> subprocess.Popen[bytes]:
    return _run(folder, environ, "capture", "--allow-capture", "--name", name, "--", "python3", "agent.py", prompt)


def _run(folder: Path, environ: dict[str, str], *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "stepfork", *words]
    return subprocess.Popen(command, cwd=folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _kill(store: Store, folder: Path, environ: dict[str, str], kills: int) -> int:
    times = []
    for prompt in PROMPTS:
        start = time.monotonic()
        assert _capture(folder, environ, "killed", prompt).wait() == 0
        times.append(time.monotonic() - start)
    broken = 0
    for kill in range(kills):
        process = _capture(folder, environ, "killed", PROMPTS[kill % 2])
        # Half of the kills aim at the end, where the files are written.
        time.sleep(random.uniform(0 if kill % 4 < 2 else 0.6 * min(times), max(times)))
        process.send_signal(signal.SIGKILL)
        process.wait()
        broken += not _whole(store, "killed")
    return broken


def _whole(store: Store, name: str) -> bool:
    try:
        fixture = store.read(name)
    except Exception as error:  # whatever it is, it counts
        print(error)
        return False
    return fixture.run.source.command[-1] in PROMPTS and not fsck_store(store).findings


def _crowd(store: Store, folder: Path, environ: dict[str, str]) -> int:
    """Four captures beside four refreshes, then eight captures of four names; how many failed or are not whole."""
    failed = sum(_capture(folder, environ, f"old{index}", PROMPTS[0]).wait() != 0 for index in range(4))
    captures = [_capture(folder, environ, f"new{index}", PROMPTS[1]) for index in range(4)]
    words = ("capture", "--yes", "--allow-capture", "--refresh")
    refreshes = [_run(folder, environ, *words, f"old{index}") for index in range(4)]
    failed += sum(process.wait() != 0 for process in captures + refreshes)
    again = [_capture(folder, environ, f"new{index % 4}", PROMPTS[index // 4]) for index in range(8)]
    codes = [process.wait() for process in again]
    # Of two captures of one name, the one that comes second is told that the fixture changed meanwhile.
    failed += sum(sorted(pair) not in ([0, 0], [0, 1]) for pair in zip(codes[:4], codes[4:], strict=True))
    return failed + sum(not _whole(store, f"{age}{index}") for age in ("old", "new") for index in range(4))


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 200) else 0)

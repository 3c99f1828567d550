"""Kills a writer at random moments and reads what is left: the old fixture or the new one, nothing else.

Usage: kill_writer.py [KILLS]. Prints `broken 0` and exits 0 where each of KILLS (200) kills left a whole store.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stepfork.store.codec import encode_fixture
from stepfork.store.fsck import fsck_store
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace

WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from kill_writer import version
from stepfork.store.store import Store
store = Store(Path(sys.argv[1]))
print("ready", flush=True)
for number in range(1, 10**9):
    store.write(version(number))
"""


def version(number: int) -> Fixture:
    """A fixture of 20 exchanges; those of two numbers have nothing but their prompt in common."""
    exchanges = []
    for index in range(20):
        messages = [{"role": "user", "content": f"{number} {index} {part} " + "w" * 300} for part in range(index + 1)]
        body = JsonBody({"model": "m", "messages": [{"role": "system", "content": "Refund."}, *messages]})
        request = Request("POST", "/chat/completions", content_type="application/json", body=body)
        exchanges.append(Exchange("openai", "chat_completions", request, Response(200, body=JsonBody({"n": number}))))
    return Fixture("killed", Run(Source("command", True), Trace("exchanges", ()), tuple(exchanges)))


def main(kills: int) -> int:
    """Kill a writer `kills` times; the number of stores that were not whole afterwards."""
    broken = 0
    with tempfile.TemporaryDirectory() as scratch:
        init_store(Path(scratch))
        store = Store(Path(scratch) / ".stepfork")
        store.write(version(0))
        for kill in range(kills):
            _kill_one(store.root, random.uniform(0, 0.06))
            broken += not _whole(store)
            if kill % 50 == 49:
                store.write(version(0))
                left = set(store.objects.names()) ^ set(encode_fixture(version(0)).objects)
                broken += bool(left) or any(store.root.rglob("*.tmp"))
    print(f"kills {kills}, broken {broken}")
    return broken


def _kill_one(root: Path, delay: float) -> None:
    command = [sys.executable, "-c", WRITER, root, Path(__file__).parent]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)


def _whole(store: Store) -> bool:
    fixture = store.read("killed")
    number = fixture.run.exchanges[0].response.body.value["n"]  # type: ignore[union-attr]
    return fixture == version(number) and not fsck_store(store).findings


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 200) else 0)

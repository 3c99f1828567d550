"""Kills a recording at random moments and asks what is left for the calls that the program saw return.

Usage: kill_recording.py [KILLS]. The program says each call's number when it has its result; `stepfork validate
--partial --json` must find as many calls at least. Plain code, threads and asyncio take turns, into a bundle and into a
store, and some are killed while the bundle takes the journal's place. Prints `kills N, lost 0, broken 0` and exits 0
where each of KILLS (200) kills lost nothing.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stepfork.store.layout import init_store

AGENT = """
import asyncio, os, sys
from concurrent.futures import ThreadPoolExecutor
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

with stepfork.record("killed", output=output, emit_test=False, allow_capture=True):
    os.write(1, b"ready\\n")
    if form == "plain":
        for number in range(calls):
            ask(number)
    elif form == "threads":
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(ask, range(calls)))
    else:
        asyncio.run(ask_all())
    os.write(1, b"leaving\\n")
"""
FORMS = ("plain", "threads", "asyncio")


def main(kills: int) -> int:
    """Kill a recording `kills` times; the number of times that something was lost or could not be read."""
    lost = broken = at_the_end = 0
    for kill in range(kills):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            init_store(folder)
            where = ("bundle", "store")[kill // len(FORMS) % 2]
            late = kill % 4 == 3
            seen, leaving = _killed(folder, FORMS[kill % len(FORMS)], where, late=late)
            at_the_end += leaving
            found = _found(folder)
            if found is None:
                broken += 1
            elif found < seen:
                lost += 1
        if kill % 20 == 19:
            print(f"{kill + 1} kills, lost {lost}, broken {broken}", flush=True)
    print(f"kills {kills} ({at_the_end} of them when the calls were over), lost {lost}, broken {broken}")
    return lost + broken


def _killed(folder: Path, form: str, where: str, *, late: bool) -> tuple[int, bool]:
    """How many calls the program had seen return, and whether it had made all of them."""
    command = [sys.executable, "-c", AGENT, form, "60" if late else "100000", where]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, env=os.environ | {"CI": ""}) as process:
        assert process.stdout is not None
        head = process.stdout.readline()
        assert head == b"ready\n", head
        if late:
            while process.stdout.readline() != b"leaving\n":
                pass
        time.sleep(random.uniform(0, 0.12))
        process.send_signal(signal.SIGKILL)
        told = process.stdout.read().splitlines()
    return (60, True) if late else (sum(line.isdigit() for line in told), b"leaving" in told)


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
            counts.append(json.loads(done.stdout)["fixtures"][0]["steps"])
        else:
            print(place, done.returncode, done.stdout.decode(), done.stderr.decode(), file=sys.stderr)
            return None
    return max(counts, default=None)


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 200) else 0)

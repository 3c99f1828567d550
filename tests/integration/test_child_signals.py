"""Signals: the command's group hears of each once, nothing is left behind, a second one ends it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Records a command and says how it ended, as the command line would; runs in a process of its own, to be signalled.
WATCHER = """
import os, sys
from pathlib import Path
from stepfork.capture.record import record_command
from stepfork.capture.upstream import Upstreams
found = record_command(sys.argv[1:], environ=dict(os.environ), cwd=Path.cwd(), upstreams=Upstreams.from_environment({}))
print("ended", found.exit_code, found.interrupted, flush=True)
"""

# Notes each signal that it hears and starts a child that does the same; both name themselves when they are ready.
NOTES = """
import os, signal, subprocess, sys, time
stubborn = "stubborn" in sys.argv
def say(*words):  # in one write, so that what two processes say does not mix
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())
def note(number, frame):
    say(sys.argv[1], "heard", number)
    if not stubborn:
        raise SystemExit(0)
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, note)
if sys.argv[1] == "parent":
    child = subprocess.Popen([sys.executable, "-c", os.environ["NOTES"], "child", *sys.argv[2:]])
say(sys.argv[1], "ready", os.getpid())
while True:
    time.sleep(0.02)  # not signal.pause(): a signal that comes just before it would be waited for for ever
"""


@contextlib.contextmanager
def watched(*words: str, **more: object) -> Iterator[subprocess.Popen[str]]:
    env = {**os.environ, "NOTES": NOTES, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", WATCHER, sys.executable, "-c", NOTES, "parent", *words]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, **more) as process:  # type: ignore[call-overload]
        yield process


def ready(process: subprocess.Popen[str]) -> list[int]:
    """The pids of the command and its child."""
    assert process.stdout is not None
    lines = sorted(process.stdout.readline().split() for _ in range(2))
    assert [line[:2] for line in lines] == [["child", "ready"], ["parent", "ready"]]
    return [int(line[2]) for line in lines]


def gone(pid: int) -> bool:
    """Whether a process runs no more; one that only waits for its exit status to be read does not."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return listed.stdout.strip()[:1] in ("", "Z")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_c110_the_whole_group_hears_of_a_signal_once(number: signal.Signals) -> None:
    with watched() as process:
        pids = ready(process)
        process.send_signal(number)
        out, _ = process.communicate(timeout=30)
    lines = out.splitlines()
    assert sorted(lines[:-1]) == [f"child heard {number.value}", f"parent heard {number.value}"]
    assert lines[-1] == f"ended 0 {number.value}"
    assert all(gone(pid) for pid in pids)


def test_c110_a_signal_to_the_whole_foreground_is_heard_once_as_well() -> None:
    with watched(start_new_session=True) as process:
        ready(process)
        os.killpg(process.pid, signal.SIGINT)  # what a terminal does on Ctrl-C
        out, _ = process.communicate(timeout=30)
    assert sorted(out.splitlines()[:-1]) == ["child heard 2", "parent heard 2"]


def test_c110_a_second_signal_kills() -> None:
    with watched("stubborn") as process:
        pids = ready(process)
        assert process.stdout is not None
        process.send_signal(signal.SIGINT)
        assert sorted(process.stdout.readline() for _ in range(2)) == ["child heard 2\n", "parent heard 2\n"]
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=30)
    assert out == "ended 137 2\n"
    assert all(gone(pid) for pid in pids)


def test_c110_what_the_command_leaves_running_is_ended() -> None:
    waits = "import time; time.sleep(600)"
    leaves = f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', '{waits}']).pid, flush=True)"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", WATCHER, sys.executable, "-c", leaves]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        out, _ = process.communicate(timeout=30)
    pid, *ended = out.splitlines()
    assert ended == ["ended 0 None"]
    assert gone(int(pid))


def test_a_signal_that_a_background_job_ignores_is_passed_on_all_the_same() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    waits = "import time; print('ready', flush=True)\nwhile True: time.sleep(0.02)"
    command = [sys.executable, "-c", WATCHER, sys.executable, "-c", waits]
    with subprocess.Popen(
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command],
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    assert out == "ended 130 2\n"


def test_a_command_may_read_from_the_terminal_and_ctrl_c_ends_it() -> None:
    asks = (
        "import time; print('name?', flush=True); print('hello', input(), flush=True)\n"
        "while True: time.sleep(0.02)  # not input(): a signal that comes just before it reads would be missed"
    )
    attach = (
        "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.executable, sys.argv[1:])"
    )
    command = [sys.executable, "-c", attach, sys.executable, "-c", WATCHER, sys.executable, "-c", asks]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ours, terminal = os.openpty()
    heard = b""

    def wait_for(text: bytes) -> None:
        nonlocal heard
        while text not in heard:
            assert select.select([ours], [], [], 30)[0], heard
            heard += os.read(ours, 1024)

    streams = {"stdin": terminal, "stdout": terminal, "stderr": terminal}
    with subprocess.Popen(command, env=env, start_new_session=True, **streams) as process:  # type: ignore[call-overload]
        wait_for(b"name?")
        os.write(ours, b"Ada\n")
        wait_for(b"hello Ada")
        os.write(ours, b"\x03")
        wait_for(b"ended 130 2")
        process.wait(30)
    os.close(ours)
    os.close(terminal)

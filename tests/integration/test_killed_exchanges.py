"""A killed recording has the model calls over HTTP, the calls of children and those of a watched command that were seen
to return: however the answer came, once each, and without a secret."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import stepfork
from stepfork.store.layout import JOURNAL, MANIFEST
from stepfork.workflows import make_fixture as making
from tests.integration.stand import Stand
from tests.integration.wire import Asked, Line, answer_hi

FAILED = ".stepfork/failed/case.sftrace"
PASSWORD = "-".join(["correct", "horse", "77", "battery"])
EVENTS = (
    b'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}\n\n',
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    b"data: [DONE]\n\n",
)

CALLING = """
import http.client, json, os, signal, subprocess, sys
from urllib.parse import urlsplit

def ask(text, until=None, path="/chat/completions"):
    base = urlsplit(os.environ["OPENAI_BASE_URL"])
    connection = http.client.HTTPConnection(base.hostname, base.port)
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}], "stream": until is not None})
    connection.request("POST", base.path + path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    if until is None:
        return answer.read()
    told = b""
    while until not in told:
        told += answer.read1()
    return told
"""
BLOCK = (
    CALLING
    + """
import stepfork

@stepfork.trace_tool
def look_up(number):
    return number

with stepfork.record("case", emit_test=False, allow_capture=True):
    {code}
    os.kill(os.getpid(), signal.SIGKILL)
"""
)


def killed(stand: Stand, code: str) -> None:
    done = subprocess.run([sys.executable, "-c", BLOCK.replace("{code}", code)], check=False, cwd=stand.root)
    assert done.returncode == -9


def found(stand: Stand, path: str = FAILED) -> dict[str, object]:
    document = json.loads(stand.stepfork("validate", "--partial", "--json", path).out)
    (one,) = document["fixtures"]
    assert isinstance(one, dict)
    return one


def stays_open(asked: Asked, line: Line) -> None:
    """A stream whose last event has come, and whose end does not."""
    line.head("Transfer-Encoding: chunked", "Content-Type: text/event-stream")
    line.chunk(*EVENTS)
    line.wait_for_hang_up()


def test_a_stream_whose_last_event_was_read_is_there(stand: Stand) -> None:
    """A client needs no more, and closes."""
    stand.model.script = stays_open
    killed(stand, "ask('one', until=b'[DONE]'); ask('two', until=b'[DONE]')")
    told = found(stand)
    assert (told["calls"], told["exchanges"]) == (2, 2)
    document = json.loads(stand.stepfork("show", "--json", FAILED).out)
    assert "client_closed" not in json.dumps(document)


def test_what_broke_off_is_there_too(stand: Stand) -> None:
    def broken(asked: Asked, line: Line) -> None:
        line.head("Content-Length: 400", "Content-Type: application/json")
        line.send(b"{")
        line.reset()

    stand.model.script = broken
    killed(stand, "import contextlib\n    with contextlib.suppress(Exception): ask('one')")
    assert found(stand)["exchanges"] == 1


def test_a_whole_answer_is_there(stand: Stand) -> None:
    killed(stand, "ask('one'); ask('two'); look_up(3)")
    told = found(stand)
    assert (told["calls"], told["ended"], told["exchanges"]) == (3, 3, 2)
    shown = stand.stepfork("show", FAILED).out
    assert "user: two" in shown
    assert "until then  3 calls had come back" in shown
    assert ", error, origin" in shown  # it is not completed


def test_a_call_that_is_told_twice_counts_once(stand: Stand) -> None:
    killed(
        stand,
        "stepfork.llm_request(lambda **asked: json.loads(ask('one')), model='m', "
        "messages=[{'role': 'user', 'content': 'one'}])",
    )
    told = found(stand)
    assert (told["calls"], told["ended"], told["exchanges"]) == (1, 1, 1)


def test_the_calls_of_a_child_are_there(stand: Stand) -> None:
    (stand.root / "child.py").write_text(
        "import stepfork\n@stepfork.trace_tool\ndef inside(n):\n    return n\nfor n in range(5):\n    inside(n)\n"
    )
    killed(stand, "look_up(0); subprocess.run([sys.executable, 'child.py'], check=True)")
    told = found(stand)
    assert (told["calls"], told["ended"]) == (6, 6)
    assert 'inside {"n": 4} → 4' in stand.stepfork("show", FAILED).out


def test_what_a_child_waited_for_is_known(stand: Stand) -> None:
    (stand.root / "child.py").write_text(
        "import threading\nimport stepfork\n@stepfork.trace_tool\ndef inside(n):\n    return n\n"
        "for n in range(5):\n    one = threading.Thread(target=inside, args=(n,))\n    one.start()\n    one.join()\n"
    )
    killed(stand, "subprocess.run([sys.executable, 'child.py'], check=True)")
    steps = json.loads(stand.stepfork("show", "--json", FAILED).out)["trace"]["steps"]
    assert [(step["name"], step.get("group")) for step in steps] == [("inside", None)] * 5


def test_what_was_open_is_told(stand: Stand) -> None:
    def waits(asked: Asked, line: Line) -> None:
        if b"never" in asked.body:
            line.wait_for_hang_up()
        else:
            answer_hi(asked, line)

    stand.model.script = waits
    code = (
        "import threading, time",
        "ask('one')",
        "threading.Thread(target=ask, args=('never',), daemon=True).start()",
        f"journal = open('{FAILED}/{JOURNAL}')",
        "told = ''",
        """while told.count('"event":"arrived"') < 2: told += journal.read(); time.sleep(0.01)""",
        "stepfork.trace_tool(lambda: os.kill(os.getpid(), signal.SIGKILL), name='fall')()",
    )
    killed(stand, "\n    ".join(code))
    shown = stand.stepfork("show", FAILED).out
    assert "until then  1 call had come back" in shown
    assert "open        fall" in shown
    assert "open        openai /chat/completions had not been answered" in shown
    assert "next        record it again" in shown
    assert stand.stepfork("pack", FAILED, "kept.sftrace")
    assert found(stand, "kept.sftrace")["calls"] == 2


def test_a_secret_of_an_exchange_is_not_on_disk(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)
    killed(stand, f"ask('It is {PASSWORD}.')")
    data = (stand.root / FAILED / JOURNAL).read_text()
    assert PASSWORD not in data
    assert "[redacted]" in data
    assert found(stand)["calls"] == 1


def test_a_watched_command_whose_watcher_is_killed_is_there(stand: Stand) -> None:
    stand.agent("ask('one'); ask('two'); os.kill(os.getppid(), 9)")
    command = [sys.executable, "-m", "stepfork", "capture", "--name", "case", "--", sys.executable, "agent.py"]
    done = subprocess.run(command, cwd=stand.root, capture_output=True, check=False, env={**os.environ, "CI": ""})
    assert done.returncode == -9
    told = found(stand)
    assert (told["calls"], told["exchanges"]) == (2, 2)
    assert "agent.py" in stand.stepfork("show", FAILED).out
    assert f"{FAILED}: a recording did not end" in stand.stepfork("ls").err
    assert FAILED in stand.stepfork("doctor").out
    said = stand.capture("ask('one')")
    assert said is not None
    assert not (stand.root / FAILED).exists()


def test_the_next_good_recording_removes_it_and_says_so(stand: Stand) -> None:
    killed(stand, "look_up(0)")
    with stepfork.record("case", emit_test=False, allow_capture=True) as capture:
        stepfork.trace_tool(lambda: 1, name="look_up")()
    assert capture.result is not None
    assert f"what a recording that did not end had left is removed: {FAILED}" in capture.result.notices
    assert not (stand.root / ".stepfork" / "failed").exists()


def test_a_journal_beside_a_whole_bundle_is_no_fault_of_it(stand: Stand) -> None:
    with stepfork.record("case", output="run.sftrace", allow_capture=True):
        stepfork.trace_tool(lambda: 1, name="look_up")()
    journal = stand.root / "run.sftrace" / JOURNAL
    journal.write_text("left\n")
    said = stand.stepfork("validate", "run.sftrace")
    assert "run.sftrace: valid" in said.out
    assert said.err.startswith(f"run.sftrace/{JOURNAL}: is left of a recording that was killed as it ended")
    assert "stepfork fsck run.sftrace removes it" in stand.stepfork("show", "run.sftrace").err
    assert "it is removed" in stand.stepfork("fsck", "run.sftrace").err
    assert not journal.exists()
    assert (stand.root / "run.sftrace" / MANIFEST).exists()


def test_gc_removes_one_beside_a_draft(stand: Stand) -> None:
    killed(stand, "look_up(0)")
    draft = stand.root / FAILED
    stand.stepfork("pack", FAILED, "kept.sftrace")
    (stand.root / "kept.sftrace" / MANIFEST).rename(draft / MANIFEST)
    assert (draft / JOURNAL).exists()
    assert (draft / JOURNAL).exists()
    stand.stepfork("gc", "--dry-run")
    assert (draft / JOURNAL).exists()
    assert "it is removed" in stand.stepfork("gc").err
    assert not (draft / JOURNAL).exists()


def test_a_fault_in_drafting_a_test_does_not_go_through_the_block(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise TypeError("of ours")

    monkeypatch.setattr(making, "write_drafted_test", broken)
    with stepfork.record("case", allow_capture=True) as capture:
        stepfork.trace_tool(lambda: 1, name="look_up")()
    assert capture.result is not None
    assert capture.result.verified
    assert capture.result.test is None
    assert "no test was drafted: drafting it raised TypeError" in capture.result.notices

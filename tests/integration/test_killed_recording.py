"""A recording that is killed, several that want one place, and a bundle that is being replaced: nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import resources

import pytest
from jsonschema import Draft202012Validator

import stepfork
from stepfork.errors import CaptureError, UsageError
from stepfork.store.bundle import read_bundle
from stepfork.store.drafts import draft_path
from stepfork.store.fsck import fsck_store
from stepfork.store.layout import JOURNAL
from tests.integration.stand import Stand

SCHEMA = json.loads(resources.files("stepfork").joinpath("schemas/validate.schema.json").read_text())

AGENT = """
import asyncio, os, sys, threading
import stepfork

form, output = sys.argv[1], sys.argv[2] or None

@stepfork.trace_tool
def look_up(number):
    return {"number": number}

def ask(number):
    look_up(number)
    os.write(1, b"%d\\n" % number)

async def ask_later(number):
    await asyncio.sleep(0)
    ask(number)

async def ask_all():
    await asyncio.gather(*map(ask_later, range(30)))

@stepfork.trace_tool
def hang():
    os.write(1, b"hanging\\n")
    threading.Event().wait()

with stepfork.record("refund", output=output, agent_id="refunds") as capture:
    capture.set_input({"orders": 30})
    if form == "asyncio":
        asyncio.run(ask_all())
    elif form == "threads":
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    else:
        for number in range(30):
            ask(number)
    hang()
"""


def killed(form: str, output: str) -> int:
    """Run the agent and kill it in its last call; the calls that it saw return."""
    with subprocess.Popen([sys.executable, "-c", AGENT, form, output], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        lines = []
        while (line := process.stdout.readline()) != b"hanging\n":
            assert line
            lines.append(line)
        process.kill()
    return len(lines)


@pytest.mark.parametrize("form", ["plain", "threads", "asyncio"])
@pytest.mark.parametrize("output", ["", "run.sftrace"], ids=["store", "bundle"])
def test_what_the_agent_saw_return_is_there(stand: Stand, form: str, output: str) -> None:
    seen = killed(form, output)
    assert seen == 30
    path = output or ".stepfork/failed/refund.sftrace"
    said = stand.stepfork("validate", "--partial", "--json", path)
    document = json.loads(said.out)
    Draft202012Validator(SCHEMA).validate(document)
    (found,) = document["fixtures"]
    assert (found["name"], found["path"], found["state"]) == ("refund", f"{path}/{JOURNAL}", "draft")
    assert (found["steps"], found["calls"], found["ended"]) == (31, 31, 30)
    assert (found["causes"], found["problem"], found["findings"]) == (["the recording did not end"], None, [])
    refused = stand.stepfork("validate", path, code=2).err
    assert refused == (
        f"stepfork validate: {path}: is the draft of a failed capture (the recording did not end); "
        "--partial accepts it\n"
    )
    shown = stand.stepfork("show", path).out
    assert shown.startswith("refund\n")
    assert 'look_up {"number": 29} → {"number": 29}' in shown
    assert "the recording did not end" in shown
    steps = json.loads(stand.stepfork("show", "--json", path).out)["trace"]["steps"]
    groups = [step.get("group") for step in steps]
    assert groups == ([None] * 31 if form == "plain" else [1] * 30 + [None])  # all were waited for before the last


def test_a_killed_recording_is_in_nobodys_way(stand: Stand) -> None:
    killed("plain", "")
    killed("plain", "run.sftrace")
    with pytest.raises(UsageError) as raised, stepfork.record("refund", output="run.sftrace"):
        raise AssertionError("it ran")
    assert str(raised.value) == (
        f"{stand.root / 'run.sftrace'}: a recording that did not end has left its journal there; "
        "stepfork show reads it; remove the folder, or choose another name"
    )
    killed("plain", "")
    folder = stand.store.root / "failed"
    assert sorted(path.name for path in folder.iterdir()) == ["refund.sftrace", "refund~2.sftrace"]
    with pytest.raises(RuntimeError), stepfork.record("refund"):
        raise RuntimeError
    assert sorted(path.name for path in folder.iterdir()) == ["refund.sftrace", "refund~2.sftrace"]
    with stepfork.record("refund") as capture:
        stepfork.trace_tool(lambda: 1, name="look_up")()
    assert capture.result is not None
    assert capture.result.verified
    assert not folder.exists()


def test_a_draft_leaves_the_journal_of_another_run(stand: Stand) -> None:
    killed("plain", "")
    with pytest.raises(CaptureError), stepfork.record("refund") as capture:
        pass
    assert capture.result is not None
    assert capture.result.draft == draft_path(stand.store, "refund").with_name("refund~2.sftrace")
    assert (draft_path(stand.store, "refund") / JOURNAL).exists()


@pytest.mark.parametrize(
    "data", [b"", b"\x00" * 40, b"garbage\n", b"\xff\xfe\n", b'{"stepfork_journal":1,"name":"refund"}\n{"event":1}\n']
)
def test_a_garbage_journal_is_one_line(stand: Stand, data: bytes) -> None:
    folder = stand.root / "run.sftrace"
    folder.mkdir()
    (folder / JOURNAL).write_bytes(data)
    for words in (["validate", "--partial"], ["show"], ["diff", "run.sftrace"], ["unpack"]):
        said = stand.stepfork(*words, "run.sftrace", code=2)
        assert said.err.count("\n") == 1
        assert "Traceback" not in said.err
    document = json.loads(stand.stepfork("validate", "--partial", "--json", "run.sftrace", code=2).out)
    Draft202012Validator(SCHEMA).validate(document)
    assert document["fixtures"][0]["state"] == "invalid"


def test_a_journal_that_is_a_link_is_refused(stand: Stand) -> None:
    killed("plain", "run.sftrace")
    folder = stand.root / "run.sftrace"
    (folder / JOURNAL).rename(stand.root / "elsewhere.jsonl")
    (folder / JOURNAL).symlink_to(stand.root / "elsewhere.jsonl")
    assert "symbolic link" in stand.stepfork("validate", "--partial", "run.sftrace", code=2).err


def test_validate_tells_of_each_word(stand: Stand) -> None:
    with stepfork.record("refund"):
        stepfork.trace_tool(lambda: 1, name="look_up")()
    killed("plain", "run.sftrace")
    document = json.loads(stand.stepfork("validate", "--json", "refund", "run.sftrace", "absent", code=2).out)
    Draft202012Validator(SCHEMA).validate(document)
    assert [one["state"] for one in document["fixtures"]] == ["valid", "draft", "invalid"]
    assert [one["problem"] is None for one in document["fixtures"]] == [True, False, False]
    assert document["partial"] is False


RACER = """
import os, sys
import stepfork
from stepfork.errors import CaptureError, UsageError

@stepfork.trace_tool
def look_up():
    return sys.argv[1]

os.write(1, b"ready\\n")
sys.stdin.readline()
try:
    with stepfork.record("refund", output=sys.argv[2] or None, emit_test=False) as capture:
        os.write(1, b"ran\\n")
        look_up()
except (UsageError, CaptureError) as error:
    print("told:", error, flush=True)
else:
    print("kept", flush=True)
"""


def raced(count: int, output: str) -> list[str]:
    """What each of `count` processes says that begin at once."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(number), output], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for number in range(count)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = []
    for process in processes:
        said.append(process.communicate()[0])
        assert process.returncode == 0
    return said


def test_of_eight_processes_one_has_the_bundle_and_the_others_are_told(stand: Stand) -> None:
    said = raced(8, "run.sftrace")
    assert sum(one.endswith("ran\nkept\n") for one in said) == 1
    told = [one for one in said if one.startswith("told:")]
    assert len(told) == 7
    assert all("run.sftrace" in one and "choose another name" in one for one in told)
    assert stand.stepfork("validate", "run.sftrace")
    number = said.index(next(one for one in said if one.endswith("kept\n")))
    assert read_bundle(stand.root / "run.sftrace").run.trace.steps[0].result == str(number)


def test_eight_processes_record_one_name_of_a_store(stand: Stand) -> None:
    """All run; who finds that another one's fixture has come meanwhile is told so, and has a draft."""
    said = raced(8, "")
    assert all(one.startswith("ran\n") for one in said)
    told = [one for one in said if not one.endswith("kept\n")]
    assert len(told) < 8
    assert all("another writer changed the fixture meanwhile" in one for one in told)
    assert not any("no draft could be kept" in one for one in told)
    assert fsck_store(stand.store).findings == ()
    assert len(stand.store.read("refund").run.trace.steps) == 1
    for draft in (stand.store.root / "failed").glob("*"):
        assert stand.stepfork("validate", "--partial", str(draft))


OVERWRITER = """
import os, signal, sys
from pathlib import Path
import msgspec
from stepfork.store.bundle import read_bundle, write_bundle, fill_bundle
from stepfork.store.claim import claim, has_journal

def fixture(number):
    old = read_bundle(Path("old.sftrace"))
    trace = msgspec.structs.replace(old.run.trace, output=[number, "w" * 3000])
    return msgspec.structs.replace(old, run=msgspec.structs.replace(old.run, trace=trace))

old, new = fixture(1), fixture(2)
EVENTS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir")
left = 0
armed = False

def count(event, arguments):
    global left
    if armed and event in EVENTS:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

def overwrite(path):
    write_bundle(path, new, replace=True)

def take_place(path):
    fill_bundle(path, new)

sys.addaudithook(count)
for form in (overwrite, take_place):
    moments = 0
    for moment in range(1, 500):
        path = Path(f"{form.__name__}-{moment}.sftrace")
        if form is overwrite:
            write_bundle(path, old)
        else:
            claimed = claim(path)
            claimed.journal.write_text("journal")
        child = os.fork()
        if not child:
            left, armed = moment, True
            form(path)
            armed = False
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if form is overwrite or not has_journal(path):
            assert read_bundle(path) in (old, new), moment
        if status == 0:
            assert read_bundle(path) == new
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
        moments += 1
        if form is overwrite:
            write_bundle(path, new, replace=True)
            assert read_bundle(path) == new
    else:
        raise AssertionError("it never ended")
    print(form.__name__, moments)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_kill_at_any_moment_of_an_overwriting_leaves_the_old_bundle_or_the_new(stand: Stand) -> None:
    with stepfork.record("refund", output="old.sftrace"):
        stepfork.trace_tool(lambda: "w" * 3000, name="look_up")()
    done = subprocess.run([sys.executable, "-c", OVERWRITER], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, second = (line.split() for line in done.stdout.splitlines())
    assert int(first[1]) > 10
    assert int(second[1]) > 10

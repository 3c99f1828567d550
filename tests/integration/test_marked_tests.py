"""Tests marked ``stepfork``, in pytest runs of their own: recorded where that is asked for, else played back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import stepfork.cli.render.replay_text
import stepfork.testing
import stepfork.workflows.marked_run  # noqa: F401 - or each run of pytest in this process would load them anew
from stepfork.trace.fixture import Source
from tests.integration.stand import Stand
from tests.integration.test_record import shop

pytest_plugins = ["pytester"]

PRELUDE = """
import json, os, urllib.error, urllib.request
import pytest

def agent(question="Please refund O-1."):
    first = ask({"role": "user", "content": question})
    result = {"role": "tool", "tool_call_id": first["tool_calls"][0]["id"], "content": "{}"}
    return ask({"role": "user", "content": question}, first, result)["content"]

def ask(*messages):
    body = json.dumps({"model": "test-model", "messages": messages}).encode()
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)["choices"][0]["message"]
    except urllib.error.HTTPError as error:
        error.close()  # it holds the connection, and a traceback holds it
        raise

@pytest.fixture
def anyio_backend():
    return "asyncio"
"""


class Marked:
    """A test module beside a store, run by pytest that was started somewhere else."""

    def __init__(self, pytester: pytest.Pytester, stand: Stand) -> None:
        self.stand = stand
        self.module = stand.root / "tests" / "test_marked.py"
        self._pytester = pytester

    def write(self, source: str) -> None:
        self.module.parent.mkdir(exist_ok=True)
        self.module.write_text(PRELUDE + source, encoding="utf-8")

    def run(self, *words: str, asked: int = 0, **outcomes: int) -> str:
        """Run them; `asked` is how often the model is."""
        self.stand.model.asked.clear()
        self._pytester.chdir()
        options = ["-p", "no:cacheprovider", "--strict-markers", "-W", "error", "--rootdir", str(self.stand.root)]
        done = self._pytester.runpytest_inprocess(*options, *words, str(self.module))
        os.chdir(self.stand.root)
        done.assert_outcomes(**outcomes)
        assert len(self.stand.model.asked) == asked
        return done.stdout.str()


@pytest.fixture
def tests(pytester: pytest.Pytester, stand: Stand) -> Iterator[Marked]:
    stand.model.script = shop
    before = dict(os.environ)
    yield Marked(pytester, stand)
    assert {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"} == {
        name: value for name, value in before.items() if name != "PYTEST_CURRENT_TEST"
    }


def test_a_marked_test_is_recorded_when_that_is_asked_for_and_played_back_else(tests: Marked) -> None:
    tests.write("""
@pytest.fixture
def client_of_the_test():
    return os.environ["OPENAI_BASE_URL"]  # a client that a fixture makes is turned too

@pytest.mark.stepfork("refund", agent_id="refunds")
def test_sync(client_of_the_test, stepfork):
    assert client_of_the_test == os.environ["OPENAI_BASE_URL"] == stepfork.env["OPENAI_BASE_URL"]
    stepfork.set_output({"said": agent()})

@pytest.mark.anyio
@pytest.mark.stepfork("de/refund")
async def test_coroutine():
    assert agent() == "It is done."

def test_without_a_mark(stepfork):
    assert stepfork.env == {}
""")
    missing = tests.run(passed=1, errors=2)
    assert (
        ".stepfork/fixtures/refund.json: there is no such fixture; record it on your machine and commit it: " in missing
    )
    assert "pytest --stepfork-record=once tests/test_marked.py::test_sync" in missing

    told = tests.run("--stepfork-record=once", asked=4, passed=3)
    assert "stepfork: records once" in told
    assert "stepfork recorded: de/refund, refund; look at them, then: git add .stepfork" in told
    run = tests.stand.store.read("refund").run
    assert (run.source.kind, run.trace.agent, run.trace.output) == ("in_process", "refunds", {"said": "It is done."})
    assert not (tests.stand.root / "tests/stepfork").exists()  # the marked test is the test

    files = tests.stand.files()
    assert "stepfork recorded" not in tests.run("--stepfork-record=once", passed=3)
    tests.run(passed=3)
    tests.run("--stepfork-record=all", asked=4, passed=3)
    assert tests.stand.files() == files


def test_a_miss_fails_the_test_whatever_becomes_of_the_error(tests: Marked) -> None:
    source = """
@pytest.mark.stepfork("refund")
def test_it():
    agent()
"""
    tests.write(source)
    tests.run("--stepfork-record=once", asked=2, passed=1)
    tests.write(source.replace("agent()", "agent('Please refund O-2.')"))
    told = tests.run("--stepfork-format=github", failed=1)
    assert "HTTPError" in told
    assert "refund: miss at model call 1 of 2" in told
    assert "+ Please refund O-2." in told
    (annotation,) = (line for line in told.splitlines() if line.startswith("::"))
    assert "title=refund%3A miss at model call 1 of 2::" in annotation
    assert "if the change is wanted: pytest --stepfork-record=all tests/test_marked.py::test_it" in told

    tests.write(source.replace("    agent()", "    with pytest.raises(OSError):\n        agent('Please refund O-2.')"))
    assert "refund: miss at model call 1 of 2" in tests.run(failed=1)
    tests.write(source.replace("agent()", "pass"))
    assert "none of 2 recorded calls was asked for" in tests.run(failed=1)
    tests.write(source.replace("agent()", "assert agent() == 'something else'"))
    assert "miss at" not in tests.run(failed=1)


def test_what_fails_or_is_not_run_is_not_recorded(tests: Marked) -> None:
    tests.write("""
import threading, unittest
from stepfork.testing import evaluate, expect
from stepfork.trace.step import Trace

@pytest.mark.stepfork("failed")
def test_failed():
    agent()
    assert False

@pytest.mark.skip
@pytest.mark.stepfork("never")
def test_never():
    pass

@pytest.mark.stepfork("skipped")
def test_skipped():
    agent()
    pytest.skip("not now")

@pytest.mark.stepfork("unevaluated")
def test_unevaluated():
    agent()
    expect(Trace("spans", ())).trajectory(["a"])

@pytest.fixture
def broken():
    raise ValueError("broken")

@pytest.mark.stepfork("broken")
def test_broken(broken):
    pass

@pytest.mark.stepfork("silent")
def test_silent():
    pass

@pytest.mark.stepfork("thread")
def test_thread():
    agent()
    failing = expect(Trace("spans", ())).trajectory(["a"])
    thread = threading.Thread(target=evaluate, args=(failing,))
    thread.start()
    thread.join()

class TestUnit(unittest.TestCase):
    @pytest.mark.stepfork("unit-failed")
    def test_failed(self):
        agent()
        self.fail()

    @pytest.mark.stepfork("unit-skipped")
    def test_skipped(self):
        agent()
        self.skipTest("not now")

    @pytest.mark.stepfork("unit-part")
    def test_part(self):
        agent()
        with self.subTest("that fails"):
            self.fail()
""")
    told = tests.run("--stepfork-record=all", "-Wignore", asked=14, failed=6, passed=1, skipped=3, errors=1)
    assert "the capture of 'silent' became no fixture: no spans were received and no model calls reached" in told
    assert tests.stand.store.names() == []


def test_nothing_is_recorded_in_ci(tests: Marked, monkeypatch: pytest.MonkeyPatch) -> None:
    tests.write("""
@pytest.mark.stepfork("refund")
def test_it():
    agent()
""")
    with monkeypatch.context() as ci:
        ci.setenv("CI", "true")
        told = tests.run("--stepfork-record=all", errors=1)
        assert "stepfork: --stepfork-record=all is ignored in CI" in told
        assert ".stepfork/fixtures/refund.json: there is no such fixture" in told
    tests.run("--stepfork-record=all", asked=2, passed=1)
    with monkeypatch.context() as ci:
        ci.setenv("CI", "true")
        tests.run("--stepfork-record=all", passed=1)


def test_a_recording_replaces_only_what_a_test_of_its_own_recorded(tests: Marked) -> None:
    tests.write("""
@pytest.mark.stepfork("refund")
def test_one():
    agent()

@pytest.mark.stepfork("refund")
def test_two():
    agent()
""")
    tests.run("--stepfork-record=once", asked=2, passed=2)  # the second one is played back what the first recorded
    tests.run(passed=2)
    assert "several tests are marked 'refund'" in tests.run("--stepfork-record=all", errors=2)

    recorded = tests.stand.store.read("refund")
    source = Source("command", True, ("python", "agent.py"), exit_code=0)
    tests.stand.store.write(msgspec.structs.replace(recorded, run=msgspec.structs.replace(recorded.run, source=source)))
    told = tests.run("--stepfork-record=all", "-k", "one", errors=1, deselected=1)
    assert "stepfork capture --refresh refund records a command's anew" in told


def test_a_mark_that_says_something_else_is_refused_in_one_line(tests: Marked, project: Path) -> None:
    tests.write("""
@pytest.mark.stepfork
def test_no_name():
    pass

@pytest.mark.stepfork("refund", expects_fail=True)
def test_unknown_option():
    pass

@pytest.mark.stepfork(["refund"])
def test_no_text():
    pass

@pytest.mark.stepfork("../refund")
def test_no_fixtures_name():
    pass

@pytest.mark.stepfork("refund", executes="look_up")
def test_no_list():
    pass
""")
    told = tests.run(errors=5)
    assert "\nE  " not in told
    assert told.count("the mark stepfork takes the name of a fixture; and these options: agent_id, executes, ") == 3

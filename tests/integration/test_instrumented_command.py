"""Commands whose tools are instrumented: captured, and replayed without running the tools. Each run is a real child."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.integration.stand import Stand

AGENT = '''
import subprocess
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from openai import OpenAI
from stepfork import trace_tool

def did(what):
    with open("did.txt", "a") as log:
        log.write(what + "\\n")

class OutOfStock(Exception):
    pass

@trace_tool
def refund(order, amount, to):
    did("refund")
    audit(order)
    return {"order": order, "to": to, "at": os.getpid()}

@trace_tool
def audit(order):
    did("audit " + order)

@trace_tool
def reserve(item):
    did("reserve")
    raise OutOfStock(item)

@trace_tool
def nightly(count):
    """A tool that is a program of its own, whose own tool is instrumented too."""
    did("nightly")
    out = subprocess.run([sys.executable, __file__, "child", str(count)], capture_output=True, text=True, check=True)
    return int(out.stdout)

@trace_tool
def double(count):
    did("double")
    return 2 * count

if sys.argv[1:2] == ["child"]:
    print(double(int(sys.argv[2])))
    raise SystemExit

def main():
    to = os.environ.get("CUSTOMER", "ann@customer.example")
    client = OpenAI(api_key="unused", max_retries=0)
    client.chat.completions.create(model="test-model", messages=[{"role": "user", "content": "refund " + to}])
    refunded = refund("ord-1", int(os.environ.get("AMOUNT", "40")), to)
    assert refunded["to"] == to, refunded
    try:
        reserve("chair")
    except OutOfStock as error:
        print("caught", type(error).__name__, error)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(audit, ["ord-2", "ord-3"]))
    with ProcessPoolExecutor(1) as pool:
        print("doubled", *pool.map(double, [3, 4]))
    print("nightly", nightly(5))
    print(json.dumps({"refunded": refunded["order"]}))

if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        raise SystemExit(f"agent: {error}")
'''
TOOLS = {"refund", "audit", "reserve", "nightly", "double"}


def lines(root: Path) -> list[str]:
    log = root / "did.txt"
    return sorted(log.read_text().splitlines()) if log.exists() else []


@pytest.fixture
def captured(stand: Stand, kept_project: Path) -> Stand:
    """A project with the fixture `case` of the agent above, whose tools have done their work once."""
    stand.once(kept_project, _capture)
    (stand.root / "did.txt").unlink()
    return stand


def _capture(stand: Stand) -> None:
    said = stand.capture(AGENT)
    assert "it runs no tool" in said.line("test"), said.err
    assert lines(stand.root) == sorted(
        ["refund", "audit ord-1", "reserve", "audit ord-2", "audit ord-3", "double", "double", "nightly", "double"]
    )


def test_tools_of_every_process_are_recorded_where_they_were_called(captured: Stand) -> None:
    steps = captured.document()["trace"]["steps"]
    tools = [step for step in steps if step["type"] == "tool_call"]
    assert all(step["instrumented"] for step in tools)
    below = [(steps[step["parent"]]["name"], step["name"]) for step in tools if step.get("parent") is not None]
    assert ("refund", "audit") in below
    assert ("nightly", "double") in below
    assert [step["arguments"]["to"] for step in tools if step["name"] == "refund"] == ["{{email_1}}"]
    assert "ann@customer" not in json.dumps([data.decode(errors="replace") for data in captured.files().values()])


def test_a_replay_answers_them_and_runs_none(captured: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUSTOMER", "bob@customer.example")
    said = captured.stepfork("replay", "case", "--", "python", "agent.py")
    assert lines(captured.root) == []
    assert "caught OutOfStock chair" in said.out
    assert "doubled 6 8" in said.out
    assert "nightly 10" in said.out
    answered = said.line("answered")
    assert {name for name in TOOLS if name in answered} == TOOLS
    assert said.line("executed").split() == ["executed", "no", "tool"]
    assert captured.model.asked == []


def test_another_argument_is_a_miss(captured: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMOUNT", "45")
    said = captured.stepfork("replay", "case", "--json", "--", "python", "agent.py", code=1)
    assert lines(captured.root) == []
    assert "miss at refund, call 1" in said.err
    assert "argument amount" in said.line("first difference")
    assert (said.line("- "), said.line("+ ")) == ("- 40", "+ 45")
    document = json.loads(said.out)
    (miss,) = document["call_misses"]
    assert (miss["kind"], miss["path"], miss["old"], miss["new"]) == ("changed", "amount", "40", "45")
    assert {left["tool"] for left in document["calls_unused"]} >= {"refund", "reserve"}


def test_one_call_more_and_one_unknown_fail_though_they_are_swallowed(captured: Stand) -> None:
    source = (captured.root / "agent.py").read_text()
    more = """
    @trace_tool
    def wipe():
        did("wipe")
    for tool, given in ((reserve, ("chair",)), (wipe, ())):
        try:
            tool(*given)
        except Exception:
            pass
"""
    (captured.root / "agent.py").write_text(source + more)
    said = captured.stepfork("replay", "case", "--json", "--", "python", "agent.py", code=1)
    assert lines(captured.root) == []
    misses = [(miss["tool"], miss["reason"]) for miss in json.loads(said.out)["call_misses"]]
    assert misses == [("reserve", "recorded 1×, asked 2×"), ("wipe", "no call of wipe was recorded")]


def test_a_tool_that_is_not_instrumented_any_more_fails_the_replay_where_it_shows(captured: Stand) -> None:
    """A fixture says which tools are answered, and it may be wrong: nothing that ran unasked passes."""
    source = (captured.root / "agent.py").read_text()
    (captured.root / "agent.py").write_text(source.replace("@trace_tool\ndef nightly", "def nightly"))
    said = captured.stepfork("replay", "case", "--", "python", "agent.py", code=1)
    assert "miss at double, call 3" in said.err
    assert lines(captured.root) == ["nightly"]


def test_the_drafted_test_says_which_tools_are_answered(captured: Stand) -> None:
    drafted = (captured.root / "tests" / "stepfork" / "test_case.py").read_text()
    assert "EXECUTES: list[str] = []" in drafted
    comment = next(line for line in drafted.splitlines() if line.startswith("# Instrumented"))
    assert "refund" in comment


def test_what_is_unredacted_stays_off_the_disk(stand: Stand) -> None:
    secret = "sk-" + "proj-" + "Zq7" * 12
    stand.capture(
        f"""
from stepfork import trace_tool

@trace_tool
def login(password, key):
    return {{"token": "tok" + password, "key": key}}

ask("hello")
login("hunter2-" + "xK9vQ2mWz7Lp", {"".join(reversed(secret))!r}[::-1])
"""
    )
    files = b"\n".join(stand.files().values())
    assert secret.encode() not in files
    assert b"hunter2-" not in files
    said = stand.stepfork("replay", "case", "--", "python", "agent.py")
    assert said.line("answered").split() == ["answered", "login"]


def test_a_program_that_nobody_watches_hears_nothing_of_it(stand: Stand) -> None:
    assert "STEPFORK_CALLS" not in os.environ
    import subprocess
    import sys

    program = (
        "import sys; from stepfork import trace_tool\n"
        "tool = trace_tool(len)\nassert tool('abc') == 3\n"
        "assert not {'aiohttp', 'http.client', 'stepfork.instrument.remote'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=stand.root, check=True)


def test_model_calls_inside_of_an_answered_tool_are_not_missed_and_instrumented_ones_are_answered(stand: Stand) -> None:
    stand.capture(
        """
from stepfork import llm_request, trace_tool

@trace_tool
def summarize(text):
    open("did.txt", "a").write("summarize")
    return ask("summarize " + text).decode()

def local(model, prompt):
    open("did.txt", "a").write("local")
    return {"said": prompt[::-1]}

ask("hello")
print(len(summarize("a long text")))
print(llm_request(local, model="tiny", prompt="who"))
"""
    )
    (stand.root / "did.txt").unlink()
    stand.model.asked.clear()
    said = stand.stepfork("replay", "case", "--", "python", "agent.py")
    assert "{'said': 'ohw'}" in said.out
    assert lines(stand.root) == []
    assert said.line("served").split()[1:4] == ["1", "of", "1"]
    assert stand.model.asked == []

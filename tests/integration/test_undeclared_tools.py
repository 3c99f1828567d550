"""A fixture that calls a tool instrumented takes it out of what must be listed, and it may be forged: an answer that
asks for such a tool is given only where the program has declared the tool itself."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import stepfork
from stepfork.config.project import Settings
from stepfork.errors import ReplayError
from stepfork.store.bundle import read_bundle
from stepfork.trace.fixture import Fixture
from stepfork.workflows.frozen import FrozenRequest, frozen_replay
from tests.integration.stand import Stand
from tests.integration.test_record import ask as ask_here
from tests.integration.test_record import block, shop, user

__all__ = ["block"]

AGENT = """
from stepfork import trace_tool

def look_up(order_id):
    open("did.txt", "a").write("looked up " + order_id)
    return {"amount": 40}

INSTRUMENTED = os.environ.get("INSTRUMENTED", "look_up")
look_up = trace_tool(look_up) if "look_up" in INSTRUMENTED else look_up

def main():
    told = json.loads(ask("Please refund O-1."))
    if "choices" not in told:
        sys.exit("agent: " + told["error"]["message"])
    for call in told["choices"][0]["message"]["tool_calls"]:
        look_up(**json.loads(call["function"]["arguments"]))
main()
"""


def did(root: Path) -> bool:
    return (root / "did.txt").exists()


def replayed(stand: Stand, instrumented: str, *options: str, code: int = 0) -> Any:
    (stand.root / "did.txt").unlink(missing_ok=True)
    os.environ["INSTRUMENTED"] = instrumented
    try:
        return stand.stepfork("replay", "case", *options, "--", "python", "agent.py", code=code)
    finally:
        del os.environ["INSTRUMENTED"]


@pytest.fixture
def captured(stand: Stand, kept_project: Path) -> Stand:
    stand.once(kept_project, lambda stand: void(stand.capture(AGENT, shop)))
    return stand


def void(_: object) -> None:
    """Nothing."""


def test_an_answer_asks_for_a_tool_that_the_program_has_declared(captured: Stand) -> None:
    said = replayed(captured, "look_up")
    assert said.line("answered").split() == ["answered", "look_up"]
    assert not did(captured.root)


def test_a_tool_that_only_the_fixture_calls_instrumented_never_runs(captured: Stand) -> None:
    said = replayed(captured, "nothing", code=1)
    assert not did(captured.root)
    assert "miss at look_up, call 1" in said.err
    assert "a recorded answer asks for it and was not given" in said.line("first difference")
    assert "--executes" in said.err
    assert "trace_tool" in said.err


def test_it_runs_where_it_is_listed(captured: Stand) -> None:
    said = replayed(captured, "nothing", "--executes", "look_up", code=1)  # it was to be answered, and was not asked
    assert did(captured.root)
    assert "was not given" not in said.err


def test_the_result_document_names_the_tool(captured: Stand) -> None:
    said = replayed(captured, "nothing", "--json", code=1)
    (miss,) = json.loads(said.out)["call_misses"]
    assert (miss["tool"], miss["kind"]) == ("look_up", "closed")


def test_a_drafted_test_refuses_it_too(captured: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess
    import sys

    monkeypatch.setenv("INSTRUMENTED", "nothing")
    (captured.root / "did.txt").unlink(missing_ok=True)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/stepfork"],
        cwd=captured.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert "look_up" in ran.stdout
    assert not did(captured.root)


def test_a_refresh_that_reuses_answers_names_the_instrumented_tools_that_it_runs(captured: Stand) -> None:
    said = captured.stepfork("capture", "--refresh", "case", "--reuse", code=2)
    assert "look_up" in said.err


RAN: list[str] = []


def look_up(order_id: str) -> dict[str, Any]:
    """A tool of this process that is called as the answer says."""
    RAN.append(order_id)
    return {"amount": 40.0}


def agent(question: str) -> str:
    first = ask_here(user(question))
    (call,) = first["tool_calls"]
    TOOLS[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
    told = {"role": "tool", "tool_call_id": call["id"], "content": "40.0"}
    answer: str = ask_here(user(question), first, told)["content"]
    return answer


TOOLS: dict[str, Any] = {"look_up": look_up}


def recorded(*, instrumented: bool) -> Fixture:
    TOOLS["look_up"] = stepfork.trace_tool(look_up) if instrumented else look_up
    with stepfork.record("run", output="run.sftrace") as capture:
        capture.run(agent, "Please refund O-1.")
    return read_bundle(Path("run.sftrace"))


@pytest.fixture
def undeclared(block: Stand, monkeypatch: pytest.MonkeyPatch) -> Stand:
    """This process, in which nobody has declared anything."""
    monkeypatch.setattr("stepfork.instrument.declared._names", set())
    monkeypatch.setitem(TOOLS, "look_up", look_up)
    RAN.clear()
    return block


def test_a_frozen_replay_gives_no_answer_that_asks_for_a_tool_that_is_not_instrumented(undeclared: Stand) -> None:
    fixture = recorded(instrumented=False)
    RAN.clear()
    result = frozen_replay(FrozenRequest(fixture, agent, Settings(), dict(os.environ), Path.cwd()))
    assert RAN == []
    assert not result.passed
    assert any(cause.startswith("look_up, call 1: a recorded answer asks for it") for cause in result.causes)


@stepfork.trace_tool
def note(text: str) -> str:
    """A tool that is instrumented, beside one that is not."""
    return text


def noting(question: str) -> str:
    note("begun")
    return agent(question)


def test_in_mode_live_it_may_be_named(undeclared: Stand) -> None:
    with stepfork.record("run", output="run.sftrace") as capture:
        capture.run(noting, "Please refund O-1.")
    fixture = read_bundle(Path("run.sftrace"))
    RAN.clear()
    request = FrozenRequest(fixture, noting, Settings(), dict(os.environ), Path.cwd())
    assert any("look_up" in cause for cause in frozen_replay(request).causes)
    assert RAN == []
    live = FrozenRequest(fixture, noting, Settings(), dict(os.environ), Path.cwd(), "live", ("look_up",))
    result = frozen_replay(live)
    assert (result.causes, RAN) == ((), ["O-1"])


def test_a_model_call_of_this_process_asks_for_no_tool_that_only_the_recording_calls_instrumented(
    undeclared: Stand,
) -> None:
    def asking(question: str) -> str:
        first = stepfork.llm_request(ask_here, user(question))
        (call,) = first["tool_calls"]
        TOOLS[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
        return "done"

    TOOLS["look_up"] = stepfork.trace_tool(look_up)
    with stepfork.record("run", output="run.sftrace") as capture:
        capture.run(asking, "Please refund O-1.")
    fixture = read_bundle(Path("run.sftrace"))
    RAN.clear()
    TOOLS["look_up"] = look_up
    from stepfork.instrument import declared

    declared._names.clear()
    result = frozen_replay(FrozenRequest(fixture, asking, Settings(), dict(os.environ), Path.cwd()))
    assert RAN == []
    assert any("look_up" in cause and "trace_tool" in cause for cause in result.causes)


def test_a_playback_gives_no_answer_that_asks_for_what_only_the_fixture_calls_instrumented(undeclared: Stand) -> None:
    recorded(instrumented=True)
    RAN.clear()
    TOOLS["look_up"] = look_up
    from stepfork.instrument import declared

    declared._names.clear()
    with pytest.raises(ReplayError, match="look_up, call 1: a recorded answer asks for it"):  # noqa: SIM117
        with stepfork.playback(Path("run.sftrace")):
            agent("Please refund O-1.")
    assert RAN == []


def test_a_playback_of_a_declared_tool_answers_it(undeclared: Stand) -> None:
    recorded(instrumented=True)
    RAN.clear()
    with stepfork.playback(Path("run.sftrace")):
        agent("Please refund O-1.")
    assert RAN == []

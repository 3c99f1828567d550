"""Drafted tests, run by pytest: red where the agent does something else, green where it does what was recorded."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest

import stepfork.cli.render.replay_text
import stepfork.testing
import stepfork.workflows.replay  # noqa: F401 - or each run of pytest in this process would load them anew
from stepfork.contracts.json_form import contract_to_json
from stepfork.contracts.spec import ToolCardinality
from stepfork.contracts.verification import Verification
from stepfork.store.store import Store
from stepfork.workflows.draft_test import write_drafted_test
from tests.integration.conftest import ROOT
from tests.integration.stand import Said, Stand
from tests.integration.wire import Asked, Line

pytest_plugins = ["pytester"]

HELD = Verification("verified", True, False, (), ())
AGENT = """
messages = [{"role": "user", "content": "Please refund order O-1042."}]
SPANS = []

def step(number, operation, **attributes):
    SPANS.append(span(number, operation=operation, **attributes))

number = 0
while True:
    number += 1
    answer = json.loads(call({"model": "test-model", "messages": messages}))["choices"][0]["message"]
    step(number, "chat")
    messages.append(answer)
    if not answer.get("tool_calls"):
        break
    for tool in answer["tool_calls"]:
        number += 1
        name, arguments = tool["function"]["name"], tool["function"]["arguments"]
        step(number, "execute_tool", gen_ai__tool__name=name, gen_ai__tool__call__id=tool["id"],
             gen_ai__tool__call__arguments=arguments)
        messages.append({"role": "tool", "tool_call_id": tool["id"], "content": json.dumps({"ok": True})})
export(*SPANS)
"""


def answer(*tools: str) -> bytes:
    """An assistant's answer that asks for tools for order O-1042, or says that all is done."""
    calls = [
        {
            "id": f"call_{name}{at}x1",
            "type": "function",
            "function": {"name": name, "arguments": '{"order_id": "O-1042"}'},
        }
        for at, name in enumerate(tools)
    ]
    message = {"role": "assistant", "content": None if tools else "Done.", **({"tool_calls": calls} if tools else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if tools else "stop"}
    return json.dumps({"id": "chatcmpl-test0001", "choices": [choice]}).encode()


def shop_model(asked: Asked, line: Line) -> None:
    """Looks the order up, refunds it (twice, if the prompt asks for that), and is done."""
    messages = json.loads(asked.body)["messages"]
    done = sum(message["role"] == "tool" for message in messages)
    refunds = 2 if "twice" in json.dumps(messages) else 1
    tools = ["lookup_order"] if done == 0 else ["issue_refund"] * refunds if done == 1 else []
    line.whole(answer(*tools), "Content-Type: application/json")


FIXED = AGENT
BUGGY = AGENT.replace("Please refund", "Please refund twice")


class Run:
    """pytest in this process on the project of a `Stand`, started somewhere else."""

    def __init__(self, pytester: pytest.Pytester, stand: Stand) -> None:
        self.stand = stand
        self._pytester = pytester

    @property
    def test(self) -> Path:
        return self.stand.root / "tests/stepfork/test_case.py"

    def capture(self, agent: str, *words: str, code: int = 0) -> Said:
        self.stand.agent(agent)
        self.stand.model.script = shop_model
        agent_file = str(self.stand.root / "agent.py")
        return self.stand.stepfork("capture", "--name", "case", *words, "--", "python", agent_file, code=code)

    def __call__(self, *, passed: int = 0, failed: int = 0, words: tuple[str, ...] = ()) -> str:
        """Run the drafted test; what pytest printed."""
        asked = len(self.stand.model.asked)
        self._pytester.chdir()
        root = self.stand.root
        options = ["-p", "no:cacheprovider", "--strict-markers", "-W", "error", "--rootdir", str(root), *words]
        done = self._pytester.runpytest_inprocess(*options, str(root / "tests"))
        os.chdir(root)
        done.assert_outcomes(passed=passed, failed=failed)
        assert len(self.stand.model.asked) == asked  # nobody went live
        return done.stdout.str()

    def edit(self, old: str, new: str, path: Path | None = None) -> None:
        path = path or self.test
        before = path.read_text(encoding="utf-8")
        assert before.count(old) == 1, before
        path.write_text(before.replace(old, new), encoding="utf-8")


@pytest.fixture
def run(pytester: pytest.Pytester, stand: Stand) -> Run:
    return Run(pytester, stand)


def test_an_incident_is_red_until_its_agent_is_fixed_and_captured_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = run.capture(BUGGY, "--expect-fail")
    assert "tests/stepfork/test_case.py (drafted; it will run: lookup_order, issue_refund)" in said.line("test")
    drafted = run.test.read_bytes()
    with monkeypatch.context() as ci:
        ci.setenv("CI", "true")
        for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
            ci.delenv(variable)
        red = run(failed=1)
        assert "1 of 4 contracts fails: cardinality-issue_refund-per-order_id" in red
        assert "FAIL  cardinality-issue_refund-per-order_id   issue_refund called 2× for order_id=O-1042 (max 1)" in red

        run.stand.agent(FIXED)
        missed = run(failed=1, words=("--stepfork-format=github",))
        assert "case: miss at model call 1 of 3" in missed
        assert "if the change is wanted: stepfork capture --refresh case" in missed
        (annotation,) = (line for line in missed.splitlines() if line.startswith("::"))
        assert annotation.startswith("::error file=tests/stepfork/test_case.py,line=")
        assert "title=case%3A miss at model call 1 of 3::" in annotation

    run.stand.stepfork("capture", "--refresh", "case", "--yes")
    run(passed=1)
    assert run.test.read_bytes() == drafted


def test_nothing_runs_that_was_not_reviewed(run: Run) -> None:
    run.capture(FIXED + "open('ran', 'a').write('.')\n")
    ran = run.stand.root / "ran"
    manifest = run.stand.root / ".stepfork/fixtures/case.json"
    run(passed=1)
    assert ran.read_text() == ".."

    run.edit('EXECUTES = ["lookup_order", "issue_refund"]', 'EXECUTES = ["lookup_order"]')
    assert "really runs tools that are not listed: issue_refund" in run(failed=1)
    run.edit('EXECUTES = ["lookup_order"]', 'EXECUTES = ["lookup_order", "issue_refund"]')

    run.edit("{{cwd}}/agent.py", "{{cwd}}/evil.py", manifest)
    refused = run(failed=1)
    assert (
        "another command than COMMAND: recorded `python '{{cwd}}/evil.py'`, COMMAND `python '{{cwd}}/agent.py'`"
        in refused
    )
    assert refused.count("\nE  ") == 1  # one line says it
    run.edit("{{cwd}}/agent.py", "[redacted]")
    run.edit("{{cwd}}/evil.py", "[redacted]", manifest)
    assert "was redacted: `python '[redacted]'`" in run(failed=1)
    manifest.unlink()
    assert "there is no such fixture" in run(failed=1)
    assert ran.read_text() == ".."


def test_a_tool_that_nobody_listed_is_a_warning(run: Run) -> None:
    """Contracts that list tools say nothing of others, and EXECUTES is what people reviewed."""
    run.capture(FIXED)
    run.stand.agent(FIXED.replace("export(", "step(99, 'execute_tool', gen_ai__tool__name='audit')\nexport("))
    assert "UnlistedToolWarning: a replay of 'case' ran tools that nobody listed: audit" in run(failed=1)
    assert "ran tools that nobody listed: audit" in run(passed=1, words=("-W", "default"))
    run.edit("EXECUTES = [", 'EXECUTES = ["audit", ')
    run(passed=1)


def test_an_incident_that_is_over_is_shown_by_its_recording(run: Run) -> None:
    calls = ["lookup_order", "issue_refund", "issue_refund"]
    spans = [
        {
            "traceId": "01" * 16, "spanId": f"{at:016x}", "name": tool,
            "startTimeUnixNano": str(1000 * at), "endTimeUnixNano": str(1000 * at + 9),
            "attributes": [
                {"key": key, "value": {"stringValue": value}}
                for key, value in {
                    "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool,
                    "gen_ai.tool.call.id": f"call_{at}", "gen_ai.tool.call.arguments": '{"order_id": "O-1042"}',
                    "gen_ai.tool.call.result": '{"ok": true}',
                }.items()
            ],
        }
        for at, tool in enumerate(calls, 1)
    ]  # fmt: skip
    export = run.stand.root / "export.json"
    export.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    run.stand.stepfork("capture", "--name", "case", "--expect-fail", "--from", "export.json")
    run(passed=1)
    run.edit(
        '.tool_cardinality("issue_refund", per="order_id", at_most=1)', '.trajectory(["issue_refund"], mode="exact")'
    )
    run(failed=1)


def test_a_drafted_test_is_selected_by_its_fixture_under_any_name(stand: Stand) -> None:
    recorded = Store(ROOT / ".stepfork").read("refund/chat")
    manifest = stand.store.root / "fixtures/a/退款.json"
    stand.git("init", "-q")
    stand.store.write(msgspec.structs.replace(recorded, name="a/退款"))
    contract = contract_to_json(ToolCardinality("issue_refund", "order_id", 1))
    test = write_drafted_test(
        stand.store, msgspec.structs.replace(recorded, name="a/退款", contracts=(contract,)), HELD
    ).path
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", "start")
    node = "test_a_退款_new_run_consistent_with_recording"

    manifest.write_bytes(manifest.read_bytes().replace(b"O-1042", b"O-1043"))
    assert stand.stepfork("select", "--changed").out.splitlines() == [f"tests/stepfork/test_a_退款.py::{node}"]

    stand.git("checkout", "-q", ".")
    moved = stand.root / "tests/test_refunds.py"
    test.rename(moved)
    stand.git("mv", ".stepfork/fixtures/a", ".stepfork/fixtures/b")
    assert stand.stepfork("select", "--changed").out.splitlines() == ["tests/test_refunds.py"]
    moved.write_text(moved.read_text().replace("fixtures/a/退款.json", "fixtures/b/退款.json"))
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", "moved")
    renamed = stand.store.root / "fixtures/b/退款.json"
    renamed.write_bytes(renamed.read_bytes().replace(b"O-1042", b"O-1043"))
    assert stand.stepfork("select", "--changed").out.splitlines() == [f"tests/test_refunds.py::{node}"]

"""A drafted test as people read it."""

from __future__ import annotations

import ast

import msgspec
import pytest

from stepfork.contracts.spec import CostUnder, OutputSchema, ToolCalledBefore, ToolCardinality, Trajectory
from stepfork.drafting.drafted_test import Draft, drafted_test, word_of

INCIDENT = "cardinality-issue_refund-per-order_id"
DRAFT = Draft(
    name="inc-1042",
    manifest=".stepfork/fixtures/inc-1042.json",
    depth=2,
    contracts=(
        Trajectory(("lookup_order", "issue_refund"), id="tools-called"),
        ToolCalledBefore("lookup_order", "issue_refund", id="order-lookup_order-before-issue_refund"),
        ToolCardinality("issue_refund", "order_id", 1, id=INCIDENT),
        OutputSchema({"type": "object", "required": ["ok"]}, id="output-schema"),
        CostUnder(0.0125, id="cost-ceiling"),
    ),
    command=("python", "agent.py"),
    executes=("lookup_order", "issue_refund"),
    failures=(INCIDENT,),
)

EXPECTED = '''\
"""inc-1042: the agent runs again, offline, answered from its recording.

Drafted by stepfork, never overwritten: edit it into what you rely on. What runs is
COMMAND; a fixture that was recorded from another command is refused.

Drafted from an incident, which failed what is to catch it. The agent fails too until it
is fixed; a fixed one asks what that recording cannot answer, so it is recorded anew:
stepfork capture --refresh with the fixture's name.
"""

from pathlib import Path

from stepfork.testing import ExpectChain, Trace, evaluate, expect, replay_run

ROOT = Path(__file__).parents[2]  # the folder that holds the fixtures' store
FIXTURE = ROOT / ".stepfork/fixtures/inc-1042.json"
RUN_DIR = ROOT
# Reviewed: the only command that this test runs.
COMMAND = ["python", "agent.py"]
# Reviewed: the tools that this command really runs, with what they do to the world.
EXECUTES = ["lookup_order", "issue_refund"]


def contracts(trace: Trace) -> ExpectChain:
    return (
        expect(trace)
        # tools-called: each of these is called
        .trajectory(["lookup_order", "issue_refund"], mode="superset")
        # order-lookup_order-before-issue_refund: by their first calls
        .tool_called_before("lookup_order", "issue_refund")
        # cardinality-issue_refund-per-order_id: issue_refund at most once per order_id
        # (the incident failed this)
        .tool_cardinality("issue_refund", per="order_id", at_most=1)
        # output-schema: the output has these members, of these types
        .output_matches_schema({"type": "object", "required": ["ok"]})
        # cost-ceiling: what a run may cost, in US dollars
        .cost_under(0.0125)
    )


def test_inc_1042_new_run_consistent_with_recording() -> None:
    trace = replay_run(FIXTURE, command=COMMAND, cwd=RUN_DIR, executes=EXECUTES)
    evaluate(contracts(trace))
'''


def test_the_test_of_a_command_runs_it_again() -> None:
    assert drafted_test(DRAFT) == EXPECTED


def test_the_test_of_an_incident_without_a_command_asserts_what_its_recording_shows() -> None:
    source = drafted_test(msgspec.structs.replace(DRAFT, command=(), executes=()))
    assert '    "tools-called": "pass",\n' in source
    assert f'    "{INCIDENT}": "hard_fail",\n' in source
    assert "def test_inc_1042_recording_shows_the_incident() -> None:" in source
    assert "assert {result.id: result.status for result in results} == STATUSES" in source
    assert not any(word in source for word in ("COMMAND", "EXECUTES", "replay_run", "evaluate("))


def test_the_test_of_a_good_run_without_a_command_evaluates_its_recording() -> None:
    source = drafted_test(msgspec.structs.replace(DRAFT, command=(), executes=(), failures=()))
    assert "    evaluate(contracts(inspect_fixture(FIXTURE).trace))\n" in source
    assert "from stepfork.testing import ExpectChain, Trace, evaluate, expect, inspect_fixture\n" in source
    assert "STATUSES" not in source


def test_where_the_command_ran_is_named_from_the_folder_of_the_store() -> None:
    source = drafted_test(msgspec.structs.replace(DRAFT, cwd="services/shop", depth=3, executes=()))
    assert "ROOT = Path(__file__).parents[3]" in source
    assert 'RUN_DIR = ROOT / "services/shop"\n' in source
    assert "EXECUTES: list[str] = []\n" in source  # an empty list says nothing of its type


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("inc-1042", "inc_1042"),
        ("Refund/De.v2", "refund_de_v2"),
        ("42", "42"),
        ("退款", "退款"),
        ("½", "1_2"),
        ("İx", "i̇x"),
        ("ﬁx", "fix"),
    ],
)
def test_a_name_becomes_a_part_of_an_identifier(name: str, word: str) -> None:
    assert word_of(name) == word
    assert f"test_{word}".isidentifier()


def test_a_name_that_is_very_long_leaves_the_functions_line_whole() -> None:
    source = drafted_test(
        msgspec.structs.replace(DRAFT, name="a" * 200, manifest=f".stepfork/fixtures/{'a' * 200}.json")
    )
    assert max(len(line) for line in source.splitlines() if "fixtures" not in line) <= 88
    (function,) = (node for node in ast.parse(source).body if getattr(node, "name", "").startswith("test_"))
    assert function.name == f"test_{'a' * 34}_new_run_consistent_with_recording"


def test_a_tools_name_cannot_put_code_into_the_module() -> None:
    tool = 'x\nimport os; os.system("touch owned")\r"""\x0c#\u2028\x85'
    contracts = (
        Trajectory((tool,), id=f"tools {tool}"),
        ToolCardinality(tool, tool, 3, id=f"cardinality-{tool}"),
    )
    draft = msgspec.structs.replace(DRAFT, contracts=contracts, executes=(tool,), command=(tool,), failures=(tool,))
    module = ast.parse(drafted_test(draft))
    imports = [node.module for node in ast.walk(module) if isinstance(node, ast.ImportFrom)]
    assert imports == ["pathlib", "stepfork.testing"]
    assert not any(isinstance(node, ast.Import) for node in ast.walk(module))

"""What a capture establishes, what it writes of that, and what it answers with: contracts, causes, tests, documents."""

from __future__ import annotations

import json
import os
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from stepfork.cli.exit_codes import INTERRUPTED
from tests.integration.conftest import Stand

SCHEMA = Draft202012Validator(
    json.loads(resources.files("stepfork").joinpath("schemas/capture.schema.json").read_text())
)
TOOLS = """
def refund(number, order="O-1"):
    return span(number, "execute_tool issue_refund", "execute_tool", gen_ai__tool__name="issue_refund",
                gen_ai__tool__call__arguments=json.dumps({"order_id": order}))
ask("hi")
"""
ONCE = f"{TOOLS}export(span(1), refund(2))"
TWICE = f"{TOOLS}export(span(1), refund(2), refund(3))"
MOST = "cardinality-issue_refund-per-order_id"


def document(stand: Stand, *words: str, code: int = 0, name: str = "case") -> dict[str, Any]:
    """The document of a capture of agent.py, which fits its schema and is in a file, too."""
    options = ["capture", "--name", name, "--json", "--result-file", "result.json", *words]
    said = stand.stepfork(*options, "--", "python", "agent.py", code=code)
    made: dict[str, Any] = json.loads(said.out)
    SCHEMA.validate(made)
    assert json.loads((stand.root / "result.json").read_text()) == made
    return made


def test_a_healthy_run_is_held_to_what_it_did_and_gets_a_test_once(stand: Stand) -> None:
    stand.agent(TWICE)
    made = document(stand)
    assert (made["outcome"], made["verified"], made["expected_failures"], made["causes"]) == ("verified", True, [], [])
    assert [one["status"] for one in made["contracts"]] == ["pass"] * len(made["contracts"])
    kept = stand.store.read("case")
    assert {"kind": "tool_cardinality", "id": MOST, "tool": "issue_refund", "per": "order_id", "at_most": 2} in [
        *kept.contracts
    ]
    assert made["test"] == {"path": "tests/stepfork/test_case.py", "written": True, "executes": ["issue_refund"]}
    test = stand.root / "tests" / "stepfork" / "test_case.py"
    test.write_text("# mine\n")
    first = stand.files()
    again = document(stand)
    assert (again["test"]["written"], test.read_text()) == (False, "# mine\n")
    assert stand.files() == first


def test_a_test_that_was_drafted_of_another_run_is_kept_and_told_of(stand: Stand) -> None:
    stand.capture(ONCE)
    stand.agent(TWICE)
    said = stand.stepfork("capture", "--refresh", "case", "--yes")
    lines = [line.strip() for line in said.err.splitlines()]
    at = lines.index("test          tests/stepfork/test_case.py (there already, left as it is)")
    assert lines[at + 1] == ("it says at most 1, the run did 2: issue_refund per order_id; edit it if the run is right")


def test_an_incident_fails_what_is_to_catch_it_and_is_reproduced(stand: Stand) -> None:
    stand.agent(TWICE)
    made = document(stand, "--expect-fail")
    assert (made["outcome"], made["expect_fail"], made["expected_failures"]) == ("verified", True, [MOST])
    assert stand.manifest()["source"]["flags"] == ["--expect-fail"]
    assert stand.manifest()["verification"]["expected_failures"] == [MOST]
    first = stand.files()
    said = stand.stepfork("capture", "--refresh", "case", "--yes")
    assert "case: incident reproduced, as expected" in said.err
    assert said.line("contracts") == "contracts     1 pass, 1 fails as expected"
    assert said.line("FAIL").startswith(f"FAIL  {MOST}   issue_refund called 2× for order_id=O-1")
    assert stand.files() == first
    assert "incident" in stand.stepfork("ls").out
    assert "steps, incident)" in stand.stepfork("validate", "case").out
    shown = stand.stepfork("show", "case").out
    assert "  options      --expect-fail\n" in shown
    assert f"  FAIL  {MOST}   issue_refund" in shown


def test_an_incident_that_does_not_show_itself_is_written_and_not_verified(stand: Stand) -> None:
    stand.agent(ONCE)
    made = document(stand, "--expect-fail", code=1)
    assert (made["captured"], made["outcome"], made["verified"], made["test"]) == (True, "not_verified", False, None)
    assert "nothing fails as an expected failure must" in made["causes"][0]
    assert made["fixture"] == ".stepfork/fixtures/case.json"
    assert stand.manifest()["verification"]["causes"] == made["causes"]
    assert not (stand.root / "tests").exists()
    assert f"  cause        {made['causes'][0]}\n" in stand.stepfork("show", "case").out
    stand.agent(TWICE)
    assert document(stand, "--expect-fail")["test"]["written"]  # now there is one to draft


def test_a_run_with_nothing_to_draft_from_is_for_replay_only(stand: Stand) -> None:
    said = stand.capture("ask('hi')")
    assert said.err.splitlines()[1].startswith("case: captured: nothing to verify  ")
    assert said.line("contracts") == "contracts     none (no tool call, structured output or cost)"
    assert said.line("test") == "test          replay-only fixture, no test drafted"
    assert document(stand)["outcome"] == stand.manifest()["verification"]["outcome"] == "nothing_to_verify"
    assert not (stand.root / "tests").exists()
    assert "nothing to verify" in stand.stepfork("ls").out
    made = document(stand, "--expect-fail", code=1)
    assert made["outcome"] == "not_verified"


def test_every_cause_is_on_a_line_of_its_own_with_what_to_do(stand: Stand) -> None:
    said = stand.capture("export(span(1)); sys.exit(3)", code=1)
    causes = [line.strip() for line in said.err.splitlines() if line.startswith("  cause ")]
    assert [" ".join(cause.split()[1:5]) for cause in causes] == [
        "no contract was drafted:",
        "the command ended with",
        "no model call was",
    ]
    assert said.err.splitlines()[-1] == "next: do what the causes say, then: stepfork capture --refresh case"


def test_model_steps_without_any_call_are_hinted_at_early(stand: Stand) -> None:
    said = stand.capture("export(span(1), span(2))", code=1)
    lines = said.err.splitlines()
    at = lines.index("  model calls   0   none reached the proxy")
    assert lines[at + 1].strip().startswith("2 model steps have no recorded call: build the model client from")


def test_spans_that_are_required_and_do_not_come_leave_a_draft(stand: Stand) -> None:
    stand.agent("ask('hi'); export(span(1))")
    document(stand, "--require-spans")
    assert stand.manifest()["source"]["flags"] == ["--require-spans"]
    before = stand.files()
    stand.agent("ask('hi')")
    said = stand.stepfork("capture", "--refresh", "case", "--yes", code=1)
    assert "no spans were received, and --require-spans asks for them" in said.line("cause")
    assert stand.files() == before
    stand.agent("ask('hi'); export(span(1, 'GET /', 'http'))")
    said = stand.stepfork("capture", "--refresh", "case", "--yes", code=1)
    assert "none of them is a step, and --require-spans asks for those" in said.line("cause")
    assert stand.files() == before
    made = document(stand, "--require-spans", code=1)
    assert (made["captured"], made["fixture"], made["draft"]) == (False, None, ".stepfork/failed/case.sftrace")
    assert made["outcome"] == "not_verified"


def test_c110_an_interrupted_capture_leaves_a_whole_result_file_and_no_fixture(stand: Stand) -> None:
    stand.agent(
        "import signal, time\nsignal.signal(signal.SIGINT, lambda number, frame: os._exit(130))\n"
        "ask('one'); os.kill(os.getppid(), signal.SIGINT)\nwhile True: time.sleep(0.01)"
    )
    made = document(stand, code=INTERRUPTED)
    assert (made["captured"], made["interrupted"], made["outcome"]) == (False, "SIGINT", "not_verified")
    assert stand.files() == {}
    assert sorted(path.name for path in stand.root.iterdir()) == [".stepfork", "agent.py", "result.json"]


def test_what_refuses_to_run_leaves_no_result_of_another_run(stand: Stand) -> None:
    result, other = stand.root / "result.json", stand.root / "notes.txt"
    words = ("--name", "case", "--result-file", "result.json")
    for refused in (("--", "no-such-command"), ("--format", "svg", "--", "true"), ("--reuse", "--", "true")):
        result.write_text('{"outcome": "verified"}')
        stand.stepfork("capture", *words, *refused, code=2)
        assert not result.exists()
    result.write_text('{"outcome": "replayed"}')
    stand.stepfork("replay", "no-such-fixture", "--result-file", "result.json", "--", "true", code=2)
    assert not result.exists()
    other.write_text("mine")
    stand.stepfork("capture", "--name", "case", "--result-file", "notes.txt", "--", "no-such-command", code=2)
    assert other.read_text() == "mine"


def test_a_result_file_that_cannot_be_written_any_more_hides_nothing_else(stand: Stand) -> None:
    (stand.root / "results").mkdir()
    stand.agent("ask('hi'); os.rmdir('results')")
    words = ["--name", "case", "--result-file", "results/r.json", "--json", "--", "python", "agent.py"]
    said = stand.stepfork("capture", *words, code=2)
    assert "stepfork capture: results/r.json: cannot be written" in said.err
    assert json.loads(said.out)["captured"]
    stand.store.read("case")


def test_annotations_name_the_fixture_and_each_cause(stand: Stand) -> None:
    stand.agent(ONCE)
    words = ["--name", "case", "--expect-fail", "--format", "github", "--", "python", "agent.py"]
    said = stand.stepfork("capture", *words, code=1)
    [line] = said.out.splitlines()
    assert line.startswith("::error file=.stepfork/fixtures/case.json,title=stepfork capture case::every drafted")
    stand.agent(TWICE)
    assert stand.stepfork("capture", *words).out == ""


def test_nothing_is_recorded_in_ci_unless_it_is_asked_for(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    stand.agent("open('ran', 'w'); ask('hi')")
    monkeypatch.setenv("CI", "true")
    secret = "".join(("sk-", "proj-", "4fT0aKq93LmZx81VbN7cQ2wE"))
    words = ["--name", "team/case", "--expect-fail", "--", "python", "agent.py", "--api-key", secret]
    refused = stand.stepfork("capture", *words, code=2)
    assert refused.err == (
        "stepfork capture: .stepfork/fixtures/team/case.json: nothing is recorded in CI without --allow-capture; run "
        "it on your machine and commit what it writes: stepfork capture --name team/case --expect-fail -- python "
        "agent.py --api-key '[redacted]'\n"
    )
    refused = stand.stepfork("capture", "--name", "x", "--output", "x.sftrace", "--", "python", "agent.py", code=2)
    assert refused.err.startswith("stepfork capture: x.sftrace: nothing is recorded in CI")
    assert refused.err.endswith(": stepfork capture --name x --output x.sftrace -- python agent.py\n")
    assert not (stand.root / "ran").exists()
    stand.stepfork("capture", "--allow-capture", "--name", "case", "--", "python", "agent.py")
    refused = stand.stepfork("capture", "--refresh", "case", "--yes", code=2)
    assert "fixtures/case.json: nothing is recorded in CI" in refused.err
    assert refused.err.endswith(": stepfork capture --refresh case\n")
    assert "--refresh --all\n" in stand.stepfork("capture", "--refresh", "--all", "--yes", code=2).err
    stand.stepfork("capture", "--refresh", "case", "--yes", "--allow-capture")
    monkeypatch.setenv("STEPFORK_ALLOW_CAPTURE", "1")
    stand.stepfork("capture", "--refresh", "case", "--yes")


def test_options_of_the_command_are_its_own(stand: Stand) -> None:
    stand.agent("ask(*sys.argv[1:])")
    stand.stepfork("capture", "--name", "case", "python", "agent.py", "--all", "--refresh", "--json")
    assert stand.manifest()["source"]["command"] == ["python", "agent.py", "--all", "--refresh", "--json"]


def test_spans_from_a_file_are_no_live_call(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t"}
    span = {
        "traceId": "01" * 16,
        "spanId": "02" * 8,
        "name": "t",
        "startTimeUnixNano": "1",
        "endTimeUnixNano": "2",
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
    }
    export = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    (stand.root / "spans.json").write_text(json.dumps(export))
    said = stand.stepfork("capture", "--name", "case", "--from", "spans.json")
    assert said.line("model calls") == "model calls   none: made of spans alone"
    assert "(drafted; it runs no tool)" in said.line("test")
    assert "case: consistent with the recording" in said.err


def test_the_one_of_two_captures_that_comes_second_is_told(stand: Stand) -> None:
    """The command captures under the same name itself: a writer that is done before the first one is."""
    other = [sys.executable, "-m", "stepfork", "capture", "--name", "case", "--", "python", "agent.py", "inner"]
    program = (
        f"import subprocess\nask(*sys.argv[1:] or ['outer'])\nif not sys.argv[1:]: subprocess.run({other}, check=True)"
    )
    said = stand.capture(program, code=1)
    assert "another writer changed the fixture meanwhile" in said.line("cause         .stepfork")
    assert stand.manifest()["exchanges"][0]["says"][0] == "user: inner"
    assert "user: outer" in stand.stepfork("show", ".stepfork/failed/case.sftrace").out


@pytest.mark.parametrize(
    ("setting", "path"), [('"checks/agents"', "checks/agents/test_case.py"), ("false", None)], ids=["moved", "none"]
)
def test_a_project_says_where_its_tests_are_drafted(stand: Stand, setting: str, path: str | None) -> None:
    (stand.store.root / "config.toml").write_text(f"[capture]\ntests = {setting}\n")
    stand.agent(ONCE)
    test = document(stand)["test"]
    assert (None if test is None else test["path"]) == path
    assert path is None or (stand.root / path).is_file()
    assert not (stand.root / "tests").exists()


def test_a_folder_of_tests_outside_of_the_project_is_refused_before_anything_runs(stand: Stand) -> None:
    (stand.store.root / "config.toml").write_text('[capture]\ntests = "../elsewhere"\n')
    said = stand.capture("open('ran', 'w')", code=2)
    assert ".stepfork/config.toml: capture.tests names '../elsewhere', which is not below" in said.err
    assert not (stand.root / "ran").exists()


def test_a_test_that_cannot_be_written_costs_no_fixture(stand: Stand) -> None:
    (stand.root / "tests").write_text("")
    said = stand.capture(ONCE)
    assert said.line("test").startswith("test          no test was drafted: tests/stepfork/test_case.py: the test")
    assert "no test was drafted" in document(stand)["notices"][0]
    assert stand.manifest()["verification"]["verified"]


def test_what_is_said_of_contracts_is_free_of_secrets(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "-".join(("order", "for", "ada", "1042"))
    monkeypatch.setenv("SHOP_PASSWORD", secret)
    program = TWICE.replace('"O-1"', 'os.environ["SHOP_PASSWORD"]')
    said = stand.capture(program)
    stand.stepfork("capture", "--name", "case", "--expect-fail", "--", "python", "agent.py")
    assert secret not in said.err
    for path in (path for folder in (".stepfork", "tests") for path in (stand.root / folder).rglob("*")):
        assert path.is_dir() or secret not in path.read_text()
    assert "[redacted]" in json.dumps(stand.manifest()["verification"])
    stand.stepfork("check-redaction")


def test_contracts_that_this_version_does_not_know_are_refused_by_name(stand: Stand) -> None:
    stand.capture(ONCE)
    path = stand.store.manifest_path("case")
    path.write_text(path.read_text().replace('"kind": "tool_cardinality"', '"kind": "tool_latency"'))
    said = stand.stepfork("validate", "case", code=2)
    assert "'tool_latency', unknown to this stepfork" in said.err
    assert said.err.count("\n") == 1


def test_a_result_may_go_to_what_is_no_file(stand: Stand, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    stand.agent("ask('hi')")
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    stand.stepfork("capture", "--name", "case", "--result-file", str(pipe), "--", "python", "agent.py")
    assert json.loads(os.read(reading, 1 << 16))["outcome"] == "nothing_to_verify"
    os.close(reading)


def test_nothing_at_all_is_no_fixture_and_a_draft_that_can_be_read(stand: Stand) -> None:
    stand.git("init", "-q")
    stand.git("add", "-A")
    stand.capture("ask('hi')")
    before = stand.files()
    said = stand.capture("print('hi')", code=1)
    assert "no spans were received" in said.line("cause")
    assert said.err.splitlines()[-1] == "next: stepfork show .stepfork/failed/case.sftrace"
    assert stand.files() == before
    draft = ".stepfork/failed/case.sftrace"
    assert "is the draft of a failed capture" in stand.stepfork("validate", draft, code=2).err
    assert "draft" in stand.stepfork("validate", "--partial", draft).out
    assert "no spans were received" in stand.stepfork("show", draft).out
    assert "failed" not in stand.git("status", "--porcelain", "-uall", ".stepfork")


def test_the_env_file_is_checked_before_the_command_runs(stand: Stand) -> None:
    (stand.root / ".env").mkdir()
    assert "is not a regular file" in stand.capture("open('ran', 'w')", code=2).err
    assert not (stand.root / "ran").exists()


def test_a_secret_of_the_env_file_never_reaches_the_disk(stand: Stand) -> None:
    value = "correct horse " + "battery staple"
    (stand.root / ".env").write_text(f'SHOP_PASSWORD="{value}"\n')
    said = stand.capture("ask('The password is ' + open('.env').read().split('\"')[1])")
    assert "SHOP_PASSWORD" in said.line("redacted")
    assert value in stand.model.asked[0].body.decode()
    for path in stand.store.root.rglob("*"):
        assert path.is_dir() or value not in path.read_text()

"""A project's own names, variables and patterns count wherever a run is written, matched or shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import stepfork
from stepfork.cli.render.failures import contracts_failure
from stepfork.contracts.spec import ContractResult
from stepfork.errors import UsageError
from stepfork.testing import ReplayFailed, replay_run
from tests.integration.stand import Stand
from tests.integration.test_record import ask as ask_here
from tests.integration.test_record import user
from tests.integration.wire import answer_hi

CREW = "blue heron"
TICKET = "ticket-" + "a1b2c3d4"
LICENCE = "only words in it"
RULES = """
[redact]
keys = ["x-crew-code"]
variables = ["ACME_LICENCE"]
[redact.patterns]
acme-ticket = "ticket-[a-z0-9]{8}"
"""
PROGRAM = """
said = os.environ.get("CREW", "blue heron")
ask(f"see {os.environ.get('TICKET', 'ticket-a1b2c3d4')}", json.dumps({"XCrewCode": said, "page": 2}))
export(span(1, tool__licence="only words in it", x_crew_code=said))
"""
SECRETS = (CREW, TICKET, LICENCE)


@pytest.fixture
def ruled(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> Stand:
    (stand.store.root / "config.toml").write_text(RULES)
    monkeypatch.setenv("ACME_LICENCE", LICENCE)
    return stand


def holds(stand: Stand) -> list[str]:
    """Which of the secrets stand in some file of the store, or of the project's tests."""
    files = [path for folder in (".stepfork", "tests") for path in (stand.root / folder).rglob("*") if path.is_file()]
    return [secret for secret in SECRETS for path in files if secret.encode() in path.read_bytes()]


def capture(stand: Stand) -> None:
    said = stand.capture(PROGRAM)
    assert not [secret for secret in SECRETS if secret in said.out + said.err]


def test_a_capture_holds_none_of_them(ruled: Stand) -> None:
    capture(ruled)
    assert holds(ruled) == []
    stored = json.dumps(ruled.document())
    assert '"see [redacted]"' in stored
    assert json.dumps('{"XCrewCode": "[redacted]", "page": 2}') in stored
    ruled.stepfork("check-redaction")


def test_a_replay_hits_with_another_value_at_the_same_place(ruled: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    capture(ruled)
    ruled.stepfork("replay", "case", "--", "python", "agent.py")
    monkeypatch.setenv("TICKET", "ticket-" + "zzzz9999")
    monkeypatch.setenv("CREW", "grey heron")
    ruled.stepfork("replay", "case", "--", "python", "agent.py")
    (ruled.store.root / "config.toml").write_text("")
    ruled.stepfork("replay", "case", "--", "python", "agent.py", code=1)


def test_a_refresh_is_the_same_fixture(ruled: Stand) -> None:
    capture(ruled)
    before = ruled.files()
    ruled.stepfork("capture", "--refresh", "case", "--yes")
    assert ruled.files() == before


def test_a_command_is_shown_and_stored_without_them(ruled: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    (ruled.root / "agent.py").write_text("")
    words = ("python", "agent.py", "--x-crew-code", CREW, f"ACME_LICENCE={LICENCE}", TICKET)
    monkeypatch.setenv("CI", "1")
    said = ruled.stepfork("capture", "--name", "case", "--", *words, code=2)
    assert not [secret for secret in SECRETS if secret in said.err]
    said = ruled.stepfork("replay", "case", "--", *words, code=2)
    assert not [secret for secret in SECRETS if secret in said.err]
    monkeypatch.delenv("CI")
    ruled.agent(PROGRAM)
    ruled.stepfork("capture", "--name", "case", "--", *words)
    command = ruled.document()["source"]["command"]
    assert command[2:] == ["--x-crew-code", "[redacted]", "ACME_LICENCE=[redacted]", "[redacted]"]
    assert holds(ruled) == []


def test_what_a_failed_test_shows_has_none_of_them(ruled: Stand) -> None:
    capture(ruled)
    ruled.agent(PROGRAM.replace('f"see {', f'f"look at {TICKET}, x-crew-code: {CREW}, {{'))
    with pytest.raises(ReplayFailed) as failed:
        replay_run("case", command=("python", "agent.py"), cwd=ruled.root)
    assert "look at" in str(failed.value)
    assert not [secret for secret in SECRETS if secret in str(failed.value)]
    with pytest.raises(UsageError) as refused:
        replay_run("case", command=("python", "agent.py", "--x-crew-code", CREW), cwd=ruled.root)
    assert CREW not in str(refused.value)


def test_what_a_contract_says_of_a_run_has_none_of_them(ruled: Stand) -> None:
    """It speaks of the test's own run, which nobody redacted."""
    failed = ContractResult("refunds", "hard_fail", f"look_up x_crew_code='{CREW}' {TICKET}, not {LICENCE}")
    told = contracts_failure([failed], 1, {"ACME_LICENCE": LICENCE}, ruled.root)
    assert told.endswith("look_up x_crew_code='[redacted]' [redacted], not [redacted]")


def test_a_block_of_this_process(ruled: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACME_LICENCE")
    ruled.model.script = answer_hi
    with stepfork.record("case", emit_test=False):
        monkeypatch.setenv("ACME_LICENCE", LICENCE)  # as a block does that loads its own settings
        ask_here(user(f"{TICKET}, {LICENCE}, x-crew-code: {CREW}"))
    assert holds(ruled) == []
    with stepfork.playback("case"):
        ask_here(user(f"{TICKET}, {LICENCE}, x-crew-code: grey heron"))


def test_spans_of_a_run_that_was(ruled: Stand) -> None:
    arguments = json.dumps({"x_crew_code": CREW, "ticket": TICKET, "licence": LICENCE})
    told = {"operation.name": "execute_tool", "tool.name": "look_up", "tool.call.arguments": arguments}
    attributes = [{"key": f"gen_ai.{key}", "value": {"stringValue": value}} for key, value in told.items()]
    span = {"traceId": "01" * 16, "spanId": "02" * 8, "name": "execute_tool look_up", "attributes": attributes}
    span |= {"startTimeUnixNano": "1", "endTimeUnixNano": "2"}
    Path("spans.json").write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    said = ruled.stepfork("trace", "convert", "spans.json")
    assert said.out.count("[redacted]") == 3
    assert not [secret for secret in SECRETS if secret in said.out]
    ruled.stepfork("capture", "--name", "case", "--from", "spans.json")
    assert holds(ruled) == []


def test_a_fixture_older_than_a_rule_is_shown_without_what_it_names(ruled: Stand) -> None:
    (ruled.store.root / "config.toml").write_text("")
    ruled.capture(PROGRAM)
    assert CREW in ruled.stepfork("show", "case").out
    (ruled.store.root / "config.toml").write_text(RULES)
    assert CREW not in ruled.stepfork("show", "case").out
    ruled.stepfork("check-redaction", code=1)
    ruled.stepfork("replay", "case", "--", "python", "agent.py")
    ruled.agent(PROGRAM.replace("blue heron", "grey heron"))
    diff = ruled.stepfork("capture", "--refresh", "case", "--yes")
    assert CREW not in diff.out + diff.err
    assert TICKET not in diff.out + diff.err


def test_check_redaction_finds_them(ruled: Stand) -> None:
    Path("notes.json").write_text(json.dumps({"a": [TICKET], "headers": {"X-Crew-Code": CREW}, "l": LICENCE}))
    said = ruled.stepfork("check-redaction", "notes.json", code=1)
    assert not [secret for secret in SECRETS if secret in said.out + said.err]
    rows = [line.split(maxsplit=2) for line in said.out.splitlines()[1:-1]]
    assert rows == [
        ["notes.json", "/a/0", "acme-ticket"],
        ["notes.json", "/headers/X-Crew-Code", "named secret"],
        ["notes.json", "/l", "value of ACME_LICENCE"],
    ]

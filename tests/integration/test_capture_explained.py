"""capture --explain and --dry-run: what a capture would change, told without a value, and nothing left behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stepfork.cli.exit_codes import TERMINATED
from tests.integration.conftest import Stand
from tests.integration.test_capture_outcomes import ONCE, SCHEMA, TWICE
from tests.integration.wire import Asked, Line
from tests.unit.redact.samples import OPENAI

TOKEN = "".join(("brass", "-lantern-", "quiet-", "4921"))
PROGRAM = f"ask('Mail ada@example.com.', {TOKEN!r}, 'A key: {OPENAI[:9]}' + {OPENAI[9:]!r})"


def everything(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture(autouse=True)
def _known_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", TOKEN)


def without_values(text: str) -> str:
    assert TOKEN not in text
    assert OPENAI not in text
    assert "ada@example.com" not in text
    return text


def test_what_was_redacted_and_what_was_templated_stands_below_the_summary(stand: Stand) -> None:
    stand.agent(PROGRAM)
    said = stand.stepfork("capture", "--name", "case", "--explain", "--", "python", "agent.py")
    told = without_values(said.err)
    assert "\n2 places redacted\n" in told
    assert "\n  openai-key           exchange 0 request /messages/2/content\n" in told
    assert "\n  value of SHOP_TOKEN  exchange 0 request /messages/1/content\n" in told
    assert "\n2 values templated, in 3 places\n\n  kind   values  places  why\n" in told
    assert "\n  email       1       2  email address\n" in told
    lines = told.splitlines()
    assert lines[-3] == "each placeholder, and where it stands: stepfork show case --placeholders"
    assert lines[-1].startswith("next: ")
    assert "{{email_1}}" in stand.stepfork("show", "case", "--placeholders").out


def test_the_document_holds_the_same_facts(stand: Stand) -> None:
    stand.agent(PROGRAM)
    words = ("--json", "--", "python", "agent.py")
    made: dict[str, Any] = json.loads(stand.stepfork("capture", "--name", "case", "--explain", *words).out)
    SCHEMA.validate(made)
    without_values(json.dumps(made))
    assert made["redactions"] == [
        {"rule": "value of SHOP_TOKEN", "path": "/exchanges/0/request/body/messages/1/content"},
        {"rule": "openai-key", "path": "/exchanges/0/request/body/messages/2/content"},
    ]
    email = {"kind": "email", "values": 1, "places": 2, "reasons": [{"rule": "address", "name": None, "places": 2}]}
    assert email in made["templated"]
    assert {one["kind"]: one["values"] for one in made["templated"]}["step_order"] is None
    plain = json.loads(stand.stepfork("capture", "--name", "case", *words).out)
    SCHEMA.validate(plain)
    assert (plain["redactions"], plain["templated"]) == (made["redactions"], None)


@pytest.mark.parametrize("options", [[], ["--output", "case.sftrace"], ["--explain"]], ids=["store", "bundle", "told"])
def test_a_dry_run_reports_and_leaves_no_file(stand: Stand, options: list[str]) -> None:
    stand.agent(ONCE)
    before = everything(stand.root)
    words = ["capture", "--name", "case", *options]
    said = stand.stepfork(*words, "--dry-run", "--", "python", "agent.py")
    assert said.err.splitlines()[1].startswith("case: consistent with the recording")
    assert said.line("stored") == "stored        nothing (--dry-run)"
    assert said.err.splitlines()[-1] == "next: the same without --dry-run keeps it"
    assert ("templated, in" in said.err) is ("--explain" in options)
    assert "--placeholders" not in said.err
    assert everything(stand.root) == before
    kept = stand.stepfork(*words, "--", "python", "agent.py")
    assert "--dry-run" not in kept.err
    assert everything(stand.root) != before


def test_a_dry_run_leaves_an_older_fixture_and_draft_alone(stand: Stand) -> None:
    stand.capture(ONCE)
    stand.agent("sys.exit(3)")
    stand.stepfork("capture", "--name", "case", "--", "python", "agent.py", code=1)
    stand.agent(TWICE)
    before = everything(stand.root)
    said = stand.stepfork("capture", "--name", "case", "--dry-run", "--json", "--", "python", "agent.py")
    made = json.loads(said.out)
    SCHEMA.validate(made)
    assert (made["outcome"], made["fixture"], made["draft"], made["test"]) == ("verified", None, None, None)
    assert everything(stand.root) == before


@pytest.mark.parametrize(
    ("program", "options", "code", "says"),
    [
        ("sys.exit(3)", [], 1, "not captured"),
        (ONCE, ["--expect-fail"], 1, "not verified"),
        (f"{ONCE}; sys.exit(3)", [], 0, "consistent with the recording"),
        (
            "ask('hi'); import signal; os.kill(os.getppid(), signal.SIGTERM); import time; time.sleep(20)",
            [],
            TERMINATED,
            "",
        ),
    ],
    ids=["no fixture", "no incident", "failed", "terminated"],
)
def test_a_dry_run_ends_with_the_code_of_a_capture_and_keeps_no_draft(
    stand: Stand, program: str, options: list[str], code: int, says: str
) -> None:
    stand.agent(program)
    before = everything(stand.root)
    words = ["--name", "case", "--explain", "--dry-run", *options, "--", "python", "agent.py"]
    said = stand.stepfork("capture", *words, code=code)
    assert says in said.err
    assert everything(stand.root) == before
    assert "stepfork show" not in said.err


def test_spans_alone_can_be_rehearsed(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t", "gen_ai.conversation.id": "thread-7781"}
    span = {
        "traceId": "01" * 16,
        "spanId": "02" * 8,
        "name": "t",
        "startTimeUnixNano": "1",
        "endTimeUnixNano": "2",
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in told.items()],
    }
    path = stand.root / "spans.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    before = everything(stand.root)
    said = stand.stepfork("capture", "--name", "case", "--dry-run", "--explain", "--from", "spans.json")
    assert "  conversation       1       1  conversation of the trace\n" in said.err
    assert everything(stand.root) == before
    monkeypatch.setenv("CI", "1")
    stand.agent("ask('hi')")
    refused = stand.stepfork("capture", "--name", "case", "--dry-run", "--", "python", "agent.py", code=2)
    assert "nothing is recorded in CI" in refused.err


def test_a_refresh_explains_itself_too(stand: Stand) -> None:
    stand.capture(PROGRAM)
    before = everything(stand.root)
    said = stand.stepfork("capture", "--refresh", "case", "--yes", "--dry-run", "--explain")
    told = without_values(said.err)
    assert told.index("  value of SHOP_TOKEN  exchange 0") < told.index("case: no semantic change")
    assert "--placeholders" not in told
    assert everything(stand.root) == before
    stand.stepfork("capture", "--name", "other", "--", "python", "agent.py")
    said = stand.stepfork("capture", "--refresh", "--all", "--yes", "--explain", "--json")
    made = json.loads(said.out)
    SCHEMA.validate(made)
    assert all(one["result"]["templated"] and len(one["result"]["redactions"]) == 2 for one in made["refreshed"])
    assert "stepfork show case --placeholders" in said.err
    assert "stepfork show other --placeholders" in said.err


def test_a_draft_is_shown_where_it_lies(stand: Stand) -> None:
    stand.agent(f"import contextlib, http.client\nwith contextlib.suppress(http.client.IncompleteRead): {PROGRAM}")

    def breaks_off(asked: Asked, line: Line) -> None:
        line.head("Content-Length: 100", "Content-Type: application/json")
        line.send(b'{"id"')
        line.reset()

    stand.model.script = breaks_off
    said = stand.stepfork("capture", "--name", "case", "--explain", "--", "python", "agent.py", code=1)
    without_values(said.err)
    assert "stepfork show .stepfork/failed/case.sftrace --placeholders" in said.err
    assert "{{email_1}}" in stand.stepfork("show", ".stepfork/failed/case.sftrace", "--placeholders").out


def test_events_of_a_stream_are_named_by_their_number(stand: Stand) -> None:
    pieces = [TOKEN[:7], TOKEN[7:]]
    chunks = [{"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in ("", *pieces)]
    chunks.append({"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    events = [f"data: {chunk}\n\n".encode() for chunk in (*map(json.dumps, chunks), "[DONE]")]
    stand.agent("ask('hi', stream=True)")
    stand.model.script = lambda asked, line: line.stream(*events)
    said = stand.stepfork("capture", "--name", "case", "--explain", "--", "python", "agent.py")
    assert "  value of SHOP_TOKEN  exchange 0 response (event 1)\n" in without_values(said.err)

"""A fixture of the spans of a run that was, from as many files as it was exported to, in whatever form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stepfork.contracts.json_form import contracts_from_json
from tests.integration.stand import Stand
from tests.unit.otlp.export_samples import json_export, json_span, protobuf

TRACE = "5b8efff798038103d269b633813fc60c"


def span(number: int, operation: str, **attributes: str) -> dict[str, Any]:
    """A span in the terms of `protobuf` of the samples."""
    return {
        "trace_id": bytes.fromhex(TRACE),
        "span_id": number.to_bytes(8, "big"),
        "name": operation,
        "start": 1_700_000_000_000_000_000 + number,
        "end": 1_700_000_000_000_000_100 + number,
        "attributes": {"gen_ai.operation.name": operation, **attributes},
    }


def in_json(given: dict[str, Any]) -> dict[str, Any]:
    return json_span(
        spanId=given["span_id"].hex(),
        name=given["name"],
        startTimeUnixNano=str(given["start"]),
        endTimeUnixNano=str(given["end"]),
        attributes=[{"key": key, "value": {"stringValue": value}} for key, value in given["attributes"].items()],
    )


def tool(number: int, name: str) -> dict[str, Any]:
    told = {"name": name, "call.id": f"call_{number}", "call.arguments": '{"order_id": "O-1042"}', "call.result": "{}"}
    return span(number, "execute_tool", **{f"gen_ai.tool.{key}": value for key, value in told.items()})


RUN = [span(1, "chat", **{"gen_ai.request.model": "test-model"}), tool(2, "lookup"), tool(3, "refund"), tool(4, "mail")]


@pytest.fixture
def exported(stand: Stand) -> Stand:
    """A stand with the run in one file, and in three of three forms."""
    whole = json_export(*map(in_json, RUN))
    (stand.root / "whole.json").write_bytes(whole)
    (stand.root / "first.json").write_bytes(json.dumps(json.loads(json_export(in_json(RUN[0]))), indent=2).encode())
    lines = [json_export(in_json(given)) for given in RUN[1:3]]
    (stand.root / "middle.jsonl").write_bytes(b"\n".join(lines))
    (stand.root / "last.pb").write_bytes(protobuf(RUN[3]))
    return stand


def test_several_files_are_one_run_in_any_order(exported: Stand) -> None:
    exported.stepfork("capture", "--name", "case", "--from", "whole.json")
    stored = exported.files()
    for files in (["first.json", "middle.jsonl", "last.pb"], ["last.pb", "first.json", "middle.jsonl"]):
        given = [word for file in files for word in ("--from", file)]
        exported.stepfork("capture", "--name", "case", *given)
        assert exported.files() == stored, files


def test_such_a_fixture_has_contracts_and_a_test_and_cannot_be_replayed_or_refreshed(exported: Stand) -> None:
    said = exported.stepfork("capture", "--name", "case", "--from", "first.json", "--from", "whole.json")
    assert "case: consistent with the recording" in said.err
    fixture = exported.store.read("case")
    source = fixture.run.source
    assert (source.kind, source.replay_capable, source.command) == ("otlp_file", False, ())
    assert [contract.id for contract in contracts_from_json(fixture.contracts)] == [
        "tools-called",
        "order-lookup-before-refund",
        "order-refund-before-mail",
        "cardinality-lookup-per-order_id",
        "cardinality-refund-per-order_id",
        "cardinality-mail-per-order_id",
    ]
    drafted = (exported.root / "tests" / "stepfork" / "test_case.py").read_text()
    assert "inspect_fixture(FIXTURE)" in drafted
    assert "COMMAND" not in drafted
    assert "has no command" in exported.stepfork("capture", "--refresh", "case", "--yes", code=2).err
    replay = exported.stepfork("replay", "case", "--", "python", "agent.py", code=2)
    assert "holds no model calls to answer from" in replay.err


def test_the_file_that_is_at_fault_is_named(exported: Stand) -> None:
    (exported.root / "bad.jsonl").write_bytes(json_export(in_json(RUN[0])) + b'\n{"resourceSpans": 1}\n')
    said = exported.stepfork("capture", "--name", "case", "--from", "whole.json", "--from", "bad.jsonl", code=2)
    assert "bad.jsonl:2: " in said.err
    assert exported.files() == {}

"""trace check and trace convert: files of spans, converted traces, fixtures and bundles, and what is none of these."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from stepfork.cli.main import main
from stepfork.contracts.draft import draft
from stepfork.contracts.json_form import contract_to_json, verification_to_json
from stepfork.contracts.verify import verify
from stepfork.store.bundle import write_bundle
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.store.trace_told import STEP_MEMBERS, TRACE_MEMBERS
from stepfork.trace.finding import TraceFinding
from stepfork.trace.fixture import Fixture
from tests.unit.contracts.sample_traces import refund_trace, run_of
from tests.unit.otlp.export_samples import json_export, json_span, protobuf

CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4.1"}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup_order"}


@pytest.fixture(autouse=True)
def _folder(project: Path) -> None:
    (project / "spans.json").write_bytes(exported(1, TOOL))


def exported(number: int, attributes: dict[str, Any], **more: Any) -> bytes:
    listed = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return json_export(json_span(spanId=f"{number:016x}", name="span", attributes=listed, **more))


def run(capfd: pytest.CaptureFixture[str], code: int, *words: str) -> tuple[str, str]:
    capfd.readouterr()
    assert main(["trace", *words]) == code, capfd.readouterr()
    said = capfd.readouterr()
    return said.out, said.err


def checked(capfd: pytest.CaptureFixture[str], code: int, *words: str) -> Any:
    document = json.loads(run(capfd, code, "check", "--json", *words)[0])
    Draft202012Validator(schema("trace-check")).validate(document)
    assert document["clean"] is (code == 0)
    return document["checked"]


def schema(name: str) -> Any:
    return json.loads(resources.files("stepfork").joinpath(f"schemas/{name}.schema.json").read_text("utf-8"))


def stored(folder: Path, *, findings: tuple[TraceFinding, ...] = (), refunds: int = 1) -> Path:
    """A bundle of a captured run."""
    made = run_of(refund_trace(refunds))
    made = msgspec.structs.replace(made, trace=msgspec.structs.replace(made.trace, origin="exchanges"))
    contracts = draft(made, expect_fail=False)
    verification = verify(made, contracts, findings, expect_fail=False)
    fixture = Fixture("refund", made, tuple(map(contract_to_json, contracts)), verification_to_json(verification))
    return write_bundle(folder / "refund.sftrace", fixture).path


def test_clean_spans(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, 0, "check", "spans.json") == ("spans.json: trace check OK (1 step)\n", "")


def test_the_three_forms_of_one_run_are_one_run(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "two.jsonl").write_bytes(exported(2, TOOL).replace(b"\n", b" ") + b"\n" + exported(3, CHAT))
    (project / "three.pb").write_bytes(protobuf({"attributes": CHAT, "span_id": bytes(7) + b"\x09"}))
    [one] = checked(capfd, 0, "spans.json", "two.jsonl", "three.pb")
    assert (one["names"], one["kind"], one["steps"]) == (["spans.json", "two.jsonl", "three.pb"], "spans", 4)
    out, _ = run(capfd, 0, "check", "spans.json", "two.jsonl", "three.pb")
    assert out == "spans.json and 2 more: trace check OK (4 steps)\n"


def test_protobuf_that_begins_as_json_does(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    data = next(
        made
        for length in range(90)
        if (made := protobuf({"attributes": {"gen_ai.operation.name": "chat"}, "name": "x" * length}, scope=""))[:2]
        == b"\n{"
    )
    (project / "one.pb").write_bytes(data)
    assert run(capfd, 0, "check", "one.pb")[0] == "one.pb: trace check OK (1 step)\n"


def test_an_export_of_no_spans_has_no_steps(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "none.json").write_bytes(b'{"resourceSpans": []}')
    assert [f["code"] for f in checked(capfd, 1, "none.json")[0]["findings"]] == ["no_steps"]


def test_spans_that_are_no_steps_fail_with_their_codes(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "http.json").write_bytes(exported(1, {"http.method": "POST"}))
    out, err = run(capfd, 1, "check", "http.json")
    assert (out.splitlines()[0], err) == ("http.json: trace check failed (0 steps)", "")
    assert [line.split()[:2] for line in out.splitlines()[1:]] == [["note", "no_genai_spans"], ["fails", "no_steps"]]
    [one] = checked(capfd, 1, "http.json")
    assert [(finding["code"], finding["fails"]) for finding in one["findings"]] == [
        ("no_genai_spans", False),
        ("no_steps", True),
    ]


def test_a_tool_that_failed_is_a_note(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "spans.json").write_bytes(exported(1, {**TOOL, "error.type": "KeyError"}))
    out, _ = run(capfd, 0, "check", "spans.json")
    told = "step 0: lookup_order failed with KeyError; an error is part of what happened"
    assert out.splitlines()[1] == f"  note   {'error_status'.ljust(23)}  {told}"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"not an export", "spans.json: is no trace export; name a file of OTLP/JSON"),
        (b'{"resourceSpans": [', "is not an ExportTraceServiceRequest in JSON"),
        (b'{"spans": []}', "spans.json: is JSON without resourceSpans, no trace export"),
        (b'\n{"spans": []}', "spans.json: is no trace export; name a file of OTLP/JSON"),
        (b" \n", "spans.json: is empty; name a file with a trace export"),
        (exported(1, TOOL).replace(b"5b8efff798038103d269b633813fc60c", b"W47/95gDgQPSabYzgT/GDA=="), "traceId"),
        (b'{"trace_version": 2, "origin": "spans", "steps": []}', "spans.json: a trace is of a version"),
        (b'{"trace_version": 1, "origin": "spans"}', "spans.json: a trace has a member"),
    ],
)
def test_what_cannot_be_read_is_exit_2_and_the_rest_is_checked(
    project: Path, capfd: pytest.CaptureFixture[str], data: bytes, said: str
) -> None:
    bundle = stored(project)
    (project / "spans.json").write_bytes(data)
    out, err = run(capfd, 2, "check", "spans.json", bundle.name)
    assert out == "refund.sftrace: trace check OK (7 steps, 1 exchange)\n"
    assert err.startswith("stepfork trace check: spans.json")
    assert said in err
    assert err.count("\n") == 1
    assert checked(capfd, 2, "spans.json", bundle.name)[0]["problem"] == err.removeprefix("stepfork trace check: ")[:-1]


def test_words_that_name_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    for word in ("nope", "nope.json", "../nope.pb"):
        said = f"stepfork trace check: '{word}' is no file, fixture, bundle or REV:name; name one of these\n"
        assert run(capfd, 2, "check", word) == ("", said)


def test_a_fixture_is_what_it_is_now_and_what_its_capture_found(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bundle = stored(project, findings=(TraceFinding("span_conflict", "two spans"),))
    [one] = checked(capfd, 1, bundle.name)
    assert [finding["code"] for finding in one["findings"]] == ["span_conflict"]
    assert one["warnings"] == [
        "not verified: trace check failed: span_conflict: two spans; give each span an id of its own"
    ]


def test_a_fixture_that_is_not_verified_is_a_warning(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    init_store(project)
    store = Store(project / ".stepfork")
    made = run_of(refund_trace(1))
    made = msgspec.structs.replace(made, trace=msgspec.structs.replace(made.trace, origin="exchanges"))
    drafted = draft(made, expect_fail=True)
    failed = verify(made, drafted, (), expect_fail=True)
    contracts = tuple(map(contract_to_json, drafted))
    store.write(Fixture("group/refund", made, contracts, verification_to_json(failed)))
    store.write(Fixture("bare", made))
    assert run(capfd, 0, "check", "group/refund", "bare")[0].splitlines() == [
        "group/refund: trace check OK (7 steps, 1 exchange)",
        f"  warning  not verified: {failed.causes[0]}",
        "bare: trace check OK (7 steps, 1 exchange)",
        "  warning  its contracts were never evaluated; capture it again",
    ]
    assert run(capfd, 0, "check", ".stepfork/fixtures/bare.json")[0].startswith(".stepfork/fixtures/bare.json: ")
    (project / "bare").write_bytes(exported(1, TOOL))  # a file wins over a fixture, as everywhere
    assert run(capfd, 0, "check", "bare")[0] == "bare: trace check OK (1 step)\n"


def test_a_fixture_whose_contracts_were_edited_is_not_what_it_says(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    init_store(project)
    made = run_of(refund_trace(2))
    made = msgspec.structs.replace(made, trace=msgspec.structs.replace(made.trace, origin="exchanges"))
    contracts = draft(made, expect_fail=False)
    verdict = verification_to_json(verify(made, contracts, (), expect_fail=False))
    once = draft(made, expect_fail=True)
    for name, held in (("as-captured", contracts), ("edited", once)):
        Store(project / ".stepfork").write(Fixture(name, made, tuple(map(contract_to_json, held)), verdict))
    assert checked(capfd, 0, "as-captured")[0]["findings"] == []
    [one] = checked(capfd, 1, "edited")
    assert [(found["code"], found["fails"]) for found in one["findings"]] == [("verdict_differs", True)]
    capfd.readouterr()
    assert main(["validate", "as-captured", "edited"]) == 1
    assert "edited.json: contracts come out otherwise than the manifest says: cardinality-" in capfd.readouterr().out


@pytest.mark.parametrize("part", ["contracts", "verification"])
def test_a_fixture_must_decode(project: Path, capfd: pytest.CaptureFixture[str], part: str) -> None:
    init_store(project)
    store = Store(project / ".stepfork")
    fields: dict[str, Any] = {"contracts": ({"kind": "sentiment"},)} if part == "contracts" else {"verification": {}}
    store.write(Fixture("odd", run_of(refund_trace(1)), **fields))
    out, err = run(capfd, 2, "check", "odd")
    assert out == ""
    assert err.startswith("stepfork trace check: odd: ")


def test_a_trace_that_was_edited_is_unsound(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(capfd, 0, "convert", "spans.json", "-o", "trace.json")
    trace = json.loads((project / "trace.json").read_text())
    trace["steps"][0] |= {"parent": 5, "exchange": 3, "end": 0}
    (project / "trace.json").write_text(json.dumps(trace))
    [one] = checked(capfd, 1, "trace.json")
    assert (one["kind"], [finding["code"] for finding in one["findings"]]) == ("trace", ["bad_step"] * 3)


def test_convert_writes_what_a_fixture_would_hold(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    clock = "2023-11-14T22:13:21Z"  # when the samples' spans were made, whenever they are looked at
    arguments = {"order_id": "O-1", "email": "ann@example.com", "read_at": clock, "due": "2024-01-01T00:00:00Z"}
    told = {**TOOL, "gen_ai.tool.call.arguments": json.dumps(arguments)}
    (project / "spans.json").write_bytes(exported(1, told))
    out, err = run(capfd, 0, "convert", "spans.json")
    document = json.loads(out)
    Draft202012Validator(schema("trace")).validate(document)
    placed = {"email": "{{email_1}}", "order_id": "O-1", "read_at": "{{timestamp_1}}", "due": "2024-01-01T00:00:00Z"}
    assert (err, document["steps"][0]["arguments"]) == ("", placed)
    assert run(capfd, 0, "convert", "spans.json", "--output", "trace.json") == ("trace.json\n", "")
    assert (project / "trace.json").read_text() == out
    init_store(project)
    main(["capture", "--name", "same", "--from", "spans.json", "--output", "same.sftrace"])
    capfd.readouterr()
    main(["show", "same.sftrace", "--json"])
    assert json.loads(capfd.readouterr().out)["trace"] == {k: v for k, v in document.items() if k != "trace_version"}


def test_convert_is_blind_to_ids_and_clocks(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    later = {"startTimeUnixNano": "1790000000000000001", "endTimeUnixNano": "1790000001000000000"}
    (project / "later.json").write_bytes(exported(77, TOOL, traceId="ab" * 16, **later))
    assert run(capfd, 0, "convert", "spans.json") == run(capfd, 0, "convert", "later.json")


def test_convert_writes_no_secret(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "-".join(["plain", "words", "only", "these"])
    monkeypatch.setenv("SHOP_TOKEN", secret)
    (project / "spans.json").write_bytes(exported(1, {**TOOL, "gen_ai.tool.call.result": f"token {secret}"}))
    out, _ = run(capfd, 0, "convert", "spans.json")
    assert secret not in out
    assert "[redacted]" in out


def test_convert_refuses_on_one_line(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["nope.json"], "nope.json: cannot be read"),
        (["spans.json", "-o", "no/such/folder.json"], "no/such/folder.json: cannot be written"),
        ([], "Missing argument"),
    ):
        out, err = run(capfd, 2, "convert", *words)
        assert out == ""
        assert said in err
        assert err.startswith("stepfork trace convert: ")
        assert err.count("\n") == 1


def test_a_group_of_commands_says_what_it_has(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, 2)[1] == "stepfork trace: Missing command; see stepfork trace --help\n"
    assert run(capfd, 2, "bogus")[1] == "stepfork trace bogus: No such command 'bogus'; see stepfork trace --help\n"


def test_the_schema_of_a_trace_is_that_of_the_trace_in_a_fixture() -> None:
    """A document of a trace has more: its version in any case, and a form of its own for instrumented steps."""
    trace, show = schema("trace"), schema("show")
    inside = show["$defs"]["trace"]["properties"]
    _take(trace["properties"], "trace_version", *TRACE_MEMBERS)
    _take(inside, "trace_version")
    _take(trace["$defs"]["step"]["properties"], *STEP_MEMBERS)
    assert trace["properties"] == inside
    assert all(show["$defs"][name] == part for name, part in trace["$defs"].items())


def _take(members: dict[str, Any], *names: str) -> None:
    for name in names:
        del members[name]

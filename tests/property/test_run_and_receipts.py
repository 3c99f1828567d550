"""Verdicts of whatever pytest tells, and receipts that anybody may have edited: no false pass, no traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.errors import StepforkError
from stepfork.workflows.receipt import (
    Hashed,
    HashedEntrypoint,
    Receipt,
    Versions,
    digest_of,
    read_receipt,
    receipt_bytes,
)
from stepfork.workflows.run_results import Collecting, Raised, Report, Results, read_results
from stepfork.workflows.run_verdict import REASONS, Counts, judge

FEW = settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
CLASSES = st.sampled_from([(), ("EntrypointError", "StepforkError"), ("NotFoundError", "StoreError", "StepforkError")])
RAISED = st.none() | st.builds(
    Raised, st.sampled_from(["", "", "", "AssertionError", "Skipped", "X"]), st.booleans(), CLASSES
)
REPORTS = st.builds(
    Report,
    test=st.sampled_from(["a", "b"]),
    when=st.sampled_from(["setup", "call", "teardown"]),
    outcome=st.sampled_from(["passed", "passed", "passed", "failed", "skipped", "rerun"]),
    xfail=st.sampled_from([False, False, False, True]),
    raised=RAISED,
)
GOOD = [Report("a", when, "passed", xfail=False, raised=Raised()) for when in ("setup", "call", "teardown")]
COLLECTING = st.builds(Collecting, st.sampled_from(["failed", "skipped"]), st.text())
RESULTS = st.builds(
    Results,
    exit_status=st.sampled_from([0, 0, 0, 1, 2, 5]),
    collected=st.sampled_from([(), ("a",), ("a", "b")]),
    deselected=st.sampled_from([0, 0, 1]),
    collecting=st.lists(st.builds(Collecting, st.sampled_from(["failed", "skipped"]), st.text()), max_size=1).map(
        tuple
    ),
    reports=(st.lists(REPORTS, max_size=4).map(lambda more: (*GOOD, *more)) | st.lists(REPORTS, max_size=5)).map(tuple),
)


@settings(max_examples=1500)
@given(RESULTS, st.sampled_from([0, 0, 0, 1, 137]))
def test_passed_is_only_what_ran_whole(results: Results, exit_status: int) -> None:
    verdict = judge(results, exit_status)
    if verdict.verdict == "passed":
        assert exit_status == results.exit_status == 0
        assert verdict.reason is None
        assert not results.deselected
        assert not results.collecting or all(one.outcome != "failed" for one in results.collecting)
        named = {*results.collected, *(report.test for report in results.reports)}
        assert named
        assert all(report.outcome == "passed" and report.raised == Raised() for report in results.reports)
        assert not any(report.xfail for report in results.reports)
        for name in named:
            phases = {report.when for report in results.reports if report.test == name}
            assert phases == {"setup", "call", "teardown"}
    else:
        assert verdict.reason in REASONS
        assert (verdict.verdict == "failed") == (verdict.reason == "test_failed")
    if verdict.verdict == "failed":
        assert any(
            report.when == "call" and report.raised is not None and report.raised.type and report.raised.difference
            for report in results.reports
        )


def test_what_is_whole_passes() -> None:
    whole = Results(0, ("a",), 0, (), tuple(GOOD))
    assert judge(whole, 0).verdict == "passed"
    assert judge(whole, 1).verdict == judge(None, 0).verdict == "could_not_execute"


@FEW
@given(data=st.binary(max_size=60) | st.integers(0, 400))
def test_a_file_of_results_that_is_not_whole_tells_nothing(data: bytes | int, tmp_path: Path) -> None:
    whole = msgspec.json.encode(Results(0, ("a",), 0, (), tuple(GOOD)))
    path = tmp_path / "results.json"
    path.write_bytes(whole[: min(data, len(whole) - 1)] if isinstance(data, int) else data)
    assert read_results(path) is None


RECEIPT = Receipt(
    receipt_version=1,
    verdict="failed",
    reason="test_failed",
    detail=None,
    exit_status=1,
    test=Hashed("test_a.py", "0" * 64),
    bundle=Hashed("a.sftrace", "1" * 64),
    entrypoint=HashedEntrypoint("m:f", "m.py", "2" * 64),
    git=None,
    versions=Versions("1", "3", "9", "linux"),
    counts=Counts(collected=1, failed=1),
    command=("stepfork", "run", "test_a.py"),
    started_at="2025-01-01T00:00:00Z",
    duration_seconds=0.5,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(found for key, inner in members for found in places(inner, (*at, key)))]


SMALL = st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4) | st.just([])
PLACES = [place for place in places(json.loads(receipt_bytes(RECEIPT))) if place]


@FEW
@given(
    place=st.sampled_from(PLACES),
    value=st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4) | st.just([]),
)
def test_an_edited_receipt_is_seen(place: tuple[Any, ...], value: Any, tmp_path: Path) -> None:
    document = json.loads(receipt_bytes(RECEIPT))
    above = document
    for step in place[:-1]:
        above = above[step]
    changed = dumps(above[place[-1]]) != dumps(value)
    above[place[-1]] = value
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps(document))
    told = None
    try:
        assert read_receipt(path)[1] is not changed
    except StepforkError as error:
        told = error
    assert told is None or (changed and told.exit_code == 2 and "\n" not in str(told))


@FEW
@given(data=st.binary(max_size=80), cut=st.integers(0, 900))
def test_any_bytes_as_a_receipt_are_refused_in_one_line(data: bytes, cut: int, tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    for content in (data, receipt_bytes(RECEIPT)[:cut], receipt_bytes(RECEIPT)[:cut] + data):
        path.write_bytes(content)
        told = None
        try:
            read_receipt(path)
        except StepforkError as error:
            told = error
        assert told is not None
        assert told.exit_code == 2
        assert "\n" not in str(told)


def test_a_receipt_comes_back_and_its_form_is_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    path.write_bytes(receipt_bytes(RECEIPT))
    read, holds = read_receipt(path)
    assert holds
    assert msgspec.structs.replace(read, digest="") == RECEIPT
    document = json.loads(path.read_bytes())
    path.write_text(json.dumps(document, indent=7))
    assert read_receipt(path)[1]
    document["digest"] = digest_of({**document, "verdict": "passed"})
    path.write_text(json.dumps(document))
    assert not read_receipt(path)[1]

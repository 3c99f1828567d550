"""The outcome model, all of it: each combination of what speaks for and against a run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import msgspec
import pytest
from msgspec.structs import replace

from stepfork.contracts.draft import draft
from stepfork.contracts.spec import Contract, ToolCardinality, Trajectory
from stepfork.contracts.verification import Verification
from stepfork.contracts.verify import recheck, verify
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.finding import CODES, TraceFinding
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import StepError, Trace
from tests.unit.contracts.sample_traces import ASKED, refund_trace, run_of, trace_of

PASSES, FAILS = Trajectory(("lookup_order",), id="p"), ToolCardinality("issue_refund", "order_id", 1, "f")
FAULT, NOTE = TraceFinding("span_conflict", "two spans"), TraceFinding("error_status", "t failed", 3)
DRAFTED = {"nothing": (), "passing": (PASSES,), "failing": (PASSES, FAILS)}


@pytest.mark.parametrize(
    ("drafted", "expect_fail", "fault", "exit_code", "asked"),
    list(product(DRAFTED, (False, True), (False, True), (0, 3), (True, False))),
)
def test_the_whole_table(drafted: str, expect_fail: bool, fault: bool, exit_code: int, asked: bool) -> None:
    contracts: tuple[Contract, ...] = DRAFTED[drafted]
    run = run_of(refund_trace(2), exit_code=exit_code, exchanges=(ASKED,) if asked else ())
    got = verify(run, contracts, (FAULT,) if fault else (), expect_fail=expect_fail)
    wanted = {
        ("nothing", False): "nothing_to_verify" if exit_code == 0 and asked else "not_verified",
        ("nothing", True): "not_verified",
        ("passing", False): "verified",
        ("passing", True): "not_verified",
        ("failing", False): "not_verified",
        ("failing", True): "verified",
    }[drafted, expect_fail]
    assert got.outcome == ("not_verified" if fault else wanted)
    assert got.verified is (got.outcome == "verified")
    assert got.expected_failures == (("f",) if expect_fail and drafted == "failing" else ())
    assert [result.id for result in got.contracts] == [contract.id for contract in contracts]
    if got.outcome != "not_verified":
        assert got.causes == ()
        return
    told = "; ".join(got.causes)
    assert ("trace check failed: span_conflict" in told) is fault
    assert ("exit code 3" in told) is (exit_code == 3)
    assert ("no model call was recorded" in told) is not asked
    assert ("no contract was drafted" in told) is (drafted == "nothing")
    assert ("contract f fails: issue_refund called 2×" in told) is (drafted == "failing" and not expect_fail)
    assert ("every drafted contract passes" in told) is (drafted == "passing" and expect_fail)


def test_the_walkthrough() -> None:
    run = run_of(refund_trace(2))
    incident = verify(run, draft(run, expect_fail=True), (), expect_fail=True)
    assert (incident.outcome, incident.expected_failures) == ("verified", ("cardinality-issue_refund-per-order_id",))
    assert verify(run, draft(run, expect_fail=False), (), expect_fail=False).verified
    fixed = run_of(refund_trace(1))
    assert verify(fixed, draft(run, expect_fail=True), (), expect_fail=False).verified


@pytest.mark.parametrize("expect_fail", [False, True])
def test_a_trace_without_steps_verifies_nothing(expect_fail: bool) -> None:
    run = run_of(Trace("spans", (), output={"ok": True}, cost_usd=1.0))
    got = verify(run, draft(run, expect_fail=expect_fail), (), expect_fail=expect_fail)
    assert got.outcome == "not_verified"
    assert "would hold of nothing" in got.causes[0]
    told = verify(run, (), (TraceFinding("no_steps", "none was mapped"),), expect_fail=False)
    assert [cause.partition(";")[0] for cause in told.causes] == [
        "no contract was drafted: the run has no tool call, structured output or cost",
        "trace check failed: no_steps: none was mapped",
    ]


def test_notes_fail_nothing_from_which_contracts_were_drafted() -> None:
    run = run_of(refund_trace(1))
    notes = tuple(TraceFinding(code, "x") for code, about in CODES.items() if not about.fails)
    got = verify(run, (PASSES,), (*notes, NOTE), expect_fail=False)
    assert (got.outcome, got.trace_check) == ("verified", (*notes, NOTE))


def test_each_code_that_fails_is_a_cause_with_what_to_do() -> None:
    run = run_of(refund_trace(1))
    findings = [TraceFinding(code, f"{number} {code}") for code in CODES for number in range(3)]
    got = verify(run, (PASSES,), findings, expect_fail=False)
    assert got.causes == tuple(
        f"trace check failed: {code}: 0 {code} (and 2 more); {about.advice}"
        for code, about in CODES.items()
        if about.fails
    )
    assert TraceFinding("from the future", "x").fails


def test_an_error_keeps_a_run_with_nothing_to_verify_from_being_called_healthy() -> None:
    run = run_of(trace_of())
    assert verify(run, (), (), expect_fail=False).outcome == "nothing_to_verify"
    assert verify(run, (), (NOTE,), expect_fail=False).causes[1:] == ("step 3: t failed",)
    failed = run_of(msgspec.structs.replace(run.trace, status="error", error=StepError("RateLimitError")))
    ended = TraceFinding("error_status", "the run ended with an error")
    assert verify(failed, (), (ended,), expect_fail=False).causes[1:] == (
        "the run ended with an error (RateLimitError)",
    )
    assert verify(failed, (Trajectory((), "exact"),), (ended,), expect_fail=False).verified


def test_a_file_of_spans_is_not_asked_for_model_calls_and_a_probe_is_none() -> None:
    run = Run(Source("otlp_file", replay_capable=False), trace_of())
    assert verify(run, (), (), expect_fail=False).outcome == "nothing_to_verify"
    probe = Exchange("anthropic", "other", Request("HEAD", "/"), Response(200))
    for exchanges, outcome in (((probe,), "not_verified"), ((probe, ASKED), "nothing_to_verify")):
        assert verify(run_of(trace_of(), exchanges=exchanges), (), (), expect_fail=False).outcome == outcome
    gateway = msgspec.structs.replace(probe, provider="house", api="opaque")
    assert verify(run_of(trace_of(), exchanges=(gateway,)), (), (), expect_fail=False).outcome == "nothing_to_verify"


def test_a_verdict_that_was_edited_is_found() -> None:
    """Contracts added, weakened or taken away, an outcome or a status that somebody wrote: none was ever evaluated."""
    run, found = run_of(refund_trace(2)), ()
    contracts = draft(run, expect_fail=True)
    incident, bad = (verify(run, contracts, found, expect_fail=expect) for expect in (True, False))
    refund = "cardinality-issue_refund-per-order_id"

    def said(contracts: Sequence[Contract], stored: Verification) -> str:
        differing = recheck(run, contracts, found, stored)
        return "" if differing is None else differing.text

    assert said(contracts, incident) == said(contracts, bad) == said((), verify(run, (), (), expect_fail=False)) == ""
    weak = [replace(one, at_most=2) if isinstance(one, ToolCardinality) else one for one in contracts]
    assert said(weak, incident).endswith(f": {refund}")
    assert said([*contracts, Trajectory(("nobody",), id="more")], incident).endswith(": more")
    assert said(contracts[1:], incident).endswith(": tools-called")
    green = tuple(replace(one, status="pass") for one in bad.contracts)
    assert said(contracts, replace(bad, outcome="verified", verified=True, contracts=green)).endswith(f": {refund}")
    assert said(contracts, replace(bad, outcome="verified", verified=True)) == (
        "the manifest says verified, and the run is not verified"
    )
    assert said(contracts, replace(incident, expected_failures=())).endswith(f": {refund}")
    assert said((), replace(incident, contracts=(), expected_failures=())) == (
        "the manifest says verified, and the run is not verified"
    )

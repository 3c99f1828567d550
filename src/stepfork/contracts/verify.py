"""What a capture establishes about its run: whether it is consistent with its own recording."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from stepfork.contracts.evaluate import evaluate
from stepfork.contracts.spec import Contract, ContractResult
from stepfork.contracts.verification import Outcome, Verification
from stepfork.providers.lines import clean_line
from stepfork.trace.exit_code import told_exit_code
from stepfork.trace.finding import TraceFinding
from stepfork.trace.fixture import Run


def verify(
    run: Run, contracts: Sequence[Contract], findings: Sequence[TraceFinding], *, expect_fail: bool
) -> Verification:
    """The outcome of a run with the contracts drafted from it and what its trace check found.

    ``verified``: something was drafted, the trace check is clean, and every contract passes; with `expect_fail` at
    least one fails instead, as an expected failure. ``nothing_to_verify``: a healthy run without tool call, structured
    output or cost. All else is ``not_verified``, with every cause that holds; a non-zero exit, a run that ended in an
    error and a missing model call are named among them and fail only a run from which nothing was drafted.
    """
    results = tuple(evaluate(contract, run.trace) for contract in contracts)
    failed = [result for result in results if result.status == "hard_fail"]
    checked = [*_of_check(run, findings)]
    if expect_fail:
        checked += _of_expectation(results, failed)
    else:
        checked += [
            f"{_told(one)}; if this run is an incident, capture it with --expect-fail (expect_fail=True)"
            for one in failed
        ]
    beside = [*_beside(run, findings, drafted=bool(results))]
    outcome: Outcome = "verified"
    if checked or (not results and beside):
        outcome = "not_verified"
        if not results and not expect_fail:
            checked.insert(0, "no contract was drafted: the run has no tool call, structured output or cost")
    elif not results:
        outcome = "nothing_to_verify"
    return Verification(
        outcome=outcome,
        verified=outcome == "verified",
        expect_fail=expect_fail,
        trace_check=tuple(findings),
        contracts=results,
        expected_failures=tuple(result.id for result in failed) if expect_fail else (),
        causes=(*checked, *beside) if outcome == "not_verified" else (),
    )


def recheck(
    run: Run, contracts: Sequence[Contract], findings: Sequence[TraceFinding], stored: Verification
) -> TraceFinding | None:
    """Whether what a manifest says was found is what is found now, by the same contracts: None where it is.

    Manifests can be edited, and merged: contracts that were changed there, or a verdict, were never evaluated."""
    now = verify(run, contracts, findings, expect_fail=stored.expect_fail)
    differing = {one.id for one in {*_statuses(now)} ^ {*_statuses(stored)}}
    differing |= set(now.expected_failures) ^ set(stored.expected_failures)
    if differing:
        told = clean_line(", ".join(sorted(differing)), 300)
        return TraceFinding("verdict_differs", f"contracts come out otherwise than the manifest says: {told}")
    if now.outcome != stored.outcome:
        said = (outcome.replace("_", " ") for outcome in (stored.outcome, now.outcome))
        return TraceFinding("verdict_differs", "the manifest says {}, and the run is {}".format(*said))
    return None


def _statuses(verification: Verification) -> Iterator[ContractResult]:
    return (msgspec.structs.replace(one, explanation="") for one in verification.contracts)


def _of_check(run: Run, findings: Sequence[TraceFinding]) -> Iterator[str]:
    by_code: defaultdict[str, list[TraceFinding]] = defaultdict(list)
    for finding in findings:
        if finding.fails:
            by_code[finding.code].append(finding)
    for code, found in by_code.items():
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        yield f"trace check failed: {code}: {found[0].text}{more}; {found[0].advice}"
    if "no_steps" not in by_code and not any(step.type in ("llm_call", "tool_call") for step in run.trace.steps):
        yield "no model call and no tool call was mapped, so every contract would hold of nothing"


def _of_expectation(results: Sequence[ContractResult], failed: Sequence[ContractResult]) -> Iterator[str]:
    if not results:
        yield (
            "no contract was drafted, so none fails as an expected failure must: the run has no tool call, structured "
            "output or cost"
        )
    elif not failed:
        yield (
            "every drafted contract passes, so nothing fails as an expected failure must; capture a healthy run "
            "without expecting one (--expect-fail, expect_fail=True), or make the run show its fault"
        )


def _beside(run: Run, findings: Sequence[TraceFinding], *, drafted: bool) -> Iterator[str]:
    """What fails nothing by itself."""
    if run.source.exit_code:
        yield f"the command ended with exit code {told_exit_code(run.source.exit_code)}; its output says why"
    if run.trace.status == "error":
        yield f"the run ended with an error{f' ({run.trace.error.type})' if run.trace.error else ''}"
    elif not drafted:
        yield from (
            f"step {finding.step}: {finding.text}"
            for finding in findings
            if finding.code == "error_status" and finding.step is not None
        )
    if run.source.kind != "otlp_file" and not _asked_a_model(run):
        yield (
            "no model call was recorded; build the model client from OPENAI_BASE_URL or ANTHROPIC_BASE_URL, or add a "
            "route for its host"
        )


def _told(result: ContractResult) -> str:
    return f"contract {result.id} fails: {result.explanation}"


def _asked_a_model(run: Run) -> bool:
    told = any(step.type == "llm_call" and step.instrumented for step in run.trace.steps)
    return told or any(exchange.api != "other" for exchange in run.exchanges)
